internal import Formats

/// JSON web tokens signed with RS256 (RFC 7515, 7519). Claims are JSON text: what they mean is the
/// caller's business.
public enum JWT {
    private static let header = #"{"alg":"RS256","typ":"JWT"}"#
    private static let encodedHeader = Base64.encodeURL(header.utf8)

    /// The compact form `header.claims.signature`. `id`: the key's name in the header (`kid`), which
    /// needs no escapes.
    public static func make(
        claims: String, key: RSAKey, id: String? = nil
    ) throws(SigningError) -> String {
        let header = id.map { #"{"alg":"RS256","kid":"\#($0)","typ":"JWT"}"# }
        let signed = joined(
            header.map { Base64.encodeURL($0.utf8) } ?? encodedHeader,
            Base64.encodeURL(claims.utf8))
        return joined(signed, Base64.encodeURL(try key.sign(Array(signed.utf8))))
    }

    /// The same, signed with the key of access tokens.
    public static func make(claims: String, key: AccessTokenKey) -> String {
        let signed = joined(encodedHeader, Base64.encodeURL(claims.utf8))
        return joined(signed, Base64.encodeURL(key.sign(Array(signed.utf8))))
    }

    /// The same with this in place of a signature: for tokens that nobody verifies.
    public static func make(claims: String, signature: [UInt8]) -> String {
        joined(encodedHeader, Base64.encodeURL(claims.utf8), Base64.encodeURL(signature))
    }

    /// In one piece of memory, and no more.
    private static func joined(_ parts: String...) -> String {
        var text = ""
        text.reserveCapacity(parts.reduce(parts.count - 1) { $0 + $1.utf8.count })
        for part in parts {
            if !text.isEmpty { text += "." }
            text += part
        }
        return text
    }

    /// The claims of a token that `key` signed. Throws `notAToken` for another shape or algorithm
    /// (so that `alg: none` gets nobody in), `wrongSignature` for another key.
    public static func verify(_ token: String, key: RSAKey) throws(SigningError) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .notAToken(found: "\(parts.count) parts where there are three")
        }
        guard let header = Base64.decode(parts[0].utf8), let claims = Base64.decode(parts[1].utf8),
            let signature = Base64.decode(parts[2].utf8)
        else { throw .notAToken(found: "a part that is not Base64url") }
        guard namesRS256(String(decoding: header, as: UTF8.self)) else {
            throw .notAToken(found: "a header that does not name RS256")
        }
        let signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        guard try key.verifies(signature, of: signed) else { throw .wrongSignature }
        return String(decoding: claims, as: UTF8.self)
    }

    /// Header members hold no spaces worth keeping, so none are compared.
    private static func namesRS256(_ header: String) -> Bool {
        let dense = String(header.filter { !$0.isWhitespace })
        return dense.hasPrefix("{") && dense.hasSuffix("}") && dense.contains(#""alg":"RS256""#)
    }
}
