internal import COpenSSL
internal import Formats

/// An RSA key with a certificate for it: what an identity provider signs with, and what it hands out for
/// others to verify by.
public struct SigningPair: Sendable {
    public let key: RSAKey
    /// The certificate as DER, in Base64 without line breaks (`ds:X509Certificate`).
    public let certificate: String
    /// Modulus and exponent, big-endian, without leading zeros (RFC 7518, 6.3.1).
    public let modulus: [UInt8]
    public let exponent: [UInt8]

    /// A name of the key: the start of the SHA-256 digest of its public half.
    public var id: String { String(Hex.encode(SHA256.digest(modulus)).prefix(16)) }

    /// Makes an RSA key of 2,048 bits and a certificate that signs itself, for `days` from now on.
    public static func make(days: Int = 3650) throws(SigningError) -> SigningPair {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else {
            throw .last("begin a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_keygen(context, &made) == 1, let made
        else { throw .last("make an RSA key") }
        let handle = KeyHandle(owning: made)
        let text = try MemoryBIO()
        guard PEM_write_bio_PrivateKey(text.pointer, handle.pointer, nil, nil, 0, nil, nil) == 1
        else { throw .last("write a private key") }
        return try read(text.text(), days: days)
    }

    /// A key in PEM, and the certificate that stands in the same text; without one, one is made.
    public static func read(_ text: String, days: Int = 3650) throws(SigningError) -> SigningPair {
        let memory = try MemoryBIO.holding(text)
        guard let pointer = PEM_read_bio_PrivateKey(memory.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "private key")
        }
        let handle = KeyHandle(owning: pointer)
        let key = try RSAKey(privatePEM: text)
        let modulus = try number("n", of: handle)
        let exponent = try number("e", of: handle)
        var certificate = text
        if text.firstRange(of: "BEGIN CERTIFICATE") == nil {
            certificate = try CertificatePair.makeCertificate(
                for: ["localhost"], days: days, key: handle)
        } else {
            try checkMatch(text, handle)
        }
        return SigningPair(
            key: key, certificate: body(of: certificate), modulus: modulus, exponent: exponent)
    }

    private static func checkMatch(
        _ text: String, _ key: borrowing KeyHandle
    ) throws(SigningError) {
        let memory = try MemoryBIO.holding(text)
        guard let certificate = PEM_read_bio_X509(memory.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "certificate")
        }
        defer { X509_free(certificate) }
        guard X509_check_private_key(certificate, key.pointer) == 1 else {
            ERR_clear_error()
            throw .notAKey(expected: "certificate of its private key")
        }
    }

    private static func number(
        _ name: String, of key: borrowing KeyHandle
    ) throws(SigningError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.pointer, name, &number) == 1, let number else {
            throw .last("read a key")
        }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// What stands between the lines of the first certificate.
    private static func body(of text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        guard let start = lines.firstIndex(of: "-----BEGINCERTIFICATE-----") else { return "" }
        return lines[(start + 1)...].prefix { !$0.hasPrefix("-----") }.joined()
    }
}

extension String {
    fileprivate func firstRange(of part: String) -> Range<String.Index>? { ranges(of: part).first }
}
