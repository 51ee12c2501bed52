internal import Formats

/// What a person sees. Plain HTML that needs no script.
enum GrantPages {
    static let lost = Pages.page(
        "This page is not known",
        "<h1>This page is not known</h1>\n<p>Begin again with the code on your device.</p>"
    ).filled()
    static let over = Pages.page(
        "Too late",
        "<h1>Too late</h1>\n<p role=\"alert\">This code has been used or refused, or it is over.</p>"
    ).filled()
    static let locked = Pages.page(
        "Too many codes",
        "<h1>Too many codes</h1>\n<p role=\"alert\">Wait a minute before you try again.</p>"
    ).filled()
    static let approved = Pages.page(
        "Device connected",
        "<h1>Device connected</h1>\n<p>Your device is signed in. You can close this page.</p>"
    ).filled()
    static let refused = Pages.page(
        "Device turned down",
        "<h1>Device turned down</h1>\n<p>It was not signed in. You can close this page.</p>"
    ).filled()

    private static let loginPage = Pages.page(
        "Log in",
        """
        <h1>Log in</h1>
        {}
        <form action="/device/login" method="post">
        <input type="hidden" name="csrf_token" value="{}">
        <input type="hidden" name="next" value="{}">
        <label>User name <input type="text" name="username" autocomplete="username"></label>
        <label>Password <input type="password" name="password"></label>
        <button type="submit">Log in</button>
        </form>
        """)

    private static let entryPage = Pages.page(
        "Connect a device",
        """
        <h1>Connect a device</h1>
        {}
        <form action="/device" method="post">
        <input type="hidden" name="csrf_token" value="{}">
        <label>Code <input type="text" name="user_code" autocomplete="off" autocapitalize="characters"></label>
        <button type="submit">Continue</button>
        </form>
        """)

    private static let consentPage = Pages.page(
        "Is this your device?",
        """
        <h1>Is this your device?</h1>
        <p>A device of the app <b>{}</b> shows the code <b>{}</b> and asks to be signed in as <b>{}</b>.</p>
        <form action="/device/decision" method="post">
        <input type="hidden" name="login" value="{}">
        <button type="submit" name="decision" value="approve">Approve</button>
        <button type="submit" name="decision" value="refuse">Refuse</button>
        </form>
        """)

    /// `next`: the code with which it goes on.
    static func login(token: String, next: String, message: String?) -> [UInt8] {
        loginPage.filled(alert(message), token, Markup.xml(next))
    }

    static func entry(token: String, message: String?) -> [UInt8] {
        entryPage.filled(alert(message), token)
    }

    /// "The authorization server SHOULD display information about the device" (RFC 8628, 5.4), and the code
    /// to compare.
    static func consent(code: String, user: String, client: String, login: String) -> [UInt8] {
        consentPage.filled(Markup.xml(client), code, Markup.xml(user), login)
    }

    private static func alert(_ message: String?) -> String {
        message.map { "<p class=\"error\" role=\"alert\">\(Markup.xml($0))</p>" } ?? ""
    }
}
