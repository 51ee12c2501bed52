internal import Dialects
internal import Journal
internal import Rigs
internal import Vocabulary

/// Whether a response to the TV named the user of its token. Otherwise a load run cannot detect another user's
/// token (`token-isolation`).
enum UserReading {
    static func state(_ reading: TrialReading) -> Checklist.State {
        guard reading.disconnection == nil else { return .notReached }
        if reading.exchanges.contains(where: namesUser) { return .passed }
        switch reading.household?.fate {
        case .signedIn, .preSignedIn:
            return reading.kind?.hasTempPass == true
                ? .notNeeded("a TempPass has no account") : .notTested(reason(reading))
        default: return .notReached
        }
    }

    private static func namesUser(_ recorded: RecordedExchange) -> Bool {
        let (seen, operation) = (recorded.exchange.observation, recorded.exchange.operation)
        return seen.result == .success
            && (operation.has(.showsSignIn) || operation == .ssoProfile)
            && (seen.tag != nil || !seen.profiles.isEmpty)
    }

    private static func reason(_ reading: TrialReading) -> String {
        let what = "no response named the user of the token, so runs do not test token-isolation"
        guard reading.isDeviceGrant else { return what }
        let terms = reading.rig.target.deviceGrant
        let isAsked = reading.exchanges.contains { $0.exchange.operation == .userinfo }
        let source =
            switch terms.userSource {
            case .none: "target.device-grant.user-from is none"
            case .idToken: "the token response has no id_token with the claim '\(terms.claim)'"
            case .accessToken: "the access token is no JWT with the claim '\(terms.claim)'"
            case .userinfo:
                isAsked
                    ? "userinfo did not name the user" : "the userinfo endpoint was not asked"
            }
        let isMissing = !isAsked && reading.rig.afterSignIn.contains(.ask(.userinfo))
        return "\(what): \(source)"
            + (isMissing
                ? "; after-sign-in has userinfo, and neither the rig nor the server's metadata has that endpoint"
                : "")
    }

    /// For protocols without a remedy of their own (`GrantRemedy`).
    static func remedy(_ protocols: [String]) -> String {
        "\(way(protocols)); where the server names no user there, runs cannot tell whose token a TV got"
    }

    /// Where the user of a token may be named: in V1 only by the token itself, in V2 by each profile (rest-v2.md § 6).
    static func way(_ protocols: [String]) -> String {
        protocols.contains(ProtocolName.adobePassV1.rawValue)
            ? "let the TVs ask for the token itself: polling: {target: authn}"
            : "have the service name the user in its profiles: userID among the attributes"
    }
}
