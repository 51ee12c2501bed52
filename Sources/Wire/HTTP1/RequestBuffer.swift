internal import Dialects

/// Requests as bytes, one at a time in memory that is used again. Its address stays while a request
/// is in it: TLS wants a write that could not be finished repeated from the same place.
final class RequestBuffer {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 4096
        bytes = .allocate(capacity: capacity)
    }

    /// The same request in no more memory than it needs: thousands may wait for a connection.
    init(copying other: RequestBuffer) {
        capacity = max(1, other.count)
        count = other.count
        bytes = .allocate(capacity: capacity)
        bytes.update(from: other.bytes, count: count)
    }

    deinit { bytes.deallocate() }

    /// What has been written, from `start` to `end`; valid until the next request is written.
    func contents(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + start, count: end - start)
    }

    /// Writes a whole request (RFC 9112, 3). The length is ours to say (6.2), whatever the call's
    /// own headers hold; so is the host, unless they name one (3.2).
    func write(_ call: Call, authority: String) {
        count = 0
        append(call.method.rawValue)
        append(literal: " ")
        append(RequestTarget.escaped(call.address.target))
        append(literal: " HTTP/1.1\r\n")
        if call.headers["Host"] == nil { appendField("Host", authority) }
        for field in call.headers.fields where !Self.isOurs(field.name) {
            appendField(field.name, field.value)
        }
        // RFC 9110, 8.6: a method that expects a body says so even when there is none.
        if call.method == .post || !call.body.isEmpty {
            append(literal: "Content-Length: ")
            appendNumber(call.body.count)
            append(literal: "\r\n")
        }
        append(literal: "\r\n")
        append(call.body)
    }

    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }

    private func appendField(_ name: String, _ value: String) {
        let start = count
        append(name)
        append(literal: value.isEmpty ? ":" : ": ")
        append(value)
        // Line ends and NULs would end the field and begin another (RFC 9110, 5.5: spaces instead).
        for position in start..<count {
            let byte = bytes[position]
            bytes[position] = byte == 0 || byte == 10 || byte == 13 ? 32 : byte
        }
        append(literal: "\r\n")
    }

    private func append(literal text: StaticString) {
        append(text.utf8Start, text.utf8CodeUnitCount)
    }

    private func append(_ text: String) {
        // A Swift string lies in one piece; one that came over a bridge is copied byte by byte.
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { source in
            if let base = source.baseAddress { append(base, source.count) }
        }
        if isCopied == nil { append(Array(text.utf8)) }
    }

    private func append(_ body: [UInt8]) {
        body.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { append(base, source.count) }
        }
    }

    @inline(__always)
    private func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        bytes.advanced(by: count).update(from: source, count: length)
        count += length
    }

    private func appendNumber(_ number: Int) {
        if number >= 10 { appendNumber(number / 10) }
        reserve(1)
        bytes[count] = UInt8(48 + number % 10)
        count += 1
    }

    private func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = larger
    }
}
