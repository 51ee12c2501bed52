public import Checker
internal import Dialects
public import Journal
public import Rigs

/// What a rig has its service held to, in the judge's terms.
extension Rules {
    /// `isEmbedded`: the service is a stand-in that this run has started for itself. `throttledBy`:
    /// what a preflight found; nil where there was none.
    public init(
        _ rig: Rig, isEmbedded: Bool, startedMicroseconds: Int64,
        throttledBy key: ThrottleKey? = nil
    ) {
        self.init()
        policies = Self.policies(rig.policies)
        promises = Self.promises(rig.promises, isEmbedded: isEmbedded)
        known = rig.known.compactMap { known in
            Invariant(name: known.invariant).map {
                Known(
                    invariant: $0, operation: known.operation, ticket: known.ticket,
                    until: known.until)
            }
        }
        knowsUsers = isEmbedded && !rig.standin.hasOpaqueUsers
        devicesAreFresh = isEmbedded || rig.identities == .perRun
        delivery = Self.delivery(rig.polling)
        if isEmbedded { shortestSignIn = Self.shortestSignIn(rig.standin) }
        recordsOutliveTokens = !(isEmbedded && rig.standin.deletesOnFirstRetrieve)
        codeLifetime = rig.code.lifetime
        throttledBy = Self.throttledBy(rig, isEmbedded: isEmbedded, key)
        self.startedMicroseconds = startedMicroseconds
    }

    /// No TV waits longer for its next poll, and no protocol page promises less than 5 s (rest-v1.md,
    /// § 16 and A19).
    public static func delivery(_ polling: Rig.Polling) -> Duration {
        let interval = Double(polling.every.nanoseconds) * (1 + polling.jitter)
        return max(.seconds(5), .nanoseconds(Int64(interval.rounded(.up))))
    }

    /// Of a stand-in of our own it is known; of others, what a preflight proved.
    private static func throttledBy(
        _ rig: Rig, isEmbedded: Bool, _ key: ThrottleKey?
    ) -> ThrottledBy {
        if isEmbedded { return rig.forwardedFor == .perDevice ? .device : .unknown }
        return switch key {
        case .forwardedAddress, .device: .device
        case .peerAddress: .peer
        case .nothing, .unknown, nil: .unknown
        }
    }

    private static func policies(_ held: Rigs.Policies) -> Rules.Policies {
        var policies = Rules.Policies()
        policies.codeReuse = held.codeReuse == .single ? .single : .untilExpiry
        policies.newCode = held.newCode == .replace ? .replace : .keep
        policies.secondSignIn = held.secondSignIn == .replace ? .replace : .reject
        policies.mediaReuse = held.mediaReuse == .never ? .never : .untilExpiry
        policies.goneDecays = held.goneDecays
        policies.visibility = held.visibility
        policies.sweepLag = held.sweepLag
        policies.clockTolerance = held.clockTolerance
        policies.unknownDeadline = held.unknownDeadline
        policies.throttle = held.throttle.flatMap { rule in
            guard rule.rate.perSecond > 0 else { return nil }
            let every = Duration.nanoseconds(Int64((1e9 / rule.rate.perSecond).rounded()))
            return Rules.Policies.Throttle(every: every, burst: rule.burst)
        }
        return policies
    }

    private static func promises(_ held: Rig.Promises, isEmbedded: Bool) -> Promises {
        func level(_ level: Rig.Promises.Level) -> Promises.Level {
            switch level {
            case .strict: .strict
            case .documented: .documented
            case .observe: .observe
            }
        }
        var promises = Promises(held.level.map(level) ?? (isEmbedded ? .strict : .documented))
        for (name, wanted) in held.overrides {
            if let invariant = Invariant(name: name) {
                promises.overrides[invariant] = level(wanted)
            }
        }
        return promises
    }

    private static func shortestSignIn(_ standin: Rig.StandinTerms) -> Duration {
        standin.providers.flatMap { [$0.authnLifetime, $0.passTime] }.compactMap(\.self)
            .reduce(standin.authnLifetime) { min($0, $1) }
    }
}
