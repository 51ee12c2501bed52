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

    static let lost = message(
        "This login is not known", "Begin again with the code on your television.")
    static let noAssertion = message("No SAML message", "The provider sent nothing to read.")

    /// The provider's page: two visible fields, the hidden ones that must come back, a way out.
    static func login(_ login: BrowserLogin, provider: String, message: String?) -> [UInt8] {
        let action = Markup.xml("/mvpd/\(Percent.encode(login.mvpd))")
        let name = Markup.xml(provider)
        let notice = message.map { "<p class=\"error\" role=\"alert\">\(Markup.xml($0))</p>" }
        return document(
            "Sign in to \(name)",
            """
            <h1>\(name)</h1>
            \(notice ?? "<p>Sign in to watch on your television.</p>")
            <form id="search" action="\(action)/search" method="get">
            <input type="search" name="q" placeholder="Search help">
            </form>
            <form id="login" name="login" action="\(action)/login" method="post">
            <input type="hidden" name="csrf_token" value="\(login.token)">
            <input type="hidden" name="RelayState" value="\(login.id)">
            <label>User name <input type="text" name="username" autocomplete="username"></label>
            <label>Password <input type="password" name="password"></label>
            <label><input type="checkbox" name="remember" value="yes"> Stay signed in</label>
            <button type="submit">Sign in</button>
            </form>
            <p><a href="\(action)/cancel?RelayState=\(login.id)">Cancel</a></p>
            """)
    }

    /// The form that brings the provider's answer to the service; submits itself where there is
    /// script.
    static func handOver(response: String, relayState: String) -> [UInt8] {
        document(
            "One moment",
            """
            <form action="/sp/saml/SAMLAssertionConsumer" method="post">
            <input type="hidden" name="SAMLResponse" value="\(response)">
            <input type="hidden" name="RelayState" value="\(relayState)">
            <noscript><button type="submit">Continue</button></noscript>
            </form>
            <script>document.forms[0].submit()</script>
            """)
    }

    private static func message(_ title: String, _ text: String) -> [UInt8] {
        document(title, "<h1>\(title)</h1>\n<p>\(text)</p>")
    }

    private static func document(_ title: String, _ body: String) -> [UInt8] {
        Array(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>\(title)</title></head>
            <body>
            \(body)
            </body>
            </html>

            """.utf8)
    }
}
