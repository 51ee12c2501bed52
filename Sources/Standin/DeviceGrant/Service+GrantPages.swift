internal import Dialects
internal import Formats
internal import Journal

/// The person's way: a login, the code, the decision (RFC 8628, 3.3). Each page trusts only what the one
/// before gave out, to the browser that it gave it to.
extension Service {
    private static let sessionCookie = "STANDIN_SESSION"
    private static let loginCookie = "STANDIN_LOGIN"

    mutating func walked(_ question: GrantQuestion, at moment: Moment) -> Reply {
        if question.request.method == .post, !question.isForm || question.repeatsField {
            return shown(400, GrantPages.lost, at: moment)
        }
        switch question.endpoint {
        case .login:
            return question.request.method == .post
                ? logIn(question, at: moment) : loginPage(question, message: nil, at: moment)
        case .decision: return decide(question, at: moment)
        default: return enter(question, at: moment)
        }
    }

    // MARK: Login

    private mutating func loginPage(
        _ question: GrantQuestion, message: String?, at moment: Moment
    ) -> Reply {
        let token = ids.shortSecret()
        let next = question.field("next") ?? question.parameter("next") ?? ""
        return shown(
            200, GrantPages.login(token: token, next: next, message: message), at: moment,
            setting: "\(Self.loginCookie)=\(token)")
    }

    /// The hidden token and the cookie come back together: the page was this server's.
    private mutating func logIn(_ question: GrantQuestion, at moment: Moment) -> Reply {
        guard let token = question.field("csrf_token"),
            question.request.cookie(Self.loginCookie) == token
        else { return shown(403, GrantPages.lost, at: moment) }
        guard let user = question.field("username"), let password = question.field("password"),
            password != "wrong"
        else {
            return loginPage(
                question, message: "The user name or the password is not right.", at: moment)
        }
        let session = pageSessions.begin(user, at: moment.milliseconds, ids: &ids)
        let code = question.field("next").flatMap { CodeKey(userCode: $0) == nil ? nil : $0 }
        let entry = GrantEndpoint.entry.rawValue
        return sent(
            to: code.map { "\(entry)?user_code=\(PercentEncoding.encode($0))" } ?? entry,
            at: moment, setting: "\(Self.sessionCookie)=\(session)")
    }

    // MARK: The code

    private mutating func enter(_ question: GrantQuestion, at moment: Moment) -> Reply {
        guard let id = question.request.cookie(Self.sessionCookie), let session = pageSessions[id]
        else {
            let next = question.userCode.map { "?next=\(PercentEncoding.encode($0))" } ?? ""
            return sent(to: GrantEndpoint.login.rawValue + next, at: moment)
        }
        let isTyped = question.request.method == .post
        if isTyped, question.field("csrf_token") != session.token {
            return shown(403, GrantPages.lost, at: moment)
        }
        guard isTyped || question.userCode != nil else {
            return shown(200, GrantPages.entry(token: session.token, message: nil), at: moment)
        }
        if pageSessions.isLocked(id, at: moment.milliseconds) {
            var reply = shown(429, GrantPages.locked, at: moment)
            reply.headers.append("Retry-After", "60")
            return reply
        }
        guard let key = question.userCode.flatMap({ CodeKey(userCode: $0) }),
            let record = undecided(key, at: moment)
        else {
            pageSessions.noteMiss(id, at: moment.milliseconds)
            return shown(
                200,
                GrantPages.entry(
                    token: session.token, message: "No device shows this code, or it is over."),
                at: moment)
        }
        var login = BrowserLogin(
            id: ids.shortSecret(), code: key, record: record.id,
            requestor: record.device.requestor, mvpd: "", redirectURL: "")
        login.session = id
        logins.begin(login, expires: record.expires)
        codes.use(key, login: login.id)
        return shown(
            200,
            GrantPages.consent(
                code: record.text, user: session.user, client: record.device.requestor,
                login: login.id), at: moment)
    }

    /// The life of a code on which nobody has decided.
    private func undecided(_ key: CodeKey, at moment: Moment) -> CodeRecord? {
        guard let record = codes.live(key, at: moment.milliseconds) else { return nil }
        return switch record.state {
        case .created, .used: record
        case .bound, .refused: nil
        }
    }

    // MARK: The decision

    /// The first decision on a code counts; a later one is told that there is none to make.
    private mutating func decide(_ question: GrantQuestion, at moment: Moment) -> Reply {
        guard let id = question.request.cookie(Self.sessionCookie), let session = pageSessions[id],
            let text = question.field("login"), let login = logins[text], login.session == id
        else { return shown(403, GrantPages.lost, at: moment) }
        guard !login.isOver, let record = undecided(login.code, at: moment),
            record.id == login.record
        else { return shown(400, GrantPages.over, at: moment) }
        switch question.decision {
        case .approve:
            logins.end(text)
            signIn(record, mvpd: "", user: session.user, at: moment)
            return shown(200, GrantPages.approved, at: moment)
        case .refuse:
            logins.end(text)
            codes.refuse(record.key)
            return shown(200, GrantPages.refused, at: moment)
        case nil: return shown(400, GrantPages.lost, at: moment)
        }
    }

    // MARK: Replies to a browser

    mutating func shown(
        _ status: Int, _ body: [UInt8], at moment: Moment, setting cookie: String? = nil
    ) -> Reply {
        var headers: Headers = [
            "Date": date(at: moment), "Content-Type": "text/html;charset=utf-8",
            "Cache-Control": "no-store",
            // "the use of X-Frame-Options": an approval must not be clicked unseen (RFC 6749, 10.13).
            "X-Frame-Options": "DENY",
        ]
        if let cookie { headers.append("Set-Cookie", "\(cookie); Path=/device; HttpOnly") }
        return Reply(status: status, headers: headers, body: body)
    }

    private mutating func sent(
        to location: String, at moment: Moment, setting cookie: String? = nil
    ) -> Reply {
        var headers: Headers = [
            "Date": date(at: moment), "Location": location, "Cache-Control": "no-store",
        ]
        if let cookie { headers.append("Set-Cookie", "\(cookie); Path=/device; HttpOnly") }
        return Reply(status: 302, headers: headers)
    }
}
