internal import CCurl
internal import Journal
internal import Lanes

/// A request on its connection, until its response is complete. The engine lends one for each request
/// in flight: an idle connection holds none, and a request allocates none.
final class InFlightRequest {
    /// How much of the request has been sent.
    enum Upload {
        /// Everything before `from`. With a gate, the last byte is held back.
        case sending(RequestBuffer, from: Int, gate: ReadyGate?)
        /// Everything but the last byte, which waits for `Connection.letGo`.
        case atGate(RequestBuffer)
        case complete
    }
    private(set) var upload = Upload.complete
    /// When it times out.
    var limit: Int64 = 0
    /// When the latest attempt to send was made; nil as long as no byte can have left this machine.
    private(set) var sent: Instant?
    /// The connection was made anew, because the kept one was dead.
    private(set) var hasReconnected = false
    /// Nil until the first byte of the response has arrived.
    var reader: ResponseReader?
    private(set) var completion: (Transfer) -> Void = { _ in }

    /// Makes it ready for another request.
    @inline(__always)
    func begin(
        _ buffer: RequestBuffer, until limit: Int64, gate: ReadyGate?,
        completion: @escaping (Transfer) -> Void
    ) {
        upload = .sending(buffer, from: 0, gate: gate)
        self.limit = limit
        self.completion = completion
    }

    /// Releases what it refers to.
    func clear() {
        upload = .complete
        sent = nil
        hasReconnected = false
        reader = nil
        completion = { _ in }
    }

    // MARK: Upload

    /// The gate that has not been told yet how the upload went.
    var gate: ReadyGate? {
        if case .sending(_, _, let gate) = upload { gate } else { nil }
    }

    var isSent: Bool {
        if case .complete = upload { true } else { false }
    }

    /// What has not been sent completely; nil when all of it has.
    var buffer: RequestBuffer? {
        switch upload {
        case .sending(let buffer, _, _), .atGate(let buffer): buffer
        case .complete: nil
        }
    }

    /// The last byte may be sent. False when it is not the last byte that is missing.
    func leaveGate() -> Bool {
        guard case .atGate(let buffer) = upload else { return false }
        upload = .sending(buffer, from: buffer.count - 1, gate: nil)
        return true
    }

    /// The connection is made anew: nothing has been sent.
    func restart() {
        guard case .sending(let buffer, _, let gate) = upload else { return }
        upload = .sending(buffer, from: 0, gate: gate)
        hasReconnected = true
    }

    enum Push {
        /// Nothing is left to send now.
        case done
        /// All but the last byte has been sent.
        case reached(ReadyGate)
        /// The rest waits until the socket is writable.
        case blocked
        case failed(LineFault)
    }

    /// Sends as much of the rest as fits.
    @inline(__always)
    func push(over stream: ByteStream, at now: Instant) -> Push {
        guard case .sending(let buffer, let start, let gate) = upload else { return .done }
        let rest = buffer.contents(from: start, to: gate == nil ? buffer.count : buffer.count - 1)
        // Each attempt includes the last byte, so the time of the last attempt is that byte's.
        if sent != nil { sent = now }
        switch stream.send(rest) {
        case .moved(let count):
            sent = now
            guard count == rest.count else {
                upload = .sending(buffer, from: start + count, gate: gate)
                return .blocked
            }
            upload = gate == nil ? .complete : .atGate(buffer)
            return gate.map { .reached($0) } ?? .done
        case .blocked:
            // A TLS record that was not written completely may have left in part.
            if stream.tls != nil { sent = now }
            return .blocked
        case .ended, .cut: return .failed(LineFault(CURLE_SEND_ERROR, "connection closed"))
        case .failed(let fault):
            // Some of several records may have left.
            if stream.tls != nil, rest.count > 16384 { sent = now }
            return .failed(fault)
        }
    }
}
