internal import Glibc

/// Looking at bytes of a message where they lie. All that is unsafe about reading HTTP is in this
/// file and in the slicing of `ResponseParser.feed`; positions come from the buffers themselves.
enum Octets {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let colon = UInt8(ascii: ":")

    /// A part of `bytes`, counting its positions from 0.
    @inline(__always)
    static func part(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>)
        -> UnsafeRawBufferPointer
    {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Position of the first `byte`.
    @inline(__always)
    static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Without whitespace at both ends. A CR that ends no line counts as a space (RFC 9112, 2.2).
    @inline(__always)
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        part(bytes, trimmed(bytes, 0..<bytes.count))
    }

    /// The same of a part of them: which that is.
    @inline(__always)
    static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isBlank(bytes[start]) || bytes[start] == carriageReturn { start += 1 }
        while end > start, isBlank(bytes[end - 1]) || bytes[end - 1] == carriageReturn { end -= 1 }
        return start..<end
    }

    /// Whether both are the same bytes.
    @inline(__always)
    static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let one = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(one, other, left.count) == 0
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    /// tchar of RFC 9110, 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03ff_6cfa_0000_0000
        let high: UInt64 = 0x57ff_ffff_c7ff_fffe
        guard byte < 128 else { return false }
        return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    }

    /// Whether these are the letters of `name`, which is lower case, in any case.
    @inline(__always)
    static func equal(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        guard bytes.count == name.utf8CodeUnitCount else { return false }
        for position in 0..<bytes.count where bytes[position] | 0x20 != name.utf8Start[position] {
            return false
        }
        return true
    }

    /// The members of a comma-separated list, trimmed, without empty ones (RFC 9110, 5.6.1).
    static func members(of list: UnsafeRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < list.count {
            let rest = part(list, start..<list.count)
            let end = start + (first(UInt8(ascii: ","), in: rest) ?? rest.count)
            let member = trimmed(part(list, start..<end))
            if !member.isEmpty { use(member) }
            start = end + 1
        }
    }

    /// The number that these digits write, or the largest there is; nil for anything but digits.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var value = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            value = value < Int.max / 10 ? value * 10 + Int(byte - 48) : .max
        }
        return value
    }

    static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case 48...57: Int(byte - 48)
        case 65...70: Int(byte - 55)
        case 97...102: Int(byte - 87)
        default: nil
        }
    }
}
