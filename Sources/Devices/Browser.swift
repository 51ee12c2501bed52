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
        /// The password that was sent last is the mistyped one: the provider may accept it.
        var isMistyped: Bool {
            hasMistyped && !progress.hasSentUser && !progress.hasSentPassword
        }
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

    /// Where a login stops that somebody else goes on with.
    final class LoginStop {
        /// Before the request of this operation, such as the one that brings the assertion back.
        let operation: OperationName
        /// Or before the request of this number, from 1, where a login is known to end without that operation.
        let number: Int?
        /// Requests so far.
        private(set) var sent = 0
        /// The last of them was a form that was posted: where it ends the login, nothing but its answer comes after the sign-in.
        private(set) var hasPosted = false

        init(_ operation: OperationName, number: Int? = nil) {
            self.operation = operation
            self.number = number
        }

        func note(_ call: Call) {
            sent += 1
            hasPosted = call.method == .post
        }
    }

    /// From the start of the login to the return to the app; or, with `stop`, to its request, which is returned and not sent.
    @discardableResult
    func walkLogin(
        _ issued: IssuedCode, provider: String?, as person: Person, cancels: Bool = false,
        stopsAt stop: LoginStop? = nil
    ) async throws(StopReason) -> Call? {
        do throws(StopReason) {
            return try await walk(issued, provider, person, cancels: cancels, stopsAt: stop)
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
        stopsAt stop: LoginStop?
    ) async throws(StopReason) -> Call? {
        let refuses = stop?.operation == .refusal || plan.viewer.refuses && !person.isSecond
        let requests = dialect.phoneCalls(issued, as: person.account, refuses: refuses)
        guard requests.isEmpty else {
            return try await send(requests, as: person, stopsAt: stop?.operation)
        }
        let walk = try begin(issued, provider, person, refuses: refuses)
        walk.cancels = cancels
        for _ in 0..<terms.maxHops {
            if isOver(walk, at: stop) { return walk.call }
            stop?.note(walk.call)
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
            try judgeReturn(target)
            noteDone(at: arrived)
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
    private func isOver(_ walk: LoginWalk, at stop: LoginStop?) -> Bool {
        walk.call.code = walk.code
        let finishes = walk.call.operation.step(onFirstScreen: false) == .finishLogin
        // From the password on, any hop may be the one that signs in (`Observation.Result.ledBack`), unless a decision on a
        // page does.
        let hasSentPassword = walk.progress.hasSentPassword || walk.isMistyped
        if finishes || hasSentPassword && walk.grant == nil {
            let provider = walk.grant == nil ? walk.provider ?? "" : ""
            walk.call.signsIn(walk.person.account, at: provider)
        }
        if let stop, finishes || walk.isAt(stop.operation) || stop.sent + 1 == stop.number {
            return true
        }
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
            walk.call = dialect.ledOn(
                to: address, by: answered, from: walk.call, codePage: issued.page)
            walk.target = address
            return .sent
        case .done:
            if walk.cancels { return .ended }
            noteDone(at: answered.exchange.ended)
            return .reload
        case .page(let html):
            let page = HTMLPage(html)
            guard let decision = walk.grant?.decision,
                !goesOn(page, after: decision.result, walk, issued)
            else { return .page(page) }
            try end(page, answered, walk, issued)
            return .ended
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
        if let error = address.written("error") {
            throw .failed("the login came back with error=\(error)")
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
}
