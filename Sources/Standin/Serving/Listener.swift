internal import Dialects
internal import NIOCore
internal import NIOPosix
public import Signing
internal import Synchronization

/// Serves a `Service` over sockets: HTTP/1.1 with keep-alive and pipelining, HTTP/2 by ALPN over TLS
/// or by prior knowledge in the clear.
///
/// One event loop, on a thread of its own, owns the service: no locks, no order but that of arrival,
/// and nothing on the global pool. It listens on loopback unless told otherwise: this service gives
/// sign-ins to whoever asks, and does not belong on a network.
public final class Listener: Sendable {
    /// The address it was told to listen on.
    public let host: String
    /// The port it listens on; what the system chose when 0 was asked for.
    public let port: Int
    /// Whether it speaks TLS.
    public let isSecure: Bool
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let engine: NIOLoopBound<ServiceLoop>
    /// Set when the listener has stopped: its loop would never answer.
    private let last = Mutex<ServiceCounters?>(nil)

    /// `https://127.0.0.1:8443`, as a rig's target has it.
    public var url: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(name):\(port)"
    }

    private init(
        host: String, port: Int, isSecure: Bool, group: MultiThreadedEventLoopGroup,
        channel: any Channel, engine: NIOLoopBound<ServiceLoop>
    ) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.group = group
        self.channel = channel
        self.engine = engine
    }

    /// Starts serving; `port` 0 takes any free one. The service's time zero is now: make it with the
    /// present wall clock as its epoch. `bodyLimit` is in bytes; a longer body is answered 413. `truth`
    /// gets what the service's faults do, on the listener's thread.
    public static func start(
        _ service: consuming Service, host: String = "127.0.0.1", port: Int = 0,
        tls: CertificatePair? = nil, bodyLimit: Int = 1 << 20,
        truth: (@Sendable ([TruthEvent]) -> Void)? = nil
    ) async throws(ListenerError) -> Listener {
        let secure = try tls.map { pair throws(ListenerError) in try Self.secured(by: pair) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            let service = service.reached(bySecure: tls != nil)
            let engine = try await loop.submit {
                let engine = ServiceLoop(
                    loop: loop, service: service, bodyLimit: bodyLimit, truth: truth)
                return NIOLoopBound(engine, eventLoop: loop)
            }.get()
            let bootstrap = bootstrap(group, engine: engine, tls: secure)
            let channel = try await bootstrap.bind(host: host, port: port).get()
            return Listener(
                host: host, port: channel.localAddress?.port ?? port, isSecure: tls != nil,
                group: group, channel: channel, engine: engine)
        } catch {
            try? await group.shutdownGracefully()
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
            throw .cannotListen(host: host, port: port, reason: reason ?? "\(error)")
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, engine: NIOLoopBound<ServiceLoop>,
        tls: TLSServer?
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(TLSLayer(tls)) }
                    try pipeline.addHandler(PrefaceSniffer(engine: engine))
                }
            }
    }

    private static func secured(by pair: CertificatePair) throws(ListenerError) -> TLSServer {
        do {
            return try TLSServer(pair, protocols: ["h2", "http/1.1"])
        } catch {
            throw .badCertificate(reason: "\(error)")
        }
    }

    /// What the service has counted so far; after `stop()` what it had counted by then.
    public func counters() async -> ServiceCounters {
        if let last = last.withLock({ $0 }) { return last }
        let engine = engine
        let counted = try? await channel.eventLoop.submit { engine.value.service.counted() }.get()
        return counted ?? ServiceCounters()
    }

    /// What the identity provider that it serves has counted so far; nil where it serves none. To be asked
    /// before `stop()`.
    public func providerCounters() async -> ProviderCounters? {
        let engine = engine
        return try? await channel.eventLoop.submit {
            engine.value.service.identityProvider?.counters
        }.get()
    }

    /// Stops listening, closes every connection, and ends the thread. Replies that were put off are
    /// dropped.
    public func stop() async {
        let counted = await counters()
        last.withLock { $0 = counted }
        try? await channel.close()
        try? await group.shutdownGracefully()
    }
}

/// Why the stand-in could not be served.
public enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: Int, reason: String)
    case badCertificate(reason: String)

    public var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host) port \(port) (\(reason)); choose another with --port, 0 takes any"
        case .badCertificate(let reason): "the certificate cannot be used: \(reason)"
        }
    }
}
