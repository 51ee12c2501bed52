package import NIOCore
package import Signing

/// TLS between a socket and what speaks HTTP over it. What is written between two flushes leaves as
/// one record, if it fits.
package final class TLSLayer: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let session: TLSSession
    /// Plain bytes that wait for a flush, or for the end of the handshake.
    private var waiting = ByteBuffer()
    private var promises: [EventLoopPromise<Void>] = []
    private var wantsFlush = false

    package init(_ server: TLSServer) throws {
        session = try TLSSession(server)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        var plain = context.channel.allocator.buffer(capacity: part.readableBytes)
        do {
            let goesOn = try part.withUnsafeReadableBytes { bytes in
                try session.receive(bytes) { plain.writeBytes($0) }
            }
            send(context)
            if wantsFlush { seal(context) }
            if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
            if !goesOn { context.close(promise: nil) }
        } catch {
            send(context)
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    package func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        var part = unwrapOutboundIn(data)
        waiting.writeBuffer(&part)
        if let promise { promises.append(promise) }
    }

    package func flush(context: ChannelHandlerContext) {
        wantsFlush = true
        seal(context)
        context.flush()
    }

    package func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        if mode != .input {
            session.close()
            send(context)
        }
        context.close(mode: mode, promise: promise)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        abandon()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { abandon() }

    /// Sends what waits, once it can be sealed.
    private func seal(_ context: ChannelHandlerContext) {
        guard session.isReady, waiting.readableBytes > 0 || !promises.isEmpty else { return }
        do {
            try waiting.withUnsafeReadableBytes { try session.seal($0) }
        } catch {
            context.fireErrorCaught(error)
            return context.close(promise: nil)
        }
        waiting.clear()
        let sent = promises.isEmpty ? nil : context.eventLoop.makePromise(of: Void.self)
        for promise in promises { sent?.futureResult.cascade(to: promise) }
        promises = []
        wantsFlush = false
        send(context, sent)
    }

    /// What libssl has for the client.
    private func send(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        let count = session.outgoingCount
        guard count > 0 else {
            promise?.succeed()
            return
        }
        var part = context.channel.allocator.buffer(capacity: count)
        part.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            session.takeOutgoing(into: $0)
        }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    }

    /// Nobody will get what still waits.
    private func abandon() {
        waiting.clear()
        let promises = promises
        self.promises = []
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
    }
}
