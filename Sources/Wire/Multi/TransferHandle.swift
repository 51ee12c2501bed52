internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// A libcurl handle with its buffers, and the exchange it carries at the moment. Used again for the
/// next exchange of its seat.
final class TransferHandle {
    let easy: Easy
    private unowned let transport: CurlTransport
    /// Whose exchange it carries. A seat owns its idle carriers, a carrier under way its seat.
    private(set) var deviceSlot: DeviceSlot?
    /// Position among the shard's carriers under way.
    var position = 0

    private let headers = HeaderList()
    private let words: UnsafeMutablePointer<CChar>
    private var resolve: UnsafeMutablePointer<curl_slist>?
    private var reader: ReplyReader

    // Of the exchange under way.
    private var pendingRequest: PendingRequest?
    private var way: OriginRoute?
    private var proxy: ProxyRoute.Proxy?
    private var began = Instant.start
    private var sent: Instant?
    private var firstByte: Instant?
    private var connection: TCPConnection?
    /// What libcurl opened last for this exchange.
    private var opened: TCPConnection?
    private var isReused = false
    /// Bytes that libcurl had sent before the request itself (`CONNECT` to a proxy).
    private var bytesBefore = 0
    private var wouldRepeat = false
    /// It goes on with `own`, the connection of prior knowledge that it opened.
    private var continues = false
    private weak var own: TCPConnection?
    /// That was gone.
    private var lostOwn = false
    /// The kept connection that libcurl chose had ended, or held bytes that nobody asked for.
    private var metStale = false
    private var orders: (proxy: ProxyRoute.Proxy?, addresses: [IPAddress])?
    private var openFailure: Int32 = 0

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

    // MARK: Before

    /// What is the same for every exchange.
    private func prepare() {
        let settings = transport.settings
        curl_set_pointer(
            easy.handle, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, words)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_NOPROXY, "")
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

    /// Takes up an exchange; the shard starts it.
    func take(
        _ pendingRequest: PendingRequest, from deviceSlot: DeviceSlot, proxy: ProxyRoute.Proxy?,
        addresses: [IPAddress]
    ) {
        let way = deviceSlot.way(to: pendingRequest.origin)
        orders = (proxy, addresses)
        begin(pendingRequest, deviceSlot, way, proxy)
        let call = pendingRequest.call
        easy.set(CURLOPT_URL, "\(way.origin)\(RequestTarget.escaped(call.address.target))")
        let isFresh = transport.settings.connections == .fresh
        easy.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        easy.set(CURLOPT_FORBID_REUSE, isFresh ? 1 : 0)
        if transport.settings.http == .http2 { speak2(way, deviceSlot, isFresh: isFresh) }
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
        let left = transport.settings.timeout - (transport.lane.now - pendingRequest.began)
        easy.set(CURLOPT_TIMEOUT_MS, max(1, left.milliseconds))
    }

    /// HTTP/2 by ALPN over TLS, at once without (RFC 9113, 3.3).
    ///
    /// On a connection of prior knowledge libcurl 7.88 begins HTTP/2 a second time when it is asked
    /// for prior knowledge again ("Error in the HTTP2 framing layer"). Asked for an upgrade instead,
    /// it finds a connection that speaks HTTP/2 already, and uses it: but only the handle that
    /// opened it may (the streams of another come to nothing), and only while it is the only one.
    private func speak2(_ way: OriginRoute, _ deviceSlot: DeviceSlot, isFresh: Bool) {
        guard way.origin.scheme == .http else {
            return easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
        let isAlone = deviceSlot.connections.count <= 1
        continues = !isFresh && own != nil && isAlone
        easy.set(
            CURLOPT_HTTP_VERSION,
            Int(continues ? CURL_HTTP_VERSION_2_0 : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        easy.set(CURLOPT_FRESH_CONNECT, continues ? 0 : 1)
        // One for the device is kept; others, of requests at the same time, are not.
        easy.set(
            CURLOPT_FORBID_REUSE, isFresh || !deviceSlot.connections.isEmpty && !continues ? 1 : 0)
    }

    /// It was to go on with a connection that turned out to be of no use, and nothing was sent: once
    /// more, from the beginning. False when that is not what happened.
    func beginsAgain() -> Bool {
        guard lostOwn || metStale, let pendingRequest, let deviceSlot, let orders else {
            return false
        }
        let wantsNew = metStale
        own = nil
        take(pendingRequest, from: deviceSlot, proxy: orders.proxy, addresses: orders.addresses)
        if wantsNew { easy.set(CURLOPT_FRESH_CONNECT, 1) }
        return true
    }

    /// Whether it has a connection of prior knowledge to go on with.
    var hasOwn: Bool { own != nil }

    /// Takes up no exchange, but a visit to the connections of a device that is gone, at which
    /// libcurl finds them dead and closes them; it is not let open another.
    func bury(_ way: OriginRoute, of deviceSlot: DeviceSlot, addresses: [IPAddress]) {
        begin(nil, deviceSlot, way, nil)
        easy.set(CURLOPT_URL, "\(way.origin)/")
        easy.set(CURLOPT_HTTPGET, 1)
        easy.set(CURLOPT_HTTPHEADER, list: nil)
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_FRESH_CONNECT, 0)
        easy.set(CURLOPT_CONNECT_TO, list: way.connectTo)
        tell(addresses, way, deviceSlot, nil)
        easy.set(CURLOPT_TIMEOUT_MS, 1000)
    }

    private func begin(
        _ pendingRequest: PendingRequest?, _ deviceSlot: DeviceSlot, _ way: OriginRoute,
        _ proxy: ProxyRoute.Proxy?
    ) {
        self.pendingRequest = pendingRequest
        self.deviceSlot = deviceSlot
        self.way = way
        self.proxy = proxy
        began = transport.lane.now
        sent = nil
        firstByte = nil
        connection = nil
        opened = nil
        isReused = false
        bytesBefore = 0
        wouldRepeat = false
        continues = false
        lostOwn = false
        metStale = false
        openFailure = 0
        words.pointee = 0
        reader.reset()
    }

    /// Hands back the seat.
    func leave() -> DeviceSlot? {
        defer { deviceSlot = nil }
        return deviceSlot
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

    // MARK: During

    private func hearCallbacks() {
        // Safe because libcurl calls back only inside calls that the lane makes, on this handle,
        // which the carrier owns.
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
        guard let context else { preconditionFailure("a callback lost its carrier") }
        return Unmanaged<TransferHandle>.fromOpaque(context).takeUnretainedValue()
    }

    private func open(_ address: curl_sockaddr) -> Int32 {
        guard pendingRequest != nil else { return -1 }
        guard let connection = transport.connections.open(address, for: deviceSlot) else {
            openFailure = errno
            return -1
        }
        if transport.settings.sources != nil {
            SourceAddresses.bindWithoutPort(connection.descriptor)
        }
        opened = connection
        return connection.descriptor
    }

    /// The connection stands and the request is written next. False stops it.
    ///
    /// libcurl sends a request again, by itself and with no way to forbid it, when a reused
    /// connection closes without a byte of an answer, and when an HTTP/2 server refuses a stream.
    /// The service may have acted on the first copy, so the second one is stopped here, unless not a
    /// byte of the first has left (RFC 9110, 9.2.2: a proxy or client must not repeat what is not
    /// idempotent).
    private func willSend(
        from local: UnsafePointer<CChar>, _ localPort: Int, to remote: UnsafePointer<CChar>,
        _ remotePort: Int
    ) -> Bool {
        let bytes = easy.number(CURLINFO_REQUEST_SIZE)
        if sent != nil, bytes > bytesBefore {
            wouldRepeat = true
            return false
        }
        bytesBefore = bytes
        connection = transport.connections.connection(
            local: local, localPort, remote: remote, remotePort, opened: opened)
        isReused = (connection?.uses ?? 0) > 0
        let tls = way?.origin.scheme == .https ? curl_tls_connection(easy.handle) : nil
        if !isReused { connection?.speaksHTTP2 = agreesOnHTTP2(tls) }
        if continues, !isReused {
            // A new connection, on which an upgrade would be asked for.
            lostOwn = true
            return false
        }
        if let connection, isReused, !isQuiet(connection, tls) {
            // libcurl closes it: its request was called off.
            metStale = true
            return false
        }
        connection?.uses += 1
        if !isReused, let connection, let tls {
            connection.isResumed = SSL_session_reused(tls) == 1
            Farewell.tell(connection, on: tls)
        }
        sent = transport.lane.now
        return true
    }

    /// Whether a kept connection may carry another request. What has come over TLS may be legal (a
    /// late session ticket), and cannot be told from an answer without reading it: another
    /// connection is always right. On those of HTTP/2 frames may come at any time, which libcurl reads.
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
        let goesOn = reader.takeLine(UnsafeRawBufferPointer(start: bytes, count: count))
        if firstByte == nil, reader.hasBegun { firstByte = transport.lane.now }
        return goesOn
    }

    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Bool {
        reader.takeBody(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    // MARK: After

    /// What became of it. The carrier is free for another exchange.
    func finish(_ code: CURLcode) -> (pendingRequest: PendingRequest, transfer: Transfer)? {
        guard let pendingRequest else { return nil }
        if code == CURLE_OK, reader.hasHead, !isCut, !isOfProxy {
            return end(pendingRequest, .answered(reader.takeReply()))
        }
        var failure = TransferFailure(
            code: code == CURLE_OK ? CURLE_PARTIAL_FILE : code, words: spokenWords(),
            systemError: systemError, origin: pendingRequest.origin,
            proxy: proxy?.shown, timeout: transport.settings.timeout, excess: reader.excess,
            responseLimit: transport.settings.responseLimit, hasSent: hasLeft,
            isSecuring: isSecuring,
            wouldRepeat: wouldRepeat, usesTLSFiles: transport.settings.tls.certificate != nil,
            isFirstUse: !isReused)
        if code == CURLE_OK, isOfProxy {
            // The service has not seen it.
            (failure.code, failure.words, failure.hasSent) = (CURLE_PROXY, "response 407", false)
        } else if code == CURLE_OK, isCut {
            failure.fault = .noCloseNotify
        } else if code == CURLE_OUT_OF_MEMORY, hasLeft, !reader.hasHead {
            // So libcurl calls a line that has no end: our own memory would have ended the process.
            failure.excess = .line
        }
        return end(pendingRequest, failure.result)
    }

    /// Whether the answer ends where the connection did, without the farewell of TLS: whoever can break
    /// connections could have cut it (RFC 9112, 9.8).
    private var isCut: Bool {
        way?.origin.scheme == .https && !hasVersion2 && reader.endsWithConnection
            && connection?.saidFarewell == false
    }

    /// Whether the answer is a proxy's own: only a proxy asks for its credentials by 407 (RFC 9110, 15.5.8).
    private var isOfProxy: Bool {
        reader.status == 407 && proxy?.isTunnel == false && way?.origin.scheme == .http
    }

    private var hasVersion2: Bool {
        easy.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    }

    /// Ends it without waiting for libcurl; the shard has taken it out of the multi.
    func stop(_ error: TransportError) -> (pendingRequest: PendingRequest, transfer: Transfer)? {
        guard let pendingRequest else { return nil }
        return end(pendingRequest, hasLeft ? .lost(error) : .refused(error))
    }

    private func end(_ pendingRequest: PendingRequest, _ result: Transfer.Result) -> (
        PendingRequest, Transfer
    ) {
        let hasVersion2 = hasVersion2
        let route = Route(
            connection: connection?.number ?? 0, reused: isReused, local: connection?.local ?? "",
            remote: connection?.remote ?? "", httpVersion: hasVersion2 ? "2" : "1.1",
            tlsResumed: connection?.isResumed)
        let transfer = Transfer(
            sent: hasLeft ? sent : nil, firstByte: firstByte, ended: transport.lane.now,
            result: result, route: route, bytesReceived: reader.bytes,
            opened: connection == nil || isReused ? nil : opening())
        if hasVersion2, !isReused, pendingRequest.origin.scheme == .http { own = connection }
        self.pendingRequest = nil
        connection = nil
        return (pendingRequest, transfer)
    }

    /// By libcurl's own clock, which is right about connections.
    private func opening() -> Opening {
        let connected = easy.duration(CURLINFO_CONNECT_TIME_T)
        let isTLS = way?.origin.scheme == .https
        return Opening(
            began: began, connect: connected - easy.duration(CURLINFO_NAMELOOKUP_TIME_T),
            tls: isTLS ? easy.duration(CURLINFO_APPCONNECT_TIME_T) - connected : nil)
    }

    /// Whether a byte of the request has left: after the connection stood, and libcurl counted more
    /// than before.
    private var hasLeft: Bool {
        sent != nil && easy.number(CURLINFO_REQUEST_SIZE) > bytesBefore
    }

    /// Whether libcurl had a connection of its own for this exchange, and was waiting for TLS on it.
    private var isSecuring: Bool {
        !isReused && way?.origin.scheme == .https && proxy == nil
            && opened?.hadPeer == true && easy.duration(CURLINFO_APPCONNECT_TIME_T) == .zero
    }

    private var systemError: Int32 {
        openFailure != 0 ? openFailure : Int32(easy.number(CURLINFO_OS_ERRNO))
    }

    /// libcurl's own words, with the real name for the alias.
    private func spokenWords() -> String {
        let said = String(cString: words)
        guard let alias = way?.alias, let host = pendingRequest?.origin.host else { return said }
        return said.replacing(alias, with: host)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up: libcurl's unit.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
