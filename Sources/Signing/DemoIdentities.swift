internal import Formats

/// Who a demo platform and a demo identity service say that a user is (rest-v2.md § 3.2). Claims are JSON
/// text: what they mean is the caller's business.
public enum DemoIdentities {
    /// The id by which a service finds the key of service tokens (`kid`).
    public static let keyID = "screenrig-demo"
    private static let key = DemoKeys.statements()
    /// The same as a text (PKCS #8). DEMO KEY, NOT A SECRET.
    public static let keyPEM = DemoKeys.statementsText
    /// DEMO KEY, NOT A SECRET: identities of a Fire OS.
    private static let platformKey = KeyedDigest(key: Array("screenrig demo platform".utf8))

    /// `AD-Service-Token`: RS256, signed with the demo key of software statements. About 0.24 ms.
    public static func serviceToken(claims: String) -> String {
        do {
            return try JWT.make(claims: claims, key: key, id: keyID)
        } catch {
            // A private RSA key signs any bytes.
            preconditionFailure("the demo key does not sign: \(error)")
        }
    }

    /// `Adobe-Subject-Token` of a Fire OS: HS256.
    public static func platformToken(claims: String) -> String {
        let header = #"{"alg":"HS256","typ":"JWT"}"#
        let signed = Base64.encodeURL(header.utf8) + "." + Base64.encodeURL(claims.utf8)
        return signed + "." + Base64.encodeURL(platformKey.digest(Array(signed.utf8)))
    }
}
