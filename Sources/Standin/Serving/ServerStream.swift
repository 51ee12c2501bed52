internal import Dialects
internal import NIOCore
internal import NIOHTTP1

/// One stream of HTTP/2, which carries one request: gathers it, asks the engine, writes the reply.
final class ServerStream: ChannelInboundHandler, Waiting {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let engine: ServiceLoop
    private let peer: String
    private var context: ChannelHandlerContext?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLong = false

    init(engine: ServiceLoop, channel: any Channel) {
        self.engine = engine
        let address = channel.remoteAddress ?? channel.parent?.remoteAddress
        peer = address?.ipAddress ?? "unknown"
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            if head.headers.contains(name: "expect") { proceed(context) }
        case .body(let part):
            if body.count + part.readableBytes > engine.bodyLimit {
                isTooLong = true
            } else {
                body += part.readableBytesView
            }
        case .end: answer()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func proceed(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func answer() {
        guard let head else { return }
        guard !isTooLong else {
            send(Reply(status: 413))
            return
        }
        var question: (any ProtocolQuestion)?
        engine.take(
            method: Method(rawValue: head.method.rawValue), target: head.uri,
            headers: Headers(head.headers.map { Headers.Field($0.name, $0.value) }), body: body,
            peer: peer, asking: &question, from: self)
    }

    func send(_ reply: Reply) {
        guard let context, let head else { return }
        self.head = nil
        var headers = HTTPHeaders(reply.headers.fields.map { ($0.name, $0.value) })
        // 204 has neither a body nor a length (RFC 9110, 8.6).
        if reply.status != 204 { headers.add(name: "Content-Length", value: "\(reply.body.count)") }
        let status = HTTPResponseStatus(statusCode: reply.status)
        let answer = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        if !reply.body.isEmpty, head.method != .HEAD {
            var buffer = context.channel.allocator.buffer(capacity: reply.body.count)
            buffer.writeBytes(reply.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func reset() {
        guard let context else { return }
        head = nil
        context.close(promise: nil)
    }
}
