internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// Step 10 on a device that signs in by itself: the code is never shown, a web view goes through the
/// login, and polling begins once it closes (apple-sso.md § 5, rest-v1.md § 15).
extension Household {
    /// How long it polls after the web view has closed (rest-v1.md § 15, own).
    private static let patience: Duration = .seconds(60)

    /// `start` has the provider that the platform's picker has named: nobody is asked again.
    @inline(never)
    func signInOnDevice(_ start: SignInStart) async throws(StopReason) {
        expect(aViewer: true)
        if !plan.viewer.givesUp { try await takeAccount() }
        let preselected = start.mvpd
        var provider = try await ownPicker(preselected)
        guard let issued = try await code(start, mvpd: provider) else { return }
        if issued.lacksProvider,
            case .done = try await completeSession(issued.code, mvpd: provider, on: tv)
        {
            noteNoLogin()
            remember(provider)
            signedInNow(by: .noLogin)
            return
        }
        let opened = lane.now
        showCode(at: opened)
        reach(.codeTyped)
        if plan.viewer.cancels {
            try await cancelLogin(issued, provider: provider)
            // G10: a preselection that came to nothing leads to the app's own picker.
            if preselected != nil {
                provider = try await ownPicker(nil)
                if hasSessions {
                    _ = try await completeSession(issued.code, mvpd: provider, on: tv)
                }
            }
        }
        try await logIn(issued, provider: provider)
        let closed = lane.now
        expect(aViewer: false)
        try await poll(
            PollOrder(
                issued: issued, start: closed, firstAfter: .zero,
                ends: min(opened + issued.lifetime, closed + Self.patience),
                whenOver: .failed("the web view had signed in, and the device saw no token")))
        endLogin { $0.noteSuccess(of: $1) }
        signedIn(by: .webView)
        reach(.signedIn)
        if terms.code.deletesAfter { try await deleteCode(issued) }
    }

    /// The app's list of providers, and the viewer's choice; none is shown where it is known.
    private func ownPicker(_ preselected: String?) async throws(StopReason) -> String? {
        if let preselected { return preselected }
        let offered = try await configuration(tv)
        try await human(plan.viewer.noticesCode)
        if plan.viewer.givesUp { throw .gaveUp }
        return try choice(among: offered)
    }
}
