internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// Somebody who walks a login: the household's viewer, or the second one.
struct Person {
    let browser: Screen
    let account: Account
    /// From the login page to the credentials.
    let signsIn: Duration
    let mistypesPassword: Bool
    /// The times of the second viewer are nobody's figure: the first one's story is told.
    let isSecond: Bool
}

/// Two viewers at once (`second-viewer`): both with the code on the screen, each on a phone; or one
/// through the platform on the TV, while the other types the code. Whose sign-in counts is for the
/// service to decide, and the other may be turned down.
extension Household {
    /// One through the platform, the other by the code.
    var signsInBothWays: Bool { plan.second != nil && plan.kind.platform != nil }

    /// Whom the household signs in as.
    var account: Account { lease?.entry.account ?? plan.account }

    /// The household's viewer, with the browser that is in use.
    var person: Person {
        Person(
            browser: phone, account: account,
            signsIn: plan.viewer.signsIn, mistypesPassword: plan.viewer.mistypesPassword,
            isSecond: false)
    }

    /// Both at once; nil when one of them got through. With a platform to ask, the first viewer is at
    /// the TV.
    @inline(never)
    func attemptTogether(_ issued: IssuedCode) async -> StopReason? {
        async let joined = joinIn(issued)
        let halt = signsInBothWays ? nil : await attempt(issued)
        return await joined ? nil : halt
    }

    /// Signs in with the code beside the first viewer; whether that went well. No failure of the second
    /// one changes the household's fate.
    private func joinIn(_ issued: IssuedCode) async -> Bool {
        guard let second = plan.second, let browser = phones.last else { return false }
        let person = Person(
            browser: browser, account: second.account, signsIn: second.signsIn,
            mistypesPassword: false, isSecond: true)
        do throws(StopReason) {
            try await nap(second.noticesCode)
            guard codeOnScreen == issued.code else { return false }
            if !issued.lacksProvider { try await lookUp(issued.code, on: browser) }
            // One more sign-in is at a provider that is none of those the TV is signed in with.
            let offered = try await configuration(browser)?.filter { !isSignedIn(at: $0.id) }
            let provider = terms.provider(at: second.providerDraw, offered: offered ?? [])
            guard provider != nil || offered == nil else { return false }
            if hasSessions {
                // The first may have signed in meanwhile: then the code is spent.
                let typed = try await completeSession(
                    issued.code, mvpd: provider, on: browser, isProvoked: true)
                // The TV is signed in there: nobody opens a login.
                if case .done = typed { return true }
            }
            try await walkLogin(issued, provider: provider, as: person)
            traces.signedIn = true
            try await confirm(issued.code, by: person)
            return true
        } catch {
            return false
        }
    }

    /// The first viewer goes through the platform, while the code is on the screen for the second.
    @inline(never)
    func signInBothWays() async throws(StopReason) {
        guard let issued = try await issueCode(mvpd: nil) else { return }
        let shown = show(issued)
        defer { codeOnScreen = nil }
        async let platform = trySignOn()
        var halt: StopReason?
        do throws(StopReason) {
            try await pollAll(
                PollOrder(
                    issued: issued, start: shown, firstAfter: terms.polling.firstAfter,
                    ends: shown + issued.lifetime,
                    whenOver: codeRanOut(issued)))
        } catch {
            halt = error
        }
        let another = await platform
        isCodeReplaced = false
        if let halt {
            guard let another else { throw halt }
            formerCode = issued.code
            return try await signInByCode(SignInStart(issued: another))
        }
        if record.signOn.paths.isEmpty { signedIn(by: .code) }
        reach(.signedIn)
        if terms.code.deletesAfter { try await deleteCode(issued) }
    }

    /// Where it comes to nothing, the code is still there, or the answer was another, which has ended it (rest-v2.md § 8.3).
    private func trySignOn() async -> IssuedCode? {
        do throws(StopReason) {
            guard case .regular(let start) = try await signOnByPlatform(),
                let another = start.issued
            else { return nil }
            (codeOnScreen, isCodeReplaced) = (nil, true)
            return another
        } catch {
            return nil
        }
    }

    /// A wait of somebody who walks a login.
    func wait(_ duration: Duration, _ person: Person) async throws(StopReason) {
        if person.isSecond { try await nap(duration) } else { try await human(duration) }
    }

    /// A browser came back from the login. Of two the first counts: from then on the TV may know.
    func noteDone(at instant: Instant) {
        if plan.second != nil, phoneDone != nil { return }
        phoneDone = instant
    }
}
