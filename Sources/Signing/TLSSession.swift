internal import COpenSSL

/// The server's side of TLS on one connection, as bytes in and bytes out: whoever has the socket
/// hands over what came and sends what is outgoing. For one thread at a time.
public final class TLSSession {
    private let connection: OpaquePointer
    /// What came and what is to leave; libssl's, freed with the connection.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let server: TLSServer

    /// Waits for a client's hello.
    public init(_ server: TLSServer) throws(SigningError) {
        guard let connection = SSL_new(server.context), let incoming = BIO_new(BIO_s_mem()),
            let outgoing = BIO_new(BIO_s_mem())
        else { throw .last("begin a TLS session") }
        self.connection = connection
        self.incoming = incoming
        self.outgoing = outgoing
        self.server = server
        SSL_set_bio(connection, incoming, outgoing)
        SSL_set_accept_state(connection)
    }

    deinit {
        // A client that hangs up without a farewell may resume all the same (RFC 5246, 7.2.1), which
        // libssl else makes impossible: it forgets the session.
        SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(connection)
    }

    /// The handshake is over: from now on bytes can be sealed.
    public var isReady: Bool { SSL_is_init_finished(connection) == 1 }

    /// Takes what came from the client and gives `opened` what was in it, piece by piece; the handshake
    /// goes on by itself. False when the client has said farewell (RFC 8446, 6.1). After an error there
    /// is an alert to send, and nothing else to be done.
    public func receive(
        _ bytes: UnsafeRawBufferPointer, opened: (UnsafeRawBufferPointer) -> Void
    ) throws(SigningError) -> Bool {
        ERR_clear_error()
        guard BIO_write(incoming, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count)
        else {
            throw .last("take bytes in")
        }
        let end = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            while true {
                let count = SSL_read(connection, room.baseAddress, Int32(room.count))
                guard count > 0 else { return SSL_get_error(connection, count) }
                opened(UnsafeRawBufferPointer(rebasing: room[..<Int(count)]))
            }
        }
        switch end {
        case SSL_ERROR_WANT_READ: return true
        case SSL_ERROR_ZERO_RETURN: return false
        default: throw .last("speak TLS with a client")
        }
    }

    /// Adds `bytes`, sealed, to what is outgoing. Only when `isReady`.
    public func seal(_ bytes: UnsafeRawBufferPointer) throws(SigningError) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        guard SSL_write(connection, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count)
        else { throw .last("seal bytes") }
    }

    /// How many bytes are to be sent.
    public var outgoingCount: Int { Int(BIO_ctrl_pending(outgoing)) }

    /// Moves of them as many as `room` holds; how many these were.
    public func takeOutgoing(into room: UnsafeMutableRawBufferPointer) -> Int {
        max(0, Int(BIO_read(outgoing, room.baseAddress, Int32(room.count))))
    }

    /// Says farewell, so that the client need not wonder whether an answer was cut off.
    public func close() {
        ERR_clear_error()
        if isReady { SSL_shutdown(connection) }
        ERR_clear_error()
    }
}
