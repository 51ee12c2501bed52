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
        if plan.kind.platform != nil { try await tellWhereToSignOut() }
        if plan.kind.firstScreen.hasWebView, try await logOutInWebView() {
            // done
        } else {
            try await optional { dialect.logout($0) }
        }
        traces.signedIn = false
        tv.session = nil
        isLoggedOut = true
        reach(.loggedOut)
        await pollOn()
        try await lookAgain()
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

    /// Whether the protocol has such a logout (rest-v1.md § 13, L2).
    func logOutInWebView() async throws(StopReason) -> Bool {
        let credential = try await credential(of: tv)
        guard var call = dialect.webLogout(credential) else { return false }
        for _ in 0..<terms.maxHops {
            let answered = try await insist(call, tv)
            guard case .redirect(let address) = answered.answer else { throw .refused(answered) }
            if dialect.isReturn(address) { return true }
            call = dialect.hop(.get, address, form: [], referer: call.address)
        }
        throw .failed("the logout did not end within \(terms.maxHops) hops (target.max-hops)")
    }
}
