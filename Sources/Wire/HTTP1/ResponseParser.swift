internal import Dialects

/// Reads answers to one request after another from the bytes of a connection, however they are cut.
/// A pure value: it does no I/O and knows no clock.
///
/// ```
///  statusLine -> fields -> body (counted | chunked | until the end) -> complete
///       ^          |
///       +-- 1xx ---+
/// ```
///
/// Lenient where servers are sloppy and nothing can be gained by it (a bare LF, folded fields, a
/// missing reason); strict where two readers of the same bytes could disagree about where an answer
/// ends (lengths, codings, chunks): such an answer is a fault, and its connection is not used again.
struct ResponseParser {
    private enum ParserStage: Equatable {
        case statusLine, fields
        case counted(left: Int)
        case chunkSize
        case chunk(left: Int)
        /// The CRLF after a chunk; whether the CR has been seen.
        case chunkEnd(hasCR: Bool)
        case trailers
        case untilClose
        case complete
    }

    private var stage = ParserStage.statusLine
    private var answersHead = false
    private var line = StatusLine.none
    private var fields = FieldLines()
    private var body: [UInt8] = []
    /// A line whose end has not come yet.
    private var partial: [UInt8] = []
    private var headBytes = 0
    private let headLimit: Int
    private let bodyLimit: Int

    /// Status lines begun, those of 1xx included.
    private(set) var messagesBegun = 0
    /// Whether another request may go over the connection, once the answer is complete.
    private(set) var persists = false

    /// `headLimit` holds for all that is not body: 1xx answers, chunk sizes and trailers too.
    init(bodyLimit: Int, headLimit: Int = ReplyReader.headLimit) {
        self.bodyLimit = bodyLimit
        self.headLimit = headLimit
    }

    /// Makes it ready for the answer to another request, keeping its memory.
    mutating func begin(answersHead: Bool = false) {
        stage = .statusLine
        self.answersHead = answersHead
        line = .none
        fields.removeAll()
        body = []
        partial.removeAll(keepingCapacity: true)
        headBytes = 0
        messagesBegun = 0
        persists = false
        bodyBytes = 0
    }

    var isComplete: Bool { stage == .complete }
    /// The final answer's status line has been read: 1xx do not count (RFC 9110, 15.2).
    var isFinal: Bool { line.status >= 200 }
    /// Bytes of the body so far.
    private(set) var bodyBytes = 0

    /// Gives the answer away; only when `isComplete`.
    mutating func takeReply() -> Reply {
        let reply = Reply(status: line.status, headers: fields.takeHeaders(), body: body)
        body = []
        return reply
    }

    /// Takes up the next bytes. Returns how many belong to this answer: all of them, unless it is
    /// complete.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(ResponseFault) -> Int {
        var position = 0
        while position < bytes.count {
            let rest = Octets.part(bytes, position..<bytes.count)
            switch stage {
            case .complete: return position
            case .statusLine, .fields, .chunkSize, .trailers:
                position += try takeLine(rest)
            case .counted(let left):
                let count = take(rest, atMost: left)
                position += count
                stage = count == left ? .complete : .counted(left: left - count)
            case .chunk(let left):
                let count = take(rest, atMost: left)
                position += count
                stage = count == left ? .chunkEnd(hasCR: false) : .chunk(left: left - count)
            case .chunkEnd(let hasCR):
                // 7.1: chunk-data is followed by CRLF; anything else means that the size lied.
                guard rest[0] == (hasCR ? Octets.lineFeed : Octets.carriageReturn) else {
                    throw .chunkEnd
                }
                position += 1
                stage = hasCR ? .chunkSize : .chunkEnd(hasCR: true)
            case .untilClose:
                guard body.count + rest.count <= bodyLimit else { throw .bodyTooLong }
                position += take(rest, atMost: rest.count)
            }
        }
        return position
    }

    /// The connection has ended; `isCut`: without the farewell of TLS.
    mutating func end(isCut: Bool = false) throws(ResponseFault) {
        switch stage {
        case .complete: break
        // 9.8: only close_notify says that nobody has cut it off.
        case .untilClose where isCut: throw .noCloseNotify
        // 8: without a length, the end of the connection is the end of the answer.
        case .untilClose: stage = .complete
        case .statusLine where partial.isEmpty && messagesBegun == 0: throw .unanswered
        default: throw .cutOff
        }
    }

    // MARK: Body

    private mutating func take(_ bytes: UnsafeRawBufferPointer, atMost most: Int) -> Int {
        let count = min(most, bytes.count)
        body.append(contentsOf: Octets.part(bytes, 0..<count))
        bodyBytes += count
        return count
    }

    // MARK: Lines

    /// Takes a line, or the beginning of one. Returns how many bytes that were.
    private mutating func takeLine(_ rest: UnsafeRawBufferPointer) throws(ResponseFault) -> Int {
        if stage == .statusLine, partial.count < 5 { try checkStart(rest) }
        guard let end = Octets.first(Octets.lineFeed, in: rest) else {
            try count(rest.count)
            partial.append(contentsOf: rest)
            return rest.count
        }
        try count(end + 1)
        if partial.isEmpty {
            try take(line: Octets.part(rest, 0..<end))
        } else {
            partial.append(contentsOf: Octets.part(rest, 0..<end))
            var whole: [UInt8] = []
            swap(&whole, &partial)
            try whole.withUnsafeBufferPointer { line throws(ResponseFault) in
                try take(line: UnsafeRawBufferPointer(line))
            }
        }
        return end + 1
    }

    /// Something that is not HTTP may never send a line end: told from its first bytes.
    private mutating func checkStart(_ rest: UnsafeRawBufferPointer) throws(ResponseFault) {
        if partial.isEmpty { messagesBegun += 1 }
        // Nor beyond the limit, which holds however the bytes are cut.
        let more = min(rest.count, 5 - partial.count, max(0, headLimit - headBytes))
        let next = Octets.part(rest, 0..<more)
        let begins =
            partial.isEmpty
            ? StatusLine.begins(next)
            : (partial + next).withUnsafeBytes { StatusLine.begins($0) }
        guard begins else { throw .statusLine }
    }

    private mutating func count(_ bytes: Int) throws(ResponseFault) {
        headBytes += bytes
        if headBytes > headLimit { throw .headTooLong }
    }

    /// `line` is without its LF, and may end with a CR (2.2: a lone LF is a line end too).
    private mutating func take(line: UnsafeRawBufferPointer) throws(ResponseFault) {
        let hasCR = line.last == Octets.carriageReturn
        let text = hasCR ? Octets.part(line, 0..<line.count - 1) : line
        switch stage {
        case .statusLine:
            self.line = try StatusLine(text)
            stage = .fields
        case .fields:
            if text.isEmpty { return try endHead() }
            if Octets.isBlank(text[0]) { try fields.fold(text) } else { try fields.append(text) }
        case .chunkSize:
            // 2.2 allows the lone LF for the start line and fields only.
            guard hasCR else { throw .chunkSize }
            try beginChunk(ChunkSize.read(text))
        case .trailers:
            // 7.1.2: trailers may be ignored; nothing of a sign-in depends on them.
            if text.isEmpty { stage = .complete }
        case .counted, .chunk, .chunkEnd, .untilClose, .complete:
            preconditionFailure("no line is read within a body")
        }
    }

    private mutating func endHead() throws(ResponseFault) {
        try fields.settle()
        if line.status == 101 { throw .switchedProtocols }
        if line.status < 200 {
            line = .none
            fields.removeAll()
            stage = .statusLine
            return
        }
        let framing = try Framing(line, fields, answersHead: answersHead)
        persists = framing.persists
        switch framing.body {
        case .none: stage = .complete
        case .counted(let length):
            guard length <= bodyLimit else { throw .bodyTooLong }
            body.reserveCapacity(length)
            stage = .counted(left: length)
        case .chunked: stage = .chunkSize
        case .untilClose: stage = .untilClose
        }
    }

    private mutating func beginChunk(_ size: Int) throws(ResponseFault) {
        guard size <= bodyLimit - body.count else { throw .bodyTooLong }
        stage = size == 0 ? .trailers : .chunk(left: size)
    }
}

extension StatusLine {
    fileprivate static var none: StatusLine { StatusLine(status: 0, isVersion10: false) }

    private init(status: Int, isVersion10: Bool) {
        self.status = status
        self.isVersion10 = isVersion10
    }
}

/// The line before a chunk: `1a` or `1a;name=value` (RFC 9112, 7.1).
enum ChunkSize {
    /// The line without its CRLF. Extensions are ignored (7.1.1); whitespace is allowed where the
    /// grammar allows it, before the semicolon, and at the end, where servers pad.
    static func read(_ line: UnsafeRawBufferPointer) throws(ResponseFault) -> Int {
        var size = 0
        var position = 0
        while position < line.count, let digit = Octets.hexDigit(line[position]) {
            // 7.1: large numbers must not overflow; no chunk of ours has more than 15 digits.
            guard size < 1 << 56 else { throw .chunkSize }
            size = size << 4 | digit
            position += 1
        }
        guard position > 0 else { throw .chunkSize }
        while position < line.count, Octets.isBlank(line[position]) { position += 1 }
        guard position == line.count || line[position] == UInt8(ascii: ";") else {
            throw .chunkSize
        }
        return size
    }
}
