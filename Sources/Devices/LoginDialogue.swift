internal import Dialects
internal import Formats

/// The question: one line of JSON.
///
///     {"url": "https://idp.example/login?...", "user": "ann", "password": "...",
///      "mvpd": "DemoCable", "code": "Q7MK2XA", "cookies": "SESSION=1; X=2", "userAgent": "...",
///      "page": "<html>..."}
struct LoginQuestion {
    var address: WebAddress
    var account: Account
    var provider: String
    var code: Code
    var cookies: String
    var userAgent: String
    /// What came from the address, as HTML.
    var page: String

    var json: String {
        let fields = [
            ("url", address.description), ("user", account.user),
            ("password", account.password.reveal()), ("mvpd", provider), ("code", code.text),
            ("cookies", cookies), ("userAgent", userAgent), ("page", page),
        ]
        let members = fields.map { "\"\($0.0)\": \(JSONText.quoted($0.1))" }
        return "{" + members.joined(separator: ", ") + "}\n"
    }
}

/// The answer: one JSON object with `form`, `url` or `failed`, and `cookies` of the host of the page
/// that the browser is to have. With nothing but cookies the page is asked for again.
///
///     {"url": "https://idp.example/sso?...", "cookies": {"SESSION": "2"}}
///     {"form": {"action": "https://sp.example/acs", "method": "POST",
///               "fields": {"SAMLResponse": "...", "RelayState": "..."}}}
///     {"failed": "the password was not taken"}
enum LoginReply: Equatable {
    case go(Next)
    case turnedDown(Untrusted)

    struct Next: Equatable {
        var address: WebAddress
        /// Nil: a GET of the address.
        var form: [Pair]?
        var cookies: [Pair]
    }

    struct Pair: Equatable {
        var name: String
        var value: String
    }

    struct Refusal: Error {
        /// The end of "the login program ...".
        var reason: String
    }

    /// Addresses are relative to `address`, the page that the program was given.
    static func read(_ text: String, for address: WebAddress) throws(Refusal) -> LoginReply {
        guard let tree = JSONReader.read(Array(text.utf8)) else {
            // Not the text itself: it may be a cookie or an assertion.
            let said = text.isEmpty ? "nothing" : "\(text.utf8.count) bytes of something else"
            throw Refusal(reason: "did not answer with JSON, but printed \(said)")
        }
        if let words = tree["failed"]?.text { return .turnedDown(Untrusted(words)) }
        let cookies = pairs(tree["cookies"])
        if let form = tree["form"] {
            guard let target = form["action"]?.text.flatMap({ address.resolving($0) }) else {
                throw Refusal(reason: "answered a form without a usable action")
            }
            let fields = pairs(form["fields"])
            guard form["method"]?.text?.lowercased() != "get" else {
                let query = FormEncoding.fields(fields.map { ($0.name, $0.value) })
                let asked = WebAddress(origin: target.origin, target: "\(target.path)?\(query)")
                return .go(Next(address: asked, cookies: cookies))
            }
            return .go(Next(address: target, form: fields, cookies: cookies))
        }
        guard let reference = tree["url"]?.text else {
            guard !cookies.isEmpty else {
                throw Refusal(
                    reason: "answered neither 'form' nor 'url' nor 'cookies' nor 'failed'")
            }
            return .go(Next(address: address, cookies: cookies))
        }
        guard let target = address.resolving(reference) else {
            throw Refusal(reason: "answered a 'url' that is not an http or https address")
        }
        return .go(Next(address: target, cookies: cookies))
    }

    private static func pairs(_ tree: JSON?) -> [Pair] {
        guard case .object(let members)? = tree else { return [] }
        return members.map { Pair(name: $0.name, value: $0.value.text ?? "") }
    }
}
