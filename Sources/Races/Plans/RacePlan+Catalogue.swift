// What is told apart by hand: reads that race, sign-ins of two phones, what runs out, triples
// (docs/races.md, What is raced). Pairs of mutators are made by rule: `MutatorPair`.

extension RacePlan {
    /// All of them, pairs of mutators last.
    public static let catalogue: [RacePlan] =
        [
            pollAuthenticate, authenticateExpire, pollPoll, pollLogout, pollDelete, logoutMedia,
            authorizeMedia, pollAuthenticateLogout, authenticateTimeoutRetry,
        ] + MutatorPair.all.map(plan)

    /// A pair of mutators, with what is added to it by hand.
    private static func plan(_ pair: MutatorPair) -> RacePlan {
        var plan = RacePlan(pair)
        switch pair.name {
        case "authenticate-authenticate": plan.variants = twoPhones + plan.variants.dropFirst()
        case "create-create":
            // Which of the two codes lives is asked at once.
            plan.variants[0].schedule.ops += [
                self.plain("record", "tv", .registrationRecord, args: [.init("code", "create")]),
                self.plain(
                    "record-2", "tv", .registrationRecord, args: [.init("code", "create-2")]),
            ]
        case "logout-authenticate":
            // Whether the new sign-in was there is asked at once: the logout may end it.
            plan.variants[0].schedule.ops.append(
                then("poll", "tv", .pollToken, after: "authenticate", number: 1))
        default: break
        }
        return plan
    }

    private static var pollAuthenticate: RacePlan {
        one(
            "poll-authenticate", "a TV polls while its phone signs in",
            signingIn + [
                then("check", "phone", .checkCode, after: "authenticate"),
                swept("poll", "tv", .pollToken, against: "authenticate"),
                then("poll-2", "tv", .pollToken, after: "poll", number: 1),
            ])
    }

    /// Two phones sign in with one code.
    private static var twoPhones: [Variant] {
        let second = swept(
            "authenticate-2", "phone-2", .authenticate, against: "authenticate",
            args: [.init("account", "2")], tag: "account-2")
        let start = swept(
            "start-2", "phone-2", .loginStart, against: "authenticate",
            args: [.init("provider", "1")])
        var elsewhere = start
        elsewhere.actor = "other-phone"
        let name = "authenticate-authenticate"
        return [
            variant(
                name, "both finish",
                signingIn + [
                    second, then("poll-1", "tv", .pollToken, after: "authenticate"),
                    then("poll-2", "tv", .pollToken, after: "authenticate-2", number: 1),
                ], swept: "authenticate-2"),
            variant(
                name, "one starts while the other finishes",
                signingIn + [
                    start, then("poll", "tv", .pollToken, after: "authenticate"),
                ], swept: "start-2"),
            variant(
                name, "one starts in another household",
                [
                    create, plain("create-2", "other-tv", .registrationCode),
                    raced("authenticate", "phone", .authenticate, tag: "account-1"),
                    elsewhere, then("poll", "tv", .pollToken, after: "authenticate"),
                ], swept: "start-2"),
        ]
    }

    private static var authenticateExpire: RacePlan {
        var plan = one(
            "authenticate-expire", "a phone signs in while the code expires",
            [
                create,
                Schedule.Op(
                    "expire", "tv", .expire, anchor: .init(.absolute, of: "create")),
                swept("authenticate", "phone", .authenticate, against: "expire", tag: "account-1"),
                then("check", "phone", .checkCode, after: "authenticate"),
            ], swept: "authenticate")
        plan.variants[0].schedule.codeLifetime = .seconds(2)
        return plan
    }

    private static var pollPoll: RacePlan {
        let name = "poll-poll"
        return RacePlan(
            name: name, line: "two simultaneous polls",
            variants: [
                variant(
                    name, "of one TV",
                    signedIn + [
                        raced("poll", "tv", .pollToken),
                        swept("poll-2", "tv", .pollToken, against: "poll", number: 1),
                    ], swept: "poll-2"),
                variant(
                    name, "of two households",
                    signedIn + [
                        raced("poll", "tv", .pollToken),
                        swept("poll-2", "other-tv", .pollToken, against: "poll"),
                    ], swept: "poll-2"),
            ])
    }

    private static var pollLogout: RacePlan {
        one(
            "poll-logout", "a TV polls while it logs out",
            signedIn + [
                raced("logout", "tv", .logout),
                swept("poll", "tv", .pollToken, against: "logout", number: 1),
            ])
    }

    private static var pollDelete: RacePlan {
        one(
            "poll-delete", "a signed-in TV polls while it deletes its code",
            signedIn + [
                raced("delete", "tv", .deleteRegistration),
                swept("poll", "tv", .pollToken, against: "delete", number: 1),
            ])
    }

    private static var logoutMedia: RacePlan {
        one(
            "logout-media", "a TV asks for a media token while it logs out",
            signedIn + [
                plain("authorize", "tv", .authorize),
                raced("logout", "tv", .logout),
                swept("media", "tv", .mediaToken, against: "logout", number: 1),
            ])
    }

    private static var authorizeMedia: RacePlan {
        one(
            "authorize-media", "a TV asks for a media token while it is being authorized",
            signedIn + [
                raced("authorize", "tv", .authorize),
                swept("media", "tv", .mediaToken, against: "authorize", number: 1),
            ])
    }

    private static var pollAuthenticateLogout: RacePlan {
        one(
            "poll-authenticate-logout", "a TV polls while its phone signs in and it logs out",
            signingIn + [
                then("logout", "tv", .logout, after: "authenticate", number: 1),
                swept("poll", "tv", .pollToken, against: "authenticate"),
            ])
    }

    private static var authenticateTimeoutRetry: RacePlan {
        one(
            "authenticate-timeout-retry",
            "a phone sends its sign-in again before the first one "
                + "is answered",
            signingIn + [
                swept(
                    "retry", "phone", .authenticate, against: "authenticate", number: 1,
                    args: [.init("repeats", "authenticate")], tag: "account-1"),
                then("poll", "tv", .pollToken, after: "authenticate"),
            ], swept: "retry")
    }

    // MARK: Ops

    private static var create: Schedule.Op { plain("create", "tv", .registrationCode) }

    /// A code, and the phone that signs in with it while something else happens.
    private static var signingIn: [Schedule.Op] {
        [create, raced("authenticate", "phone", .authenticate, tag: "account-1")]
    }

    /// A TV whose phone has signed in.
    private static var signedIn: [Schedule.Op] {
        [create, plain("authenticate", "phone", .authenticate, tag: "account-1")]
    }

    private static func plain(
        _ id: String, _ actor: String, _ step: Step, args: [Schedule.Arg] = [], tag: String? = nil
    ) -> Schedule.Op {
        Schedule.Op(id, actor, step, args: args, tag: tag)
    }

    /// The one that keeps its time.
    private static func raced(
        _ id: String, _ actor: String, _ step: Step, tag: String? = nil
    ) -> Schedule.Op {
        Schedule.Op(id, actor, step, tag: tag, gate: .lastByte)
    }

    /// The one that is moved. `number`: of the actor's connection, for two requests of one actor at
    /// once.
    private static func swept(
        _ id: String, _ actor: String, _ step: Step, against other: String, number: Int = 0,
        args: [Schedule.Arg] = [], tag: String? = nil
    ) -> Schedule.Op {
        Schedule.Op(
            id, actor, step, args: args, tag: tag, anchor: .init(.lastByteSent, of: other),
            gate: .lastByte, connection: .kept(number))
    }

    /// At once when the other was answered.
    private static func then(
        _ id: String, _ actor: String, _ step: Step, after other: String, number: Int = 0
    ) -> Schedule.Op {
        Schedule.Op(
            id, actor, step, anchor: .init(.firstReplyByte, of: other),
            connection: .kept(number))
    }

    // MARK: Plans

    private static func one(
        _ name: String, _ line: String, _ ops: [Schedule.Op], swept: String? = nil
    ) -> RacePlan {
        let moved = swept ?? ops.last { $0.anchor?.event == .lastByteSent }?.id ?? ""
        return RacePlan(name: name, line: line, variants: [variant(name, "", ops, swept: moved)])
    }

    static func variant(
        _ plan: String, _ name: String, _ ops: [Schedule.Op], swept: String
    ) -> Variant {
        var actors: [Schedule.Actor] = []
        for op in ops where !actors.contains(where: { $0.name == op.actor }) {
            actors.append(Schedule.Actor(named: op.actor))
        }
        return Variant(
            name: name, schedule: Schedule(plan: plan, actors: actors, ops: ops), swept: swept)
    }
}

extension Schedule.Actor {
    /// By its name: `tv`, `phone-2`; `other-tv` and `other-phone` are of another living room.
    init(named name: String) {
        let isOther = name.hasPrefix("other-")
        let own = isOther ? String(name.dropFirst(6)) : name
        self.init(
            name: name, screen: own.hasPrefix("tv") ? .first : .second,
            household: isOther ? 1 : 0)
    }
}
