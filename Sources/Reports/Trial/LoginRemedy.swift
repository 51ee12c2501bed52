internal import Dialects
internal import Journal
internal import Rigs

/// Remedies for the browser's part of a sign-in.
enum LoginRemedy {
    static func text(_ reading: TrialReading, _ step: Checklist.Step) -> String {
        guard let last = reading.browser.last else { return "see report.html of this run" }
        if let error = last.error { return lost(reading, last, error) }
        if last.exchange.outcome == .blocked { return blocked(last) }
        if reading.ending?.contains("cookies did not fit") ?? false {
            return
                "ask the team of \(last.call.address.origin.host) why a login sets so many cookies: "
                + "browsers also drop a host's oldest ones; domain, provider and account may not be the cause of "
                + "the rejection that followed"
        }
        let refused = last.exchange.outcome != .ok
        switch step {
        case .loginPage where refused: return turnedDown(reading, last)
        case .form: return form(reading, last, refused)
        case .assertion:
            return
                "the service did not accept the provider's assertion: use an account that may watch this channel, else "
                + ServiceRemedy.report(last)
        default:
            return
                "the redirects to the login page do not end: raise target.max-hops, or inspect them with --bodies"
        }
    }

    private static func lost(
        _ reading: TrialReading, _ last: RecordedExchange, _ error: TransportError
    ) -> String {
        let host = last.call.address.origin.host
        switch error.kind {
        case .hostNotAllowed: return TrialRemedy.notAllowed(host, error, reading.rig.target)
        case .nameNotResolved:
            return
                "the login leads to \(host), which has no address here: join the network that knows it, or pin it "
                + "under target.resolve"
        case .tls: return "the login leads to \(host): \(error.detail)"
        default: return "the login leads to \(host), which does not respond: \(error.detail)"
        }
    }

    private static func blocked(_ last: RecordedExchange) -> String {
        Remedy.unread(last.exchange.reason)
            ?? "something in front of \(last.call.address.origin.host) responded in its place: ask its team to allow this "
            + "machine's address, or to name a header for target.headers"
    }

    private static func turnedDown(_ reading: TrialReading, _ last: RecordedExchange) -> String {
        let target = reading.rig.target
        if last.exchange.operation == .mvpdLogin, last.exchange.outcome == .rejected,
            last.call.method == .get,
            reading.browser.dropLast().last?.call.address.origin == last.call.address.origin,
            !reading.browser.contains(where: { $0.reply?.headers["Set-Cookie"] != nil })
        {
            let title = FrontPage.title(last.reply?.text ?? "")
            return Remedy.lostSession + (title.isEmpty ? "" : "; the page says '\(title)'")
                + "; else " + ServiceRemedy.report(last)
        }
        return registration(reading, last)
            ?? "compare target.domain, target.redirect-url and target.mvpds with what is registered for "
            + "\(target.requestor), else " + ServiceRemedy.report(last)
    }

    /// What is not registered, where the service says so.
    static func registration(_ reading: TrialReading, _ last: RecordedExchange) -> String? {
        let target = reading.rig.target
        let words = (last.exchange.reason ?? "").lowercased()
        let spoken = reading.protocolType
        let provider = spoken.provider(askedBy: last.call) ?? last.call.mvpd ?? ""
        if spoken.blames(.domain, in: words) {
            return
                "'\(target.domain)' is not registered for \(target.requestor): write a registered one as "
                + "target.domain, or ask to have it registered"
        }
        if spoken.blames(.provider, in: words) {
            return
                "'\(provider)' is not a provider of \(target.requestor): list its providers under target.mvpds"
        }
        if spoken.blames(.redirectURL, in: words), last.step == .issueCode {
            // One code says both (rest-v2.md § 5.1).
            return
                "'\(target.redirectURL)' or '\(target.domain)' is not accepted: write registered ones as "
                + "target.redirect-url and target.domain"
        }
        if spoken.blames(.redirectURL, in: words) {
            return
                "'\(target.redirectURL)' is not accepted: write a registered one as target.redirect-url"
        }
        if spoken.blames(.requestor, in: words) {
            return
                "'\(target.requestor)' is not a requestor of this environment: ask for the requestor id of your "
                + "channel there and write it as target.requestor"
        }
        return nil
    }

    private static func form(
        _ reading: TrialReading, _ last: RecordedExchange, _ refused: Bool
    ) -> String {
        let host = last.call.address.origin.host
        if reading.submission != nil {
            return refused
                ? "\(host) rejected the login form: inspect the request with --bodies, and name the fields under "
                    + "login"
                : "\(host) shows its login again after the password: "
                    + (reading.rig.accounts == .generated
                        ? "the account was made up; list a test account of this provider in a file (columns "
                            + "mvpd,user,password) and write 'accounts: {file: accounts.csv}'"
                        : "correct the user name and password of this account in the file of accounts")
        }
        guard case .page = last.answer else { return ServiceRemedy.report(last) }
        let ending = reading.ending ?? ""
        if ending.contains("one-time code") {
            return
                "write 'login: {command: PROGRAM}' with a program that knows the code, or ask for an account without "
                + "one"
        }
        return ending.contains("needs JavaScript")
            ? "the login page of \(host) makes its form with JavaScript, which a rig does not run: write "
                + "'login: {command: PROGRAM}' with a program that logs in (rigs/login-browser.py drives a headless "
                + "browser), or ask for a login page without script"
            : "no form of the page at \(host) could be chosen: name the form and its fields under login, as in "
                + "'login: {form: 1, user: NAME, password: NAME}'; the page is kept under pages/ of this run"
    }
}
