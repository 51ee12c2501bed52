internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Vocabulary

/// The login as a browser walks it: each redirect and each form is an exchange of its own, cookies
/// are those of this login, hidden fields are echoed (rest-v1.md § 8).
extension Household {
    /// The state of a login in progress.
    final class LoginWalk {
        let code: Code
        /// Nil where none was chosen.
        let provider: String?
        let person: Person
        var call: Call
        var progress = LoginProgress()
        var hasAskedProgram = false
        var hasMistyped = false
        /// The host that the mistyped password was sent to.
        var mistypedAt = ""
        /// The call is the login page's button, which the viewer presses twice.
        var isPressedTwice = false
        /// The call that was answered last.
        var sent: Call?
        /// Where the last answer led by a GET: it may be the address of the app.
        var target: WebAddress?
        /// The viewer cancels on the login page.
        var cancels = false
        /// In protocols in which a person enters a code and decides on it.
        var grant: GrantProgress?
        /// The viewer closed the page: there is no next call.
        var isClosed = false

        init(code: Code, provider: String?, person: Person, call: Call) {
            self.code = code
            self.provider = provider
            self.person = person
            self.call = call
        }

        /// The next call is of that operation; the entry of a code is what sends the code.
        func isAt(_ operation: OperationName) -> Bool {
            call.operation == operation
                && (operation != .verificationPage || grant?.hasEnteredCode ?? false)
        }
    }

    /// From the start of the login to the return to the app; or, with `stopsAt`, to the request
    /// of that operation (the one that brings the assertion back), which is returned and not sent.
    @discardableResult
    func walkLogin(
        _ issued: IssuedCode, provider: String?, as person: Person, cancels: Bool = false,
        stopsAt last: OperationName? = nil
    ) async throws(StopReason) -> Call? {
        do throws(StopReason) {
            return try await walk(
                issued, provider, person, cancels: cancels, stopsAt: last)
        } catch {
            let dropped = person.browser.device.cookies.dropped
            guard dropped > 0, case .failed(let cause) = error else { throw error }
            // A page that needs a session from a dropped cookie is right to refuse it.
            let words =
                "\(dropped) cookies did not fit into the browser, which keeps "
                + "\(CookieJar.mostOfHost) of a host (RFC 6265, 6.1), so that the login may have lost its session"
            throw .failed("\(ours: words): " + cause)
        }
    }

    private func walk(
        _ issued: IssuedCode, _ provider: String?, _ person: Person, cancels: Bool,
        stopsAt last: OperationName?
    ) async throws(StopReason) -> Call? {
        let refuses = last == .refusal || plan.viewer.refuses && !person.isSecond
        let requests = dialect.phoneCalls(issued, as: person.account, refuses: refuses)
        guard requests.isEmpty else {
            return try await send(requests, as: person, stopsAt: last)
        }
        let walk = try begin(issued, provider, person, refuses: refuses)
        walk.cancels = cancels
        for _ in 0..<terms.maxHops {
            if isOver(walk, at: last) { return walk.call }
            if walk.isPressedTwice {
                walk.isPressedTwice = false
                note(.habit, "submits-twice")
                _ = await lane.send(walk.call, from: person.browser.device)
            }
            walk.sent = walk.call
            // Without an answer to the assertion, check-code decides.
            guard let answered = try await hear(walk.call, on: person.browser) else { return nil }
            let now = lane.now
            switch try hop(answered, walk, issued) {
            case .ended:
                noteAcceptance(walk)
                return nil
            case .reload:
                noteAcceptance(walk)
                await reload(walk)
                return nil
            case .sent: break
            case .page(let page): try await pass(page, answered, walk, issued)
            case .refusal: try await passRefusal(answered, walk, issued)
            }
            if walk.isClosed { return nil }
            if walk.cancels { walk.call.provoked = walk.call.operation != .authenticate }
            guard let target = walk.target, dialect.isReturn(target) else { continue }
            if walk.cancels { return nil }
            var arrived = now
            if case .redirect = answered.answer { arrived = answered.exchange.ended }
            noteDone(at: arrived)
            try judgeReturn(target)
            noteAcceptance(walk)
            await reload(walk)
            try await fetchReturn(target, referer: walk.call.address, on: person.browser)
            return nil
        }
        throw .failed("the login did not end within \(terms.maxHops) hops (target.max-hops)")
    }

    /// A login that is through has asked for a mistyped password again, or has not looked at it.
    @inline(never)
    private func noteAcceptance(_ walk: LoginWalk) {
        guard walk.hasMistyped, !walk.progress.hasSentPassword, !walk.cancels else { return }
        note(.wrongPasswordAccepted, "\(walk.mistypedAt)")
    }

    // Decisions that need no waiting are functions of their own (`@inline(never)`): a household holds the
    // frames of the functions that wait for as long as they wait.

    @inline(never)
    private func begin(
        _ issued: IssuedCode, _ provider: String?, _ person: Person, refuses: Bool
    ) throws(StopReason) -> LoginWalk {
        let browser = person.browser
        let credential = Credential(
            device: browser.device.identity, bearer: browser.token?.bearer)
        guard let first = dialect.authenticate(issued, mvpd: provider, credential) else {
            throw .unknownStep
        }
        browser.device.cookies.removeAll()
        (loginEnd, lostAssertion) = (nil, nil)
        expectEchoes(of: person.account)
        let walk = LoginWalk(code: issued.code, provider: provider, person: person, call: first)
        if dialect.pages != nil {
            walk.grant = GrantProgress(refuses: refuses)
            // The link of a QR code has the code in it.
            walk.grant?.hasEnteredCode = issued.completePage.map { $0 == first.address } ?? false
        }
        return walk
    }

    /// Completes the next call; true where the walk is to stop before it.
    @inline(never)
    private func isOver(_ walk: LoginWalk, at last: OperationName?) -> Bool {
        walk.call.code = walk.code
        let finishes = walk.call.operation.step(onFirstScreen: false) == .finishLogin
        // From the password on, any hop may be the one that signs in (`Observation.Result.ledBack`), unless a decision on a
        // page does.
        if finishes || walk.progress.hasSentPassword && walk.grant == nil {
            let provider = walk.grant == nil ? walk.provider ?? "" : ""
            walk.call.signsIn(walk.person.account, at: provider)
        }
        if finishes, last != nil { return true }
        if let last, walk.isAt(last) { return true }
        if walk.call.operation == .refusal { hasRefused = true }
        // Of two at once one may be turned down.
        if plan.second != nil { walk.call.provoked = walk.call.operation != .mvpdLogin }
        return false
    }

    private enum Hop {
        case ended
        /// It is done, and the viewer may look at the page again.
        case reload
        /// The next call is set.
        case sent
        case page(HTMLPage)
        case refusal
    }

    /// Reads an answer and sets the next call, where it leads to one by itself.
    @inline(never)
    private func hop(
        _ answered: Answered, _ walk: LoginWalk, _ issued: IssuedCode
    ) throws(StopReason) -> Hop {
        walk.target = nil
        if walk.call.isDecision || walk.call.decided != nil {
            walk.grant?.decision = (answered.exchange.ended, answered.exchange.observation.result)
        }
        switch answered.answer {
        case .redirect(let address):
            let sent = walk.call
            // These two keep method and body (RFC 9110, 15.4.8 and 15.4.9); after all others browsers go on with a GET.
            let isKept =
                sent.method == .post && [307, 308].contains(answered.exchange.delivery.status)
            walk.call = hop(
                isKept ? .post : .get, address,
                form: isKept ? FormEncoding.pairs(sent.body) : [], issued, from: sent)
            if isKept { (walk.call.provoked, walk.call.code) = (sent.provoked, sent.code) }
            if case (_, .none)? = walk.grant?.decision {
                walk.call.decided = sent.isDecision ? sent.operation : sent.decided
            }
            walk.target = address
            return .sent
        case .done:
            if walk.cancels { return .ended }
            noteDone(at: answered.exchange.ended)
            return .reload
        case .page(let html):
            let page = HTMLPage(html)
            guard walk.grant?.decision == nil else {
                try end(page, answered, walk)
                return .ended
            }
            return .page(page)
        default: return .refusal
        }
    }

    /// Sends the last request again, as a browser's reload does; the response changes nothing.
    @inline(never)
    private func reload(_ walk: LoginWalk) async {
        guard plan.viewer.reloads, !walk.person.isSecond, var call = walk.sent else { return }
        note(.habit, "reloads")
        call.provoked = true
        _ = await lane.send(call, from: walk.person.browser.device)
    }

    /// The answer to a hop. An assertion is sent once: one whose answer was lost may have counted, and
    /// repeating it would then be refused. Nil stands for that.
    @inline(never)
    func hear(_ call: Call, on browser: Screen) async throws(StopReason) -> Answered? {
        var call = call
        // Whoever comes late is right to be turned down; a provider's pages know of no code.
        if isCodeOver, call.operation != .mvpdLogin { call.provoked = true }
        let isDecision = call.isDecision || call.decided != nil && call.method == .post
        guard call.operation == .assertion || isDecision else {
            return try await insist(call, browser)
        }
        let answered = await lane.send(call, from: browser.device)
        switch answered.answer {
        case .slow(let pause):
            try await wait(asBy: answered, pause, on: browser)
            return try await insist(call, browser)
        case .unanswered(_, reached: false): return try await insist(call, browser)
        case .unanswered(let error, reached: true):
            if error.kind == .stopped { throw .stopped }
            lostAssertion = StopReason.refusal(answered)
            return nil
        case .fault, .unavailable:
            lostAssertion = StopReason.refusal(answered)
            return nil
        default: return answered
        }
    }

    /// `?error=access_denied` on the way back: turned down (§ 5, § 8).
    private func judgeReturn(_ address: WebAddress) throws(StopReason) {
        guard !address.query.isEmpty else { return }
        for field in address.query.split(separator: "&") where field.hasPrefix("error=") {
            throw .failed("the login came back with \(field)")
        }
    }

    /// Requests the page of the app where the rig asks for it: once, whatever the response. It is part of the
    /// load, not of the sign-in, which has ended. Only a host that is not allowed, or a stop, ends the
    /// household, as with any hop.
    @inline(never)
    private func fetchReturn(
        _ address: WebAddress, referer: WebAddress, on browser: Screen
    ) async throws(StopReason) {
        guard terms.fetchesRedirect else { return }
        traces.signedIn = true
        let call = dialect.hop(.get, address, form: [], referer: referer)
        let answered = await lane.send(call, from: browser.device)
        switch answered.exchange.delivery.error?.kind {
        case .hostNotAllowed, .stopped: throw .refused(answered)
        default: return
        }
    }

    /// Does what a page asks for, and sets the next call, with its address where the page led to one by a
    /// GET.
    private func pass(
        _ page: HTMLPage, _ answered: Answered, _ walk: LoginWalk, _ issued: IssuedCode
    ) async throws(StopReason) {
        if walk.grant != nil, try await passGrant(page, answered, walk, issued) { return }
        let step = step(of: page, walk)
        if !walk.hasAskedProgram, let program = terms.loginProgram, step.asksSomebody {
            return try await ask(program, shown: page, walk)
        }
        switch step {
        case .send(let entry) where entry.typesPassword && walk.cancels:
            try await human(plan.viewer.signsIn)
            cancel(page, walk)
        case .send(let entry):
            if entry.delay > .zero { try await wait(entry.delay, walk.person) }
            if entry.typesPassword {
                if plan.viewer.losesNetwork, !walk.person.isSecond { try await loseNetwork() }
                try await wait(walk.person.signsIn, walk.person)
            }
            send(entry, of: page, walk)
        case .follow(let reference, let delay):
            try await wait(delay, walk.person)
            try follow(reference, of: page, answered, walk)
        case .turnedDown(let reason):
            throw turnedDown(reason, page, answered, walk)
        case .ended where walk.grant == nil: endOnPage(page, answered, walk)
        case .stuck(let reason), .ended(let reason):
            let title: Untrusted = page.title.isEmpty ? "" : " ('\(page.title)')"
            throw stuck(
                "the page at \(walk.call.address.origin)\(walk.call.address.path)\(title) \(reason)",
                page, answered, walk)
        }
    }

    /// The login ends without the way back to the app. A protocol that has a redirect URL promises that way, and yet the
    /// service may have signed in at the post of the credentials: the phone asks it, as after any login.
    @inline(never)
    private func endOnPage(_ page: HTMLPage, _ answered: Answered, _ walk: LoginWalk) {
        let title: Untrusted = page.title.isEmpty ? "" : " ('\(page.title)')"
        let words: Untrusted =
            "the login ended on the page at \(walk.call.address.origin)\(walk.call.address.path)\(title) and never "
            + "reached the redirect URL"
        note(.loginEndedOnPage, asEnd: words, page, answered, walk)
        walk.isClosed = true
    }

    /// Without a confirmation, how a login ended is said where the service then reports no sign-in, and its page is kept.
    func note(
        _ event: DeviceEventName, asEnd words: Untrusted, _ page: HTMLPage, _ answered: Answered,
        _ walk: LoginWalk
    ) {
        note(event, words)
        loginEnd = words
        offer(page, because: words, answered, walk)
    }

    @inline(never)
    private func step(of page: HTMLPage, _ walk: LoginWalk) -> FormFinder.Step {
        FormFinder(page: page, login: terms.login.fields, progress: walk.progress).step
    }

    @inline(never)
    private func follow(
        _ reference: String, of page: HTMLPage, _ answered: Answered, _ walk: LoginWalk
    ) throws(StopReason) {
        guard let target = Self.base(of: page, at: walk.call.address).resolving(reference)
        else {
            throw stuck(
                "the page at \(walk.call.address.origin)\(walk.call.address.path) leads on to what is "
                    + "no address of http or https; let a program do the login with login: {command: "
                    + "PROGRAM}",
                page, answered, walk)
        }
        go(to: target, walk)
    }

    /// What addresses of a page are relative to.
    private static func base(of page: HTMLPage, at address: WebAddress) -> WebAddress {
        page.base.flatMap { address.resolving($0) } ?? address
    }

    @inline(never)
    private func send(_ entry: FormFinder.Entry, of page: HTMLPage, _ walk: LoginWalk) {
        let account = walk.person.account
        var password = account.password.reveal()
        if entry.typesPassword {
            walk.progress.hasSentPassword = true
            walk.isPressedTwice = plan.viewer.submitsTwice && !walk.person.isSecond
        }
        if entry.typesUser { walk.progress.hasSentUser = true }
        let isMistyped =
            entry.typesPassword && walk.person.mistypesPassword && !walk.hasMistyped
        if isMistyped {
            walk.hasMistyped = true
            // The page will come back, and the viewer types again.
            walk.progress = LoginProgress()
            password = "wrong"
        }
        let fields = entry.fields(user: account.user, password: password)
        submit(entry.form, fields, of: page, walk, by: entry.form.button)
        walk.call.provoked = isMistyped
        if isMistyped { walk.mistypedAt = walk.call.address.origin.host }
    }

    /// Sends a form as its button says, or as it says itself; by GET the page leads on to an address.
    func submit(
        _ form: HTMLForm, _ fields: [(String, String)], of page: HTMLPage, _ walk: LoginWalk,
        by button: HTMLForm.FormField?
    ) {
        let shownAt = walk.call.address
        let action = button?.action ?? form.action
        let target =
            action.isEmpty ? shownAt : Self.base(of: page, at: shownAt).resolving(action) ?? shownAt
        guard button?.method.map({ $0 == "post" }) ?? form.isPost else {
            let query = FormEncoding.fields(fields)
            let asked = WebAddress(origin: target.origin, target: "\(target.path)?\(query)")
            return go(to: asked, form: fields, walk)
        }
        walk.call = dialect.hop(.post, target, form: fields, referer: shownAt)
    }

    /// The page leads on to this address, which may be that of the app.
    private func go(to target: WebAddress, form: [(String, String)] = [], _ walk: LoginWalk) {
        walk.call = dialect.hop(.get, target, form: form, referer: walk.call.address)
        walk.target = target
    }

    /// Leaves the login page by its own link to cancel, or closes it where it has none.
    @inline(never)
    private func cancel(_ page: HTMLPage, _ walk: LoginWalk) {
        guard let wayOut = page.wayOut,
            let target = Self.base(of: page, at: walk.call.address).resolving(wayOut)
        else {
            walk.isClosed = true
            return
        }
        go(to: target, walk)
    }

    /// A page that came with an error status may still be the login page (401), or the same again
    /// after a wrong password; anything else ends the login.
    @inline(never)
    private func passRefusal(
        _ answered: Answered, _ walk: LoginWalk, _ issued: IssuedCode
    ) async throws(StopReason) {
        try await pass(try errorPage(answered, walk), answered, walk, issued)
    }

    /// The page of an error status, where it asks for a password.
    @inline(never)
    private func errorPage(
        _ answered: Answered, _ walk: LoginWalk
    ) throws(StopReason) -> HTMLPage {
        guard let html = answered.page else { throw .refused(answered) }
        let page = HTMLPage(html)
        if case .blocked = answered.answer {
            throw stuck(
                StopReason.refusal(answered)
                    + ": it blocks automated clients; ask for an exception for the rig's "
                    + "addresses, or let a program do the login with login: {command: PROGRAM}",
                page, answered, walk)
        }
        if page.forms.contains(where: \.asksPassword) { return page }
        let notice = page.notice.isEmpty ? page.title : page.notice
        let said: Untrusted =
            page.excess.map { "; the page \(ours: $0)\(ours: FormFinder.unread)" }
            ?? (notice.isEmpty ? "" : " and says '\(notice)'")
        throw stuck(StopReason.refusal(answered) + said, page, answered, walk)
    }
}

// MARK: Ends

extension Household {
    /// The provider rejected the account.
    func turnedDown(
        _ reason: Untrusted, _ page: HTMLPage?, _ answered: Answered?, _ walk: LoginWalk
    ) -> StopReason {
        var cause = reason
        if let lease, !walk.person.isSecond {
            endLogin { $0.noteFailure(of: $1) }
            cause = "the account in \(lease.place) was turned down: \(reason)"
        }
        guard let page else { return .failed(cause) }
        return stuck(cause, page, answered, walk)
    }

    /// The stop at a page.
    func stuck(
        _ cause: Untrusted, _ page: HTMLPage, _ answered: Answered?, _ walk: LoginWalk
    ) -> StopReason {
        offer(page, because: cause, answered, walk)
        return .failed(cause)
    }

    /// Offers a page to the run directory.
    private func offer(
        _ page: HTMLPage, because cause: Untrusted, _ answered: Answered?, _ walk: LoginWalk
    ) {
        terms.pages?.offer(cause: shown(cause)) {
            KeptPage.text(
                page, at: walk.call.address, status: answered?.exchange.delivery.status,
                cause: cause, household: plan.index, through: lane.gate(of: tv.device))
        }
    }
}
