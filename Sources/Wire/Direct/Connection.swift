internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// One connection of one device, and the exchange on it at the moment.
///
/// ```
///  closed -> connecting -> securing -> busy <-> idle
///     ^----------+------------+---------+--------+
/// ```
final class Connection: Readiness {
    private enum State { case closed, connecting, securing, idle, busy }

    /// Safe because the engine keeps its links; unsafe because this is looked at a dozen times for
    /// each exchange.
    private unowned(unsafe) let engine: DirectEngine
    private let home: OriginLinks
    /// Position among the links of the engine.
    var position = 0
    private var state = State.closed
    private var line = ByteStream(descriptor: -1)
    private var isWatchedForWriting = false

    // How it was made.
    /// Where it was told to lead: any of these.
    let addresses: [IPAddress]
    private let proxy: ProxyRoute.Proxy?
    private let source: IPAddress?
    private var connector: Connector?
    private var opened: Opening?
    private var route = Route()

    // The exchange under way.
    private var completion: ((Transfer) -> Void)?
    /// When it is late, or the making of its connection is; 0 when there is none.
    private(set) var deadline: Int64 = 0
    /// When the exchange is late.
    private var limit: Int64 = 0
    /// Nil once all of it has been sent.
    private var request: RequestBuffer?
    private var written = 0
    /// Called once all but the last byte has been sent, which then waits for `letGo`.
    private var gate: ReadyGate?
    private var isHeld = false
    /// A byte of it may have left this machine.
    private var hasLeft = false
    private var hasReopened = false
    private var sent = Instant.start
    private var firstByte: Instant?
    private var messagesSeen = 0
    /// Nil until the first byte of the answer has come.
    private var reader: AnswerReader?

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

    private var isTLS: Bool { home.origin.scheme == .https }

    // MARK: Connecting

    /// Makes the connection; the request that was prepared follows when it stands.
    func open() {
        let began = engine.now
        opened = Opening(began: began, connect: .zero)
        deadline = engine.connectDeadline(from: began, until: limit)
        state = .connecting
        home.open.append(self)
        engine.add(self)
        do throws(WireError) {
            let connector = try engine.lendDial()
            self.connector = connector
            try connector.begin(
                home.origin, to: addresses, through: proxy, from: source,
                within: engine.settings.connectTimeout ?? engine.settings.timeout, for: self)
        } catch {
            if let connector { engine.takeBack(connector) }
            connector = nil
            finish(.refused(TransportError(.localLimit, error.description)), keeps: false)
        }
    }

    /// libcurl could not make the connection.
    func notConnected(_ code: CURLcode, _ words: String, systemError: Int32) {
        connector = nil
        fail(failure(LineFault(code, words), systemError: systemError))
    }

    /// libcurl has made the connection, and left it to us.
    func connected(_ connected: Connector.Connected) {
        connector = nil
        line = ByteStream(descriptor: connected.descriptor)
        opened?.connect = connected.took
        route = connected.route
        isWatchedForWriting = false
        engine.loop.watch(line.descriptor, for: .readable, by: self)
        guard isTLS else { return begin() }
        do throws(LineFault) {
            let tls = try engine.tls()
            line.tls = tls.stream(over: line.descriptor, to: home.origin.host, home: home)
        } catch {
            state = .securing
            return fail(failure(error))
        }
        state = .securing
        guard line.tls != nil else { return fail(failure(LineFault(CURLE_OUT_OF_MEMORY, ""))) }
        secure()
    }

    /// Goes on with the handshake.
    private func secure() {
        guard let tls = line.tls, let opened else { return }
        switch tls.handshake() {
        case .wantsReading: watchForWriting(false)
        case .wantsWriting: watchForWriting(true)
        case .failed(let fault): fail(failure(fault))
        case .done:
            self.opened?.tls = (engine.now - opened.began) - opened.connect
            route.tlsResumed = tls.isResumed
            if engine.settings.connections != .fresh { tls.keepSmall() }
            watchForWriting(false)
            begin()
        }
    }

    private func begin() {
        state = .busy
        deadline = limit
        push()
    }

    private func close() {
        guard state != .closed else { return }
        connector?.giveUp()
        connector = nil
        endLine()
        state = .closed
        home.open.removeAll { $0 === self }
        engine.remove(self)
    }

    private func endLine() {
        guard line.descriptor >= 0 else { return }
        line.tls?.close()
        engine.connections.close(line.descriptor)
        line = ByteStream(descriptor: -1)
    }

    /// The lane is gone, and its loop is not asked any more.
    func abandon() {
        endLine()
        state = .closed
    }

    // MARK: An exchange

    /// Sends over the open connection.
    @inline(__always)
    func send(
        _ request: RequestBuffer, begun: Instant, gate: ReadyGate? = nil,
        completion: @escaping (Transfer) -> Void
    ) {
        prepare(request, begun: begun, gate: gate, completion: completion)
        state = .busy
        push()
    }

    /// Takes up an exchange; it begins with `open`. With a `gate`, which is called when only the last
    /// byte is missing, that byte waits for `letGo`.
    @inline(__always)
    func prepare(
        _ request: RequestBuffer, begun: Instant, gate: ReadyGate? = nil,
        completion: @escaping (Transfer) -> Void
    ) {
        self.completion = completion
        self.request = request
        self.gate = gate
        isHeld = gate != nil
        limit = engine.deadline(from: begun)
        deadline = limit
        written = 0
        hasLeft = false
        hasReopened = false
        firstByte = nil
        messagesSeen = 0
    }

    /// Sends the last byte, which was held back.
    func letGo() {
        guard isHeld, completion != nil else { return }
        isHeld = false
        gate = nil
        limit = engine.deadline(from: engine.now)
        guard state == .busy else { return }
        deadline = limit
        push()
    }

    func ready(_ descriptor: Int32, _ events: Events) {
        guard descriptor == line.descriptor else { return }
        switch state {
        case .busy:
            // A broken connection has nothing to write to, but perhaps an answer to read.
            if request != nil, events.contains(.writable) { push() }
            if state == .busy { receive() }
        case .idle: look()
        case .securing: secure()
        case .connecting, .closed: break
        }
    }

    /// Sends what is left of the request, or all of it but the last byte.
    private func push() {
        guard let request else { return }
        let rest = request.contents(from: written, to: isHeld ? request.count - 1 : request.count)
        guard !rest.isEmpty else { return reachedGate() }
        // Each attempt holds the last byte, so the stamp of the last attempt is that byte's.
        sent = engine.now
        switch line.send(rest) {
        case .moved(let count):
            hasLeft = true
            written += count
            if written == request.count {
                self.request = nil
                if isWatchedForWriting { watchForWriting(false) }
            } else if count == rest.count {
                reachedGate()
            } else {
                waitForRoom(request)
            }
        case .blocked:
            // A TLS record that could not be written whole may have left in part.
            if isTLS { hasLeft = true }
            waitForRoom(request)
        case .ended, .cut: sendFailed(LineFault(CURLE_SEND_ERROR, "connection closed"))
        case .failed(let fault):
            // Of several records, some may have left.
            if isTLS, rest.count > 16384 { hasLeft = true }
            sendFailed(fault)
        }
    }

    private func waitForRoom(_ request: RequestBuffer) {
        if request === engine.outbox { engine.giveUpOutbox() }
        if !isWatchedForWriting { watchForWriting(true) }
    }

    private func reachedGate() {
        if request === engine.outbox { engine.giveUpOutbox() }
        if isWatchedForWriting { watchForWriting(false) }
        let gate = gate
        self.gate = nil
        gate?.open(self)
    }

    /// A kept connection that turns out to be dead before a byte has left costs a new one, nothing
    /// else: the service cannot have acted (RFC 9110, 9.2.2).
    private func sendFailed(_ fault: LineFault) {
        guard !hasLeft else {
            // The service may have answered before it stopped listening (RFC 9112, 9.5).
            receive()
            if state == .busy { fail(failure(fault)) }
            return
        }
        guard route.reused, !hasReopened, let request else { return fail(failure(fault)) }
        if request === engine.outbox { engine.giveUpOutbox() }
        hasReopened = true
        written = 0
        close()
        open()
    }

    private func watchForWriting(_ isWatched: Bool) {
        guard isWatched != isWatchedForWriting else { return }
        isWatchedForWriting = isWatched
        engine.loop.watch(
            line.descriptor, for: isWatched ? [.readable, .writable] : .readable, by: self)
    }

    /// Reads until the answer is complete or nothing is left.
    private func receive() {
        let inbox = engine.inbox
        while true {
            switch line.receive(into: inbox) {
            case .blocked: return
            case .failed(let fault): return fail(failure(fault))
            case .ended: return take(0)
            case .cut: return take(0, isCut: true)
            case .moved(let count):
                take(count)
                guard state == .busy, completion != nil, line.mayHoldMore(count, of: inbox.count)
                else { return }
            }
        }
    }

    /// Reads what came into the inbox; nothing: the end of the connection, with or without the farewell
    /// of TLS.
    private func take(_ count: Int, isCut: Bool = false) {
        let now = engine.now
        do throws(ResponseFault) {
            let reader = reader ?? engine.lendReader()
            self.reader = reader
            guard count > 0 else {
                try reader.parser.end(isCut: isCut)
                return answered(reader, at: now, keeps: false)
            }
            let used = try reader.parser.feed(
                UnsafeRawBufferPointer(start: engine.inbox.baseAddress, count: count))
            if reader.parser.messagesBegun != messagesSeen {
                messagesSeen = reader.parser.messagesBegun
                firstByte = now
            }
            // Bytes after the answer belong to nothing (RFC 9112, 9.2).
            if reader.parser.isComplete { answered(reader, at: now, keeps: used == count) }
        } catch {
            finish(failure(error), keeps: false)
        }
    }

    /// Whether it is free for another request; looks at the connection itself, because its lane may not
    /// have heard yet what came.
    @inline(__always)
    func isFit() -> Bool {
        if !line.isQuiet { look() }
        return state == .idle
    }

    /// Something happened on a connection that nobody uses: its end, as a rule. Found here, and not
    /// by a request that fails; TLS session tickets come this way too, and are no bytes of ours.
    private func look() {
        if case .blocked = line.receive(
            into: UnsafeMutableRawBufferPointer(rebasing: engine.inbox[..<1]))
        {
            return
        }
        home.idle.removeAll { $0 === self }
        close()
    }

    // MARK: The end of an exchange

    private func answered(_ reader: AnswerReader, at now: Instant, keeps: Bool) {
        let keeps = keeps && reader.parser.persists && request == nil
        finish(.answered(reader.parser.takeReply()), keeps: keeps, at: now)
    }

    private func fail(_ failure: TransferFailure) { finish(failure.result, keeps: false) }

    private func finish(_ result: Transfer.Result, keeps: Bool, at now: Instant? = nil) {
        guard let completion else { return close() }
        let transfer = Transfer(
            sent: hasLeft ? sent : nil,
            firstByte: reader?.parser.isFinal == true ? firstByte : nil, ended: now ?? engine.now,
            result: result, route: route, bytesReceived: reader?.parser.bodyBytes ?? 0,
            opened: line.descriptor < 0 ? nil : opened)
        if let reader { engine.takeBack(reader) }
        reader = nil
        self.completion = nil
        request = nil
        deadline = 0
        if keeps, engine.settings.connections != .fresh {
            opened = nil
            route.reused = true
            state = .idle
            home.idle.append(self)
        } else {
            close()
        }
        // It ended before the gate: whoever waits there learns it too.
        let gate = gate
        self.gate = nil
        gate?.open(nil)
        completion(transfer)
    }

    /// The time of the exchange, or of making its connection, is over.
    func expire() {
        guard completion != nil else { return }
        fail(failure(LineFault(CURLE_OPERATION_TIMEDOUT, "")))
    }

    /// Ends the exchange under way. `closes`: the connection as well, if there is none.
    func stop(_ error: TransportError, closes: Bool) {
        if completion != nil {
            finish(hasLeft ? .lost(error) : .refused(error), keeps: false)
        } else if closes {
            home.idle.removeAll { $0 === self }
            close()
        }
    }

    // MARK: Failures

    private func failure(_ fault: LineFault, systemError: Int32 = 0) -> TransferFailure {
        let isStale = route.reused && state == .busy && messagesSeen == 0
        return TransferFailure(
            code: fault.code, words: fault.words, systemError: systemError, origin: home.origin,
            proxy: proxy?.shown, timeout: engine.settings.timeout, excess: nil,
            responseLimit: engine.settings.responseLimit, hasSent: hasLeft,
            isSecuring: state == .securing,
            wouldRepeat: isStale && hasLeft && fault.code != CURLE_OPERATION_TIMEDOUT,
            usesTLSFiles: engine.settings.tls.certificate != nil, isFirstUse: !route.reused,
            speaker: state == .connecting ? "libcurl" : isTLS ? "libssl" : "system")
    }

    private func failure(_ fault: ResponseFault) -> Transfer.Result {
        var failure = failure(LineFault(fault.code, ""))
        failure.fault = fault
        failure.excess = fault.excess
        if fault != .unanswered { failure.wouldRepeat = false }
        return failure.result
    }
}
