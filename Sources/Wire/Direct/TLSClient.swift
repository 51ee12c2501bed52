internal import CCurl
internal import Glibc
internal import Vocabulary

/// What all TLS connections of a lane have in common: trusted roots, parsed once, versions, the
/// client's certificate.
///
/// libcurl 7.88 makes all this anew for each connection (`SSL_CTX_new` alone is 100 us, a quarter of
/// a handshake, and 20 KB that stay) and no option of it shares one. So the direct engine lets
/// libcurl connect and does the handshake itself, with libssl, on libcurl's terms: the same roots,
/// names checked the same way, ALPN `http/1.1`.
final class TLSClient {
    private let context: OpaquePointer
    private let verifies: Bool
    /// Never freed. Safe because nobody writes it once it is made.
    private nonisolated(unsafe) static let arrivalMethod = arrival_bio_method()

    /// What cannot be used, in words.
    init(_ tls: TransportOptions.TLS, trust: TrustFile) throws(LineFault) {
        ERR_clear_error()
        guard Library.isReady, let context = SSL_CTX_new(TLS_client_method()) else {
            throw LineFault(CURLE_OUT_OF_MEMORY, LineFault.opensslWords())
        }
        self.context = context
        verifies = trust.path != nil
        tls_set_modes(context)
        tls_set_minimum(context, tls.minimum == .v13 ? TLS1_3_VERSION : TLS1_2_VERSION)
        // `http/1.1`, with its length before it (RFC 7301, 3.1).
        let protocols: [UInt8] = [8] + "http/1.1".utf8
        SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count))
        tls_hand_out_sessions(context) { connection, session in
            guard let connection, let session, let owner = tls_owner(connection) else { return 0 }
            // Safe because the stream frees the connection, within which libssl calls, before it goes.
            Unmanaged<TLSStream>.fromOpaque(owner).takeUnretainedValue().keep(session)
            return 1
        }
        // From here on deinit frees the context, also when we throw.
        try trustRoots(trust)
        try show(tls)
    }

    deinit { SSL_CTX_free(context) }

    private func trustRoots(_ trust: TrustFile) throws(LineFault) {
        guard let roots = trust.path else {
            return SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard SSL_CTX_load_verify_locations(context, roots, nil) == 1 else {
            throw LineFault(CURLE_SSL_CACERT_BADFILE, LineFault.opensslWords())
        }
        // As libcurl: a certificate that is trusted ends the chain, whoever issued it.
        let store = SSL_CTX_get_cert_store(context)
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
    }

    private func show(_ tls: TransportOptions.TLS) throws(LineFault) {
        guard let certificate = tls.certificate else { return }
        let key = tls.key ?? certificate
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1,
            SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw LineFault(CURLE_SSL_CERTPROBLEM, LineFault.opensslWords()) }
    }

    /// TLS to `host` on a connected socket; the handshake is the caller's to drive. New sessions go to
    /// `home`, whose newest one is resumed. Nil when memory is out.
    func stream(over descriptor: Int32, to host: String, home: OriginLinks) -> TLSStream? {
        ERR_clear_error()
        guard let connection = SSL_new(context) else { return nil }
        let stream = TLSStream(connection, home: home)
        guard let method = Self.arrivalMethod,
            arrival_connect(connection, method, descriptor) == 1
        else { return nil }
        let isAddress = IPAddress(host) != nil
        // RFC 6066, 3: literal addresses are no server names.
        if !isAddress, tls_set_server_name(connection, host) != 1 { return nil }
        if verifies {
            let isSet =
                isAddress
                ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host)
                : SSL_set1_host(connection, host)
            guard isSet == 1 else { return nil }
        }
        if let session = home.session, SSL_SESSION_is_resumable(session.handle) == 1 {
            SSL_set_session(connection, session.handle)
        }
        SSL_set_connect_state(connection)
        return stream
    }
}

/// What a server gave for resuming: owned.
final class ResumableSession {
    let handle: OpaquePointer

    /// Takes over the reference.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { SSL_SESSION_free(handle) }
}
