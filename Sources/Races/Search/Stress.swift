internal import Dialects

/// A circumstance under which the same offsets are tried again when they have shown nothing.
enum Stress: String, CaseIterable {
    case fresh = "new connections"
    case noCookies = "no cookies"
    case company = "with a concurrent sign-in of another household"

    /// The variant under that circumstance; nil where it has nothing that is raced.
    func applied(to variant: RacePlan.Variant) -> RacePlan.Variant? {
        var variant = variant
        switch self {
        case .fresh, .noCookies:
            for position in variant.schedule.ops.indices
            where variant.schedule.ops[position].gate != .none {
                variant.schedule.ops[position].connection = .fresh
                if self == .noCookies { variant.schedule.ops[position].cookies = .drop }
            }
        case .company:
            guard let head = variant.schedule.ops.first(where: { $0.gate != .none }) else {
                return nil
            }
            variant.schedule.addPassers(at: head)
        }
        return variant
    }
}

extension Schedule {
    /// Another living room signs in at the moment of `head`, and polls as soon as that is done: what the
    /// service keeps for everybody (a cache, the login under way) then has somebody else's in it.
    fileprivate mutating func addPassers(at head: Op) {
        let room = (actors.map(\.household).max() ?? 0) + 1
        let (create, signIn, poll): (Step, Step, Step) =
            switch protocolName {
            case .adobePassV1: (.registrationCode, .authenticate, .pollToken)
            case .adobePassV2: (.createSession, .authenticate, .profilesByCode)
            case .oauthDeviceGrant: (.deviceAuthorization, .approval, .deviceToken)
            }
        actors.append(Actor(name: "passing-tv", screen: .first, household: room))
        actors.append(Actor(name: "passing-phone", screen: .second, household: room))
        ops.insert(Op("passing-create", "passing-tv", create), at: 0)
        ops.append(
            Op(
                "passing-\(signIn.rawValue)", "passing-phone", signIn, tag: "passing-account",
                anchor: .init(.lastByteSent, of: head.id), gate: head.gate))
        ops.append(
            Op(
                "passing-poll", "passing-tv", poll,
                anchor: .init(.firstReplyByte, of: "passing-\(signIn.rawValue)")))
    }

    /// The first that has all of its steps.
    private var protocolName: ProtocolName {
        ProtocolName.allCases.first { name in
            ops.allSatisfy { $0.step.counterpart(in: name) == $0.step }
        } ?? .usual
    }
}
