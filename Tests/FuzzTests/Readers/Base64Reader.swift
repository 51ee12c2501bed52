import Dialects
import Formats
import Signing

@testable import Devices
@testable import Standin

extension Reader {
    /// Input: Base64, a token, or the platform's SAML text.
    static let base64 = Reader("base64", limit: 4_096) { bytes in
        let written = Base64.encode(bytes)
        if Base64.decode(written) != bytes { return "\(written) does not decode to what it is of" }
        if Base64.decode(Base64.encodeURL(bytes)) != bytes { return "the URL-safe alphabet" }
        if let decoded = Base64.decode(bytes) {
            if decoded.count > bytes.count * 3 / 4 { return "\(decoded.count) bytes" }
            if Base64.decode(Base64.encode(decoded)) != decoded { return "decoded bytes" }
            _ = SAML.user(in: decoded, login: "1", mvpd: "demo")
        }
        _ = SAML.user(in: bytes, login: "1", mvpd: "demo")
        let text = String(decoding: bytes, as: UTF8.self)
        if let claims = try? JWT.verify(text, key: key) {
            return "a token that nobody signed is taken: \(claims)"
        }
        let normalised = SAMLText.normalised(text)
        if normalised.utf8.count > text.utf8.count { return "SAML text has grown" }
        if normalised.contains(where: \.isNewline) { return "SAML text has kept a line end" }
        let wire = FormEncoding.encode(SAMLText.base64(text))
        if Percent.decode(wire.utf8Span.span) != Base64.encode(normalised.utf8) {
            return "what stands in the body is not the text's Base64"
        }
        return nil
    }

    private static let key = DemoKeys.statements()
}
