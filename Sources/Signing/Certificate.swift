internal import COpenSSL

/// A certificate and its private key, both in PEM.
public struct CertificatePair: Hashable, Sendable {
    /// `BEGIN CERTIFICATE`: also what a client lists as its authority.
    public var certificate: String
    /// `BEGIN PRIVATE KEY`.
    public var key: String

    /// A pair made elsewhere.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Makes a P-256 key and a certificate that signs itself, for `hosts` (names or addresses).
    ///
    /// The key is random: it never comes from a seed. Valid from `now - 1 h`, for clocks that are
    /// behind, until `now + days`; `now` is the machine's clock. It is its own authority (CA true),
    /// so that clients can name it as the only root.
    public static func selfSigned(
        for hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = 30
    ) throws(SigningError) -> CertificatePair {
        for host in hosts where host.isEmpty || host.utf8.contains(where: { $0 <= 32 || $0 == 44 })
        {
            throw .badHostName(host)
        }
        let key = try makeKey()
        let certificate = try makeCertificate(for: hosts, days: days, key: key)
        let keyText = try MemoryBIO()
        guard
            PEM_write_bio_PrivateKey(keyText.pointer, key.pointer, nil, nil, 0, nil, nil) == 1
        else { throw .last("write a private key") }
        return CertificatePair(certificate: certificate, key: keyText.text())
    }

    private static func makeKey() throws(SigningError) -> KeyHandle {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
            throw .last("begin a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &made) == 1, let made
        else { throw .last("make a P-256 key") }
        return KeyHandle(owning: made)
    }

    static func makeCertificate(
        for hosts: [String], days: Int, key: borrowing KeyHandle
    ) throws(SigningError) -> String {
        guard let certificate = X509_new() else { throw .last("begin a certificate") }
        defer { X509_free(certificate) }
        var serial: UInt64 = 0
        for byte in try RandomBytes.make(8) { serial = serial << 8 | UInt64(byte) }
        X509_set_version(certificate, 2)  // counts from 0: this is version 3
        // Positive and at most 20 bytes (RFC 5280, 4.1.2.2).
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400)
        let name = X509_get_subject_name(certificate)
        guard
            X509_NAME_add_entry_by_txt(
                name, "CN", MBSTRING_UTF8, "screenrig stand-in", -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            X509_set_pubkey(certificate, key.pointer) == 1
        else { throw .last("fill a certificate") }
        let names = hosts.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
        try add(NID_subject_alt_name, names, to: certificate)
        try add(NID_basic_constraints, "critical,CA:TRUE", to: certificate)
        try add(NID_key_usage, "critical,digitalSignature,keyCertSign", to: certificate)
        try add(NID_ext_key_usage, "serverAuth", to: certificate)
        guard X509_sign(certificate, key.pointer, EVP_sha256()) > 0 else {
            throw .last("sign a certificate")
        }
        let text = try MemoryBIO()
        guard PEM_write_bio_X509(text.pointer, certificate) == 1 else {
            throw .last("write a certificate")
        }
        return text.text()
    }

    private static func add(
        _ kind: Int32, _ value: String, to certificate: OpaquePointer
    ) throws(SigningError) {
        guard let entry = X509V3_EXT_conf_nid(nil, nil, kind, value) else {
            throw .last("read '\(value)'")
        }
        defer { X509_EXTENSION_free(entry) }
        guard X509_add_ext(certificate, entry, -1) == 1 else {
            throw .last("add '\(value)' to a certificate")
        }
    }

    /// Digits and dots, or anything with a colon.
    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
    }
}
