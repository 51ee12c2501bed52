public import Dialects
internal import Journal
public import Lanes
internal import Rigs
internal import Vocabulary

extension Dialect {
    /// A later hop; one to the page for the code is part of the entry of the code, and so is one after a decision.
    func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], from call: Call,
        codePage: WebAddress?
    ) -> Call {
        var next = hop(method, address, form: form, referer: call.address)
        if pages != nil, next.operation == .mvpdLogin,
            address.path == codePage?.path || call.isDecision || call.decided != nil
        {
            next.operation = .verificationPage
        }
        return next
    }

    /// What a browser sends where an answer leads it on. After a decision it takes along which it was, until an answer shows
    /// its result.
    func ledOn(
        to address: WebAddress, by answered: Answered, from sent: Call, codePage: WebAddress?
    ) -> Call {
        // These two keep method and body (RFC 9110, 15.4.8 and 15.4.9); after all others browsers go on with a GET.
        let isKept =
            sent.method == .post && [307, 308].contains(answered.exchange.delivery.status)
        var next = hop(
            isKept ? .post : .get, address, form: isKept ? FormEncoding.pairs(sent.body) : [],
            from: sent, codePage: codePage)
        if isKept { (next.provoked, next.code) = (sent.provoked, sent.code) }
        if pages != nil, answered.exchange.observation.result == .none {
            next.decided = sent.isDecision ? sent.operation : sent.decided
        }
        return next
    }

    /// The request that a browser sends next for a decision whose result no response has shown yet; nil where one has, or
    /// where nothing leads on.
    public func next(ofDecision sent: Call, after answered: Answered) -> Call? {
        guard pages != nil, sent.isDecision || sent.decided != nil,
            answered.exchange.observation.result == .none,
            case .redirect(let address) = answered.answer
        else { return nil }
        var next = ledOn(to: address, by: answered, from: sent, codePage: nil)
        next.code = sent.code
        return next
    }
}

/// The pages of a device grant, on which a person enters a code and decides (RFC 8628, 3.3), and the requests of a phone
/// that walks no pages.
extension Household {
    /// Does what a page asks for that is about the code, and sets the next call; false for other pages.
    @inline(never)
    func passGrant(
        _ page: HTMLPage, _ answered: Answered, _ walk: LoginWalk, _ issued: IssuedCode
    ) async throws(StopReason) -> Bool {
        guard let finder = grantFinder(page, walk, issued) else { return false }
        let progress = finder.progress
        switch finder.step {
        case .other: return false
        case .enter(let form, let field):
            // The viewer does not type what the link has filled in.
            let mistypes =
                plan.viewer.mistypesCode && !walk.person.isSecond && !progress.hasMistypedCode
                && !progress.hasEnteredCode
            walk.grant?.hasMistypedCode = mistypes || progress.hasMistypedCode
            // Of a wrong code the page comes back, and the viewer looks at the TV again.
            walk.grant?.hasEnteredCode = !mistypes
            walk.grant?.codeField = field
            if progress.hasMistypedCode { try await wait(Self.secondLook, walk.person) }
            let code = mistypes ? issued.code.mistyped.text : issued.typed
            submit(form, form.filled(field, with: code), of: page, walk, by: nil)
            walk.call.operation = .verificationPage
            walk.call.provoked = mistypes
            reach(.codeTyped)
        case .decide(let form, let button):
            walk.grant?.decided.insert(form.path(of: button, at: walk.call.address))
            submit(form, form.pressed(button), of: page, walk, by: button)
            walk.call.operation = progress.refuses ? .refusal : .approval
        case .turnedDown(let reason): throw stuck(reason, page, answered, walk)
        case .stuck(let reason):
            throw stuck(
                "the page at \(walk.call.address.origin)\(walk.call.address.path) \(reason)", page,
                answered, walk)
        }
        return true
    }

    private func grantFinder(
        _ page: HTMLPage, _ walk: LoginWalk, _ issued: IssuedCode
    ) -> GrantFinder? {
        guard let progress = walk.grant, let pages = dialect.pages else { return nil }
        return GrantFinder(
            page: page, pages: pages, progress: progress, code: issued.typed,
            isForCode: walk.call.address.path == issued.page?.path,
            isAfterLogin: walk.progress.hasSentUser || walk.progress.hasSentPassword)
    }

    /// Whether the page on which a decision ended asks for the next; that decision is then none about the code.
    func goesOn(
        _ page: HTMLPage, after result: Observation.Result, _ walk: LoginWalk,
        _ issued: IssuedCode
    ) -> Bool {
        guard result != .success,
            grantFinder(page, walk, issued)?.asksNext(at: walk.call.address) == true
        else { return false }
        walk.grant?.decision = nil
        return true
    }

    /// The page on which the decision ends, after redirects. What was said on the way counts; without a word of the rig, a
    /// page that asks for nothing more. A page without the rig's words may still follow a decision that was taken:
    /// words of one language, or of one case, are easily missed. The TV's polls decide then (`awaitTV`).
    func end(
        _ page: HTMLPage, _ answered: Answered, _ walk: LoginWalk, _ issued: IssuedCode
    ) throws(StopReason) {
        guard let grant = walk.grant, let decision = grant.decision,
            let asksAgain = grantFinder(page, walk, issued)?.asksAgain
        else { return }
        let asksPassword = page.forms.contains(where: \.asksPassword)
        if decision.result == .success || decision.result == .none && !asksAgain && !asksPassword {
            return noteDone(at: decision.ended)
        }
        let name = grant.refuses ? "refusal" : "approval"
        // It has lost the login, and with it the decision.
        if asksPassword {
            throw stuck(
                "the page after the \(ours: name) asks for the password again", page, answered, walk
            )
        }
        let words = page.notice.isEmpty ? page.title : page.notice
        let said: Untrusted = words.isEmpty ? "" : ", and says '\(words)'"
        guard !walk.person.isSecond, !asksAgain else {
            throw stuck(
                "the page after the \(ours: name) does not confirm it\(said)", page, answered, walk)
        }
        let key = grant.refuses ? "refused-when" : "approved-when"
        let end: Untrusted =
            "the \(ours: name), whose page at \(walk.call.address.origin)\(walk.call.address.path) has no text of "
            + "\(ours: key)\(said)"
        note(.decisionNotConfirmed, asEnd: end, page, answered, walk)
    }

    /// A phone cannot ask a service about a decision whose page did not confirm it, or that got no page at all: the TV
    /// gets its token within a few polls, or the decision was not taken.
    @inline(never)
    func awaitTV(_ code: Code) async throws(StopReason) {
        guard loginEnd != nil || lostAssertion != nil, let issued = polledCode,
            issued.code == code
        else { return }
        let interval = max(terms.polling.every, issued.pollInterval ?? .zero)
        // One may be under way.
        let last = record.polls + (Self.mostLooks + 1) * (1 + morePollers.count)
        while codeOnScreen == code, pollersEnd == nil {
            guard record.polls < last else {
                let looks = "\(Self.mostLooks) polls"
                let missed = hasRefused ? "was not told of a refusal" : "saw no token"
                let what: Untrusted = "the TV \(ours: missed) in \(ours: looks) after "
                throw .failed(
                    lostAssertion.map { "\($0); " + what + "that" } ?? what + (loginEnd ?? ""))
            }
            try await nap(interval)
        }
    }

    /// Polls that a decision without a confirmation is given.
    private static let mostLooks = 5

    /// The requests of a phone that walks no pages, one after another.
    @inline(never)
    func send(
        _ requests: [PhoneRequest], as person: Person, stopsAt last: OperationName?
    ) async throws(StopReason) -> Call? {
        let browser = person.browser
        browser.device.cookies.removeAll()
        expectEchoes(of: person.account)
        for request in requests {
            var call = request.call
            if request.typesPassword { try await wait(person.signsIn, person) }
            if call.operation == .approval {
                call.signsIn(person.account, at: "")
                if last != nil { return call }
            }
            if call.operation == last { return call }
            if call.operation == .refusal { hasRefused = true }
            if plan.second != nil { call.provoked = call.operation != .mvpdLogin }
            guard let answered = try await hear(call, on: browser) else { return nil }
            let name = call.operation.name
            var words = ""
            switch answered.answer {
            case .redirect(let address): words = address.description
            case .page(let page) where request.failedWhen.contains(where: { page.contains($0) }):
                throw .failed("\(ours: name) was turned down")
            case .page, .done: break
            default: throw .refused(answered)
            }
            // Not the address itself: with the code in it, each household would fail of a cause of its own.
            if let failed = request.failedWhen.first(where: { words.contains($0) }) {
                throw .failed("\(ours: name) was turned down: \(failed)")
            }
            if call.isDecision, answered.exchange.observation.result == .denied {
                let key = call.operation == .approval ? "approved-when" : "refused-when"
                throw .failed(
                    "\(ours: name) was turned down: its answer has no text of \(ours: key)")
            }
            if call.operation == .verificationPage { reach(.codeTyped) }
            if call.isDecision { noteDone(at: answered.exchange.ended) }
        }
        return nil
    }
}
