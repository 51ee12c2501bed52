public import Signing

/// The key of a platform, in PEM: an RSA private key, for both sides of the stand-in, or the public key of
/// somebody else's platform, whose signatures it verifies.
public struct PlatformKey: Sendable, Hashable {
    public let key: RSAKey
    private let text: String

    /// Throws where the text is no such key.
    public init(pem text: String) throws(SigningError) {
        key =
            text.contains("BEGIN PUBLIC KEY")
            ? try RSAKey(publicPEM: text) : try RSAKey(privatePEM: text)
        self.text = text
    }

    public static func == (left: PlatformKey, right: PlatformKey) -> Bool {
        left.text == right.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
