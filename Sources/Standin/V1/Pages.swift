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

    private static let scriptedPage = page(
        "One moment",
        """
        <p>You are being taken to the login.</p>
        <script>
        function later() { location.href = "/mvpd/help"; }
        location.href = "{}";
        </script>
        """)
    private static let refreshingPage = page(
        "One moment",
        """
        <meta http-equiv="refresh" content="0; url={}">
        <p>You are being taken to the login.</p>
        """)

    /// A page in front of the login page. `address` is what the browser asked for, and one field more.
    static func interstitial(
        to address: String, by way: ServiceSettings.Provider.Interstitial
    ) -> [UInt8] {
        guard way == .script else { return refreshingPage.filled(Markup.xml(address)) }
        // In a string of a script, the signs that could end it or the script.
        var literal = ""
        for scalar in address.unicodeScalars {
            let isPlain = scalar.isASCII && !"\"'\\<>&".unicodeScalars.contains(scalar)
            literal +=
                isPlain ? String(scalar) : scalar.utf16.map { "\\u\(fourDigits($0))" }.joined()
        }
        return scriptedPage.filled(literal)
    }

    private static func fourDigits(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
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
