internal import COpenSSL

/// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104) of whole texts.
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

    /// The 32 bytes of the keyed digest.
    public static func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        let done = HMAC(
            EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &result, nil)
        precondition(done != nil, "HMAC-SHA256 needs nothing but memory")
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
