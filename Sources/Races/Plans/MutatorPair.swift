/// What changes the state that others see, and what must be there for it: plans of two of them are made
/// by rule.
enum Mutator: String, CaseIterable {
    case sso, authenticate, delete, create, logout, authorize, preview

    var step: Step {
        switch self {
        case .sso: .tokenExchange
        case .authenticate: .authenticate
        case .delete: .deleteRegistration
        case .create: .registrationCode
        case .logout: .logout
        case .authorize: .authorize
        case .preview: .freePreview
        }
    }

    var isSignIn: Bool { self == .sso || self == .authenticate }
    /// Somebody must have signed in before.
    var needsSignIn: Bool { self == .logout || self == .authorize }
    /// It is about a code that is there already.
    var needsCode: Bool { self == .authenticate || self == .delete }

    /// As the one that is told of: `a TV logs out`.
    var sentence: String {
        switch self {
        case .sso: "the platform signs a TV in"
        case .authenticate: "a phone signs a TV in"
        case .delete: "a TV deletes its code"
        case .create: "a TV asks for a new code"
        case .logout: "a TV logs out"
        case .authorize: "a TV asks for an authorization"
        case .preview: "a TV takes a TempPass"
        }
    }

    /// As what goes on meanwhile: `it logs out`.
    var aside: String {
        switch self {
        case .sso: "the platform signs it in"
        case .authenticate: "its phone signs in"
        case .delete: "it deletes its code"
        case .create: "it asks for a new code"
        case .logout: "it logs out"
        case .authorize: "it asks for an authorization"
        case .preview: "it takes a TempPass"
        }
    }
}

/// Two mutators at once: the first keeps its time, the second is moved. What must be there before is set
/// up: a code; a sign-in, unless the first is the sign-in that the second is about.
///
/// ```text
///   authenticate-logout   | create |               | authenticate |      is there anything to log out?
///                                             ...| logout |...
///   logout-authenticate   | create | sign-in | create-2 |  | logout |    does it take the new one along?
///                                             ...| authenticate |...
/// ```
struct MutatorPair {
    var first: Mutator
    var second: Mutator

    /// Every ordered pair.
    static let all = Mutator.allCases.flatMap { first in
        Mutator.allCases.map { MutatorPair(first: first, second: $0) }
    }

    var name: String { "\(first.rawValue)-\(second.rawValue)" }
    var isTwice: Bool { first == second }

    /// Offsets from early to late play this pair and the reverse alike: what is set up before is the same.
    /// One of the two then stands for both.
    var isReverse: Bool {
        let all = Mutator.allCases
        guard let one = all.firstIndex(of: first), let other = all.firstIndex(of: second),
            one > other
        else { return false }
        return !(first.needsSignIn && second.isSignIn)
    }

    /// In one living room, or each in its own.
    func ops(inTwoRooms isApart: Bool) -> (ops: [Schedule.Op], swept: String) {
        var ops: [Schedule.Op] = []
        let isSignedIn = first.needsSignIn || second.needsSignIn && !first.isSignIn
        for room in isApart ? ["", "other-"] : [""] {
            if isSignedIn || first.needsCode || second.needsCode {
                ops.append(Schedule.Op("\(room)create", "\(room)tv", .registrationCode))
            }
            guard isSignedIn else { continue }
            ops.append(
                Schedule.Op(
                    "\(room)sign-in", "\(room)phone", .authenticate, tag: "\(room)account-1"))
            if first == .authenticate || second == .authenticate {
                ops.append(Schedule.Op("\(room)create-2", "\(room)tv", .registrationCode))
            }
        }
        let fixed = op(first, "", after: ops, isSecond: false)
        ops.append(fixed)
        var moved = op(second, isApart ? "other-" : "", after: ops, isSecond: !isApart)
        moved.anchor = .init(.lastByteSent, of: fixed.id)
        if moved.actor == fixed.actor { moved.connection = .kept(1) }
        return (ops + [moved], moved.id)
    }

    /// `isSecond`: it comes second in its living room.
    private func op(
        _ mutator: Mutator, _ room: String, after ops: [Schedule.Op], isSecond: Bool
    ) -> Schedule.Op {
        var id = room + mutator.rawValue
        for number in 2...9 where ops.contains(where: { $0.id == id }) {
            id = "\(room)\(mutator.rawValue)-\(number)"
        }
        let isPhone = mutator == .authenticate
        let actor = room + (isPhone ? (isTwice && isSecond ? "phone-2" : "phone") : "tv")
        var op = Schedule.Op(id, actor, mutator.step, gate: .lastByte)
        guard mutator.isSignIn else { return op }
        // Each sign-in of a living room is another account's; the platform's is another provider's.
        let own = ops.count { $0.tag?.hasPrefix("\(room)account") ?? false }
        let isOfPlatform = first == .sso || second == .sso
        if mutator == .authenticate, isOfPlatform { op.args.append(.init("provider", "1")) }
        if own > 0 { op.args.append(.init("account", "\(own + 1)")) }
        op.tag = "\(room)account-\(own + 1)"
        return op
    }
}

extension RacePlan {
    /// Of one device, and where both do the same, of two.
    init(_ pair: MutatorPair) {
        func variant(_ name: String, isApart: Bool) -> Variant {
            let (ops, swept) = pair.ops(inTwoRooms: isApart)
            return Self.variant(pair.name, name, ops, swept: swept)
        }
        guard pair.isTwice else {
            self.init(
                name: pair.name, line: "\(pair.second.sentence) while \(pair.first.aside)",
                variants: [variant("", isApart: false)])
            return
        }
        self.init(
            name: pair.name, line: "\(pair.first.sentence), twice at once",
            variants: [
                variant("of one TV", isApart: false), variant("of two living rooms", isApart: true),
            ])
    }
}
