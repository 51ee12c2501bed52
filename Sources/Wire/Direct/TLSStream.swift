internal import CCurl
internal import Glibc

/// TLS on one connection, from the handshake to its end.
final class TLSStream {
    private let connection: OpaquePointer
    private unowned let home: OriginLinks
    /// libssl made room for writing while it read a ticket, and frees that no sooner than the next request
    /// leaves: 17 KB of an idle connection.
    private var hasRoomLeft = false

    /// Takes over `connection`.
    init(_ connection: OpaquePointer, home: OriginLinks) {
        self.connection = connection
        self.home = home
        tls_set_owner(connection, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(connection) }

    enum Handshake {
        case done
        case wantsReading
        case wantsWriting
        case failed(LineFault)
    }

    /// Goes on with the handshake as far as it goes.
    func handshake() -> Handshake {
        ERR_clear_error()
        errno = 0
        let code = SSL_do_handshake(connection)
        if code == 1 { return .done }
        switch SSL_get_error(connection, code) {
        case SSL_ERROR_WANT_READ: return .wantsReading
        case SSL_ERROR_WANT_WRITE: return .wantsWriting
        default: return .failed(refusal())
        }
    }

    /// It will be kept, perhaps idle: buffers are freed whenever they are empty.
    func keepSmall() { tls_release_buffers(connection) }

    /// The server knew us from an earlier connection.
    var isResumed: Bool { SSL_session_reused(connection) == 1 }

    /// Whether bytes lie here that the socket will not announce.
    var holdsMore: Bool { SSL_has_pending(connection) == 1 }

    func send(_ bytes: UnsafeRawBufferPointer) -> LineFlow {
        ERR_clear_error()
        errno = 0
        var count = 0
        let code = SSL_write_ex(connection, bytes.baseAddress, bytes.count, &count)
        return code == 1 ? .moved(count) : flow(code, CURLE_SEND_ERROR)
    }

    /// See `ByteStream.receive`.
    func receive(into room: UnsafeMutableRawBufferPointer, stamp: inout Int64) -> LineFlow {
        ERR_clear_error()
        errno = 0
        var count = 0
        let code = SSL_read_ex(connection, room.baseAddress, room.count, &count)
        stamp = arrival_stamp(connection)
        // Only where a whole record was read and nothing follows: libssl before 3.0.14 frees what it still
        // needs in other cases (CVE-2024-4741).
        if hasRoomLeft, code == 1, count < room.count, !holdsMore {
            hasRoomLeft = SSL_free_buffers(connection) != 1
        }
        return code == 1 ? .moved(count) : flow(code, CURLE_RECV_ERROR)
    }

    /// Says farewell, so that the server need not wonder whether an answer was cut off (RFC 8446, 6.1),
    /// and the session may be resumed.
    func close() {
        ERR_clear_error()
        if SSL_is_init_finished(connection) == 1 { SSL_shutdown(connection) }
        tls_call_closed(connection)
        ERR_clear_error()
    }

    /// libssl has a new session for us, and a reference to it.
    func keep(_ session: OpaquePointer) {
        home.session = ResumableSession(session)
        hasRoomLeft = true
    }

    private func flow(_ code: Int32, _ kind: CURLcode) -> LineFlow {
        switch SSL_get_error(connection, code) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
        case SSL_ERROR_ZERO_RETURN: return tls_was_cut(connection) == 1 ? .cut : .ended
        case SSL_ERROR_SYSCALL:
            return .failed(LineFault(kind, LineFault.systemWords(errno)))
        default: return .failed(LineFault(kind, LineFault.opensslWords()))
        }
    }

    private func refusal() -> LineFault {
        let number = errno
        let verified = SSL_get_verify_result(connection)
        let words = LineFault.opensslWords()
        guard words.contains("certificate verify failed"), verified != X509_V_OK else {
            return LineFault(
                CURLE_SSL_CONNECT_ERROR, words.isEmpty ? LineFault.systemWords(number) : words)
        }
        let reason = String(cString: X509_verify_cert_error_string(verified))
        return LineFault(CURLE_PEER_FAILED_VERIFICATION, reason)
    }
}
