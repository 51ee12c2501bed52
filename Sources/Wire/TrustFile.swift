internal import Glibc
internal import Vocabulary

/// The file of root certificates that libcurl is given.
///
/// A file, and not `CURLOPT_CAINFO_BLOB`: libcurl 7.88 keeps a parsed store only when the roots come
/// from a file alone; a blob, or the default CAPATH, costs 20 ms and 850 KB for each connection.
/// So an own CA is joined with the system's roots in a temporary file.
final class TrustFile {
    /// Nil when nothing is verified.
    let path: String?
    private let isTemporary: Bool

    /// Where distributions keep the roots in one file.
    private static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    ]

    init(_ tls: TransportOptions.TLS) throws(WireError) {
        for case (let key, let file?) in [
            ("tls.certificate", tls.certificate), ("tls.key", tls.key),
        ] {
            _ = try Self.read(file, key: key)
        }
        guard tls.verifies else {
            (path, isTemporary) = (nil, false)
            return
        }
        let own = try tls.ca.map { file throws(WireError) in try Self.read(file, key: "tls.ca") }
        if let own, !Self.holdsCertificate(own) {
            throw .notPEM(key: "tls.ca", path: tls.ca ?? "")
        }
        if own != nil, tls.caOnly {
            (path, isTemporary) = (tls.ca, false)
            return
        }
        guard let system = Self.systemBundles.first(where: { access($0, R_OK) == 0 }) else {
            throw .noSystemRoots
        }
        guard let own else {
            (path, isTemporary) = (system, false)
            return
        }
        let roots = try Self.read(system, key: "system roots")
        path = try Self.write(roots + [UInt8(ascii: "\n")] + own)
        isTemporary = true
    }

    deinit {
        if isTemporary, let path { unlink(path) }
    }

    private static func holdsCertificate(_ bytes: [UInt8]) -> Bool {
        // RFC 7468, 5, and what OpenSSL takes besides: `X509 CERTIFICATE`, `TRUSTED CERTIFICATE`.
        String(decoding: bytes, as: UTF8.self).contains("CERTIFICATE-----")
    }

    private static func read(_ path: String, key: String) throws(WireError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw .unreadable(key: key, path: path, errno: errno)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else {
            throw .unreadable(key: key, path: path, errno: errno)
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8]) throws(WireError) -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/screenrig-roots-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard descriptor >= 0 else { throw .unreadable(key: "tls.ca", path: path, errno: errno) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                unlink(path)
                throw .unreadable(key: "tls.ca", path: path, errno: errno)
            }
            written += count
        }
        return path
    }
}
