internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Vocabulary

/// What the viewer and the phone do (rest-v1.md §§ 6.2, 7, 8, 9; rest-v2.md § 14.2).
extension Household {
    /// Waits for a code on the TV and signs in with it, and again when the TV shows another. In between the
    /// household expects no viewer (`expect(aViewer:)`): the settle phase waits for that.
    func watchAndSignIn() async {
        isWatched = true
        defer { isWatched = false }
        while let issued = await shownCodes.next() {
            expect(aViewer: true)
            viewerLeft =
                plan.second == nil
                ? await attempt(issued) : await attemptTogether(issued)
            expect(aViewer: false)
            if viewerLeft != nil { return }
        }
        expect(aViewer: false)
    }

    /// One sign-in with this code; nil where it succeeded.
    func attempt(_ issued: IssuedCode) async -> StopReason? {
        do throws(StopReason) {
            try await signIn(with: issued)
            return nil
        } catch {
            return error
        }
    }

    private func signIn(with issued: IssuedCode) async throws(StopReason) {
        takeNextPhone()
        if plan.viewer.isTooLate { return try await comeTooLate(issued) }
        try await human(plan.viewer.noticesCode)
        if plan.viewer.givesUp { throw .gaveUp }
        guard codeOnScreen == issued.code else { throw codeRanOut(issued) }
        guard case .login(let provider) = try await typeIn(issued) else { return noteNoLogin() }
        try await logIn(issued, provider: provider)
        try await lookAfterLogin(issued, provider: provider)
    }

    /// Types the code in, with what the viewer does wrong before the login.
    @inline(never)
    private func typeIn(_ issued: IssuedCode) async throws(StopReason) -> TypedCode {
        let code = issued.code
        if plan.viewer.mistypesCode, !issued.lacksProvider { try await mistypeCode(code) }
        if plan.viewer.typesSmall, !issued.lacksProvider { try await typeInSmallLetters(code) }
        var typed = try await lookUp(issued, mistypes: plan.viewer.mistypesCode)
        if plan.viewer.changesProvider, case .login(let own?) = typed {
            try await chooseWrongProvider(issued, insteadOf: own)
            if hasSessions { typed = try await completeSession(code, mvpd: own, on: phone) }
        }
        if plan.viewer.cancels, case .login(let provider) = typed {
            try await cancelLogin(issued, provider: provider)
            _ = try await askIfKnown(phone) { dialect.checkCode(code, $0) }
            takeNextPhone()
            // G10: a preselection that came to nothing leads to the phone's own picker.
            typed = try await lookUp(issued, takesPreselection: false)
        }
        return typed
    }

    /// What the phone does once the login has ended.
    @inline(never)
    private func lookAfterLogin(
        _ issued: IssuedCode, provider: String?
    ) async throws(StopReason) {
        let code = issued.code
        try await confirm(code, by: person)
        endLogin { $0.noteSuccess(of: $1) }
        for operation in OperationName.activities
        where operation.has(.aboutCode) && plan.activities.contains(.ask(operation)) {
            try await ask(for: operation, of: code)
        }
        if plan.viewer.typesTwice {
            takeNextPhone()
            try await typeAgain(issued, provider: provider)
        }
    }

    /// What the phone asks about the TV of its code, such as what may be watched there (Z2).
    @inline(never)
    private func ask(for operation: OperationName, of code: Code) async throws(StopReason) {
        let subject = Subject(code: code, resources: terms.resources)
        let asked = try await askIfKnown(phone) {
            dialect.call(operation, about: subject, $0)
        }
        switch asked?.answer {
        case .done, .decisions, nil: return
        default: throw .refused(asked)
        }
    }

    /// The next step after a code was typed in.
    enum TypedCode {
        /// The login, at this provider; nil where none was chosen.
        case login(String?)
        /// No login: the service says that the TV is signed in already (rest-v2.md § 5.2).
        case done
    }

    /// Looks the code up and picks the provider; the code may name one that was picked on the TV. A
    /// session that lacks its provider is looked up by completing it.
    @inline(never)
    private func lookUp(
        _ issued: IssuedCode, takesPreselection: Bool = true, mistypes: Bool = false
    ) async throws(StopReason) -> TypedCode {
        let code = issued.code
        if !issued.lacksProvider {
            let preselected = try await lookUp(code, on: phone)
            // Its provider is all that a session waits for (rest-v2.md § 14.2).
            if hasSessions, takesPreselection, let preselected { return .login(preselected) }
            let offered = try await configuration(phone)
            if takesPreselection, let preselected { return .login(preselected) }
            let chosen = try choice(among: offered)
            guard hasSessions else { return .login(chosen) }
            return try await completeSession(code, mvpd: chosen, on: phone)
        }
        let chosen = try choice(among: try await configuration(phone))
        if mistypes { try await mistypeCode(code, mvpd: chosen) }
        return try await completeSession(code, mvpd: chosen, on: phone)
    }

    /// Names the provider to the session of a code: what a phone does first with a typed code that lacks
    /// it (S2 of rest-v2.md).
    @inline(never)
    func completeSession(
        _ code: Code, mvpd: String?, on browser: Screen, isProvoked: Bool = false
    ) async throws(StopReason) -> TypedCode {
        guard let mvpd else { throw .failed("nobody chose a provider for the code") }
        let answered = try await askIfKnown(browser, isProvoked: isProvoked || isCodeOver) {
            dialect.completeSession(code, mvpd: mvpd, $0)
        }
        reach(.codeTyped)
        switch answered?.answer {
        case .signedIn:
            noteDone(at: answered?.exchange.ended ?? lane.now)
            return .done
        case .code(let issued) where issued.lacksProvider:
            throw .failed("resume-session still lacks what it was given")
        case .code, .record, .done, nil: return .login(mvpd)
        default: throw .refused(answered)
        }
    }

    /// Notes that the TV is signed in without a password.
    func noteNoLogin() {
        endLogin { $0.noteNothing(of: $1) }
        traces.signedIn = true
    }

    /// The record of a code that was typed in; gives the provider that it names.
    @discardableResult
    @inline(never)
    func lookUp(_ code: Code, on browser: Screen) async throws(StopReason) -> String? {
        let looked = try await askIfKnown(browser, isProvoked: isCodeOver) {
            dialect.record(of: code, $0)
        }
        var preselected: String?
        if let looked {
            guard case .record(let named) = looked.answer else { throw .refused(looked) }
            preselected = named
        }
        reach(.codeTyped)
        return preselected
    }

    func logIn(_ issued: IssuedCode, provider: String?) async throws(StopReason) {
        if record.tokenSeen == nil, let provider { record.mvpd = provider }
        do throws(StopReason) {
            try await walkLogin(issued, provider: provider, as: person)
        } catch {
            // Unless the account was turned down: that has been noted.
            endLogin { $0.noteNothing(of: $1) }
            throw error
        }
        // The service may know of a sign-in from here on, whether the TV sees it or not.
        traces.signedIn = true
    }

    /// A wait that is the viewer's own, not the service's.
    func human(_ duration: Duration) async throws(StopReason) {
        let began = lane.now
        try await nap(duration)
        noteViewerTime(since: began)
    }

    /// Counts the time since `began` as the viewer's own. Only the first sign-in counts, because it is the one
    /// that is timed.
    func noteViewerTime(since began: Instant) {
        if record.tokenSeen == nil { record.viewerTime += lane.now - began }
    }

    /// The providers that the service offers; nil where the protocol has no such request.
    @inline(never)
    func configuration(_ screen: Screen) async throws(StopReason) -> [Provider]? {
        let answered = try await askIfKnown(screen) { dialect.configuration($0) }
        guard let answered else { return nil }
        guard case .configuration(let offered) = answered.answer else { throw .refused(answered) }
        if screen === phone { offeredOnPhone = offered }
        return offered
    }

    /// The viewer's own provider, out of those offered; nil where none is offered or named. Throws where the
    /// service does not offer the account's provider, or none at all.
    func choice(among offered: [Provider]?) throws(StopReason) -> String? {
        if isAtAnotherProvider { return try anotherChoice(among: offered ?? []) }
        guard let offered else {
            return lease?.entry.mvpd ?? terms.provider(at: plan.providerDraw, offered: [])
        }
        if let lease {
            let mvpd = lease.entry.mvpd
            guard offered.contains(where: { $0.id == mvpd }) else {
                let names = offered.prefix(8).map(\.id).joined(separator: ", ")
                throw .failed(
                    "the service's configuration does not offer \(mvpd), the provider of the "
                        + "account in "
                        + "\(lease.place); it offers \(names)")
            }
            return mvpd
        }
        guard let provider = terms.provider(at: plan.providerDraw, offered: offered) else {
            throw .failed(
                "the service's configuration offers no provider; name one under "
                    + "target.mvpds")
        }
        return provider
    }

    /// The first that the TV is not signed in with, in the order of the rig or of the configuration.
    private func anotherChoice(among offered: [Provider]) throws(StopReason) -> String {
        let named = terms.providers.map(\.id)
        let known = offered.filter { !$0.isTempPass }.map(\.id)
        let choices = named.isEmpty ? known : named.filter(known.contains)
        guard let another = choices.first(where: { !isSignedIn(at: $0) }) else {
            throw .failed("the service's configuration offers no second provider")
        }
        return another
    }

    /// Asks whether the login was recorded: once, and a few times more if not, 1 to 2 s apart
    /// (rest-v1.md § 9, N2).
    @inline(never)
    func confirm(_ code: Code, by person: Person) async throws(StopReason) {
        let browser = person.browser
        for attempt in 1...5 {
            let asked = try await askIfKnown(browser, isProvoked: isCodeOver) {
                dialect.checkCode(code, $0)
            }
            guard let checked = asked else { return try await awaitTV(code) }
            switch checked.answer {
            case .signedIn:
                // Where the assertion's own answer was lost, this is what told the phone.
                if phoneDone == nil { phoneDone = checked.exchange.ended }
                return
            case .pending where attempt < 5:
                try await nap(.milliseconds(1000 + browser.dice.below(1000)))
            case .pending:
                let name = checked.exchange.operation.name
                let end = loginEnd ?? "the login ended"
                // A page without a form is how some providers turn a password down: the account may be about to be
                // locked.
                if loginEnd != nil { endLogin { $0.noteFailure(of: $1) } }
                // What went wrong first is where to look.
                if let lostAssertion {
                    throw .failed(
                        "\(lostAssertion); \(ours: name) reported no sign-in in 5 tries after that")
                }
                throw .failed("\(ours: name) still reported no sign-in 5 tries after \(end)")
            default: throw .refused(checked)
            }
        }
    }
}
