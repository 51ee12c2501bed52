internal import Formats

/// What a person sees. Plain HTML that needs no script.
enum ProviderPages {
    static let lost = Pages.page(
        "This login is not known",
        "<h1>This login is not known</h1>\n<p role=\"alert\">It has ended, or took too long. Go back to the service "
            + "and begin again.</p>"
    ).filled()
    static let broken = Pages.page(
        "Something went wrong",
        "<h1>Something went wrong</h1>\n<p role=\"alert\">The provider cannot sign you in at the moment.</p>"
    ).filled()

    private static let loginPage = Pages.page(
        "Sign in",
        """
        <h1>Sign in</h1>
        {}
        <form id="login" action="/login" method="post">
        <input type="hidden" name="flow" value="{}">
        <label>User name <input type="text" name="username" autocomplete="username" value="{}"></label>
        <label>Password <input type="password" name="password" autocomplete="current-password"></label>
        <button type="submit">Sign in</button>
        </form>
        <p><a href="/login/cancel?flow={}">Cancel</a></p>
        """)
    private static let refusalPage = Pages.page(
        "This request cannot be answered",
        "<h1>This request cannot be answered</h1>\n<p role=\"alert\">{}</p>")
    private static let frontPage = Pages.page(
        "Test identity provider",
        """
        <h1>Test identity provider</h1>
        <p>It signs test users in, and protects nothing.</p>
        <ul>
        <li><a href="/saml/metadata">SAML 2.0 metadata</a></li>
        <li><a href="/.well-known/openid-configuration">OpenID Connect configuration</a></li>
        <li><a href="/counters">Counters</a></li>
        </ul>
        """
    ).filled()

    static var front: [UInt8] { frontPage }

    /// `notice` is what an earlier try came to.
    static func login(flow: String, user: String, notice: String?) -> [UInt8] {
        let words = notice.map { "<p class=\"error\" role=\"alert\">\(Markup.xml($0))</p>" }
        return loginPage.filled(words ?? "", flow, Markup.xml(user), flow)
    }

    static func refusal(_ reason: String) -> [UInt8] { refusalPage.filled(Markup.xml(reason)) }

    /// A form that sends itself, and has a button where there is no script.
    static func posting(to action: String, _ fields: [(String, String)]) -> [UInt8] {
        let inputs = fields.map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(Markup.xml(value))\">"
        }
        return Array(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>One moment</title></head>
            <body onload="document.forms[0].submit()">
            <form action="\(Markup.xml(action))" method="post">
            \(inputs.joined(separator: "\n"))
            <noscript><button type="submit">Continue</button></noscript>
            </form>
            </body>
            </html>

            """.utf8)
    }
}
