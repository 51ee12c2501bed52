internal import NIOCore
internal import NIOHTTP1

/// One connection: asks the site, writes the answer, and joins the subscribers where events were asked for.
/// Lives on the event loop.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let site: Site
    private let board: Board
    private let subscribers: Subscribers
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isListening = false

    init(site: Site, board: Board, subscribers: Subscribers) {
        self.site = site
        self.board = board
        self.subscribers = subscribers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part):
            body += part.readableBytesView.prefix(Site.bodyLimit + 1 - body.count)
        case .end:
            guard let head, !isListening else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        subscribers.leave(context.channel)
        context.fireChannelInactive()
    }

    /// A reset, nonsense instead of HTTP: nobody is left to tell.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let own = context.channel.localAddress
        // What it listens on, and not where this request came in: 0.0.0.0 is asked on loopback, too.
        let bound = context.channel.parent?.localAddress ?? own
        let isNear = bound?.ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" } ?? true
        let found = site.answer(
            head, body: body, board, port: own?.port ?? 0, isOnLoopback: isNear)
        switch found {
        case .page(let type, let body): send(head, .ok, type, body, context)
        case .refusal(let status, let words):
            send(head, status, "text/plain; charset=utf-8", words + "\n", context)
        case .done: send(head, .ok, "text/plain; charset=utf-8", "done\n", context)
        case .events:
            isListening = true
            var headers = Self.headers("text/event-stream")
            headers.add(name: "Connection", value: "close")
            let answer = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
            context.write(wrapOutboundOut(.head(answer)), promise: nil)
            subscribers.join(context.channel, with: board.event)
        }
    }

    private func send(
        _ head: HTTPRequestHead, _ status: HTTPResponseStatus, _ type: String, _ body: String,
        _ context: ChannelHandlerContext
    ) {
        var headers = Self.headers(type)
        headers.add(name: "Content-Length", value: "\(body.utf8.count)")
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let answer = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        if head.method != .HEAD {
            let buffer = context.channel.allocator.buffer(string: body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !head.isKeepAlive { channel.close(promise: nil) }
        }
    }

    /// Nothing from elsewhere runs in the page, and nothing of it is kept.
    private static func headers(_ type: String) -> HTTPHeaders {
        [
            "Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy":
                "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ]
    }
}

/// The connections that receive events. Lives on the event loop.
final class Subscribers {
    private var channels: [ObjectIdentifier: any Channel] = [:]

    var isEmpty: Bool { channels.isEmpty }

    func join(_ channel: any Channel, with event: String) {
        channels[ObjectIdentifier(channel)] = channel
        Self.write(event, to: channel, promise: nil)
    }

    func leave(_ channel: any Channel) {
        channels[ObjectIdentifier(channel)] = nil
    }

    /// Each event holds everything: who reads too slowly misses some, and nothing is kept for them.
    func send(_ event: String) {
        for channel in channels.values where channel.isWritable {
            Self.write(event, to: channel, promise: nil)
        }
    }

    /// The last event, and the end of each connection: waits for those who read, but not for long.
    func dismiss(with event: String, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let partings = channels.values.map { channel in
            Self.write(event, to: channel, promise: nil)
            let parting = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
            parting.whenComplete { _ in channel.close(promise: nil) }
            return parting
        }
        let done = loop.makePromise(of: Void.self)
        EventLoopFuture.andAllComplete(partings, on: loop).cascade(to: done)
        loop.scheduleTask(in: Self.patience) { done.succeed() }
        return done.futureResult
    }

    private static let patience = TimeAmount.seconds(1)

    private static func write(
        _ event: String, to channel: any Channel, promise: EventLoopPromise<Void>?
    ) {
        let buffer = channel.allocator.buffer(string: event)
        channel.writeAndFlush(
            HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: promise)
    }
}
