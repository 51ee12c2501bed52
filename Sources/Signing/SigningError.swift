internal import COpenSSL

/// Why a key, a signature or a certificate could not be had.
public enum SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcrypto refused; `reason` is its own word for it.
    case library(deed: String, reason: String)
    /// Text that is no PEM of the wanted kind.
    case notAKey(expected: String)
    /// Not three Base64url parts with a JSON header that names RS256.
    case notAToken(found: String)
    /// The parts are right and the signature is somebody else's.
    case wrongSignature
    /// A name that cannot stand in a certificate.
    case badHostName(String)

    public var description: String {
        switch self {
        case .library(let deed, let reason): "libcrypto could not \(deed): \(reason)"
        case .notAKey(let expected): "this text is no \(expected) in PEM"
        case .notAToken(let found): "this is no RS256 token: \(found)"
        case .wrongSignature: "the signature does not belong to this text and key"
        case .badHostName(let name):
            "'\(name)' cannot stand in a certificate; host names and addresses have no commas or spaces"
        }
    }

    /// The oldest error that libcrypto queued on this thread; empties the queue.
    static func last(_ deed: String) -> SigningError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return .library(deed: deed, reason: "no reason given") }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        let end = text.firstIndex(of: 0) ?? text.endIndex
        return .library(
            deed: deed,
            reason: String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
