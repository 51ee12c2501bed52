internal import Dialects
internal import Journal
internal import Lanes

/// Events of a first screen that are no exchanges, by the names under which the history has them.
enum DeviceEventName: String {
    /// The steps of apple-sso.md § 1 that were walked, `1-2-6-7-8-9-11`.
    case signOnPath = "sign-on path"
    /// The system asked whether the app may; the access after the answer.
    case platformPrompt = "platform prompt"
    /// The framework's picker: `present`, `dismiss`.
    case platformPicker = "platform picker"
    /// A request failed; the code.
    case platformError = "platform error"
    /// Signed in again by the account that the viewer is still signed in with: expected (§ 7).
    case silentRelogin = "silent relogin"
    /// The service said that nobody is signed in, and the device registers anew (rest-v1.md § 11).
    case signInRestarted = "sign-in restarted"
    /// The app was closed for a while, and comes back with what the device has kept (rest-v2.md § 14.2).
    case comesBack = "return"
    /// It has signed in before the load began.
    case preparedBefore = "signed in before"
    /// It could not, for this reason, and arrives as a new one.
    case notPrepared = "not signed in before"
    /// What a viewer or a device did that need not have been, by its key in the rig: `reloads`.
    case habit
    /// The phone's login ended on a page, without the way back to the app; which page.
    case loginEndedOnPage = "login ended on a page"
    /// The page after a decision on a device has none of the rig's words for it; which page.
    case decisionNotConfirmed = "decision not confirmed"
    /// The login went on after a password that the viewer had mistyped, and did not ask for it again; the host.
    case wrongPasswordAccepted = "wrong password accepted"
    /// A poll that kept the server's interval got slow_down; how long after the previous response, and the interval.
    case slowedThoughKept = "slowed down though the interval was kept"
    /// `after-sign-in` has `refresh-token`, and the sign-in came without one.
    case notRenewed = "no refresh token to renew with"
    /// The account may not watch a resource; the service's words.
    case notEntitled = "not entitled"
    /// What the viewer changed in the settings while the app was closed: `grant`, `withdraw`, `sign-out`.
    case settingsChange = "settings change"
    /// The viewer was told where the platform's account is signed out.
    case signOutInSettings = "sign out in settings"
}

extension Household {
    func note(_ happening: DeviceEventName, _ detail: Untrusted = "") {
        note(event: happening.rawValue, detail)
    }

    func note(event name: String, _ detail: Untrusted) {
        events += 1
        lane.note(
            DeviceEvent(
                device: tv.device.id, sequence: events, at: lane.now, name: name,
                detail: shown(detail)))
    }
}
