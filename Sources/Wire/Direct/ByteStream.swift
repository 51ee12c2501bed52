internal import CCurl
internal import Glibc
internal import Journal
internal import Lanes

/// How far some bytes got.
enum LineFlow {
    case moved(Int)
    /// Nothing now; readiness will tell.
    case blocked
    /// The other side has ended it.
    case ended
    /// The same, but without the farewell of TLS (close_notify): somebody between may have done it.
    case cut
    case failed(LineFault)
}

/// Why a connection of ours broke, with the code that libcurl would have for it.
struct LineFault: Error {
    var code: CURLcode
    /// The system's words, or libssl's.
    var words: String

    init(_ code: CURLcode, _ words: String) {
        self.code = code
        self.words = words
    }

    static func systemWords(_ number: Int32) -> String {
        number == 0 ? "connection closed" : String(cString: strerror(number)).lowercased()
    }

    /// The reason of libssl's latest error, which is taken off its list.
    static func opensslWords() -> String {
        guard let words = ERR_reason_error_string(ERR_peek_last_error()) else { return "" }
        ERR_clear_error()
        return String(cString: words)
    }
}

/// The bytes of one connection: over its socket as it is, or over TLS.
struct ByteStream {
    let descriptor: Int32
    var tls: TLSStream?

    @inline(__always)
    func send(_ bytes: UnsafeRawBufferPointer) -> LineFlow {
        if let tls { return tls.send(bytes) }
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            let number = errno
            if number == EINTR { continue }
            if number == EAGAIN { return .blocked }
            return .failed(LineFault(CURLE_SEND_ERROR, LineFault.systemWords(number)))
        }
    }

    /// Never `.moved(0)`. `stamp`: when the segment with the last of what was moved arrived, by the wall clock
    /// (nanoseconds); 0 where the kernel does not say.
    @inline(__always)
    func receive(into room: UnsafeMutableRawBufferPointer, stamp: inout Int64) -> LineFlow {
        if let tls { return tls.receive(into: room, stamp: &stamp) }
        while true {
            let count = arrival_receive(descriptor, room.baseAddress, room.count, 0, &stamp)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            let number = errno
            if number == EINTR { continue }
            if number == EAGAIN { return .blocked }
            return .failed(LineFault(CURLE_RECV_ERROR, LineFault.systemWords(number)))
        }
    }

    /// When what is read now arrived, and now. The stamp belongs to the last segment in the order of the bytes. If a segment
    /// before it was lost and sent again, that one arrived later, and the kernel only knows how long ago the latest data
    /// came: in steps of its clock (1 to 10 ms), rounded down.
    @inline(__always)
    func arrival(_ stamp: Int64, by loop: LiveLoop) -> (arrived: Instant, now: Instant) {
        let (arrived, now) = loop.arrival(stamp)
        let age = now - arrived
        guard age > Self.oldStamp else { return (arrived, now) }
        let latest = Duration.milliseconds(arrival_age(descriptor))
        guard latest >= .zero, age - latest > Self.oldStamp else { return (arrived, now) }
        return (arrived + (age - latest), now)
    }

    /// Twice what the kernel's clock of ages may be off by.
    private static let oldStamp: Duration = .milliseconds(20)

    /// Whether nothing has come, and no end: asked of a kept connection before it carries another
    /// request, because what a server sent unasked would be taken for the answer (RFC 9112, 9.2 and 9.5).
    @inline(__always)
    var isQuiet: Bool {
        if tls?.holdsMore == true { return false }
        return outlook == .nothing
    }

    /// Whether the other side has ended it, as far as what waits to be read lets see.
    var hasEnded: Bool { outlook == .end }

    private enum Outlook { case nothing, bytes, end }

    /// What the next read would meet, which is left where it is.
    @inline(__always)
    private var outlook: Outlook {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count < 0 && errno == EAGAIN ? .nothing : .end
    }

    /// Whether more may be there after `count` bytes came into a room of `size`: TLS knows what it
    /// holds back; a socket that did not fill the room has no more, or will say so.
    @inline(__always)
    func mayHoldMore(_ count: Int, of size: Int) -> Bool {
        if let tls { return tls.holdsMore }
        return count == size
    }
}
