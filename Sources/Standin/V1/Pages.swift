internal import Formats

/// What browsers see. Plain HTML that needs no script, as a load generator has none.
enum Pages {
    /// 429 of the proxy in front (rest-v1.md § 14): HTML, no JSON, no `Retry-After`.
    static let tooManyRequests = Array(
        """
        <html>
        <head><title>429 Too Many Requests</title></head>
        <body>
        <center><h1>429 Too Many Requests</h1></center>
        <hr><center>openresty</center>
        </body>
        </html>

        """.utf8)

    static let lost = page(
        "This login is not known",
        "<h1>This login is not known</h1>\n<p>Begin again with the code on your television.</p>"
    ).filled()
    static let noAssertion = page(
        "No SAML message", "<h1>No SAML message</h1>\n<p>The provider sent nothing to read.</p>"
    ).filled()

    private static let loginPage = page(
        "Sign in to {}",
        """
        <h1>{}</h1>
        {}
        <form id="search" action="{}/search" method="get">
        <input type="search" name="q" placeholder="Search help">
        </form>
        <form id="login" name="login" action="{}/login" method="post">
        <input type="hidden" name="csrf_token" value="{}">
        <input type="hidden" name="RelayState" value="{}">
        <label>User name <input type="text" name="username" autocomplete="username"></label>
        <label>Password <input type="password" name="password"></label>
        <label><input type="checkbox" name="remember" value="yes"> Stay signed in</label>
        <button type="submit">Sign in</button>
        </form>
        <p><a href="{}/cancel?RelayState={}">Cancel</a></p>
        """)

    private static let handOverPage = page(
        "One moment",
        """
        <form action="/sp/saml/SAMLAssertionConsumer" method="post">
        <input type="hidden" name="SAMLResponse" value="{}">
        <input type="hidden" name="RelayState" value="{}">
        <noscript><button type="submit">Continue</button></noscript>
        </form>
        <script>document.forms[0].submit()</script>
        """)

    /// The provider's page: two visible fields, the hidden ones that must come back, a way out.
    static func login(_ login: BrowserLogin, provider: String, message: String?) -> [UInt8] {
        let action = Markup.xml("/mvpd/" + PercentEncoding.encode(login.mvpd))
        let name = Markup.xml(provider)
        let notice = message.map { "<p class=\"error\" role=\"alert\">\(Markup.xml($0))</p>" }
        return loginPage.filled(
            name, name, notice ?? "<p>Sign in to watch on your television.</p>", action, action,
            login.token, login.id, action, login.id)
    }

    /// The form that brings the provider's answer to the service; submits itself where there is
    /// script.
    static func handOver(response: String, relayState: String) -> [UInt8] {
        handOverPage.filled(response, relayState)
    }

    static func page(_ title: String, _ body: String) -> Template {
        Template(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>\(title)</title></head>
            <body>
            \(body)
            </body>
            </html>

            """)
    }
}
