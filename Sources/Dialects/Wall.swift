internal import Formats

/// Pages of what stands in front of a provider and keeps robots out: they say nothing about the
/// service, and count as `Outcome.blocked`.
public enum Wall {
    /// What answered, for a reader: `a Cloudflare challenge`. Nil for everything else, and for a
    /// page that has a password input: many login pages carry a captcha that asks nobody at first.
    public static func kind(of reply: Reply) -> String? {
        let isRefusal = [401, 403, 405, 406, 429, 503].contains(reply.status)
        guard isRefusal || reply.status < 300 else { return nil }
        if isRefusal, let vendor = vendor(reply) { return vendor }
        let page = reply.body
        guard page.mayHoldMarker, let marker = markers.first(where: { page.holds($0.text) }) else {
            return nil
        }
        guard !page.holdsPasswordInput else { return nil }
        return marker.isCertain || isRefusal || reply.status == 200 && page.isSmall
            ? marker.kind : nil
    }

    /// By the headers that a vendor marks its refusals with.
    private static func vendor(_ reply: Reply) -> String? {
        if reply.headers["cf-mitigated"] != nil { return "a Cloudflare challenge" }
        let server = reply.headers["Server"]?.lowercased() ?? ""
        let page = reply.body
        if server.hasPrefix("cloudflare"), page.holds("cloudflare") || page.holds("cf-") {
            return "a block page of Cloudflare"
        }
        if server.hasPrefix("akamaighost") { return "a block page of Akamai" }
        if reply.headers["X-Iinfo"] != nil, page.holds("incapsula") {
            return "a block page of Incapsula"
        }
        return nil
    }

    private struct Marker {
        var text: String
        var kind: String
        /// Stands on no other page.
        var isCertain = true
    }

    /// Lower case; the first that a page holds names it.
    private static let markers = [
        Marker(text: "/cdn-cgi/challenge-platform", kind: "a Cloudflare challenge"),
        Marker(text: "_incapsula_resource", kind: "a block page of Incapsula"),
        Marker(text: "errors.edgesuite.net", kind: "a block page of Akamai"),
        Marker(text: "challenges.cloudflare.com/turnstile", kind: "a Turnstile captcha"),
        Marker(text: "cf-turnstile", kind: "a Turnstile captcha"),
        Marker(text: "g-recaptcha", kind: "a reCAPTCHA"),
        Marker(text: "recaptcha/api", kind: "a reCAPTCHA"),
        Marker(text: "h-captcha", kind: "an hCaptcha"),
        Marker(text: "hcaptcha.com", kind: "an hCaptcha"),
        Marker(text: "captcha", kind: "a captcha", isCertain: false),
    ]
}

extension [UInt8] {
    /// Whether an ASCII text stands in it, in any case. `text` is lower case.
    fileprivate func holds(_ text: String) -> Bool {
        span.holdsIgnoringCase(text.utf8Span.span)
    }

    /// Five letters of each marker, of which the second is a `p` or a `u`, are looked for first: most pages
    /// lack them, and every login of a run is read. Three of them stand in many an assertion in Base64.
    fileprivate var mayHoldMarker: Bool {
        let page = span
        let letters = ByteStops("p", "u", ignoresCase: true)
        var position = page.first(of: letters, from: 1)
        func holds(_ one: Unicode.Scalar, _ two: Unicode.Scalar) -> Bool {
            page[position + 2] | 0x20 == UInt8(ascii: one)
                && page[position + 3] | 0x20 == UInt8(ascii: two)
        }
        while position + 3 < page.count {
            switch (page[position - 1] | 0x20, page[position] | 0x20, page[position + 1] | 0x20) {
            case (UInt8(ascii: "a"), UInt8(ascii: "p"), UInt8(ascii: "t")) where holds("c", "h"),
                (UInt8(ascii: "a"), UInt8(ascii: "p"), UInt8(ascii: "s")) where holds("u", "l"),
                (UInt8(ascii: "-"), UInt8(ascii: "p"), UInt8(ascii: "l")) where holds("a", "t"),
                (UInt8(ascii: "t"), UInt8(ascii: "u"), UInt8(ascii: "r")) where holds("n", "s"),
                (UInt8(ascii: "s"), UInt8(ascii: "u"), UInt8(ascii: "i")) where holds("t", "e"):
                return true
            default: position = page.first(of: letters, from: position + 1)
            }
        }
        return false
    }

    /// A form that brings a provider's answer on (SAML Bindings 3.5).
    var holdsSAMLResponse: Bool {
        holds("name=\"samlresponse\"") || holds("name='samlresponse'")
            || holds("name=samlresponse")
    }

    var holdsPasswordInput: Bool {
        holds("type=\"password\"") || holds("type='password'") || holds("type=password")
    }

    /// Challenge pages say little; a page of content may mention a captcha.
    fileprivate var isSmall: Bool { count < 8_000 }
}
