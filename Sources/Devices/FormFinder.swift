internal import Dialects
internal import Rigs

/// What has been typed in so far on the way through a login.
struct LoginProgress {
    var hasSentUser = false
    var hasSentPassword = false
    /// The form that took the password.
    var passwordForm: HTMLForm?
    /// A program of the user's went on, and may have sent either.
    var isByProgram = false
}

/// Decides what to do with a page of a login, as a person would who knows one account and has no
/// script but the plainest (`ScriptedLead`): pure, so that it is tested page by page.
struct FormFinder {
    /// A form and what goes into it.
    struct Entry: Hashable {
        var form: HTMLForm
        var typesUser = false
        var typesPassword = false
        /// The rig's own names for the two fields.
        var userName: String?
        var passwordName: String?
        /// How long the page waits before a script sends it.
        var delay: Duration = .zero

        /// Nobody has to type anything.
        var isSilent: Bool { !typesUser && !typesPassword }

        /// What a browser would send, in order.
        func fields(user: String, password: String) -> [(String, String)] {
            form.filled(
                user: typesUser ? user : nil, password: typesPassword ? password : nil,
                named: (typesUser ? userName : nil, typesPassword ? passwordName : nil))
        }
    }

    enum Step {
        case send(Entry)
        /// The page leads on by itself.
        case follow(String, after: Duration)
        /// The provider did not take the user or the password; its words, if it has any.
        case turnedDown(Untrusted)
        /// After the password, a page that asks for nothing and leads nowhere; `stuck` where another is expected.
        case ended(stuck: Untrusted)
        /// There is no going on; the sentence continues "the page at ...".
        case stuck(Untrusted)
    }

    let page: HTMLPage
    let login: Rig.Login.LoginFields
    let progress: LoginProgress

    /// The first rule that fits: failure text, credentials, then pages that only have to be passed.
    var step: Step {
        if let excess = page.excess { return .stuck("\(ours: excess)\(ours: Self.unread)") }
        if progress.hasSentPassword, let text = login.failedWhen, page.html.contains(text) {
            return .turnedDown("the page after the password says '\(text)'")
        }
        let credentials = credentials
        let scripted = page.scripted
        if !asksPassword(credentials), let step = step(for: scripted) { return step }
        switch credentials {
        case .found(let entry): return step(for: entry)
        case .stuck(let reason): return .stuck(reason)
        case .none: break
        }
        if let entry = onward { return .send(entry) }
        if let refresh = page.refresh, refresh.seconds <= Self.longestRefresh {
            return .follow(refresh.target, after: .seconds(refresh.seconds))
        }
        let reason = reason(scripted)
        return isLast(scripted) ? .ended(stuck: reason) : .stuck(reason)
    }

    /// A login does not end on a page with words of an error.
    private func isLast(_ scripted: ScriptedLead) -> Bool {
        guard progress.hasSentPassword, case .none = scripted, !page.needsScript else {
            return false
        }
        return page.notice.isEmpty && page.strayFields.isEmpty && page.refresh == nil
            && !page.forms.contains { !$0.isSilent && !Self.isSearch($0) }
    }

    /// A page that asks for a password is filled in, whatever its scripts do.
    private func asksPassword(_ credentials: Credentials) -> Bool {
        if case .found(let entry) = credentials, entry.typesPassword { return true }
        return page.forms.contains(where: \.asksPassword)
    }

    /// What a browser would do at once, before anybody could type.
    private func step(for scripted: ScriptedLead) -> Step? {
        switch scripted {
        case .none, .unclear: nil
        case .go(let target, let delay): .follow(target, after: delay)
        case .submit(let form, let delay): .send(Entry(form: form, delay: delay))
        }
    }

    private static let program =
        "; let a program do the login with login: {command: PROGRAM}"
    /// After `HTMLPage.excess`.
    static let unread = ", the limit for a page\(program)"

    /// Pages that refresh later than this are kept fresh, not left.
    private static let longestRefresh = 30

    private func step(for entry: Entry) -> Step {
        if entry.typesPassword, progress.hasSentPassword {
            if let sent = progress.passwordForm, !entry.form.asksAgain(after: sent) {
                return .stuck(somethingElse)
            }
            let last = progress.isByProgram ? "login program's answer" : "password"
            return .turnedDown(
                "the provider's login page came back after the \(ours: last)\(quotedNotice)")
        }
        if entry.typesUser, !entry.typesPassword, progress.hasSentUser {
            return .turnedDown(
                "the page that asks for the user came back after the user was "
                    + "sent\(quotedNotice)")
        }
        return .send(entry)
    }

    private var quotedNotice: Untrusted {
        let notice = page.notice
        return notice.isEmpty ? "" : ": '\(notice)'"
    }
}

// MARK: The form with the credentials

extension FormFinder {
    private enum Credentials {
        case found(Entry)
        case stuck(Untrusted)
        case none
    }

    private var credentials: Credentials {
        if login.form != nil || login.user != nil || login.password != nil { return named }
        let asking = Self.distinct(page.forms.filter(\.asksPassword))
        let likely = asking.filter { !Self.makesAccounts($0) }
        switch (asking.count, likely.count) {
        case (0, _): return userOnly
        case (_, 1): return .found(Self.entry(likely[0]))
        case (1, _): return .found(Self.entry(asking[0]))
        default:
            return .stuck(
                "has \(asking.count) forms that ask for a password\(listed); choose one with "
                    + "login: {form: N}")
        }
    }

    private static func entry(_ form: HTMLForm) -> Entry {
        Entry(form: form, typesUser: form.userField != nil, typesPassword: true)
    }

    /// The first page of a login in two steps: one field, and it is for the user.
    private var userOnly: Credentials {
        let asking = page.forms.filter { form in
            let texts = form.fields.filter { $0.kind == .text }
            guard texts.count == 1, !Self.isSearch(form) else { return false }
            return texts[0].type == "email" || HTMLForm.namesUser(texts[0].words)
        }
        if progress.hasSentUser, let code = oneTimeField { return .stuck(Self.oneTime(code)) }
        switch Self.distinct(asking).count {
        case 0:
            if let code = oneTimeField { return .stuck(Self.oneTime(code)) }
            return loneField.map { .found(Entry(form: $0, typesUser: true)) } ?? .none
        case 1: return .found(Entry(form: asking[0], typesUser: true))
        default:
            return .stuck(
                "has \(asking.count) forms that ask for a user\(listed); choose one with login: "
                    + "{form: N}")
        }
    }

    /// The only form of a first page that is sent with one text in it, whatever its name: whom else
    /// should it ask for.
    private var loneField: HTMLForm? {
        guard !progress.hasSentUser, !progress.hasSentPassword else { return nil }
        let forms = Self.distinct(
            page.forms.filter { form in
                form.isPost && !Self.isSearch(form)
                    && form.fields.count { $0.kind == .text && !$0.name.isEmpty } == 1
            })
        return forms.count == 1 ? forms[0] : nil
    }

    private var oneTimeField: String? {
        let words = ["otp", "one-time", "onetime", "passcode", "verification", "mfa", "totp"]
        let fields = page.forms.flatMap(\.fields).filter { $0.kind == .text }
        return fields.first { HTMLForm.contains($0.words, words) }.map { HTMLForm.brief($0.name) }
    }

    private static func oneTime(_ field: String) -> Untrusted {
        "asks for a one-time code (field '\(field)'); let a program do the login with login: "
            + "{command: PROGRAM}"
    }

    /// By the rig's own number and names. A page without any of them is a page to pass.
    private var named: Credentials {
        let names = [login.user, login.password].compactMap { $0 }
        let holds = { (form: HTMLForm) in form.fields.contains { names.contains($0.name) } }
        let isLogin = page.forms.contains { holds($0) || names.isEmpty && !$0.isSilent }
        guard isLogin else { return .none }
        var form = page.forms.first(where: holds)
        if let number = login.form {
            guard number <= page.forms.count else {
                return .stuck(
                    "has \(Self.count(page.forms.count)), and login: {form: \(number)} asks for another\(listed)"
                )
            }
            form = page.forms[number - 1]
        }
        guard let form else { return .none }
        let has = { (name: String?) in form.fields.contains { $0.name == name } }
        let entry = Entry(
            form: form, typesUser: login.user.map(has) ?? (form.userField != nil),
            typesPassword: login.password.map(has) ?? form.asksPassword,
            userName: login.user, passwordName: login.password)
        guard !entry.isSilent else {
            let fields = names.map { "'\($0)'" }.joined(separator: " or ")
            return .stuck("has no field \(fields) in the form that login: names\(listed)")
        }
        return .found(entry)
    }

    /// Pages show the same form twice, for small and large screens. Two are the same that lead to the
    /// same place and show the same fields.
    private static func distinct(_ forms: [HTMLForm]) -> [HTMLForm] {
        guard forms.count > 1 else { return forms }
        var seen: Set<[String]> = []
        return forms.filter { form in
            let shown = form.fields.lazy.filter { $0.kind != .hidden }.map(\.name)
            return seen.insert([form.action] + shown).inserted
        }
    }

    /// Two passwords are a new one and its repetition.
    private static func makesAccounts(_ form: HTMLForm) -> Bool {
        form.fields.count { $0.kind == .password } > 1
            || form.fields.contains { HTMLForm.contains($0.hint, ["new-password"]) }
            || form.speaks(of: ["register", "signup", "sign-up"])
    }

    private static func isSearch(_ form: HTMLForm) -> Bool {
        form.fields.contains { $0.type == "search" || ["q", "search", "query"].contains($0.name) }
            || form.speaks(of: ["search", "newsletter"])
    }
}

// MARK: Pages to pass

extension FormFinder {
    /// The one form to go on with that asks for nothing: it sends itself, or wants a click.
    private var onward: Entry? {
        let silent = page.forms.filter { $0.isSilent && !$0.fields.isEmpty && !Self.leaves($0) }
        if let protocolForm = silent.first(where: Self.carriesMessage) {
            return Entry(form: protocolForm)
        }
        let posting = silent.filter(\.isPost)
        if silent.count == 1 { return Entry(form: silent[0]) }
        if posting.count == 1 { return Entry(form: posting[0]) }
        if let consent = posting.first(where: Self.consents) { return Entry(form: consent) }
        if let first = posting.first, page.submitsItself { return Entry(form: first) }
        return nil
    }

    /// A message of SAML, WS-Federation or OpenID Connect on its way through the browser.
    private static func carriesMessage(_ form: HTMLForm) -> Bool {
        let names = ["SAMLResponse", "SAMLRequest", "wresult", "id_token"]
        return form.fields.contains { names.contains($0.name) }
    }

    private static func consents(_ form: HTMLForm) -> Bool {
        form.speaks(of: ["consent", "approve", "accept", "continue"])
    }

    private static func leaves(_ form: HTMLForm) -> Bool {
        form.speaks(of: ["logout", "cancel", "language", "locale", "cookie"])
    }
}

// MARK: Words

extension FormFinder {
    /// Why there is no going on.
    private func reason(_ scripted: ScriptedLead) -> Untrusted {
        let hasForm = page.forms.contains { !$0.isSilent && !Self.isSearch($0) }
        if case .unclear = scripted, !hasForm {
            let said: Untrusted = page.noscript.isEmpty ? "" : " ('\(page.noscript)')"
            return
                "needs JavaScript: its script leads on, and not to an address that is written out, nor "
                + "by a form that it names\(said); let a program do the login with login: {command: "
                + "PROGRAM}, such as rigs/login-browser.py"
        }
        if page.needsScript, !hasForm {
            let said: Untrusted = page.noscript.isEmpty ? "" : " ('\(page.noscript)')"
            return "needs JavaScript and has no form that can be sent without\(said)"
                + "; let a program do the login with login: {command: PROGRAM}"
        }
        let notice = page.notice
        let said: Untrusted = notice.isEmpty ? "" : ", and says '\(notice)'"
        let strays: Untrusted =
            page.strayFields.isEmpty
            ? "" : "; \(page.strayFields.count) fields stand outside any form"
        if progress.hasSentPassword, hasForm { return somethingElse }
        if page.html.utf8.allSatisfy({ $0 <= 0x20 }) { return "is empty" }
        let remedy: Untrusted =
            hasForm ? "; name the field for the user with login: {user: NAME, password: NAME}" : ""
        return
            "has \(ours: Self.count(page.forms.count)) and none asks for a password\(said)\(listed)\(strays)\(remedy)"
    }

    /// A PIN, a choice, a question: nothing that an account of the rig has.
    private var somethingElse: Untrusted {
        "asks for something else after the password\(quotedNotice)\(listed)\(ours: Self.program)"
    }

    /// What it saw, for the cause: `: form 1 (POST /login) with user, pass[password]`.
    private var listed: Untrusted {
        page.forms.isEmpty ? "" : ": \(Self.summary(page).joined(separator: "; "))"
    }

    /// One line for each form, with its fields.
    static func summary(_ page: HTMLPage) -> [String] {
        page.forms.prefix(4).enumerated().map { position, form in
            let fields = form.fields.prefix(8).map { field in
                let kind = field.kind == .text ? field.type : "\(field.kind)"
                return (field.name.isEmpty ? "(no name)" : HTMLForm.brief(field.name))
                    + (kind.isEmpty || kind == "text" ? "" : "[\(HTMLForm.brief(kind))]")
            }
            let more = form.fields.count > 8 ? " ..." : ""
            let path = HTMLForm.brief(String(form.action.prefix { !"?;".contains($0) }))
            let way = "\(form.isPost ? "POST" : "GET") \(path)"
            return "form \(position + 1) (\(way.hasSuffix(" ") ? way + "here" : way)) with "
                + (fields.isEmpty ? "no fields" : fields.joined(separator: ", ") + more)
        }
    }

    private static func count(_ forms: Int) -> String {
        forms == 0 ? "no form" : forms == 1 ? "one form" : "\(forms) forms"
    }
}
