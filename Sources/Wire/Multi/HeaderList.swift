internal import CCurl
internal import Dialects

/// Request headers in the shape that libcurl reads. Two allocations that are used again, instead of
/// two for each field of each request; libcurl reads them until the transfer has ended.
final class HeaderList {
    private var text: [CChar] = []
    private var starts: [Int] = []
    private var bytes: UnsafeMutablePointer<CChar>
    private var nodes: UnsafeMutablePointer<curl_slist>
    private var byteCapacity = 1024
    private var nodeCapacity = 16

    init() {
        bytes = .allocate(capacity: byteCapacity)
        nodes = .allocate(capacity: nodeCapacity)
    }

    deinit {
        bytes.deallocate()
        nodes.deallocate()
    }

    /// The list for `headers`; valid until the next call.
    func fill(_ headers: Headers, hasBody: Bool) -> UnsafeMutablePointer<curl_slist>? {
        text.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        for field in headers.fields { append(field.name, field.value) }
        // What libcurl would add by itself. `Expect` would also make it send a body twice (417).
        append(removing: "Expect")
        if headers["Accept"] == nil { append(removing: "Accept") }
        if hasBody, headers["Content-Type"] == nil { append(removing: "Content-Type") }
        return link()
    }

    private func append(_ name: String, _ value: String) {
        starts.append(text.count)
        append(name)
        if value.isEmpty {
            // libcurl's spelling of a field without a value; `Name:` would remove it.
            text.append(CChar(UInt8(ascii: ";")))
        } else {
            text.append(CChar(UInt8(ascii: ":")))
            text.append(CChar(UInt8(ascii: " ")))
            append(value)
        }
        text.append(0)
    }

    private func append(removing name: String) {
        starts.append(text.count)
        append(name)
        text.append(CChar(UInt8(ascii: ":")))
        text.append(0)
    }

    /// Line ends and NULs would end the field and begin another (RFC 9110, 5.5: a space instead).
    private func append(_ string: String) {
        for byte in string.utf8 {
            let isUnsafe = byte == 0 || byte == 10 || byte == 13
            text.append(CChar(bitPattern: isUnsafe ? 32 : byte))
        }
    }

    private func link() -> UnsafeMutablePointer<curl_slist>? {
        if text.count > byteCapacity {
            bytes.deallocate()
            byteCapacity = text.count * 2
            bytes = .allocate(capacity: byteCapacity)
        }
        if starts.count > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = starts.count * 2
            nodes = .allocate(capacity: nodeCapacity)
        }
        text.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { bytes.update(from: base, count: source.count) }
        }
        for (position, start) in starts.enumerated() {
            let next = position + 1 < starts.count ? nodes + position + 1 : nil
            (nodes + position).initialize(to: curl_slist(data: bytes + start, next: next))
        }
        return starts.isEmpty ? nil : nodes
    }
}
