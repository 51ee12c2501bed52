internal import Dialects
internal import Journal
internal import Vocabulary

/// The same steps in several protocols (rest-v2.md § 16.1).
extension Step {
    /// A TV gets a code by it.
    var issuesCode: Bool { operation?.issuesCode ?? false }
    /// What is known of a code is asked for.
    var looksCodeUp: Bool { self == .registrationRecord || self == .sessionByCode }
    /// The device's own look at its profiles (rest-v2.md § 6).
    var readsProfiles: Bool { operation == .profiles || operation == .profilesByMVPD }
    /// The platform vouches.
    var isPlatformExchange: Bool { self == .tokenExchange || self == .ssoProfile }
    /// Somebody signs in by it.
    var signsIn: Bool { self == .authenticate || self == .approval || isPlatformExchange }
    /// A code or a sign-in may end by it.
    var endsSignIn: Bool {
        self == .expire || self == .deleteRegistration || self == .logout || self == .revocation
    }
    /// A phone walks pages up to it.
    var isWalked: Bool {
        self == .authenticate || self == .approval || self == .refusal || self == .verificationPage
    }

    static let createSession = Step(.createSession)
    static let sessionByCode = Step(.sessionByCode)
    static let profilesByCode = Step(.profilesByCode)
    static let partnerRequest = Step(.partnerRequest)
    static let ssoProfile = Step(.ssoProfile)
    static let deviceAuthorization = Step(.deviceAuthorization)
    static let verificationPage = Step(.verificationPage)
    static let approval = Step(.approval)
    static let refusal = Step(.refusal)
    static let deviceToken = Step(.deviceToken)
    static let refreshToken = Step(.refreshToken)
    static let revocation = Step(.revocation)
    static let userinfo = Step(.userinfo)
    static let otherClientToken = Step(.otherClientToken)
    static let otherClientRefresh = Step(.otherClientRefresh)
    static let otherClientRevocation = Step(.otherClientRevocation)

    /// Another app shows what was issued to the TV's.
    var isOfOtherClient: Bool { operation?.isOfOtherClient ?? false }

    /// What a protocol has for it; nil where it has nothing.
    func counterpart(in protocolName: ProtocolName) -> Step? {
        switch (protocolName, operation) {
        case (.adobePassV1, let operation): operation?.isOfV1 ?? true ? self : nil
        // Nobody waits for the end of a code (`reasonForNone`).
        case (.adobePassV2, nil): nil
        case (.adobePassV2, let operation?) where operation.isOfV2: self
        // A race reads; completing a session is a part of its setup.
        case (.adobePassV2, .registrationRecord): .sessionByCode
        case (.adobePassV2, .preauthorizeCode): nil
        case (.adobePassV2, let operation?): operation.counterpartsInV2.first.map(Step.init)
        case (.oauthDeviceGrant, nil): self
        case (.oauthDeviceGrant, let operation?): operation.isInDeviceGrant ? self : nil
        }
    }

    /// Why a protocol has nothing for it.
    func reasonForNone(in protocolName: ProtocolName) -> String {
        switch (protocolName, self) {
        case (.adobePassV2, .deleteRegistration):
            "codes of adobe-pass-v2 cannot be deleted: they expire, or a newer session ends them"
        case (.adobePassV2, .freePreview):
            "a TempPass of adobe-pass-v2 begins with the first authorize, and is not asked for"
        case (.adobePassV2, .expire):
            "how long a code of adobe-pass-v2 lives is for the service to say, so that no race can "
                + "wait for its end"
        case (.oauthDeviceGrant, _):
            "oauth-device-grant has plans of its own, such as approve-poll; 'screenrig list' shows them"
        default: "\(protocolName.rawValue) has no operation \(rawValue)"
        }
    }
}

extension OperationName {
    /// A TV gets a code by it.
    var issuesCode: Bool {
        self == .registrationCode || self == .createSession || self == .deviceAuthorization
    }
}

extension Exchange {
    /// A TV asks whether it is signed in by now.
    var isPoll: Bool {
        operation.step(onFirstScreen: device.role == .firstScreen) == .poll
    }

    /// It makes a sign-in.
    var signsIn: Bool {
        operation == .assertion || operation == .approval || operation == .tokenExchange
            || operation == .ssoProfile
    }
}

extension Schedule {
    /// It as a protocol has it; the reason where it has not.
    func spoken(in protocolName: ProtocolName) -> Result<Schedule, ProtocolLack> {
        var spoken = self
        if protocolName == .adobePassV2 { spoken.giveCodes() }
        for position in spoken.ops.indices {
            let step = spoken.ops[position].step
            guard let own = step.counterpart(in: protocolName) else {
                return .failure(ProtocolLack(reason: step.reasonForNone(in: protocolName)))
            }
            spoken.ops[position].step = own
        }
        if protocolName == .adobePassV2 { spoken.spreadSignIns() }
        return .success(spoken)
    }

    /// A TV of V1 polls by its device, one of V2 by its code (rest-v2.md § 14.1): who polls and has asked for
    /// no code gets one first.
    private mutating func giveCodes() {
        var seen: Set<Int> = []
        for op in ops where op.step == .pollToken {
            let household = self[actor: op.actor]?.household ?? 0
            let hasCode = ops.contains {
                $0.step.issuesCode && self[actor: $0.actor]?.household == household
            }
            guard !hasCode, seen.insert(household).inserted else { continue }
            ops.insert(Op("\(op.actor)-create", op.actor, .createSession), at: 0)
        }
    }

    /// A login is begun with a code while another one with it ends: of two, the later one wins, and there
    /// is nothing to find out (rest-v2.md § 5.5).
    var startsLoginTwice: Bool {
        ops.contains { start in
            start.step == .loginStart
                && ops.contains {
                    $0.step == .authenticate
                        && self[actor: $0.actor]?.household == self[actor: start.actor]?.household
                }
        }
    }

    /// Whoever is signed in with a provider is not asked to sign in there again (rest-v2.md § 5.2): a
    /// sign-in of a living room that has had one before the race is with the next provider, and where the
    /// platform signs in as well, its provider is left to it.
    private mutating func spreadSignIns() {
        var next: [Int: Int] = [:]
        for op in ops where op.step.isPlatformExchange {
            next[self[actor: op.actor]?.household ?? 0] = 1
        }
        for position in ops.indices where ops[position].step == .authenticate {
            let op = ops[position]
            let household = self[actor: op.actor]?.household ?? 0
            let number = next[household, default: 0]
            if number > 0, op[arg: "provider"] == nil, op[arg: "repeats"] == nil {
                ops[position].args.append(.init("provider", "\(number)"))
            }
            if op.gate == .none, op.anchor == nil { next[household] = number + 1 }
        }
    }
}

/// A protocol has nothing for a step of a plan.
public struct ProtocolLack: Error {
    public var reason: String
}
