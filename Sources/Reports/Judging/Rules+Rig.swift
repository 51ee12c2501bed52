public import Checker
internal import Dialects
public import Journal
public import Rigs
internal import Vocabulary

/// What a rig has its service held to, in the judge's terms.
extension Rules {
    /// `isEmbedded`: the service is a stand-in that this run has started for itself. `throttledBy`:
    /// what a preflight found; nil where there was none.
    public init(
        _ rig: Rig, isEmbedded: Bool, startedMicroseconds: Int64,
        throttledBy key: ThrottleKey? = nil
    ) {
        self.init()
        policies = rig.policies
        promises = Promises(
            rig.promiseLevel ?? (isEmbedded ? .strict : .documented), overrides: rig.promiseLevels)
        known = rig.known
        knowsUsers = isEmbedded && !rig.standin.hasOpaqueUsers && !rig.leavesUsersToPrograms
        inventsLogins =
            !isEmbedded && rig.accounts == .generated && !rig.leavesUsersToPrograms
        devicesAreFresh = isEmbedded || rig.identities == .perRun
        delivery = Self.delivery(rig.polling)
        if isEmbedded { shortestSignIn = Self.shortestSignIn(rig.standin) }
        recordsOutliveTokens = !(isEmbedded && rig.standin.deletesOnFirstRetrieve)
        codeLifetime = rig.code.lifetime
        throttledBy = Self.throttledBy(rig, isEmbedded: isEmbedded, key)
        if throttledBy == .household { householdsOfHome = rig.householdsOfHome }
        if rig.kinds.contains(where: { $0.singleSignOn?.sharing == .app }) { appsOfDevice = 2 }
        degradations = Self.lenient(
            isEmbedded ? rig.standin.degradations : rig.target.degradations)
        self.startedMicroseconds = startedMicroseconds
        guard rig.protocols == [.oauthDeviceGrant] else { return }
        isDeviceGrant = true
        // Devices have as many codes as they ask for, and intervals instead of a rate (RFC 8628, 3.2).
        policies.newCode = .keep
        policies.throttle = nil
    }

    /// No TV waits longer for its next poll, and no protocol page promises less than 5 s (rest-v1.md,
    /// § 16 and A19).
    public static func delivery(_ polling: Rig.Polling) -> Duration {
        let interval = Double(polling.every.nanoseconds) * (1 + polling.jitter)
        return max(shortestDelivery, .nanoseconds(Int64(interval.rounded(.up))))
    }

    /// Of a stand-in of our own it is known; of others, what a preflight proved. By what a service knows the devices
    /// that it throttles by another name than their address, nobody can say of phones.
    private static func throttledBy(
        _ rig: Rig, isEmbedded: Bool, _ key: ThrottleKey?
    ) -> ThrottledBy {
        switch isEmbedded ? .forwardedAddress : key {
        case .forwardedAddress:
            switch rig.forwardedFor {
            case .none: return isEmbedded ? .peer : .unknown
            // Of a service that outlives the run an earlier run has used the limits, it may be a second ago.
            case _ where !isEmbedded && rig.identities == .bySeed: return .repeated
            case .listed where !isEmbedded || rig.repeatsAddresses: return .repeated
            case .perDevice: return .device
            case .perHousehold, .listed: return .household
            }
        case .peerAddress: return .peer
        case .device, .nothing, .unknown, nil: return .unknown
        }
    }

    /// Those that let anybody in.
    private static func lenient(_ rules: [Rig.StandinTerms.Degradation]) -> [Degradation] {
        rules.filter { $0.rule != .authZNone }.map {
            Degradation(mvpd: $0.mvpd, from: $0.from, until: $0.until)
        }
    }

    private static func shortestSignIn(_ standin: Rig.StandinTerms) -> Duration {
        standin.providers.flatMap { [$0.authnLifetime, $0.passTime] }.compactMap(\.self)
            .reduce(standin.authnLifetime) { min($0, $1) }
    }
}
