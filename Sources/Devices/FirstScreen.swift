internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics
internal import Vocabulary

/// What is known when a sign-in begins.
struct SignInStart {
    /// The provider, where the viewer is not asked for it again; else nil.
    var mvpd: String?
    /// A code that came with an answer to something else.
    var issued: IssuedCode?
}

/// What the TV does (rest-v1.md §§ 10, 11, 15, 16; rest-v2.md § 14).
extension Household {
    func firstScreen() async throws(StopReason) {
        if plan.kind.firstScreen.isSDK { return try await sdkLife() }
        try await waitForFirstOfHome()
        try await enterForeground(isAgain: false)
        let checked = try await askIfKnown(tv) { dialect.checkAuthentication($0) }
        reach(.registered)
        switch checked?.answer {
        case .signedIn(let tag, _):
            remember(tag?.mvpd)
            record.fate = .preSignedIn
            traces.signedIn = true
            reach(.signedIn)
        // What the device itself remembers.
        case nil where traces.signedIn:
            record.fate = .preSignedIn
            reach(.signedIn)
        case .pending, .expired, nil: try await signIn()
        default: throw .refused(checked)
        }
        openHome()
        for activity in plan.activities { try await performSignedIn(activity) }
        try await lookAfterLogoutAtHome()
    }

    /// Signs in by the first way that this household has.
    private func signIn() async throws(StopReason) {
        beginSignIn()
        if let start = try await signInWithoutCode() { try await signInRegularly(start) }
    }

    /// The ways that need no typed code. Nil where one of them signed the household in; else the start of the
    /// regular way.
    @inline(never)
    private func signInWithoutCode() async throws(StopReason) -> SignInStart? {
        if plan.kind.hasTempPass {
            try await takePass()
            return nil
        }
        if signsInBothWays {
            try await signInBothWays()
            return nil
        }
        // A device that the service has forgotten signs in at the same provider again (rest-v2.md § 12.3).
        var start = SignInStart(mvpd: signedInAt.last)
        if plan.kind.platform != nil {
            switch try await signOnByPlatform() {
            case .signedIn:
                // One of a sign-in before is no code of this one.
                polledCode = nil
                await pollOn()
                return nil
            case .regular(let regular):
                start = SignInStart(mvpd: regular.mvpd ?? start.mvpd, issued: regular.issued)
            }
        }
        return start
    }

    /// Step 10 of apple-sso.md § 1, and all there is for others.
    func signInRegularly(_ start: SignInStart) async throws(StopReason) {
        if plan.kind.firstScreen.hasWebView {
            try await signInOnDevice(start)
        } else {
            try await signInByCode(start)
        }
    }

    /// From a fresh code on the screen to the token.
    @inline(never)
    func signInByCode(_ start: SignInStart) async throws(StopReason) {
        guard let issued = try await firstCode(start) else { return }
        let shown = show(issued)
        defer { codeOnScreen = nil }
        if plan.viewer.tvSleeps { try await sleepInStandby() }
        let begins = plan.viewer.tvSleeps ? lane.now : shown
        try await pollAll(
            PollOrder(
                issued: issued, start: begins, firstAfter: terms.polling.firstAfter,
                ends: shown + issued.lifetime,
                whenOver: codeRanOut(issued)))
        signedIn(by: .code)
        reach(.signedIn)
        if terms.code.deletesAfter { try await deleteCode(issued) }
    }

    /// The code that the TV shows first; nil where no sign-in is needed.
    @inline(never)
    private func firstCode(_ start: SignInStart) async throws(StopReason) -> IssuedCode? {
        // Before there is a code: it would run out while the household waits for an account.
        if !plan.viewer.givesUp { try await takeAccount() }
        var preselected = start.mvpd
        if preselected == nil, start.issued == nil, plan.kind.choosesOnFirstScreen {
            preselected = try choice(among: try await configuration(tv))
        }
        guard let issued = try await code(start, mvpd: preselected) else { return nil }
        guard plan.asksForNewCode || plan.viewer.reopensApp else { return issued }
        return try await anotherCode(after: issued, mvpd: preselected)
    }

    @inline(never)
    private func anotherCode(
        after first: IssuedCode, mvpd preselected: String?
    ) async throws(StopReason) -> IssuedCode? {
        var issued = first
        if plan.asksForNewCode {
            // The viewer asks for another code at once: the first is not used.
            try await nap(.seconds(1))
            traces.codes.removeLast()
            formerCode = issued.code
            guard let another = try await issueCode(mvpd: preselected) else { return nil }
            issued = another
        }
        if plan.viewer.reopensApp {
            formerCode = issued.code
            guard let another = try await reopen(mvpd: preselected) else { return nil }
            issued = another
        }
        return issued
    }

    /// Shows a code to the viewers; returns the instant at which it was shown.
    func show(_ issued: IssuedCode) -> Instant {
        let shown = lane.now
        showCode(at: shown)
        reach(.codeShown)
        codeOnScreen = issued.code
        polledCode = issued
        // Before the TV checks whether a viewer is still expected.
        if isWatched { expect(aViewer: true) }
        shownCodes.send(issued)
        return shown
    }

    /// The code that a sign-in begins with; nil where no sign-in is needed.
    func code(_ start: SignInStart, mvpd: String?) async throws(StopReason) -> IssuedCode? {
        if let issued = start.issued { return issued }
        return try await issueCode(mvpd: mvpd)
    }

    /// Nil where the service says that the device may ask for decisions at once (rest-v2.md § 5.2): there
    /// is nothing to show, and nothing to poll for.
    @inline(never)
    func issueCode(mvpd: String?) async throws(StopReason) -> IssuedCode? {
        let answered = try await ask(tv) {
            dialect.issueCode($0, lifetime: terms.code.lifetime, mvpd: mvpd)
        }
        switch answered.answer {
        case .code(let issued):
            take(issued, from: answered)
            return issued
        case .signedIn(let tag, _):
            remember(tag?.mvpd ?? mvpd)
            signedInAtOnce(answered, by: .noLogin)
            return nil
        default: throw .refused(answered)
        }
    }

    /// Notes a new code, whichever response it came with.
    func take(_ issued: IssuedCode, from answered: Answered) {
        serviceClock.read(answered)
        // It may have been made when its request arrived: only so long is it sure to live.
        codeWait = lane.now - answered.exchange.sent
        let end = answered.exchange.sent + issued.lifetime
        codeEnd = end
        traces.codes.append(Traces.Issued(code: issued.code, until: end))
    }

    @inline(never)
    func deleteCode(_ issued: IssuedCode) async throws(StopReason) {
        try await optional { dialect.delete(issued.code, $0) }
        traces.codes.removeAll { $0.code == issued.code }
        // A test bench looks whether it is gone; a true TV does not. A moment later: two things at the
        // same instant have no order.
        guard terms.polling.afterSuccess > .zero else { return }
        try await nap(.milliseconds(5))
        _ = try await askIfKnown(tv, isProvoked: true) { dialect.record(of: issued.code, $0) }
    }

    /// How often a household registers again for one activity, when the service has forgotten its session.
    private static let mostRestarts = 2

    /// One activity. Where the service says that the device is not signed in, it registers again and
    /// repeats the request: "Z3 403 not authenticated: restart registration" (rest-v1.md § 11).
    @inline(never)
    func performSignedIn(_ activity: PlannedActivity) async throws(StopReason) {
        var steps = [activity]
        var tries = 0
        while true {
            do throws(StopReason) {
                for step in steps {
                    if plan.kind.firstScreen.isSDK {
                        try await performInSDK(step)
                    } else {
                        try await perform(step)
                    }
                }
                return
            } catch {
                guard case .signedOut(let words) = error, tries < Self.mostRestarts else {
                    throw error
                }
                tries += 1
                restarts += 1
                authorizedUntil = [:]
                viewerLeft = nil
                note(
                    .signInRestarted,
                    isSignInOver ? "\(words)\(ours: HouseholdRecord.signInExpired)" : words)
                if plan.kind.firstScreen.isSDK {
                    try await sdkSignIn()
                } else {
                    try await signIn()
                }
                // Authorizations went with the session.
                if hasAuthorized, activity != .ask(.authorize), !activity.isProgram {
                    steps = [.ask(.authorize), activity]
                }
            }
        }
    }

    @inline(never)
    private func perform(_ activity: PlannedActivity) async throws(StopReason) {
        switch activity {
        case .ask(.authorize):
            for resource in terms.resources { try await authorize(resource, on: tv) }
            // The decision has brought the player's token (rest-v2.md § 7).
            if hasSessions, hasAuthorized, !isDenied { reach(.playing) }
        case .ask(.mediaToken):
            for resource in terms.resources { try await takeMediaToken(resource, on: tv) }
            if !isDenied, !hasSessions { reach(.playing) }
        case .ask(let operation): try await ask(for: operation)
        case .watch where isDenied: break
        case .program(let number): try await playProgram(number)
        case .playAtOnce: try await playAtOnce()
        case .watch(let duration): try await nap(duration)
        case .logout: try await logout()
        case .again:
            if !isLoggedOut { try await logout() }
            try await signIn()
        case .relaunch: try await relaunch()
        case .comeBack(let time):
            try await stayAway(for: time)
            try await relaunch()
        case .secondProvider: try await signInAtAnotherProvider()
        }
    }

    /// One more sign-in beside the one there is (rest-v2.md § 6).
    private func signInAtAnotherProvider() async throws(StopReason) {
        isAtAnotherProvider = true
        defer { isAtAnotherProvider = false }
        beginSignIn()
        try await signInRegularly(SignInStart())
    }

    /// A request whose answer changes nothing for the TV: one, or one for each resource. What is
    /// about a code was the phone's, which has done it.
    private func ask(for operation: OperationName) async throws(StopReason) {
        if operation.has(.aboutCode) { return }
        if operation == .refreshToken { return try await renew() }
        if operation == .userinfo { try await renewIfOver() }
        guard operation.has(.aboutResource) else {
            let subject = Subject(resources: terms.resources)
            return try await optional { dialect.call(operation, about: subject, $0) }
        }
        for resource in terms.resources where !denied.contains(resource) {
            let subject = Subject(resources: [resource])
            try await optional { dialect.call(operation, about: subject, $0) }
        }
    }

    /// The app is closed meanwhile. What is kept is kept for good: the credentials of its client, its access token
    /// while that lives, its provider (rest-v2.md § 14.2); connections and what was in memory are gone.
    func stayAway(for time: Duration) async throws(StopReason) {
        lane.retire(tv.device)
        knownProviders = nil
        try await nap(time)
        note(.comesBack)
    }

    /// The app is closed and opened again: it looks whether it is signed in (step 1 of apple-sso.md
    /// § 1), and signs in where it is not.
    private func relaunch() async throws(StopReason) {
        if plan.viewer.resetsApp { resetApp() }
        try await enterForeground(isAgain: true)
        try await renewIfOver()
        let checked = try await askIfKnown(tv) { dialect.checkAuthentication($0) }
        switch checked?.answer {
        case .signedIn(let tag, _): remember(tag?.mvpd)
        // What the device itself remembers.
        case nil where traces.signedIn: return
        case .pending, .expired, nil: try await signIn()
        // A trial that is over: the decision says so (rest-v2.md § 11).
        case .notEntitled where plan.kind.hasTempPass: return
        default: throw .refused(checked)
        }
    }

    /// Exchanges the refresh token of the sign-in for a new session (RFC 6749, 6); notes where there is none.
    private func renew() async throws(StopReason) {
        let answered = try await askIfKnown(tv) {
            dialect.call(.refreshToken, about: Subject(), $0)
        }
        switch answered?.answer {
        case .signedIn(_, let session?):
            tv.session = DeviceSession(
                access: session.access, refresh: session.refresh ?? tv.session?.refresh)
            if let answered { note(signInBy: answered) }
        case nil: note(.notRenewed, "household \(ours: "\(tv.device.id.household)")")
        default: throw .refused(answered)
        }
    }

    /// An app that knows its access token to be over renews it before it asks for anything.
    private func renewIfOver() async throws(StopReason) {
        guard isSignInOver, tv.session?.refresh != nil else { return }
        try await renew()
    }

    /// A step that a protocol may lack, or whose answer changes nothing for the device.
    func optional(
        on screen: Screen? = nil, _ make: (Credential) -> Call?
    ) async throws(StopReason) {
        guard let answered = try await askIfKnown(screen ?? tv, make) else { return }
        switch answered.answer {
        case .done, .decisions, .media, .metadata, .signedIn: return
        default: throw .refused(answered)
        }
    }
}
