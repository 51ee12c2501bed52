import Formats
import Signing
import Standin

let demo = demoSoftwareStatement()

/// What a device does between S1 and S2 (apple-sso.md § 4), written anew here.
enum PlatformSide {
    static func answer(
        _ token: [UInt8], provider: String = "demo-cable", subject: String = "apple-viewer",
        attributes: [String] = ["userID", "zip"]
    ) -> String? {
        try? PlatformSAML.response(
            to: token, provider: provider, subject: subject, attributes: attributes)
    }

    /// Steps 1 to 3.
    static func normalised(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            if scalar == " " || scalar == "\t" {
                if out.unicodeScalars.last != " " || pendingNewline(out) { out += " " }
            } else if !(10...13).contains(scalar.value) {
                out.unicodeScalars.append(scalar)
            } else {
                // A line break ends a run of spaces without leaving anything.
                out += "\u{0}"
            }
        }
        let text = out.replacing("\u{0}", with: "")
        return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func pendingNewline(_ text: String) -> Bool {
        text.unicodeScalars.last == "\u{0}"
    }

    /// Steps 4 and 5.
    static func encoded(_ text: String) -> String {
        Base64.encode(text.utf8).replacing("+", with: "%2B").replacing("/", with: "%2F")
            .replacing("=", with: "%3D")
    }

    static func wire(_ token: [UInt8]) -> String? {
        answer(token).map { encoded(normalised($0)) }
    }
}
