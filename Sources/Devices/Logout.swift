internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// The end of a sign-in (apple-sso.md § 7).
extension Household {
    /// Reads first whose token it is, tells the viewer what only the settings can do, and logs out:
    /// by a request of its own on a TV, through a web view on a phone, so that the provider's session
    /// ends as well.
    func logout() async throws(StopReason) {
        try await waitForStayer()
        if plan.kind.platform != nil { try await tellWhereToSignOut() }
        if plan.kind.firstScreen.hasWebView, try await logOutInWebView() {
            // done
        } else {
            try await logOutByRequest()
        }
        let left = signedInAt.last
        let session = tv.session
        forgetProvider()
        // With several providers a logout ends one sign-in (rest-v2.md § 9).
        traces.signedIn = !signedInAt.isEmpty
        tv.session = nil
        isLoggedOut = signedInAt.isEmpty
        if plan.home?.leaves == true { home?.isOver = true }
        reach(.loggedOut)
        await pollOn()
        try await lookAgain(at: left, with: session)
    }

    /// A TV has no browser for what may be left to do (rest-v2.md § 9).
    private func logOutByRequest() async throws(StopReason) {
        let answered = try await askIfKnown(tv) { dialect.logout($0) }
        switch answered?.answer {
        case .loggedOut(.platform): tellToSignOutInSettings()
        case .loggedOut, .done, nil: return
        default: throw .refused(answered)
        }
    }

    /// Steps 1 and 2 of § 7. What cannot be read counts as "not Apple".
    private func tellWhereToSignOut() async throws(StopReason) {
        let answered = try await askIfKnown(tv) {
            dialect.call(.userMetadata, about: Subject(), $0)
        }
        guard case .metadata(let source) = answered?.answer, source == "Apple" else { return }
        tellToSignOutInSettings()
    }

    /// What only the settings can do (§ 7).
    func tellToSignOutInSettings() {
        note(
            .signOutInSettings,
            plan.kind.firstScreen.hasWebView
                ? "Settings > TV Provider" : "Settings > Accounts > TV Provider")
    }

    /// Whether the protocol has such a logout (rest-v1.md § 13, L2; rest-v2.md § 9).
    func logOutInWebView() async throws(StopReason) -> Bool {
        var referer: WebAddress?
        let first = try await askIfKnown(tv) { credential in
            let call = dialect.webLogout(credential)
            // Where the app asks by itself, no browser comes from there.
            if !hasSessions { referer = call?.address }
            return call
        }
        guard var answered = first else { return false }
        for hop in 0..<terms.maxHops {
            let target: WebAddress
            switch answered.answer {
            case .redirect(let address), .loggedOut(.browser(let address)): target = address
            case .loggedOut(.nothing): return true
            case .loggedOut(.platform):
                tellToSignOutInSettings()
                return true
            // A page of the provider's: the profile is gone, and that is all (rest-v2.md § 9).
            case .page where hasSessions: return true
            default: throw .refused(answered)
            }
            if dialect.isReturn(target) { return true }
            guard hop + 1 < terms.maxHops else { break }
            let call = dialect.logoutHop(target, referer: referer)
            referer = target
            answered = try await insist(call, tv)
        }
        throw .failed("the logout did not end within \(terms.maxHops) hops (target.max-hops)")
    }
}
