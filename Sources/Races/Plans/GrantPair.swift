/// What changes the state of an OAuth device grant, for plans of two of them made by rule.
enum GrantMutator: String, CaseIterable {
    case enter, approve, refuse, poll, refresh, revoke, expire

    var step: Step {
        switch self {
        case .enter: .verificationPage
        case .approve: .approval
        case .refuse: .refusal
        case .poll: .deviceToken
        case .refresh: .refreshToken
        case .revoke: .revocation
        case .expire: .expire
        }
    }

    /// A person does it, in a browser.
    var isOfPhone: Bool { self == .enter || self == .approve || self == .refuse }
    /// The same by another app, with what was issued to the TV's; nil: nothing is shown in it.
    var byOtherClient: Step? {
        switch self {
        case .poll: .otherClientToken
        case .refresh: .otherClientRefresh
        case .revoke: .otherClientRevocation
        case .enter, .approve, .refuse, .expire: nil
        }
    }
    /// The TV has a token to show.
    var needsToken: Bool { self == .refresh || self == .revoke }

    /// As the one that is told of: `a TV polls`.
    var sentence: String {
        switch self {
        case .enter: "a person enters the code"
        case .approve: "a person approves the TV"
        case .refuse: "a person refuses the TV"
        case .poll: "a TV polls"
        case .refresh: "a TV renews its token"
        case .revoke: "a TV gives its token back"
        case .expire: "the codes expire"
        }
    }
}

/// Two of them at once, each pair once: offsets from early to late play both orders.
struct GrantPair {
    var first: GrantMutator
    var second: GrantMutator

    static let all: [GrantPair] = GrantMutator.allCases.enumerated().flatMap { number, first in
        GrantMutator.allCases[number...].map { GrantPair(first: first, second: $0) }
    }.filter { $0.isAnything }

    var name: String { "\(first.rawValue)-\(second.rawValue)" }

    /// Codes expire once, and by themselves; the end of a code is nothing to a token.
    private var isAnything: Bool {
        guard second == .expire else { return true }
        return first != .expire && !first.needsToken
    }

    /// Who may be the second: with two decisions the same person in two browsers, or two people.
    var isOfPeople: Bool { first.isOfPhone && second.isOfPhone }

    /// What must be there before: codes; an approval where a token is needed, or where polls are all
    /// that is raced; the token itself.
    private var before: [Schedule.Op] {
        var ops = [Schedule.Op("codes", "tv", .deviceAuthorization)]
        let needsToken = first.needsToken || second.needsToken
        let isOfPolls = first == .poll && (second == .poll || second == .expire)
        guard needsToken || isOfPolls else { return ops }
        ops.append(Schedule.Op("sign-in", "phone", .approval, tag: "account-1"))
        if needsToken { ops.append(Schedule.Op("token", "tv", .deviceToken)) }
        if needsToken, first.isOfPhone {
            ops.append(Schedule.Op("codes-2", "tv", .deviceAuthorization))
        }
        return ops
    }

    /// Whose the second is.
    enum Second { case same, otherPerson, otherClient }

    func ops(by who: Second) -> (ops: [Schedule.Op], swept: String) {
        var ops = before
        var fixed = op(first, account: "1", phone: "phone", id: first.rawValue)
        if second == .expire {
            let end = Schedule.Op(
                "expire", "tv", .expire, anchor: .init(.absolute, of: "codes"))
            fixed.anchor = .init(.lastByteSent, of: end.id)
            return (ops + [end, fixed], fixed.id)
        }
        ops.append(fixed)
        let id = first == second ? "\(second.rawValue)-2" : second.rawValue
        var moved = op(
            second, account: who == .otherPerson ? "2" : "1",
            phone: isOfPeople ? "phone-2" : "phone", id: id)
        if who == .otherClient, let step = second.byOtherClient { moved.step = step }
        moved.anchor = .init(.lastByteSent, of: fixed.id)
        if moved.actor == fixed.actor { moved.connection = .kept(1) }
        return (ops + [moved], moved.id)
    }

    private func op(
        _ mutator: GrantMutator, account: String, phone: String, id: String
    ) -> Schedule.Op {
        var op = Schedule.Op(
            id, mutator.isOfPhone ? phone : "tv", mutator.step, gate: .lastByte)
        guard mutator.isOfPhone else { return op }
        op.args = [.init("account", account)]
        if mutator == .approve { op.tag = "account-\(account)" }
        return op
    }
}

extension RacePlan {
    /// All plans of the OAuth device grant: pairs by rule, and what takes three by hand.
    public static let grantCatalogue: [RacePlan] =
        GrantPair.all.map(RacePlan.init) + [approveApprovePoll]

    /// Of all protocols; where two have a plan of one name, that of the older one.
    public static var everyName: [RacePlan] {
        catalogue + grantCatalogue.filter { grant in !catalogue.contains { $0.name == grant.name } }
    }

    init(_ pair: GrantPair) {
        func variant(_ name: String, by who: GrantPair.Second) -> Variant {
            let (ops, swept) = pair.ops(by: who)
            return Self.variant(pair.name, name, ops, swept: swept)
        }
        let variants =
            if pair.isOfPeople {
                [
                    variant("one person in two browsers", by: .same),
                    variant("two people", by: .otherPerson),
                ]
            } else if pair.second.byOtherClient != nil {
                [
                    variant("one app", by: .same),
                    variant("the second of another app", by: .otherClient),
                ]
            } else {
                [variant("", by: .same)]
            }
        self.init(
            name: pair.name, line: "\(pair.first.sentence) while \(pair.second.sentence)",
            variants: variants)
    }

    /// An approval may bring a used code back.
    private static var approveApprovePoll: RacePlan {
        let name = "approve-approve-poll"
        let first = Schedule.Op(
            "approve", "phone", .approval, args: [.init("account", "1")], tag: "account-1",
            gate: .lastByte)
        let poll = Schedule.Op(
            "poll", "tv", .deviceToken, anchor: .init(.firstReplyByte, of: "approve"),
            gate: .lastByte)
        let second = Schedule.Op(
            "approve-2", "phone-2", .approval, args: [.init("account", "2")], tag: "account-2",
            anchor: .init(.lastByteSent, of: "approve"), gate: .lastByte)
        return RacePlan(
            name: name, line: "two people approve a TV that polls when the first is told so",
            variants: [
                variant(
                    name, "",
                    [Schedule.Op("codes", "tv", .deviceAuthorization), first, poll, second],
                    swept: "approve-2")
            ])
    }
}
