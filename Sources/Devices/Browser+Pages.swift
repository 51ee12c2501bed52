internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Vocabulary

/// What the viewer of a login does with its pages: types, follows, cancels, and stops where none leads on.
extension Household {
    /// Does what a page asks for, and sets the next call, with its address where the page led to one by a
    /// GET.
    func pass(
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
            walk.progress.passwordForm = entry.form
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
            let query =
                page.charset.map { String(decoding: $0.body(fields), as: UTF8.self) }
                ?? FormEncoding.fields(fields)
            let asked = WebAddress(origin: target.origin, target: "\(target.path)?\(query)")
            return go(to: asked, form: fields, walk)
        }
        walk.call = dialect.hop(.post, target, form: fields, referer: shownAt)
        if let charset = page.charset { walk.call.body = charset.body(fields) }
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
    func passRefusal(
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

    // MARK: Ends

    /// The provider rejected the account.
    func turnedDown(
        _ reason: Untrusted, _ page: HTMLPage?, _ answered: Answered?, _ walk: LoginWalk
    ) -> StopReason {
        var cause = reason
        if let lease, !walk.person.isSecond {
            endLogin { $0.noteFailure(of: $1) }
            let words = HouseholdRecord.turnedDown
            cause = "\(ours: words.before)\(lease.place)\(ours: words.after): \(reason)"
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
