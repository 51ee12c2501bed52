internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// Why a sign-in left the path that its kind asks for, where that was not the rig's own script.
enum Diversion {
    /// The configuration says that the provider signs in elsewhere.
    case boarding(String, offered: [Provider])
    /// The platform's picker ended in this error, or in nothing.
    case picker(AccountError?)
    /// The service has no such provider, or has not enabled it.
    case noIntegration(PlatformProviderID, offered: [Provider])
    /// The platform did not vouch.
    case notVouched(AccountError?)
    /// S1 or S2 was answered, and turned down.
    case refused(Answered)
    /// X1 of REST V2 was answered with a code for an ordinary sign-in.
    case fallback(Answered)
    /// A request came to nothing.
    case failed(Untrusted)
}

extension Household {
    /// Keeps why it leaves the platform's path; the first reason counts. A script that leads away by
    /// itself (a permission denied, a picker cancelled, a provider chosen by name that is only
    /// listed) diverts nobody.
    func divert(_ diversion: Diversion) {
        guard record.signOn.asked == .platform, record.signOn.diversion.isEmpty,
            let reason = reason(of: diversion)
        else { return }
        record.signOn.diversion = shown(reason)
    }

    /// Nil where the script wanted it so.
    private func reason(of diversion: Diversion) -> Untrusted? {
        switch diversion {
        case .boarding(let mvpd, let offered):
            if case .choose(_?) = plan.kind.platform?.picker { return nil }
            let terms = offered.first { $0.id == mvpd }?.platform
            if terms?.isEnabled == false {
                return
                    "step 5: the configuration has switched platform sign-on off for \(mvpd) (enablePlatformServices false)"
            }
            let status: Untrusted =
                terms?.boarding == nil ? "no boardingStatus" : "boardingStatus PICKER"
            return "step 5: the configuration has \(mvpd) for the picker only (\(status))"
        case .picker(let error):
            if case .choose(_?) = plan.kind.platform?.picker { return nil }
            guard let error else { return "step 5: the platform's picker returned no provider" }
            // The viewer turned back at the login.
            if error.code == .userCancelled { return nil }
            return
                "step 5: the platform's picker ended in error \(error.code.rawValue) (\(ours: "\(error.code)"))"
        case .noIntegration(let id, let offered):
            if offered.supportedOnPlatform.isEmpty {
                return
                    "step 6: the configuration has no provider for platform sign-on (enablePlatformServices, platformMappingId)"
            }
            return "step 6: the configuration has not enabled platform sign-on for \(id.name)"
        case .notVouched(let error):
            guard let error else { return "step 7: the platform confirmed no account" }
            let why: Untrusted = error.why.isEmpty ? "" : ": \(error.why)"
            return
                "step 7: the platform answered error \(error.code.rawValue) (\(ours: "\(error.code)"))\(why)"
        case .refused(let answered): return step(of: answered) + StopReason.refusal(answered)
        case .fallback(let answered):
            let said = answered.exchange.observation.record ?? "a code"
            return "step 6: partner-request answered with \(said)"
        case .failed(let cause): return cause
        }
    }

    private func step(of answered: Answered) -> Untrusted {
        switch answered.exchange.operation {
        case .profileRequest, .partnerRequest: "step 6: "
        case .tokenExchange, .ssoProfile: "step 9: "
        default: ""
        }
    }

    /// A sign-in begins; of several the first is timed.
    func beginSignIn() {
        isTimed = record.tokenSeen == nil
        phoneDone = nil
        if isTimed { beginTiming() }
        pickersBefore = record.signOn.pickers
    }

    /// There is a token, by that path. After a logout the platform's account is still on the device:
    /// without a picker in between it has signed in again silently (apple-sso.md § 7).
    func signedIn(by path: SignInPath) {
        if isLoggedOut, path == .platform, record.signOn.paths.last == .platform,
            record.signOn.pickers == pickersBefore
        {
            record.signOn.silentRelogins += 1
            note(.silentRelogin)
        }
        record.signOn.paths.append(path)
        isLoggedOut = false
    }
}
