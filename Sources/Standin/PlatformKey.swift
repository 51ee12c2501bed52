public import Signing

/// The key of a platform, for both sides of the stand-in: an RSA private key in PEM.
public struct PlatformKey: Sendable, Hashable {
    public let key: RSAKey
    private let text: String

    /// Throws where the text is no such key.
    public init(pem text: String) throws(SigningError) {
        key = try RSAKey(privatePEM: text)
        self.text = text
    }

    public static func == (left: PlatformKey, right: PlatformKey) -> Bool {
        left.text == right.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
