internal import COpenSSL

/// What all TLS connections of a server have in common: certificate and key, read once, and the
/// protocols it speaks.
///
/// Safe because the `SSL_CTX` is not changed after `init`, from when on libssl lets any number of
/// threads begin sessions with it.
public final class TLSServer: @unchecked Sendable {
    let context: OpaquePointer
    private let protocols: [[UInt8]]

    /// `protocols` are names of ALPN (RFC 7301), the best first; a client that knows none of them goes
    /// on without one. `clientAuthority`, in PEM, asks each client for a certificate under it;
    /// `isOld` offers no TLS 1.3.
    public init(
        _ pair: CertificatePair, protocols: [String], clientAuthority: String? = nil,
        isOld: Bool = false
    ) throws(SigningError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw .last("begin TLS") }
        self.context = context
        self.protocols = protocols.map { Array($0.utf8) }
        // From here on deinit frees the context, also when we throw.
        limit(SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION)
        limit(SSL_CTRL_SET_MAX_PROTO_VERSION, isOld ? TLS1_2_VERSION : TLS1_3_VERSION)
        // An idle connection keeps no buffers (34 KB).
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        // Without a name of their own, sessions of clients with certificates are not resumed.
        SSL_CTX_set_session_id_context(context, Array("screenrig".utf8), 9)
        try show(pair)
        if let clientAuthority { try ask(for: clientAuthority) }
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, owner in
                guard let owner, let offered else { return SSL_TLSEXT_ERR_NOACK }
                // Safe because a session, within which libssl calls, holds its server.
                let choice = Unmanaged<TLSServer>.fromOpaque(owner).takeUnretainedValue()
                    .choice(of: UnsafeBufferPointer(start: offered, count: Int(count)))
                guard let choice else { return SSL_TLSEXT_ERR_NOACK }
                chosen?.pointee = offered + choice.lowerBound
                length?.pointee = UInt8(choice.count)
                return SSL_TLSEXT_ERR_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_CTX_free(context) }

    private func limit(_ which: Int32, _ version: Int32) {
        SSL_CTX_ctrl(context, which, Int(version), nil)
    }

    /// The certificate, those that lead from it to its root if there are any, and the key.
    private func show(_ pair: CertificatePair) throws(SigningError) {
        let texts = try MemoryBIO.holding(pair.certificate)
        var isFirst = true
        while let certificate = PEM_read_bio_X509(texts.pointer, nil, nil, nil) {
            defer { X509_free(certificate) }
            let isTaken =
                isFirst
                ? SSL_CTX_use_certificate(context, certificate) == 1
                : SSL_CTX_ctrl(
                    context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate))
                    == 1
            guard isTaken else { throw .last("use a certificate") }
            isFirst = false
        }
        ERR_clear_error()
        guard !isFirst else { throw .notAKey(expected: "certificate") }
        let text = try MemoryBIO.holding(pair.key)
        guard let made = PEM_read_bio_PrivateKey(text.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "private key")
        }
        let key = KeyHandle(owning: made)
        guard SSL_CTX_use_PrivateKey(context, key.pointer) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw .last("use a private key") }
    }

    private func ask(for authority: String) throws(SigningError) {
        let text = try MemoryBIO.holding(authority)
        guard let root = PEM_read_bio_X509(text.pointer, nil, nil, nil) else {
            ERR_clear_error()
            throw .notAKey(expected: "certificate")
        }
        defer { X509_free(root) }
        guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root) == 1 else {
            throw .last("trust a certificate")
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    /// Where in the client's list, each name with its length before it, the best of ours stands.
    private func choice(of offered: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        for name in protocols {
            var next = 0
            while next < offered.count {
                let part = next + 1..<min(offered.count, next + 1 + Int(offered[next]))
                if offered[part].elementsEqual(name) { return part }
                next = part.upperBound
            }
        }
        return nil
    }
}
