internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import Reports

/// The pages that show a run while it goes on: the dashboard for people, the metrics for Prometheus.
/// They are told what is known once a second and serve it from one thread of their own: however many
/// look, and however slowly they read, the lanes notice nothing.
public final class Dashboard: Sendable {
    /// Where the dashboard is, for a browser; nil where none was asked for.
    public let pageURL: String?
    /// Where the metrics are, for a scraper; nil where none were asked for.
    public let metricsURL: String?
    private let group: MultiThreadedEventLoopGroup
    private let channels: [any Channel]
    private let subscribers: NIOLoopBound<Subscribers>
    private let board: Board
    private let loop: any EventLoop

    private init(
        pageURL: String?, metricsURL: String?, group: MultiThreadedEventLoopGroup,
        channels: [any Channel], subscribers: NIOLoopBound<Subscribers>, board: Board
    ) {
        self.pageURL = pageURL
        self.metricsURL = metricsURL
        self.group = group
        self.channels = channels
        self.subscribers = subscribers
        self.board = board
        loop = group.next()
    }

    /// Serves the pages that are asked for, on loopback, the metrics on `metricsHost`; `subject` says what runs. With a `token` the page has
    /// buttons, which do what `obey` is told, for those who have it: its address holds it, as a fragment, which
    /// browsers send nowhere.
    public static func start(
        page: PagePort?, metrics: PagePort?, metricsHost: String = loopback,
        of state: LiveState, as subject: ShownRun, token: String? = nil
    ) async throws(DashboardError) -> Dashboard {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let board = Board(LiveBoard(state), subject, token: token)
        let subscribers = await Self.subscribers(on: loop)
        do throws(DashboardError) {
            var channels: [any Channel] = []
            var urls: [String?] = []
            for (port, site) in [(page, Site.dashboard), (metrics, .metrics)] {
                guard let port else {
                    urls.append(nil)
                    continue
                }
                let host = site == .metrics ? metricsHost : Self.loopback
                let channel = try await bind(port, site, on: host, group, board, subscribers)
                channels.append(channel)
                let number = channel.localAddress?.port ?? 0
                let fragment = site == .dashboard ? token.map { "#\($0)" } ?? "" : ""
                let name = host.contains(":") ? "[\(host)]" : host
                urls.append("http://\(name):\(number)\(site.path)\(fragment)")
            }
            return Dashboard(
                pageURL: urls[0], metricsURL: urls[1], group: group, channels: channels,
                subscribers: subscribers, board: board)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Where pages are served unless somebody says otherwise.
    public static let loopback = "127.0.0.1"

    /// What belongs to a loop is made on it.
    private static func subscribers(on loop: any EventLoop) async -> NIOLoopBound<Subscribers> {
        await withCheckedContinuation { made in
            loop.execute { made.resume(returning: NIOLoopBound(Subscribers(), eventLoop: loop)) }
        }
    }

    private static func bind(
        _ port: PagePort, _ site: Site, on host: String, _ group: MultiThreadedEventLoopGroup,
        _ board: Board, _ subscribers: NIOLoopBound<Subscribers>
    ) async throws(DashboardError) -> any Channel {
        let candidates = port.candidates(from: site.usualPort)
        var reason = ""
        for candidate in candidates {
            do {
                return try await bootstrap(group, site, board, subscribers)
                    .bind(host: host, port: candidate).get()
            } catch {
                reason =
                    (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
                    ?? "\(error)"
            }
        }
        switch port {
        case .named(let port): throw .portTaken(option: site.option, port: port, reason: reason)
        case .usual:
            throw .noPort(
                option: site.option, from: site.usualPort,
                through: site.usualPort + PagePort.tries - 1, reason: reason)
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ site: Site, _ board: Board,
        _ subscribers: NIOLoopBound<Subscribers>
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(
                        PageConnection(site: site, board: board, subscribers: subscribers.value))
                }
            }
    }

    /// The run has its directory.
    public func enter(run: String) { board.enter(run: run) }

    /// What the page's buttons do, in the words of `screenrig control` and `mark`: `["pause"]`, `["rate", "20"]`,
    /// `["mark", "rollout", "moment"]`. Gives why it could not, or nil. Called on the pages' thread.
    public func obey(_ press: @escaping @Sendable ([String]) -> String?) { board.obey(press) }

    /// The run has got so far. From any thread; returns at once.
    public func show(_ state: LiveState) {
        board.take(state)
        tell()
    }

    /// The run is over and its report written: the last event says so, readers are let go, and the
    /// ports are free again.
    public func end(_ ending: LiveBoard.Ending) async {
        board.end(ending)
        let (subscribers, board, loop) = (subscribers, board, loop)
        try? await loop.flatSubmit { subscribers.value.dismiss(with: board.event, on: loop) }.get()
        await stop()
    }

    /// Closes everything, also where there is nothing to say in the end.
    public func stop() async {
        for channel in channels { try? await channel.close() }
        try? await group.shutdownGracefully()
    }

    private func tell() {
        // However fast it is shown, one telling waits at most: it tells the latest.
        guard board.claimTelling() else { return }
        let (subscribers, board) = (subscribers, board)
        loop.execute {
            board.endTelling()
            guard !subscribers.value.isEmpty else { return }
            subscribers.value.send(board.event)
        }
    }
}
