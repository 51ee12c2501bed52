internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal

/// A libcurl handle that makes connections, one after the other, for whoever needs one: addresses,
/// TCP, the source address, a proxy and the tunnel through it are libcurl's. The socket is taken over
/// when it stands, so that an open connection keeps no handle (10 KB) and no place in a multi, which
/// libcurl 7.88 would search at each `curl_easy_send` and `curl_easy_recv`.
final class Connector {
    /// A connection that stands.
    struct Connected {
        var descriptor: Int32
        var took: Duration
        var route: Route
    }

    let easy: Easy
    /// Position among those of its dock.
    var position = 0
    fileprivate(set) var connectPool: ConnectPool?
    private unowned(unsafe) let engine: DirectEngine
    private let words: UnsafeMutablePointer<CChar>
    private var resolve: UnsafeMutablePointer<curl_slist>?
    private var openFailure: Int32 = 0
    /// Who waits for the connection.
    private var link: Connection?

    init(_ engine: DirectEngine) throws(WireError) {
        easy = try Easy()
        self.engine = engine
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setUp()
    }

    deinit {
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, nil)
        words.deallocate()
        curl_slist_free_all(resolve)
    }

    /// What is the same for every connection.
    private func setUp() {
        // Safe because libcurl calls back only inside calls that the lane makes, on this handle,
        // which the dial owns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(easy.handle, CURLOPT_PRIVATE, context)
        curl_set_pointer(easy.handle, CURLOPT_ERRORBUFFER, words)
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_FRESH_CONNECT, 1)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_NOPROXY, "")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // For what libcurl reads itself: nothing, but of proxies.
        easy.set(CURLOPT_BUFFERSIZE, 1024)
        curl_set_open_socket_callback(
            easy.handle,
            { context, _, address in
                guard let context, let address else { return -1 }
                return Unmanaged<Connector>.fromOpaque(context).takeUnretainedValue()
                    .openSocket(address.pointee)
            }, context)
        engine.connections.hearClosing(of: easy)
    }

    private func openSocket(_ address: curl_sockaddr) -> Int32 {
        guard let connection = engine.connections.open(address, for: nil, isNamed: false) else {
            openFailure = errno
            return -1
        }
        if engine.settings.sources != nil { SourceAddresses.bindWithoutPort(connection.descriptor) }
        return connection.descriptor
    }

    /// Begins to connect; `link` is told the end.
    func begin(
        _ origin: Origin, to addresses: [IPAddress], through proxy: ProxyRoute.Proxy?,
        from source: IPAddress?, within limit: Duration, for link: Connection
    ) throws(WireError) {
        self.link = link
        openFailure = 0
        words.pointee = 0
        // Always `http`: TLS is ours, and begins when libcurl is done. So a proxy must be told to
        // tunnel, as it would be for `https`.
        easy.set(CURLOPT_URL, "http://\(origin.bracketedHost):\(origin.port)")
        easy.set(CURLOPT_PROXY, proxy?.url ?? "")
        easy.set(CURLOPT_HTTPPROXYTUNNEL, proxy == nil ? 0 : 1)
        easy.set(CURLOPT_INTERFACE, source.map { "host!\($0)" })
        // libcurl gives each of several addresses a part of it.
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds)
        resolve = ResolveEntry.replacing(
            resolve, host: proxy?.host ?? origin.host, port: proxy?.port ?? origin.port,
            addresses: addresses)
        easy.set(CURLOPT_RESOLVE, list: resolve)
        let connectPool = try engine.connectPool()
        self.connectPool = connectPool
        guard connectPool.take(self) else {
            self.connectPool = nil
            throw .noHandle
        }
    }

    /// libcurl has made the connection, or could not.
    func ended(_ code: CURLcode) {
        guard let link, let connectPool else { return }
        self.link = nil
        guard code == CURLE_OK else {
            let systemError = openFailure != 0 ? openFailure : Int32(easy.number(CURLINFO_OS_ERRNO))
            let words = String(cString: words)
            connectPool.drop(self)
            self.connectPool = nil
            engine.takeBack(self)
            return link.notConnected(code, words, systemError: systemError)
        }
        let descriptor = curl_get_socket(easy.handle)
        let connected = Connected(
            descriptor: descriptor,
            took: easy.duration(CURLINFO_CONNECT_TIME_T)
                - easy.duration(CURLINFO_NAMELOOKUP_TIME_T),
            route: Route(
                connection: engine.connections[descriptor]?.number ?? 0, reused: false,
                local: end(CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT),
                remote: end(CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT)))
        // libcurl lets go of what only connected, and would close it.
        engine.connections.takeOver(descriptor)
        connectPool.drop(self)
        self.connectPool = nil
        engine.takeBack(self)
        link.connected(connected)
    }

    /// Nobody waits any more.
    func giveUp() {
        guard let connectPool else { return }
        link = nil
        connectPool.drop(self)
        self.connectPool = nil
        engine.takeBack(self)
    }

    private func end(_ address: CURLINFO, _ port: CURLINFO) -> String {
        let text = easy.text(address)
        return "\(text.contains(":") ? "[\(text)]" : text):\(easy.number(port))"
    }
}

extension Origin {
    /// As it stands in a URL.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}
