internal import CCurl
internal import Dialects
internal import Journal
internal import Lanes

/// A libcurl handle with its buffers, used for one request of its device slot after another.
final class TransferHandle {
    enum State {
        /// In its slot. To `carrying` or `closing`.
        case idle
        /// To `idle` when the request has ended; once to `carrying` again, if it met a useless
        /// connection.
        case carrying(TransferAttempt)
        /// Visits the connections of a device that is gone. To `idle`.
        case closing(DeviceSlot)
    }
    private(set) var state = State.idle

    let easy: Easy
    unowned let transport: CurlTransport
    /// Position among the shard's handles in use.
    var position = 0

    private let headers = HeaderList()
    /// libcurl's own description of an error.
    let words: UnsafeMutablePointer<CChar>
    private var resolve: UnsafeMutablePointer<curl_slist>?
    var reader: ReplyReader
    /// The connection of prior knowledge that it opened.
    weak var own: TCPConnection?

    init(_ transport: CurlTransport) throws(WireError) {
        easy = try Easy()
        self.transport = transport
        reader = ReplyReader(limit: transport.settings.responseLimit)
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        prepare()
        hearCallbacks()
    }

    deinit {
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, nil)
        words.deallocate()
        curl_slist_free_all(resolve)
    }

    /// The attempt under way.
    var attempt: TransferAttempt? {
        if case .carrying(let attempt) = state { attempt } else { nil }
    }

    /// Whose it is while it is in use. A slot owns its idle handles, a handle in use its slot.
    var deviceSlot: DeviceSlot? {
        switch state {
        case .idle: nil
        case .carrying(let attempt): attempt.deviceSlot
        case .closing(let deviceSlot): deviceSlot
        }
    }

    /// Whether it has a connection of prior knowledge to continue on.
    var hasOwn: Bool { own != nil }

    /// What is the same for every request.
    private func prepare() {
        let settings = transport.settings
        curl_set_pointer(
            easy.handle, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, words)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_NOPROXY, "")
        // libcurl gives each of several addresses a part of it.
        easy.set(
            CURLOPT_CONNECTTIMEOUT_MS, (settings.connectTimeout ?? settings.timeout).milliseconds)
        switch settings.http {
        case .http1: easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A second request of a device waits for the first one's connection and shares it.
        case .http2: easy.set(CURLOPT_PIPEWAIT, 1)
        }
        easy.secure(settings.tls, trust: transport.trust)
        Farewell.listen(to: easy)
    }

    // MARK: To carrying

    /// Takes up a request; the shard starts it.
    func take(
        _ pendingRequest: PendingRequest, from deviceSlot: DeviceSlot, proxy: ProxyRoute.Proxy?,
        addresses: [IPAddress]
    ) {
        let way = deviceSlot.way(to: pendingRequest.origin)
        let isFresh = transport.settings.connections == .fresh
        let connectsAnew = isFresh || pendingRequest.connectsAnew
        // HTTP/2 without TLS has prior knowledge (RFC 9113, 3.3).
        let isPrior = transport.settings.http == .http2 && way.origin.scheme == .http
        let attempt = TransferAttempt(
            pendingRequest, of: deviceSlot, over: way, through: proxy, to: addresses,
            began: transport.lane.now,
            continuesOwn: isPrior && !connectsAnew && hasOwn
                && deviceSlot.connections.count <= 1)
        begin(.carrying(attempt))
        let call = pendingRequest.call
        easy.set(CURLOPT_URL, "\(way.origin)\(RequestTarget.escaped(call.address.target))")
        easy.set(CURLOPT_FRESH_CONNECT, connectsAnew ? 1 : 0)
        easy.set(CURLOPT_FORBID_REUSE, isFresh ? 1 : 0)
        if transport.settings.http == .http2 { speak2(attempt, isFresh: isFresh) }
        let hasBody = call.method == .post || !call.body.isEmpty
        if hasBody { easy.set(body: call.body) } else { easy.set(CURLOPT_HTTPGET, 1) }
        easy.set(CURLOPT_CUSTOMREQUEST, call.method == .delete ? call.method.rawValue : nil)
        easy.set(CURLOPT_HTTPHEADER, list: headers.fill(call.headers, hasBody: hasBody))
        if let source = transport.settings.sources?.address(of: pendingRequest.device.id) {
            easy.set(CURLOPT_INTERFACE, "host!\(source)")
        }
        easy.set(CURLOPT_PROXY, proxy?.url ?? "")
        easy.set(CURLOPT_CONNECT_TO, list: proxy == nil ? way.connectTo : nil)
        tell(addresses, way, deviceSlot, proxy)
        // The shard has the deadline.
        easy.set(CURLOPT_TIMEOUT_MS, 0)
    }

    /// When its request times out, in nanoseconds; nil where it carries none.
    var deadline: Int64? {
        attempt.map { ($0.pendingRequest.began + transport.settings.timeout).nanoseconds }
    }

    /// HTTP/2 by ALPN over TLS, at once without (RFC 9113, 3.3).
    ///
    /// On a connection of prior knowledge libcurl 7.88 begins HTTP/2 a second time when it is asked
    /// for prior knowledge again ("Error in the HTTP2 framing layer"). Asked for an upgrade instead,
    /// it finds a connection that speaks HTTP/2 already, and uses it: but only the handle that
    /// opened it may (the streams of another come to nothing), and only while it is the only one.
    private func speak2(_ attempt: TransferAttempt, isFresh: Bool) {
        guard !attempt.isTLS else {
            return easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
        let continues = attempt.continuesOwn
        easy.set(
            CURLOPT_HTTP_VERSION,
            Int(continues ? CURL_HTTP_VERSION_2_0 : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        easy.set(CURLOPT_FRESH_CONNECT, continues ? 0 : 1)
        // One for the device is kept; others, of requests at the same time, are not.
        let isSecond = !attempt.deviceSlot.connections.isEmpty && !continues
        easy.set(CURLOPT_FORBID_REUSE, isFresh || isSecond ? 1 : 0)
    }

    /// A second attempt, if the first one met a useless connection and sent nothing. False otherwise.
    func beginsAgain() -> Bool {
        guard let attempt, let cause = attempt.stopCause, cause != .wouldRepeat else {
            return false
        }
        own = nil
        take(
            attempt.pendingRequest, from: attempt.deviceSlot, proxy: attempt.proxy,
            addresses: attempt.addresses)
        if cause == .staleConnection { easy.set(CURLOPT_FRESH_CONNECT, 1) }
        return true
    }

    // MARK: To closing

    /// Visits the connections of a device that is gone: libcurl finds them dead and closes them. It
    /// may not open another.
    func bury(_ way: OriginRoute, of deviceSlot: DeviceSlot, addresses: [IPAddress]) {
        begin(.closing(deviceSlot))
        easy.set(CURLOPT_URL, "\(way.origin)/")
        easy.set(CURLOPT_HTTPGET, 1)
        easy.set(CURLOPT_HTTPHEADER, list: nil)
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_FRESH_CONNECT, 0)
        easy.set(CURLOPT_CONNECT_TO, list: way.connectTo)
        tell(addresses, way, deviceSlot, nil)
        easy.set(CURLOPT_TIMEOUT_MS, 1000)
    }

    // MARK: To idle

    /// Hands back its slot.
    func leave() -> DeviceSlot? {
        defer { state = .idle }
        return deviceSlot
    }

    private func begin(_ state: State) {
        self.state = state
        words.pointee = 0
        reader.reset()
    }

    /// Tells libcurl the addresses that permission was given for; it never resolves by itself.
    private func tell(
        _ addresses: [IPAddress], _ way: OriginRoute, _ deviceSlot: DeviceSlot,
        _ proxy: ProxyRoute.Proxy?
    ) {
        easy.set(CURLOPT_RESOLVE, list: nil)
        curl_slist_free_all(resolve)
        resolve = nil
        let name: String? =
            if let proxy {
                IPAddress(proxy.host) == nil ? "\(proxy.host):\(proxy.port)" : nil
            } else {
                way.resolvedName
            }
        guard let name, way.told != addresses else { return }
        way.told = addresses
        for gone in deviceSlot.shard.takeForgotten() {
            resolve = curl_slist_append(resolve, "-\(gone)")
        }
        let list = addresses.map(\.bracketed).joined(separator: ",")
        resolve = curl_slist_append(resolve, "\(name):\(list)")
        easy.set(CURLOPT_RESOLVE, list: resolve)
    }
}
