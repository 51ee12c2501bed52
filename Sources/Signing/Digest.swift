internal import COpenSSL

/// SHA-256 (FIPS 180-4) of whole texts.
public enum SHA256 {
    /// Bytes of a digest.
    public static let size = 32

    /// The 32 bytes of the digest.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        let done = EVP_Digest(bytes, bytes.count, &result, nil, EVP_sha256(), nil)
        precondition(done == 1, "SHA-256 needs nothing but memory")
        return result
    }

    /// The 32 bytes of a text's digest.
    public static func digest(_ text: String) -> [UInt8] {
        digest(Array(text.utf8))
    }
}

/// HMAC-SHA256 (RFC 2104) of whole texts under one key. To take a key in costs as much as a short text
/// does, so it is done once.
///
/// Safe because the context is never written after `init`: every digest works on a copy of it.
public final class KeyedDigest: @unchecked Sendable {
    private let context: OpaquePointer

    public init(key: [UInt8]) {
        guard let made = mac_hmac_sha256(key, key.count) else {
            preconditionFailure("HMAC-SHA256 needs nothing but memory")
        }
        context = made
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// The 32 bytes of the digest.
    public func digest(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: SHA256.size)
        var count = 0
        let copy = EVP_MAC_CTX_dup(context)
        defer { EVP_MAC_CTX_free(copy) }
        let isDone =
            copy != nil && EVP_MAC_update(copy, bytes, bytes.count) == 1
            && EVP_MAC_final(copy, &result, &count, result.count) == 1
        precondition(isDone && count == result.count, "HMAC-SHA256 needs nothing but memory")
        return result
    }
}

/// Bytes as hexadecimal digits.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two lower case digits for each byte.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (position, byte) in bytes.enumerated() {
                buffer[position * 2] = digits[Int(byte >> 4)]
                buffer[position * 2 + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}

/// Bytes that nobody can foresee: for keys of live runs only, never under a seed.
public enum RandomBytes {
    /// `count` bytes from the library's generator.
    public static func make(_ count: Int) throws(SigningError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw .last("make random bytes") }
        return bytes
    }
}
