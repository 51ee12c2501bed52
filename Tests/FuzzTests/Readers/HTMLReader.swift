@testable import Devices
@testable import Rigs

extension Reader {
    /// Input: a page of a provider. It is looked at as each step of a login looks at it.
    static let html = Reader("html", limit: 8_192) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let page = HTMLPage(text)
        if page.forms != HTMLPage(text).forms { return "read twice it has other forms" }
        let fields = page.forms.reduce(0) { $0 + $1.fields.count }
        if fields + page.forms.count > bytes.count { return "\(fields) fields" }
        _ = (page.title, page.notice, page.wayOut, page.noscript, page.text, page.needsScript)
        for login in logins {
            for progress in steps {
                let finder = FormFinder(page: page, login: login, progress: progress)
                guard case .send(let entry) = finder.step else { continue }
                let sent = entry.fields(user: "viewer", password: secret)
                if sent.count > entry.form.fields.count { return "\(sent.count) fields sent" }
                if !entry.typesPassword, sent.contains(where: { $0.1 == secret }) {
                    return "the password is sent where none is asked for"
                }
            }
        }
        return nil
    }

    private static let secret = "the password, which no page knows"
    private static let logins = [
        Rig.Login.LoginFields(),
        Rig.Login.LoginFields(form: 2, user: "user", password: "pass", failedWhen: "wrong"),
    ]
    private static let steps = [
        LoginProgress(), LoginProgress(hasSentUser: true),
        LoginProgress(hasSentUser: true, hasSentPassword: true),
    ]
}
