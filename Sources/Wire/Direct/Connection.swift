internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// One connection of one device, and the request in flight on it.
///
/// ```
///  closed -> connecting -> securing -> busy <-> idle
///     ^----------+------------+---------+--------+
/// ```
final class Connection: Readiness {
    enum State {
        /// To `connecting`, with a request that needs a connection.
        case closed
        /// libcurl makes the TCP connection. To `securing`, or without TLS to `busy`. To `closed` when
        /// it fails.
        case connecting(Connector, InFlightRequest, Attempt)
        /// The TLS handshake. To `busy`; to `closed` when it fails.
        case securing(OpenSocket, InFlightRequest, Attempt)
        /// The request is sent and its response read. To `idle` after a response that leaves the
        /// connection usable; to `connecting` when a kept connection is dead before a byte has left;
        /// to `closed` otherwise.
        case busy(OpenSocket, InFlightRequest)
        /// Kept for another request. To `busy`; to `closed` when the server ends the connection.
        case idle(OpenSocket)
    }

    /// An attempt to connect, TLS included.
    struct Attempt {
        var began: Instant
        var deadline: Int64
    }

    /// Safe because the engine keeps its connections; unsafe because this is read a dozen times for
    /// each request.
    unowned(unsafe) let engine: DirectEngine
    let home: OriginLinks
    /// In each `Roster.List`.
    var positions: InlineArray<3, Int> = [0, 0, 0]
    var state = State.closed

    /// It leads to any of these.
    let addresses: [IPAddress]
    let proxy: ProxyRoute.Proxy?
    private let source: IPAddress?

    init(
        _ engine: DirectEngine, in home: OriginLinks, to addresses: [IPAddress],
        through proxy: ProxyRoute.Proxy?, from source: IPAddress?
    ) {
        self.engine = engine
        self.home = home
        self.addresses = addresses
        self.proxy = proxy
        self.source = source
    }

    var isTLS: Bool { home.origin.scheme == .https }

    var request: InFlightRequest? {
        switch state {
        case .connecting(_, let request, _), .securing(_, let request, _), .busy(_, let request):
            request
        case .closed, .idle: nil
        }
    }

    var socket: OpenSocket? {
        switch state {
        case .securing(let socket, _, _), .busy(let socket, _), .idle(let socket): socket
        case .closed, .connecting: nil
        }
    }

    /// When the request, or the attempt to connect, times out; nil when there is neither.
    var deadline: Int64? {
        switch state {
        case .connecting(_, _, let attempt), .securing(_, _, let attempt): attempt.deadline
        case .busy(_, let request): request.limit
        case .closed, .idle: nil
        }
    }

    // MARK: Connecting

    /// Makes the connection and sends `request` over it.
    func connect(for request: InFlightRequest) {
        let began = engine.now
        let attempt = Attempt(
            began: began, deadline: engine.connectDeadline(from: began, until: request.limit))
        let connector: Connector
        do throws(WireError) { connector = try engine.lendConnector() } catch {
            return end(request, .refused(TransportError(.localLimit, error.description)))
        }
        // libcurl may be done before `begin` returns.
        state = .connecting(connector, request, attempt)
        home.open.add(self)
        engine.links.add(self)
        do throws(WireError) {
            try connector.begin(
                home.origin, to: addresses, through: proxy, from: source,
                within: engine.settings.connectTimeout ?? engine.settings.timeout, for: self)
        } catch {
            engine.takeBack(connector)
            finish(.refused(TransportError(.localLimit, error.description)))
        }
    }

    /// libcurl could not make the connection.
    func notConnected(_ code: CURLcode, _ words: String, systemError: Int32) {
        fail(LineFault(code, words), systemError: systemError)
    }

    /// libcurl has made the connection and handed it over.
    func connected(_ connected: Connector.Connected) {
        guard case .connecting(_, let request, let attempt) = state else {
            preconditionFailure("a connection was made that nobody waits for")
        }
        let socket = OpenSocket(connected, began: attempt.began)
        engine.loop.watch(socket.descriptor, for: .readable, by: self)
        guard isTLS else { return begin(request, on: socket) }
        state = .securing(socket, request, attempt)
        do throws(LineFault) {
            socket.stream.tls = try engine.tls().stream(
                over: socket.descriptor, to: home.origin.host, home: home)
        } catch {
            return fail(error)
        }
        guard socket.stream.tls != nil else { return fail(LineFault(CURLE_OUT_OF_MEMORY, "")) }
        secure(socket, request)
    }

    /// Continues the handshake.
    private func secure(_ socket: OpenSocket, _ request: InFlightRequest) {
        guard let tls = socket.stream.tls else { return }
        switch tls.handshake() {
        case .wantsReading: watch(socket, forWriting: false)
        case .wantsWriting: watch(socket, forWriting: true)
        case .failed(let fault): fail(fault)
        case .done:
            socket.secured(at: engine.now, isResumed: tls.isResumed)
            if engine.settings.connections != .fresh { tls.keepSmall() }
            watch(socket, forWriting: false)
            begin(request, on: socket)
        }
    }

    // MARK: A request

    /// Sends over the idle connection.
    @inline(__always)
    func send(_ request: InFlightRequest) {
        guard case .idle(let socket) = state else {
            preconditionFailure("only an idle connection takes a request")
        }
        begin(request, on: socket)
    }

    @inline(__always)
    private func begin(_ request: InFlightRequest, on socket: OpenSocket) {
        state = .busy(socket, request)
        push(request, on: socket)
    }

    /// Sends the last byte, which was held back.
    func letGo() {
        guard case .busy(let socket, let request) = state, request.leaveGate() else { return }
        request.limit = engine.deadline(from: engine.now)
        push(request, on: socket)
    }

    func ready(_ descriptor: Int32, _ events: Events) {
        guard descriptor == socket?.descriptor else { return }
        switch state {
        case .busy(let socket, let request):
            // A broken connection cannot be written to, but may still hold a response.
            if events.contains(.writable) { push(request, on: socket) }
            receive()
        case .idle(let socket): look(at: socket)
        case .securing(let socket, let request, _): secure(socket, request)
        case .connecting, .closed: break
        }
    }

    /// Sends the rest of the request, without the last byte if that is held back.
    private func push(_ request: InFlightRequest, on socket: OpenSocket) {
        switch request.push(over: socket.stream, at: engine.now) {
        case .done: watch(socket, forWriting: false)
        case .reached(let gate):
            engine.giveUpOutbox(to: request)
            watch(socket, forWriting: false)
            gate.open(self)
        case .blocked:
            engine.giveUpOutbox(to: request)
            watch(socket, forWriting: true)
        case .failed(let fault): sendFailed(fault)
        }
    }

    /// A kept connection that turns out to be dead before a byte has left is replaced by a new one: the
    /// service cannot have acted (RFC 9110, 9.2.2).
    private func sendFailed(_ fault: LineFault) {
        guard case .busy(let socket, let request) = state else { return }
        guard request.sent == nil else {
            // The service may have responded before it stopped reading (RFC 9112, 9.5).
            receive()
            if isBusy(on: socket) { fail(fault) }
            return
        }
        guard socket.route.reused, !request.hasReconnected else { return fail(fault) }
        engine.giveUpOutbox(to: request)
        request.restart()
        close()
        connect(for: request)
    }

    @inline(__always)
    private func watch(_ socket: OpenSocket, forWriting isWatched: Bool) {
        guard isWatched != socket.isWatchedForWriting else { return }
        socket.isWatchedForWriting = isWatched
        engine.loop.watch(
            socket.descriptor, for: isWatched ? [.readable, .writable] : .readable, by: self)
    }

    /// Reads until the response is complete or nothing is left.
    private func receive() {
        guard case .busy(let socket, _) = state else { return }
        let inbox = engine.inbox
        var stamp: Int64 = 0
        while true {
            switch socket.stream.receive(into: inbox, stamp: &stamp) {
            case .blocked: return
            case .failed(let fault): return fail(fault)
            case .ended: return end()
            case .cut: return end(isCut: true)
            case .moved(let count):
                take(count, at: socket.stream.arrival(stamp, by: engine.loop).arrived)
                guard isBusy(on: socket), socket.stream.mayHoldMore(count, of: inbox.count)
                else { return }
            }
        }
    }

    /// Whether it is still busy on `socket`, if perhaps with the next request.
    private func isBusy(on socket: OpenSocket) -> Bool {
        if case .busy(let current, _) = state { current === socket } else { false }
    }

    /// Its own from the first byte of a response on.
    @inline(__always)
    private func reader(of request: InFlightRequest) -> ResponseReader {
        if let reader = request.reader { return reader }
        let lent = engine.lendReader()
        request.reader = lent
        return lent
    }

    /// Parses `count` bytes in the inbox.
    private func take(_ count: Int, at arrived: Instant) {
        guard case .busy(_, let request) = state else { return }
        let reader = self.reader(of: request)
        do throws(ResponseFault) {
            let bytes = UnsafeRawBufferPointer(start: engine.inbox.baseAddress, count: count)
            let used = try reader.feed(bytes, at: arrived)
            guard reader.parser.isComplete else { return }
            // Bytes after the response belong to no request (RFC 9112, 9.2).
            let keeps = used == count && reader.parser.persists && request.isSent
            // The server may have responded before it had the whole request.
            let ended = max(arrived, reader.firstByte ?? arrived, request.sent ?? arrived)
            finish(.answered(reader.takeReply()), keeps: keeps, at: ended)
        } catch {
            finish(failure(error))
        }
    }

    /// The server has ended the connection; `isCut` if TLS did not announce it (close_notify).
    private func end(isCut: Bool = false) {
        guard case .busy(_, let request) = state else { return }
        let reader = self.reader(of: request)
        do throws(ResponseFault) {
            try reader.end(isCut: isCut)
            finish(.answered(reader.takeReply()))
        } catch {
            finish(failure(error))
        }
    }

    /// Whether it is free for another request. Asks the socket, because the lane may not have handled
    /// the latest events yet.
    @inline(__always)
    func isFit() -> Bool {
        guard case .idle(let socket) = state else { return false }
        return socket.stream.isQuiet || look(at: socket)
    }

    /// An event on an idle connection is usually its end. Found here, it fails no request. TLS session
    /// tickets arrive this way too, and are not data. Returns whether the connection is still usable.
    @discardableResult
    private func look(at socket: OpenSocket) -> Bool {
        var stamp: Int64 = 0
        if case .blocked = socket.stream.receive(
            into: UnsafeMutableRawBufferPointer(rebasing: engine.inbox[..<1]), stamp: &stamp)
        {
            return true
        }
        home.idle.remove(self)
        close()
        return false
    }
}
