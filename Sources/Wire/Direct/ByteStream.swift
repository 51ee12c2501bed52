internal import CCurl
internal import Glibc

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
            let count = arrival_receive(descriptor, room.baseAddress, room.count, &stamp)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            let number = errno
            if number == EINTR { continue }
            if number == EAGAIN { return .blocked }
            return .failed(LineFault(CURLE_RECV_ERROR, LineFault.systemWords(number)))
        }
    }

    /// How long ago the latest segment with data arrived; in steps of the kernel's clock (1 to 10 ms), rounded
    /// down. Nil where that is not known.
    var sinceLatestData: Duration? {
        let age = arrival_age(descriptor)
        return age < 0 ? nil : .milliseconds(age)
    }

    /// Whether nothing has come, and no end: asked of a kept connection before it carries another
    /// request, because what a server sent unasked would be taken for the answer (RFC 9112, 9.2 and 9.5).
    @inline(__always)
    var isQuiet: Bool {
        if tls?.holdsMore == true { return false }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN
    }

    /// Whether more may be there after `count` bytes came into a room of `size`: TLS knows what it
    /// holds back; a socket that did not fill the room has no more, or will say so.
    @inline(__always)
    func mayHoldMore(_ count: Int, of size: Int) -> Bool {
        if let tls { return tls.holdsMore }
        return count == size
    }
}
