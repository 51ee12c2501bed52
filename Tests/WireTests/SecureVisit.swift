import Signing
import TestSupport

/// One connection from the server's side of TLS: as rough as the test wants it.
final class SecureVisit {
    let visit: Visit
    private let session: Signing.TLSSession
    private var buffered: [UInt8] = []

    fileprivate init?(_ visit: Visit, _ tls: TLSServer) {
        guard let session = try? Signing.TLSSession(tls) else { return nil }
        self.visit = visit
        self.session = session
    }

    /// Whether another head of a request has come; false when the client has gone.
    func hasRequest() -> Bool {
        while true {
            let text = String(decoding: buffered, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                buffered.removeFirst(text[..<end.upperBound].utf8.count)
                return true
            }
            let bytes = visit.receive()
            let goesOn = try? bytes.withUnsafeBytes { bytes in
                try session.receive(bytes) { buffered += $0 }
            }
            flush()
            guard !bytes.isEmpty, goesOn == true else { return false }
        }
    }

    /// All of it in one record.
    func send(_ text: String) {
        var text = text
        try? text.withUTF8 { try session.seal(UnsafeRawBufferPointer($0)) }
        flush()
    }

    func sayFarewell() {
        session.close()
        flush()
    }

    private func flush() {
        var bytes = [UInt8](repeating: 0, count: session.outgoingCount)
        let count = bytes.withUnsafeMutableBytes { session.takeOutgoing(into: $0) }
        visit.send(Array(bytes[..<count]))
    }
}

extension RoughServer {
    /// A server that speaks TLS with the certificate `server` of `files`.
    static func secure(
        _ files: Certificates, _ script: @escaping @Sendable (SecureVisit) -> Void
    ) throws -> RoughServer {
        let tls = try TLSServer(
            CertificatePair(
                certificate: try files.text("server.pem"), key: try files.text("server.key")),
            protocols: ["http/1.1"])
        return RoughServer { visit in
            if let secure = SecureVisit(visit, tls) { script(secure) }
        }
    }
}
