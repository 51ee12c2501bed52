internal import Dialects
internal import NIOCore
internal import NIOHTTP1

/// One HTTP/1.1 connection: bytes in, bytes out. Requests are answered one after the other, whatever
/// comes in between; all answers to one piece of input leave in one write.
final class ServerConnection: ChannelInboundHandler, Waiting {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let engine: ServiceLoop
    private let peer: String
    private var context: ChannelHandlerContext?
    private var reader: RequestReader
    /// What has come and is not read yet.
    private var unread = ByteBuffer()
    /// What is to be sent at the end of a turn: the loop's buffer, which no two connections fill at the
    /// same time.
    private var isInTurn = false
    private var state = ConnectionState.reads
    /// The last request as its protocol reads it, for one that repeats it.
    private var question: (any ProtocolQuestion)?

    private enum ConnectionState {
        /// Ready for the next request.
        case reads
        /// Waits for the answer to one.
        case waits(isHead: Bool, persists: Bool)
        /// The last answer has been written.
        case ends
    }

    init(engine: ServiceLoop, channel: any Channel) {
        self.engine = engine
        peer = channel.remoteAddress?.ipAddress ?? "unknown"
        reader = RequestReader(bodyLimit: engine.bodyLimit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if unread.readableBytes == 0 { unread = part } else { unread.writeBuffer(&part) }
        turn()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Answers what can be answered, and sends it.
    private func turn() {
        isInTurn = true
        while case .reads = state, unread.readableBytes > 0 {
            do throws(RequestReader.RequestFault) {
                guard let finding = try read() else { break }
                switch finding {
                case .waitsForLeave:
                    engine.output.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
                case .request(let request): answer(request)
                }
            } catch {
                state = .waits(isHead: false, persists: false)
                send(Reply(status: 400))
            }
        }
        isInTurn = false
        if unread.readableBytes == 0 || isOver { unread = Self.nothing }
        flush()
    }

    private static let nothing = ByteBuffer()

    private var isOver: Bool {
        if case .ends = state { true } else { false }
    }

    private func read() throws(RequestReader.RequestFault) -> RequestReader.Finding? {
        var read = 0
        defer { unread.moveReaderIndex(forwardBy: read) }
        // NIO's closure rethrows untyped: the fault is carried out as a value.
        let result = unread.withUnsafeReadableBytes { bytes in
            Result { () throws(RequestReader.RequestFault) in
                try reader.next(in: bytes, at: &read)
            }
        }
        return try result.get()
    }

    private func answer(_ request: RequestReader.ReadRequest) {
        state = .waits(
            isHead: request.isHead, persists: request.persists && !request.isTooLong)
        guard !request.isTooLong else { return send(Reply(status: 413)) }
        var question = request.repeats ? self.question : nil
        engine.take(
            method: request.method, target: request.target, headers: request.headers,
            body: request.body, peer: peer, asking: &question, from: self)
        // A request with a body does not repeat, and a long one would hold as much of each connection.
        let mayRepeat = request.body.isEmpty && request.target.utf8.count <= Self.repeatableTarget
        self.question = mayRepeat ? question : nil
    }

    /// Bytes.
    private static let repeatableTarget = 2_048

    func send(_ reply: Reply) {
        guard case .waits(let isHead, let persists) = state, context != nil else { return }
        engine.output.write(reply, isHead: isHead, persists: persists)
        state = persists ? .reads : .ends
        if !isInTurn { turn() }
    }

    func reset() {
        guard let context else { return }
        state = .ends
        // Nothing unread, nothing unsent: a close that the caller sees as a broken connection, since
        // its answer never came.
        context.close(promise: nil)
    }

    private func flush() {
        guard let context else { return engine.output.clear() }
        guard isOver else {
            guard engine.output.readableBytes > 0 else { return }
            context.writeAndFlush(wrapOutboundOut(engine.output), promise: nil)
            return engine.output.clear()
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(engine.output)).whenComplete { _ in
            channel.close(promise: nil)
        }
        engine.output.clear()
    }
}

extension ByteBuffer {
    /// A reply with its length, as HTTP/1.1 has it.
    fileprivate mutating func write(_ reply: Reply, isHead: Bool, persists: Bool) {
        let reason = HTTPResponseStatus(statusCode: reply.status).reasonPhrase
        // What stands around reason and fields takes less than 128 bytes, and 4 with each field.
        var width = 128 + reason.utf8.count
        for field in reply.headers.fields {
            width += field.name.utf8.count + field.value.utf8.count + 4
        }
        writeWithOutputRawSpan(minimumWritableBytes: width) { head in
            head.append("HTTP/1.1 ")
            head.append(decimal: reply.status)
            head.append(" ")
            head.append(reason)
            for field in reply.headers.fields {
                head.append("\r\n")
                head.append(field.name)
                head.append(": ")
                // The one value that comes from outside, `Location`, was checked for control
                // characters when it came (`Service.redirectURL`).
                head.append(field.value)
            }
            // 204 has neither a body nor a length (RFC 9110, 8.6).
            if reply.status != 204 {
                head.append("\r\nContent-Length: ")
                head.append(decimal: reply.body.count)
            }
            head.append(persists ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        }
        if !isHead { writeBytes(reply.body) }
    }
}

extension OutputRawSpan {
    fileprivate mutating func append(_ text: String) {
        let bytes = text.utf8Span.span
        for position in bytes.indices { append(bytes[position]) }
    }

    fileprivate mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
