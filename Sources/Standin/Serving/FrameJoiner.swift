internal import NIOCore
internal import NIOHTTP2

/// Has the last frame of an answer say that it is the last: NIO's codec sends an empty one after it.
///
/// A client that has all of a body by its length is through with the stream before that frame comes,
/// and resets it: a frame more for each exchange, and for us one that looks like an attack.
///
/// ```text
///   HEADERS | DATA | DATA, empty, END_STREAM     becomes     HEADERS | DATA, END_STREAM
/// ```
final class FrameJoiner: ChannelOutboundHandler {
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var waiting: (frame: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>?)?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let next = unwrapOutboundIn(data)
        guard let (frame, promiseBefore) = waiting else {
            waiting = (next, promise)
            return
        }
        guard next.isEmptyEnd, let joined = frame.ended else {
            context.write(wrapOutboundOut(frame), promise: promiseBefore)
            waiting = (next, promise)
            return
        }
        if let promiseBefore { promise?.futureResult.cascade(to: promiseBefore) }
        waiting = (joined, promise ?? promiseBefore)
    }

    func flush(context: ChannelHandlerContext) {
        writeWaiting(context)
        context.flush()
    }

    func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        writeWaiting(context)
        context.close(mode: mode, promise: promise)
    }

    private func writeWaiting(_ context: ChannelHandlerContext) {
        guard let (frame, promise) = waiting else { return }
        waiting = nil
        context.write(wrapOutboundOut(frame), promise: promise)
    }
}

extension HTTP2Frame.FramePayload {
    fileprivate var isEmptyEnd: Bool {
        guard case .data(let data) = self else { return false }
        return data.endStream && data.data.readableBytes == 0
    }

    /// The same as the last of its stream; nil for a frame that cannot be. An informational answer
    /// (100) is followed by its final one, never by an end.
    fileprivate var ended: Self? {
        switch self {
        case .headers(var headers):
            headers.endStream = true
            return .headers(headers)
        case .data(var data):
            data.endStream = true
            return .data(data)
        default: return nil
        }
    }
}
