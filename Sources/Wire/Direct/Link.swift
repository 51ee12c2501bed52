internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// One connection that libcurl made, and the exchange on it at the moment.
///
/// ```
///  closed -> connecting -> busy <-> idle
///     ^----------+-----------+--------+
/// ```
final class Link: Readiness {
    private enum State { case closed, connecting, idle, busy }

    let easy: Easy
    /// Safe because the engine owns the docks, and only a link in a dock is called; unsafe because
    /// this is looked at a dozen times for each exchange.
    private unowned(unsafe) let engine: DirectEngine
    private let home: OriginLinks
    private let words: UnsafeMutablePointer<CChar>
    private let isTLS: Bool
    /// Position among the links of its dock.
    var position = 0
    private var dock: Dock?
    private var state = State.closed
    private var descriptor: Int32 = -1
    private var isWatchedForWriting = false

    // How it was made.
    /// Where it was told to lead: any of these.
    private(set) var addresses: [IPAddress] = []
    private var proxy: ProxyRoute.Proxy?
    private var resolve: UnsafeMutablePointer<curl_slist>?
    private var openFailure: Int32 = 0
    private var openBegan = Instant.start
    private var opened: Opening?
    private var route = Route()

    // The exchange under way.
    private var completion: ((Transfer) -> Void)?
    /// When it is late; 0 when there is none.
    private(set) var deadline: Int64 = 0
    /// Nil once all of it has been sent.
    private var request: RequestBuffer?
    private var written = 0
    /// A byte of it may have left this machine.
    private var hasLeft = false
    private var hasReopened = false
    private var sent = Instant.start
    private var firstByte: Instant?
    private var messagesSeen = 0
    /// Nil until the first byte of the answer has come.
    private var reader: AnswerReader?

    init(_ engine: DirectEngine, in home: OriginLinks) throws(WireError) {
        easy = try Easy()
        self.engine = engine
        self.home = home
        isTLS = home.origin.scheme == .https
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setUp()
    }

    deinit {
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, nil)
        words.deallocate()
        curl_slist_free_all(resolve)
    }

    // MARK: Connecting

    /// What is the same for every connection of this device to this origin.
    private func setUp() {
        // Safe because libcurl calls back only inside calls that the lane makes, on this handle,
        // which the link owns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(easy.handle, CURLOPT_PRIVATE, context)
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, words)
        easy.set(CURLOPT_URL, "\(home.origin)")
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_FRESH_CONNECT, 1)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_NOPROXY, "")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // For what libcurl reads itself: nothing, but of proxies.
        easy.set(CURLOPT_BUFFERSIZE, 1024)
        easy.secure(engine.settings.tls, trust: engine.transport.trust)
        curl_set_open_socket_callback(
            easy.handle,
            { context, _, address in
                guard let context, let address else { return -1 }
                return Unmanaged<Link>.fromOpaque(context).takeUnretainedValue()
                    .openSocket(address.pointee)
            }, context)
        engine.transport.connections.hearClosing(of: easy)
    }

    private func openSocket(_ address: curl_sockaddr) -> Int32 {
        let table = engine.transport.connections
        guard let connection = table.open(address, for: nil, isNamed: false) else {
            openFailure = errno
            return -1
        }
        if engine.settings.sources != nil { SourceAddresses.bindWithoutPort(connection.descriptor) }
        return connection.descriptor
    }

    /// Makes the connection; the request that was prepared follows when it stands.
    func open(to addresses: [IPAddress], through proxy: ProxyRoute.Proxy?) {
        self.addresses = addresses
        self.proxy = proxy
        openFailure = 0
        words.pointee = 0
        openBegan = engine.now
        easy.set(CURLOPT_PROXY, proxy?.url ?? "")
        resolve = ResolveEntry.replacing(
            resolve, host: proxy?.host ?? home.origin.host, port: proxy?.port ?? home.origin.port,
            addresses: addresses)
        easy.set(CURLOPT_RESOLVE, list: resolve)
        let limit = engine.settings.connectTimeout ?? engine.settings.timeout
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds)
        state = .connecting
        home.open.append(self)
        do throws(WireError) {
            let dock = try engine.dock(isTLS: isTLS)
            self.dock = dock
            guard dock.take(self) else { throw .noHandle }
        } catch {
            dock = nil
            finish(.refused(TransportError(.localLimit, error.description)), keeps: false)
        }
    }

    /// libcurl has made the connection, or could not.
    func connected(_ code: CURLcode) {
        guard code == CURLE_OK else { return finish(failure(code).result, keeps: false) }
        descriptor = curl_get_socket(easy.handle)
        let connect = easy.duration(CURLINFO_CONNECT_TIME_T)
        opened = Opening(
            began: openBegan, connect: connect - easy.duration(CURLINFO_NAMELOOKUP_TIME_T),
            tls: isTLS ? easy.duration(CURLINFO_APPCONNECT_TIME_T) - connect : nil)
        route = Route(
            connection: engine.transport.connections[descriptor]?.number ?? 0, reused: false,
            local: ends(CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT),
            remote: ends(CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT))
        isWatchedForWriting = false
        engine.loop.watch(descriptor, for: .readable, by: self)
        state = .busy
        push()
    }

    private func ends(_ address: CURLINFO, _ port: CURLINFO) -> String {
        let text = easy.text(address)
        return "\(text.contains(":") ? "[\(text)]" : text):\(easy.number(port))"
    }

    /// Back to the beginning: the handle may connect again.
    private func close() {
        guard state != .closed else { return }
        state = .closed
        if descriptor >= 0 { engine.loop.forget(descriptor) }
        // Closes the descriptor at once: what only connected is of no use to anybody else.
        dock?.drop(self)
        dock = nil
        descriptor = -1
        home.open.removeAll { $0 === self }
        if !home.isAbandoned { home.spare.append(self) }
    }

    // MARK: An exchange

    /// Sends over the open connection.
    @inline(__always)
    func send(_ request: RequestBuffer, begun: Instant, completion: @escaping (Transfer) -> Void) {
        prepare(request, begun: begun, from: nil, completion: completion)
        state = .busy
        push()
    }

    /// Takes up an exchange; it begins with `open`.
    func prepare(
        _ request: RequestBuffer, begun: Instant, from source: IPAddress?,
        completion: @escaping (Transfer) -> Void
    ) {
        if let source { easy.set(CURLOPT_INTERFACE, "host!\(source)") }
        self.completion = completion
        self.request = request
        deadline = engine.deadline(from: begun)
        written = 0
        hasLeft = false
        hasReopened = false
        firstByte = nil
        messagesSeen = 0
    }

    func ready(_ descriptor: Int32, _ events: Events) {
        guard descriptor == self.descriptor else { return }
        switch state {
        case .busy:
            // A broken connection has nothing to write to, but perhaps an answer to read.
            if request != nil, events.contains(.writable) { push() }
            if state == .busy { receive() }
        case .idle: look()
        case .connecting, .closed: break
        }
    }

    /// Sends what is left of the request.
    private func push() {
        guard let request else { return }
        let rest = request.contents(from: written)
        var count = 0
        // Each attempt holds the last byte, so the stamp of the last attempt is that byte's.
        sent = engine.now
        let code = curl_easy_send(easy.handle, rest.baseAddress, rest.count, &count)
        written += count
        // A TLS record that could not be written whole may have left in part; a failed write of
        // several records may have left some of them.
        if count > 0 || isTLS && (code == CURLE_AGAIN || rest.count > 16384) { hasLeft = true }
        if code == CURLE_OK, count == rest.count {
            self.request = nil
            if isWatchedForWriting { watchForWriting(false) }
        } else if code == CURLE_OK || code == CURLE_AGAIN {
            if request === engine.outbox { engine.giveUpOutbox() }
            if !isWatchedForWriting { watchForWriting(true) }
        } else {
            sendFailed(code)
        }
    }

    /// A kept connection that turns out to be dead before a byte has left costs a new one, nothing
    /// else: the service cannot have acted (RFC 9110, 9.2.2).
    private func sendFailed(_ code: CURLcode) {
        guard !hasLeft else {
            // The service may have answered before it stopped listening (RFC 9112, 9.5).
            receive()
            if state == .busy { finish(failure(code).result, keeps: false) }
            return
        }
        guard route.reused, !hasReopened, let request else {
            return finish(failure(code).result, keeps: false)
        }
        if request === engine.outbox { engine.giveUpOutbox() }
        hasReopened = true
        written = 0
        close()
        home.spare.removeAll { $0 === self }
        open(to: addresses, through: proxy)
    }

    private func watchForWriting(_ isWatched: Bool) {
        isWatchedForWriting = isWatched
        engine.loop.watch(
            descriptor, for: isWatched ? [.readable, .writable] : .readable, by: self)
    }

    /// Reads until the answer is complete or nothing is left. TLS may hold bytes that epoll will not
    /// announce, so there only `CURLE_AGAIN` means nothing; a short read from a socket does as well.
    private func receive() {
        let inbox = engine.inbox
        while true {
            var count = 0
            let code = curl_easy_recv(easy.handle, inbox.baseAddress, inbox.count, &count)
            if code == CURLE_AGAIN { return }
            guard code == CURLE_OK else { return finish(failure(code).result, keeps: false) }
            let now = engine.now
            do throws(ResponseFault) {
                let reader = reader ?? engine.lendReader()
                self.reader = reader
                guard count > 0 else {
                    try reader.parser.end()
                    return answered(reader, at: now, keeps: false)
                }
                let used = try reader.parser.feed(
                    UnsafeRawBufferPointer(start: inbox.baseAddress, count: count))
                if reader.parser.messagesBegun != messagesSeen {
                    messagesSeen = reader.parser.messagesBegun
                    firstByte = now
                }
                // Bytes after the answer belong to nothing (RFC 9112, 9.2).
                if reader.parser.isComplete {
                    return answered(reader, at: now, keeps: used == count)
                }
            } catch {
                return finish(failure(error), keeps: false)
            }
            if !isTLS, count < inbox.count { return }
        }
    }

    /// Something happened on a connection that nobody uses: its end, as a rule. Found here, and not
    /// by a request that fails; TLS session tickets come this way too, and are no bytes of ours.
    private func look() {
        var byte: UInt8 = 0
        var count = 0
        guard curl_easy_recv(easy.handle, &byte, 1, &count) != CURLE_AGAIN else { return }
        home.idle.removeAll { $0 === self }
        close()
    }

    // MARK: The end of an exchange

    private func answered(_ reader: AnswerReader, at now: Instant, keeps: Bool) {
        let keeps = keeps && reader.parser.persists && request == nil
        finish(.answered(reader.parser.takeReply()), keeps: keeps, at: now)
    }

    private func finish(_ result: Transfer.Result, keeps: Bool, at now: Instant? = nil) {
        guard let completion else { return close() }
        let transfer = Transfer(
            sent: hasLeft ? sent : nil,
            firstByte: reader?.parser.isFinal == true ? firstByte : nil, ended: now ?? engine.now,
            result: result, route: route, bytesReceived: reader?.parser.bodyBytes ?? 0,
            opened: opened)
        if let reader { engine.takeBack(reader) }
        reader = nil
        self.completion = nil
        request = nil
        deadline = 0
        opened = nil
        route.reused = true
        if keeps, engine.settings.connections != .fresh {
            state = .idle
            home.idle.append(self)
        } else {
            close()
        }
        completion(transfer)
    }

    /// The time of the exchange is over.
    func expire() {
        guard completion != nil else { return }
        finish(failure(CURLE_OPERATION_TIMEDOUT).result, keeps: false)
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

    private func failure(_ code: CURLcode) -> TransferFailure {
        let systemError = openFailure != 0 ? openFailure : Int32(easy.number(CURLINFO_OS_ERRNO))
        let isStale = route.reused && state == .busy && messagesSeen == 0
        return TransferFailure(
            code: code, words: String(cString: words),
            systemError: state == .connecting ? systemError : 0, origin: home.origin,
            proxy: proxy?.url, timeout: engine.settings.timeout, excess: nil,
            responseLimit: engine.settings.responseLimit, hasSent: hasLeft,
            wouldRepeat: isStale && hasLeft && code != CURLE_OPERATION_TIMEDOUT,
            usesTLSFiles: engine.settings.tls.certificate != nil, isFirstUse: !route.reused)
    }

    private func failure(_ fault: ResponseFault) -> Transfer.Result {
        let code =
            switch fault {
            case .unanswered: CURLE_GOT_NOTHING
            case .cutOff: CURLE_PARTIAL_FILE
            default: CURLE_WEIRD_SERVER_REPLY
            }
        var failure = failure(code)
        failure.fault = fault
        switch fault {
        case .headTooLong: failure.excess = .head
        case .bodyTooLong: failure.excess = .body
        default: break
        }
        if fault != .unanswered { failure.wouldRepeat = false }
        return failure.result
    }
}
