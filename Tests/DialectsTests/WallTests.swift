import Testing

@testable import Dialects

/// What stands in front of a provider is told by its marker, wherever that stands.
@Suite struct WallTests {
    static func kind(_ body: String) -> String? {
        Wall.kind(of: Reply(status: 403, body: Array(body.utf8)))
    }

    @Test(
        "a marker is found at every place of a page, in any case",
        arguments: [
            ("/cdn-cgi/challenge-platform", "a Cloudflare challenge"),
            ("_Incapsula_Resource", "a block page of Incapsula"),
            ("errors.edgesuite.net", "a block page of Akamai"),
            ("challenges.cloudflare.com/turnstile", "a Turnstile captcha"),
            ("cf-turnstile", "a Turnstile captcha"), ("g-recaptcha", "a reCAPTCHA"),
            ("recaptcha/api", "a reCAPTCHA"), ("h-captcha", "an hCaptcha"),
            ("hcaptcha.com", "an hCaptcha"), ("captcha", "a captcha"),
        ])
    func markers(marker: String, kind: String) {
        for before in 0..<20 {
            for after in [0, 1, 7, 8, 9] {
                for spelled in [marker, marker.uppercased(), marker.lowercased()] {
                    // Letters that a marker may have, and none that begin one.
                    let page =
                        String(repeating: "u", count: before) + "<" + spelled + ">"
                        + String(repeating: "p", count: after)
                    #expect(Self.kind(page) == kind, "\(page)")
                    #expect(Self.kind(String(page.dropFirst(before + 1))) == kind)
                }
            }
        }
    }

    @Test(
        "parts of markers are none",
        arguments: [
            "", "p", "u", "ap", "pt", "apt", "up", "cap", "capt", "captch", "aptcha", "cf-turnstil",
            "tur", "errors.edgesuite", "challenge-platform", "-pl", "incapsula", "recaptch",
            "apsui",
        ])
    func parts(page: String) {
        #expect(Self.kind(page) == nil)
        #expect(Self.kind("<html>" + page) == nil)
    }
}
