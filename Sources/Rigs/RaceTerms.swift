internal import Vocabulary

/// What a race search tries, and for how long (rigs/reference.yaml, `race`).
public struct RaceTerms: Sendable, Hashable {
    /// A conflict pair or triple by its name, `all`, or a plan of the rig's own.
    public enum Choice: Sendable, Hashable {
        case named(String)
        case own(OwnPlan)
    }

    /// `{name: ..., actors: {tv: [...], phone: [...]}, sweep: [phone.authenticate, tv.poll-token]}`.
    public struct OwnPlan: Sendable, Hashable {
        public struct RaceActor: Sendable, Hashable {
            public var name: String
            public var operations: [Operation]
        }

        /// `poll-token`, or `{step: authenticate, as: second, account: 2}`.
        public struct Operation: Sendable, Hashable, ExpressibleByStringLiteral {
            public var step: String
            /// What the plan calls it: `as`, or else its step.
            public var name: String
            /// Which one it takes, each counted from 1.
            public var account: Int?
            public var provider: Int?
            public var pass: Int?
            public var resource: Int?
            public var identity: Int?
            /// The operation that made its code, and the sign-in whose assertion is sent again:
            /// `tv.registration-code`.
            public var code: String?
            public var repeats: String?

            public init(step: String, as name: String? = nil) {
                self.step = step
                self.name = name ?? step
            }

            public init(stringLiteral step: String) { self.init(step: step) }
        }

        public var name: String
        public var actors: [RaceActor]
        /// The two that are raced: the first keeps its time, the other is moved.
        public var fixed: String
        public var moved: String
    }

    public enum RaceAnchor: String, Sendable, CaseIterable {
        /// Offsets count from the last byte of the other's request.
        case lastByte = "last-byte"
        /// From the first byte of its answer.
        case firstReply = "first-reply"
    }

    public enum Gate: String, Sendable, CaseIterable {
        /// The last byte on HTTP/1.1, together on HTTP/2, the whole request through a plain proxy.
        case auto
        case lastByte = "last-byte"
        case group, none
    }

    public var plans: [Choice] = [.named("all")]
    /// Offsets that are tried, from the earliest to the latest.
    public var offsets: ClosedRange<Duration> = .milliseconds(-200) ... .milliseconds(200)
    public var anchor: RaceAnchor = .lastByte
    /// Trials at each offset of the first, coarse sweep.
    public var perOffset: Int = 5
    /// How many trials at most, the cases of what was found included; nil: not given.
    public var trials: Int?
    /// How long at most; nil: not given.
    public var time: Duration?
    public var gate: Gate = .auto
    /// Each raced request has a connection of its own, made for it.
    public var isFresh: Bool = false
    public var dropsCookies: Bool = false
    /// Trials at a time on each lane.
    public var atOnce: Int = 24
}

extension RaceTerms {
    /// What holds where neither is given: a search for one conflict has gone far enough then.
    public static let usualTrials = 2000
    public static let usualTime: Duration = .seconds(60)

    /// Everything is raced: what is not given is no limit, and the sweeps are the end of it.
    private var isOfAll: Bool { plans.contains(.named("all")) }

    /// Nothing but the sweeps ends it.
    public var isUnlimited: Bool { isOfAll && trials == nil && time == nil }

    /// Nil: none.
    public var trialLimit: Int? { trials ?? (isOfAll ? nil : Self.usualTrials) }
    public var timeLimit: Duration? { time ?? (isOfAll ? nil : Self.usualTime) }
}

extension RaceTerms: RigSection {
    /// What a search tries where the rig has no `race:`.
    public static let blank = RaceTerms()
    static let keys: [Key<RaceTerms>] = [
        Key(
            "plans",
            .list(
                .either(
                    .from(.words(["all"] + planNames + armPlanNames)) { .named($0) },
                    .from(.section) { (plan: OwnPlanKeys, marks, reader) in
                        plan.plan(marks, &reader).map { .own($0) }
                    })), into: \.plans, default: "[all]", example: "[poll-authenticate, poll-poll]",
            "Race plans: names of predefined plans, all, or your own plans. path-independence "
                + "and poll-is-pure compare two arms."),
        Key(
            "offsets", .scalar(.offsets), into: \.offsets, default: "-200ms..200ms",
            "Range of offsets to search."),
        Key(
            "anchor", .words(), into: \.anchor,
            "What offsets count from: the last byte of the other request, or the first byte of "
                + "its response (offsets of at least 0 only)."),
        Key(
            "per-offset", .scalar(.count(1...100)), into: \.perOffset,
            "Trials at each offset of the coarse sweep."),
        Key(
            "trials", .scalar(.count(1...10_000_000)), ifGiven: \.trials, example: "2000",
            "Limit of trials, including the work on cases. Without 'trials' and 'for': 2000 "
                + "trials and 60s; with all plans, the end of all sweeps."),
        Key(
            "for", .scalar(.duration), ifGiven: \.time, example: "60s",
            "Time limit, including the work on cases."),
        Key(
            "gate", .words(), into: \.gate,
            "How raced requests are sent. last-byte: all but the last byte is sent ahead, each "
                + "over its own connection. group: together over one HTTP/2 connection. none: "
                + "whole. auto: the most exact way that target.http and target.proxy allow."),
        Key(
            "connection", .words(("kept", false), ("fresh", true)), into: \.isFresh,
            "fresh: a new connection for each raced request, opened before the race."),
        Key(
            "cookies", .words(("keep", false), ("drop", true)), into: \.dropsCookies,
            "drop: raced requests carry no cookies, so that load balancers choose again."),
        Key(
            "at-once", .scalar(.count(1...1000)), into: \.atOnce,
            "Trials at a time on each lane. A request that waits for its last byte takes a thread of "
                + "some servers: give them fewer trials than they have threads."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if anchor == .firstReply, offsets.lowerBound < .zero {
            reader.refuse(
                marks["offsets"].place,
                "with anchor: first-reply, offsets start at 0; write offsets: 0ms..200ms, or "
                    + "anchor: last-byte")
        }
        if plans.isEmpty {
            reader.refuse(
                marks["plans"].place, "plans is empty; remove it to search all plans")
        }
        if time == .zero {
            reader.refuse(marks["for"].place, "for is 0s; write for example 60s")
        }
    }
}

/// What stands in a plan of a rig's own.
private struct OwnPlanKeys {
    var name = ""
    var actors: [Named<[RaceTerms.OwnPlan.Operation]>] = []
    var sweep: [String] = []

    func plan(_ marks: Marks, _ reader: inout ValueReader) -> RaceTerms.OwnPlan? {
        guard marks.isWhole else { return nil }
        let given = Array(zip(actors, marks["actors"].items))
        for (actor, marks) in given where !Self.isActor(actor.name) {
            reader.refuse(
                marks.namePlace ?? marks.place,
                "unknown actor '\(actor.name)'; actors are tv, phone, other-tv, other-phone, and "
                    + "further ones with a number: tv-2, phone-2")
        }
        guard sweep.count == 2, sweep[0] != sweep[1] else {
            reader.refuse(
                marks["sweep"].place,
                "sweep must name two operations, such as [phone.authenticate, tv.poll-token]")
            return nil
        }
        let known = actors.flatMap { actor in
            actor.value.map { (name: "\(actor.name).\($0.name)", step: $0.step) }
        }
        for (text, marks) in zip(sweep, marks["sweep"].items) {
            Self.check(text, known.map(\.name), marks.place, &reader)
        }
        for (operation, marks) in given.flatMap({ zip($0.value, $1.items) }) {
            for (key, text, steps) in [
                ("code", operation.code, Self.codes),
                ("repeats", operation.repeats, ["authenticate"]),
            ] {
                guard let text else { continue }
                let names = known.filter { steps.contains($0.step) }.map(\.name)
                Self.check(text, names, marks[key].place, &reader)
            }
        }
        return RaceTerms.OwnPlan(
            name: name,
            actors: actors.map { .init(name: $0.name, operations: $0.value) }, fixed: sweep[0],
            moved: sweep[1])
    }

    /// Operations that make a code, one in each protocol.
    private static let codes = OperationName.allCases.filter {
        $0.step(onFirstScreen: true) == .issueCode
    }.map(\.name)

    /// A name must be that of an operation of the plan.
    private static func check(
        _ text: String, _ known: [String], _ place: Place, _ reader: inout ValueReader
    ) {
        guard !known.contains(text) else { return }
        let near = text.nearest(among: known).map { "; did you mean '\($0)'?" } ?? ""
        reader.refuse(place, "no actor of this plan has the operation '\(text)'\(near)")
    }

    /// `tv`, `phone-2`, `other-tv`.
    private static func isActor(_ name: String) -> Bool {
        var rest = name[...]
        if rest.hasPrefix("other-") { rest = rest.dropFirst(6) }
        let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, first == "tv" || first == "phone" else { return false }
        guard parts.count > 1 else { return true }
        return parts.count == 2 && (Int(parts[1]).map { (2...4).contains($0) } ?? false)
    }
}

extension OwnPlanKeys: RigSection {
    static let blank = OwnPlanKeys()
    static let keys: [Key<OwnPlanKeys>] = [
        Key(
            "name", .scalar(.shownText), into: \.name, required: true, example: "mine",
            "The name in reports."),
        Key(
            "actors",
            .named(.list(.either(.from(.words(RaceTerms.steps)) { .init(step: $0) }, .section))),
            into: \.actors, required: true,
            example: "{tv: [registration-code, poll-token], phone: [authenticate]}",
            "Operations of each actor, in order. Actors: tv, tv-2 (the same TV over another "
                + "connection), phone, phone-2; other-tv and other-phone belong to another "
                + "household. An operation is a name, or a map with its arguments: {step: "
                + "authorize, resource: 2}."),
        Key(
            "sweep", .list(.scalar(.text)), into: \.sweep, required: true,
            example: "[phone.authenticate, tv.poll-token]",
            "The two raced operations: the first keeps its time, the second is swept."),
    ]
}

extension RaceTerms.OwnPlan.Operation: RigSection {
    static let blank = RaceTerms.OwnPlan.Operation(step: "")
    static let keys: [Key<RaceTerms.OwnPlan.Operation>] = [
        Key(
            "step", .words(RaceTerms.steps), set: { ($0.step, $0.name) = ($1, $1) }, required: true,
            example: "authenticate", "The operation."),
        Key(
            "as", .scalar(.text), set: { $0.name = $1 }, example: "second",
            "Its name in the plan, needed if an actor does the same operation twice."),
        Key(
            "account", .scalar(.count(1...9)), ifGiven: \.account, example: "2",
            "Which of the household's accounts signs in. Default: a different one for each sign-in."
        ),
        Key(
            "provider", .scalar(.count(1...99)), ifGiven: \.provider, example: "2",
            "Number of the provider in target.mvpds, or in the service's configuration. Requests of "
                + "REST V2 that name one have that of the last sign-in by default."),
        Key(
            "pass", .scalar(.count(1...9)), ifGiven: \.pass, example: "1", alternative: true,
            "Number of the TempPass provider in the service's configuration: a request of REST V2 "
                + "names it as its provider."),
        Key(
            "identity", .scalar(.count(1...9)), ifGiven: \.identity, example: "1",
            alternative: true,
            "A request of REST V2 shows a service token of the trial's user with this number; "
                + "operations of one number are one user's."),
        Key(
            "resource", .scalar(.count(1...99)), ifGiven: \.resource, example: "2",
            "Number of the resource in target.resources."),
        Key(
            "code", .scalar(.text), ifGiven: \.code, example: "tv.registration-code",
            "The operation that created its code. Default: the newest code of the household."),
        Key(
            "repeats", .scalar(.text), ifGiven: \.repeats, example: "phone.authenticate",
            "The sign-in whose assertion is sent again."),
    ]
}
