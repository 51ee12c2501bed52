internal import NIOCore
internal import NIOHTTP2

/// Finds out which HTTP a connection speaks by its first bytes (RFC 9113, 3.4), sets up the pipeline
/// for it and leaves. After TLS too: whoever agreed on `h2` begins with the preface, so that the
/// result of ALPN need not be asked for.
final class PrefaceSniffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private let engine: NIOLoopBound<ServiceLoop>
    private var seen = ByteBuffer()

    init(engine: NIOLoopBound<ServiceLoop>) {
        self.engine = engine
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        seen.writeBuffer(&part)
        let bytes = seen.readableBytesView
        let isPreface = bytes.starts(with: Self.preface)
        // `POST` parts ways with it at the second byte, `GET` at the first.
        guard isPreface || !Self.preface.starts(with: bytes) else { return }
        do {
            if isPreface {
                try configureHTTP2(context)
            } else {
                try Self.configureHTTP1(context.channel, engine)
            }
            context.fireChannelRead(wrapInboundOut(seen))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    /// A broken handshake, a reset: nobody is left to tell.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func configureHTTP1(
        _ channel: any Channel, _ engine: NIOLoopBound<ServiceLoop>
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ServerConnection(engine: engine.value, channel: channel))
    }

    private func configureHTTP2(_ context: ChannelHandlerContext) throws {
        let engine = engine
        var streams = NIOHTTP2Handler.StreamConfiguration()
        // libcurl 7.88 resets each stream whose answer has no body (a redirect, say), although it has
        // ended. NIO takes 200 of these in 30 s for a flood (CVE-2023-44487) and ends the connection.
        // The count is also what it makes room for at once, so it is the time that gives way.
        streams.streamResetFrameRateLimit.windowLength = .milliseconds(1)
        _ = try context.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(FrameJoiner())
                try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try pipeline.addHandler(ServerStream(engine: engine.value, channel: stream))
            }
        }
    }
}
