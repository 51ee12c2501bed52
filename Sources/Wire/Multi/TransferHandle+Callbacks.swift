internal import CCurl
internal import Glibc
internal import Lanes

/// What libcurl asks and tells while it carries a request.
extension TransferHandle {
    func hearCallbacks() {
        // Safe because libcurl calls back only inside calls that the lane makes, on this easy handle,
        // which is ours.
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_set_write_callbacks(
            easy.handle,
            { bytes, size, count, context in
                TransferHandle.from(context).takeLine(bytes, size * count) ? size * count : 0
            },
            { bytes, size, count, context in
                TransferHandle.from(context).takeBody(bytes, size * count) ? size * count : 0
            }, context)
        curl_set_prereq_callback(
            easy.handle,
            { context, remote, local, remotePort, localPort in
                guard let remote, let local else { return CURL_PREREQFUNC_ABORT }
                let goesOn = TransferHandle.from(context)
                    .willSend(from: local, Int(localPort), to: remote, Int(remotePort))
                return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        curl_set_open_socket_callback(
            easy.handle,
            { context, _, address in
                guard let address else { return -1 }
                return TransferHandle.from(context).open(address.pointee)
            }, context)
        transport.connections.hearClosing(of: easy)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> TransferHandle {
        guard let context else { preconditionFailure("a callback lost its handle") }
        return Unmanaged<TransferHandle>.fromOpaque(context).takeUnretainedValue()
    }

    private func open(_ address: curl_sockaddr) -> Int32 {
        guard let attempt else { return -1 }
        guard let connection = transport.connections.open(address, for: attempt.deviceSlot) else {
            attempt.openFailure = errno
            return -1
        }
        if transport.settings.sources != nil {
            SourceAddresses.bindWithoutPort(connection.descriptor)
        }
        attempt.opened = connection
        return connection.descriptor
    }

    /// The connection is established and the request is written next. False stops it.
    ///
    /// libcurl sends a request again, by itself and with no way to forbid it, when a reused
    /// connection closes without a byte of a response, and when an HTTP/2 server refuses a stream.
    /// The service may have acted on the first copy, so the second one is stopped here, unless not a
    /// byte of the first has left: whether it is sent again is the lane's to say, which records both.
    private func willSend(
        from local: UnsafePointer<CChar>, _ localPort: Int, to remote: UnsafePointer<CChar>,
        _ remotePort: Int
    ) -> Bool {
        guard let attempt else { return false }
        guard !hasLeft(attempt) else {
            attempt.stopCause = .wouldRepeat
            return false
        }
        let connection = transport.connections.connection(
            local: local, localPort, remote: remote, remotePort, opened: attempt.opened)
        let isReused = (connection?.uses ?? 0) > 0
        let tls = attempt.isTLS ? curl_tls_connection(easy.handle) : nil
        if !isReused { connection?.speaksHTTP2 = agreesOnHTTP2(tls) }
        if attempt.continuesOwn, !isReused {
            // A new connection, on which an upgrade would be asked for.
            attempt.stopCause = .lostOwn
            return false
        }
        if let connection, isReused, !isQuiet(connection, tls) {
            // libcurl closes it, because its request was called off.
            attempt.stopCause = .staleConnection
            return false
        }
        connection?.uses += 1
        if !isReused, let connection, let tls {
            connection.isResumed = SSL_session_reused(tls) == 1
            Farewell.tell(connection, on: tls)
        }
        attempt.sending = TransferAttempt.Sending(
            sent: transport.lane.now, connection: connection, isReused: isReused,
            bytesBefore: easy.number(CURLINFO_REQUEST_SIZE))
        return true
    }

    /// Whether a kept connection may carry another request. What has arrived over TLS may be legal (a
    /// late session ticket), and cannot be told from a response without reading it: another
    /// connection is always right. On those of HTTP/2 frames may arrive at any time, which libcurl
    /// reads.
    private func isQuiet(_ connection: TCPConnection, _ tls: OpaquePointer?) -> Bool {
        if connection.speaksHTTP2 { return true }
        if let tls, SSL_has_pending(tls) == 1 { return false }
        return ByteStream(descriptor: connection.descriptor).isQuiet
    }

    /// Whether a new connection is one of HTTP/2: over TLS what ALPN chose (RFC 9113, 3.2).
    private func agreesOnHTTP2(_ tls: OpaquePointer?) -> Bool {
        guard let tls else { return transport.settings.http == .http2 }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(tls, &name, &count)
        return count == 2 && name?[0] == UInt8(ascii: "h") && name?[1] == UInt8(ascii: "2")
    }

    private func takeLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Bool {
        guard let attempt else { return false }
        let goesOn = reader.takeLine(UnsafeRawBufferPointer(start: bytes, count: count))
        if attempt.firstByte == nil, reader.hasBegun { attempt.firstByte = transport.lane.now }
        return goesOn
    }

    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Bool {
        reader.takeBody(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
