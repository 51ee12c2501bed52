internal import Dialects
internal import Formats
internal import Glibc

/// Reads requests off the bytes of a connection, however they are cut (RFC 9112). A value: it does no
/// I/O and knows no clock.
///
///     head ──▶ counted body ─────────────────────────▶ request
///       └────▶ chunk size ──▶ chunk ──▶ … ──▶ trailers ──┘
///
/// Lines that the last request of the connection had at the same place are not read again: a device
/// says most of what it says each time, and to compare bytes is cheaper than to make texts of them.
/// Strict where two readers of the same bytes could disagree about where a request ends.
struct RequestReader {
    /// A request of which everything has come.
    struct ReadRequest {
        /// Nil: a method that no protocol of ours uses.
        var method: Method?
        /// Path and query.
        var target = ""
        var headers = Headers()
        var body: [UInt8] = []
        /// The answer is to have no body.
        var isHead = false
        /// Whether another request may follow on the connection.
        var persists = true
        /// Its body was longer than allowed, and was dropped.
        var isTooLong = false
        /// It says what the one before it on the connection said, and neither has a body.
        var repeats = false
    }

    /// What was found in the bytes.
    enum Finding {
        /// The caller waits for leave to send the body (RFC 9110, 10.1.1).
        case waitsForLeave
        case request(ReadRequest)
    }

    /// The bytes are no HTTP/1.1: nothing behind them can be read either.
    struct RequestFault: Error {}

    private enum ReaderStage {
        case head
        case counted(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
    }

    private var stage = ReaderStage.head
    private var request = ReadRequest()
    private let bodyLimit: Int
    /// Bytes of lines that are not body: chunk sizes and trailers of one request.
    private var overhead = 0

    /// The last head with its blank line, and where each of its lines begins.
    private var last: [UInt8] = []
    private var lines: [Int] = []
    /// What it said, body and all that depends on one apart.
    private var lastRequest = ReadRequest()
    private var lastFraming = RequestFraming()
    /// So much of an incomplete head has no end.
    private var searched = 0

    /// As NIO's own codec has it.
    private static let headLimit = 80 * 1024

    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
    }

    /// Reads on in `bytes`, from `position`, which it moves; nil when the bytes are used up before
    /// anything is complete. What it leaves unread must come again, with more behind it.
    mutating func next(
        in bytes: UnsafeRawBufferPointer, at position: inout Int
    ) throws(RequestFault) -> Finding? {
        while true {
            switch stage {
            case .head:
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                guard let count = try readHead(rest) else { return nil }
                position += count
                let waits = lastFraming.expectsLeave
                switch lastFraming.body {
                case .counted(0): return .request(lastRequest)
                case .counted(let length):
                    begin()
                    request.isTooLong = length > bodyLimit
                    if !request.isTooLong { request.body.reserveCapacity(length) }
                    stage = .counted(left: length)
                case .chunked:
                    begin()
                    stage = .chunkSize
                }
                if waits { return .waitsForLeave }
            case .counted(let left):
                let taken = take(left, of: bytes, at: &position)
                stage = .counted(left: left - taken)
                guard taken == left else { return nil }
                return end()
            case .chunkSize:
                guard let line = try line(of: bytes, at: &position) else { return nil }
                let size = try Self.chunkSize(line)
                stage = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(let left):
                let taken = take(left, of: bytes, at: &position)
                stage = taken == left ? .chunkEnd : .chunk(left: left - taken)
                if taken < left { return nil }
            case .chunkEnd:
                guard let line = try line(of: bytes, at: &position) else { return nil }
                guard line.isEmpty else { throw RequestFault() }
                stage = .chunkSize
            case .trailers:
                guard let line = try line(of: bytes, at: &position) else { return nil }
                if line.isEmpty { return end() }
            }
        }
    }

    private mutating func begin() {
        request = lastRequest
        request.repeats = false
        overhead = 0
    }

    private mutating func end() -> Finding {
        stage = .head
        defer { request = ReadRequest() }
        return .request(request)
    }

    /// Takes up to `count` bytes of a body.
    private mutating func take(
        _ count: Int, of bytes: UnsafeRawBufferPointer, at position: inout Int
    ) -> Int {
        let taken = min(count, bytes.count - position)
        if request.body.count + taken > bodyLimit { request.isTooLong = true }
        if request.isTooLong {
            request.body = []
        } else {
            request.body.append(contentsOf: bytes[position..<position + taken])
        }
        position += taken
        return taken
    }

    /// A line without its end; nil when that has not come.
    private mutating func line(
        of bytes: UnsafeRawBufferPointer, at position: inout Int
    ) throws(RequestFault) -> Slice<UnsafeRawBufferPointer>? {
        guard let end = Self.lineEnd(in: bytes, from: position) else {
            guard overhead + bytes.count - position <= Self.headLimit else { throw RequestFault() }
            return nil
        }
        overhead += end + 1 - position
        // Two readers must agree on where a chunk ends: no line end but CRLF (2.2, 7.1).
        guard overhead <= Self.headLimit, end > position, bytes[end - 1] == UInt8(ascii: "\r")
        else { throw RequestFault() }
        let line = bytes[position..<end - 1]
        position = end + 1
        return line
    }

    /// `1a` or `1a;name=value` (7.1).
    private static func chunkSize(
        _ line: Slice<UnsafeRawBufferPointer>
    ) throws(RequestFault) -> Int {
        var size = 0
        let digits = line.prefix { Hexadecimal.value($0) != nil }
        guard (1...15).contains(digits.count) else { throw RequestFault() }
        for digit in digits { size = size << 4 | Int(Hexadecimal.value(digit) ?? 0) }
        let rest = line[digits.endIndex...].first { $0 != UInt8(ascii: " ") }
        guard rest == nil || rest == UInt8(ascii: ";") else { throw RequestFault() }
        return size
    }

    // MARK: The head

    /// Reads a head and gives its length, blank line included; nil when its end has not come.
    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) -> Int? {
        if !last.isEmpty, bytes.count >= last.count,
            last.withUnsafeBytes({
                Self.isSame($0, UnsafeRawBufferPointer(rebasing: bytes[..<last.count]))
            })
        {
            lastRequest.repeats = true
            return last.count
        }
        guard let count = try endOfHead(bytes) else { return nil }
        searched = 0
        var head = [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
            // Within bounds: `endOfHead` found `count` bytes, and so many were asked for.
            UnsafeMutableRawBufferPointer(memory).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            initialized = count
        }
        swap(&head, &last)
        do throws(RequestFault) {
            try readLines(before: head)
        } catch {
            (last, lines) = ([], [])
            throw error
        }
        return count
    }

    /// The length of the head. Empty lines before it belong to it: some clients end a body with one
    /// (2.2).
    private mutating func endOfHead(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) -> Int? {
        var position = max(0, searched - 3)
        while let end = Self.lineEnd(in: bytes, from: position) {
            position = end + 1
            guard end > 0 else { continue }
            let before = bytes[end - 1] == UInt8(ascii: "\r") ? end - 2 : end - 1
            guard before >= 0, bytes[before] == UInt8(ascii: "\n") else { continue }
            guard bytes[...before].contains(where: { $0 > 0x20 }) else { continue }
            return position
        }
        searched = bytes.count
        // What is no HTTP may never send a line end; its first byte tells.
        let start = bytes.first { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        guard bytes.count <= Self.headLimit, start.map(Self.isToken) ?? true else {
            throw RequestFault()
        }
        return nil
    }

    /// Reads the lines of `last`; those that stood in `old` at the same place are taken over.
    private mutating func readLines(before old: [UInt8]) throws(RequestFault) {
        var next = ReadRequest()
        var starts: [Int] = []
        starts.reserveCapacity(lines.count)
        var fields: [Headers.Field] = []
        fields.reserveCapacity(lines.count)
        var position = 0
        while position < last.count {
            let end = last.withUnsafeBytes { Self.lineEnd(in: $0, from: position) } ?? last.count
            let text = last[position..<(end > position && last[end - 1] == 13 ? end - 1 : end)]
            defer { position = end + 1 }
            if text.isEmpty, starts.isEmpty { continue }
            let number = starts.count
            starts.append(position)
            if text.isEmpty { break }
            let isKnown =
                number + 1 < lines.count
                && Self.isSame(old, lines[number]..<lines[number + 1], last, position..<end + 1)
            if number == 0 {
                if isKnown {
                    next.method = lastRequest.method
                    next.target = lastRequest.target
                    next.isHead = lastRequest.isHead
                } else {
                    try readRequestLine(text, to: &next)
                }
                next.persists = text.last == UInt8(ascii: "1")
            } else if isKnown {
                fields.append(lastRequest.headers.fields[number - 1])
            } else {
                fields.append(try Self.field(text))
            }
        }
        next.headers = Headers(fields)
        lines = starts
        lastFraming = try RequestFraming(next.headers, persists: next.persists)
        next.persists = lastFraming.persists
        lastRequest = next
    }

    /// `GET /path?query HTTP/1.1`. A proxy's absolute form (3.2.2) loses what is in front.
    private func readRequestLine(
        _ line: ArraySlice<UInt8>, to request: inout ReadRequest
    ) throws(RequestFault) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(Self.isToken),
            !words[1].isEmpty, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8)
        else { throw RequestFault() }
        let method = String(decoding: words[0], as: UTF8.self)
        request.method = Method(rawValue: method)
        request.isHead = method == "HEAD"
        let target = String(decoding: words[1], as: UTF8.self)
        request.target =
            target.utf8.first == UInt8(ascii: "/") ? target : WebAddress(target)?.target ?? "/"
    }

    /// `Name: value`. No space before the colon (5.1), no folded lines (5.2).
    private static func field(_ line: ArraySlice<UInt8>) throws(RequestFault) -> Headers.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isToken), !line.contains(0), !line.contains(13)
        else { throw RequestFault() }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        return Headers.Field(
            String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Position of the first LF at or behind `start`.
    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        // Within bounds: never more than what is left is looked at.
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 10, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private static func isSame(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        guard one.count == other.count, let left = one.baseAddress, let right = other.baseAddress
        else { return one.count == other.count }
        return memcmp(left, right, one.count) == 0
    }

    private static func isSame(
        _ one: [UInt8], _ range: Range<Int>, _ other: [UInt8], _ otherRange: Range<Int>
    ) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                isSame(
                    UnsafeRawBufferPointer(rebasing: one[range]),
                    UnsafeRawBufferPointer(rebasing: other[otherRange]))
            }
        }
    }

    /// tchar of RFC 9110, 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// How long a request's body is, and whether another request may follow (RFC 9112, 6.3 and 9.3).
struct RequestFraming {
    enum Length: Hashable {
        case counted(Int)
        case chunked
    }

    var body = Length.counted(0)
    var persists = true
    var expectsLeave = false

    init() {}

    /// `persists`: what the version means without a word on it.
    init(_ headers: Headers, persists: Bool) throws(RequestReader.RequestFault) {
        self.persists = persists
        var length: Int?
        var isChunked = false
        for field in headers.fields {
            // By their lengths: the names that matter are few.
            switch field.name.utf8.count {
            case 6 where field.name.equalsIgnoringCase("expect"): expectsLeave = true
            case 10 where field.name.equalsIgnoringCase("connection"):
                for option in field.value.split(separator: ",") {
                    let option = option.trimmingSpaces()
                    if option.equalsIgnoringCase("close") { self.persists = false }
                    if option.equalsIgnoringCase("keep-alive"), !persists { self.persists = true }
                }
            case 14 where field.name.equalsIgnoringCase("content-length"):
                guard !field.value.isEmpty, field.value.utf8.allSatisfy({ 48...57 ~= $0 }),
                    let count = Int(field.value), length == nil || length == count
                else { throw RequestReader.RequestFault() }
                length = count
            case 17 where field.name.equalsIgnoringCase("transfer-encoding"):
                guard !isChunked, field.value.equalsIgnoringCase("chunked") else {
                    throw RequestReader.RequestFault()
                }
                isChunked = true
            default: break
            }
        }
        // 6.3, 3: to believe either of both is how requests are smuggled.
        guard !isChunked || length == nil else { throw RequestReader.RequestFault() }
        body = isChunked ? .chunked : .counted(length ?? 0)
    }
}
