internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics
internal import Vocabulary

/// What the TV does (rest-v1.md §§ 10, 11, 15, 16).
extension Household {
    func firstScreen() async throws(StopReason) {
        if plan.kind.firstScreen.isSDK { return try await sdkLife() }
        try await enterForeground(isAgain: false)
        let checked = try await askIfKnown(tv) { dialect.checkAuthentication($0) }
        reach(.registered)
        switch checked?.answer {
        case .signedIn:
            record.fate = .preSignedIn
            traces.signedIn = true
            reach(.signedIn)
        case .pending, .expired, nil: try await signIn()
        default: throw .refused(checked)
        }
        for activity in plan.activities { try await performSignedIn(activity) }
    }

    /// From nothing to the token, by the first way that this household has.
    private func signIn() async throws(StopReason) {
        beginSignIn()
        if plan.kind.hasTempPass { return try await takePass() }
        if signsInBothWays { return try await signInBothWays() }
        var preselected: String?
        if plan.kind.platform != nil {
            switch try await signOnByPlatform() {
            case .signedIn: return
            case .regular(let mvpd): preselected = mvpd
            }
        }
        try await signInRegularly(preselected: preselected)
    }

    /// Step 10 of apple-sso.md § 1, and all there is for others.
    func signInRegularly(preselected: String?) async throws(StopReason) {
        if plan.kind.firstScreen.hasWebView {
            try await signInOnDevice(preselected: preselected)
        } else {
            try await signInByCode(preselected: preselected)
        }
    }

    /// From a fresh code on the screen to the token.
    private func signInByCode(preselected: String?) async throws(StopReason) {
        // Before there is a code: it would run out while the household waits for an account.
        if !plan.viewer.givesUp { try await takeAccount() }
        var issued = try await issueCode(mvpd: preselected)
        if plan.asksForNewCode {
            // The viewer asks for another code at once: the first is never typed in.
            try await nap(.seconds(1))
            traces.codes.removeLast()
            issued = try await issueCode(mvpd: preselected)
        }
        let shown = show(issued)
        defer { codeOnScreen = nil }
        try await pollAll(
            PollOrder(
                issued: issued, start: shown, firstAfter: terms.polling.firstAfter,
                ends: shown + issued.lifetime,
                whenOver: codeRanOut))
        signedIn(by: .code)
        reach(.signedIn)
        if terms.code.deletesAfter { try await deleteCode(issued) }
    }

    /// Puts a code where viewers see it; the instant at which it was there.
    func show(_ issued: IssuedCode) -> Instant {
        let shown = lane.now
        if record.codeShown == nil { record.codeShown = shown }
        reach(.codeShown)
        codeOnScreen = issued.code
        polledCode = issued
        shownCodes.send(issued)
        return shown
    }

    func issueCode(mvpd: String?) async throws(StopReason) -> IssuedCode {
        let answered = try await ask(tv) {
            dialect.issueCode($0, lifetime: terms.code.lifetime, mvpd: mvpd)
        }
        guard case .code(let issued) = answered.answer else { throw .refused(answered) }
        serviceClock.read(answered)
        traces.codes.append(Traces.Issued(code: issued.code, until: lane.now + issued.lifetime))
        return issued
    }

    func deleteCode(_ issued: IssuedCode) async throws(StopReason) {
        try await optional { dialect.delete(issued.code, $0) }
        traces.codes.removeAll { $0.code == issued.code }
        // A test bench looks whether it is gone; a true TV does not. A moment later: two things at the
        // same instant have no order.
        guard terms.polling.afterSuccess > .zero else { return }
        try await nap(.milliseconds(5))
        _ = try await askIfKnown(tv, isProvoked: true) { dialect.record(of: issued.code, $0) }
    }

    /// How often a household registers anew whose session the service has forgotten.
    private static let mostRestarts = 2

    /// One activity. Where the service says that nobody is signed in, the device registers anew, and
    /// asks again: "Z3 403 not authenticated: restart registration" (rest-v1.md § 11).
    func performSignedIn(_ activity: PlannedActivity) async throws(StopReason) {
        var steps = [activity]
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
                guard case .signedOut(let words) = error, restarts < Self.mostRestarts else {
                    throw error
                }
                restarts += 1
                viewerLeft = nil
                note(.signInRestarted, words)
                if plan.kind.firstScreen.isSDK {
                    try await sdkSignIn()
                } else {
                    try await signIn()
                }
                // Authorizations went with the session.
                if hasAuthorized, activity != .ask(.authorize) {
                    steps = [.ask(.authorize), activity]
                }
            }
        }
    }

    private func perform(_ activity: PlannedActivity) async throws(StopReason) {
        switch activity {
        case .ask(.authorize):
            for resource in terms.resources { try await authorize(resource, on: tv) }
        case .ask(.mediaToken):
            for resource in terms.resources { try await takeMediaToken(resource, on: tv) }
            if !isDenied { reach(.playing) }
        case .ask(let operation): try await ask(for: operation)
        case .watch where isDenied: break
        case .playAtOnce: try await playAtOnce()
        case .watch(let duration): try await nap(duration)
        case .logout: try await logout()
        case .again:
            if !isLoggedOut { try await logout() }
            try await signIn()
        case .relaunch: try await relaunch()
        }
    }

    /// A request whose answer changes nothing for the TV: one, or one for each resource. What is
    /// about a code was the phone's, which has done it.
    private func ask(for operation: OperationName) async throws(StopReason) {
        if operation.has(.aboutCode) { return }
        guard operation.has(.aboutResource) else {
            let subject = Subject(resources: terms.resources)
            return try await optional { dialect.call(operation, about: subject, $0) }
        }
        for resource in terms.resources where !denied.contains(resource) {
            let subject = Subject(resources: [resource])
            try await optional { dialect.call(operation, about: subject, $0) }
        }
    }

    /// The app is closed and opened again: it looks whether it is signed in (step 1 of apple-sso.md
    /// § 1), and signs in where it is not.
    private func relaunch() async throws(StopReason) {
        try await enterForeground(isAgain: true)
        let checked = try await askIfKnown(tv) { dialect.checkAuthentication($0) }
        switch checked?.answer {
        case .signedIn: return
        // What the device itself remembers.
        case nil where traces.signedIn: return
        case .pending, .expired, nil: try await signIn()
        default: throw .refused(checked)
        }
    }

    /// A step that a protocol may lack, or whose answer changes nothing for the device.
    func optional(
        on screen: Screen? = nil, _ make: (Credential) -> Call?
    ) async throws(StopReason) {
        guard let answered = try await askIfKnown(screen ?? tv, make) else { return }
        switch answered.answer {
        case .done, .decisions, .media, .metadata: return
        default: throw .refused(answered)
        }
    }
}
