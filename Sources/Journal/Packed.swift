/// Texts that stand in others as Base64 (either alphabet, RFC 4648; also in lines, RFC 2045, 6.8) or as
/// hexadecimal digits, in UTF-8 or, as far as it is ASCII, UTF-16.
///
/// Where a run of digits begins is not known for sure (`token/aGVsbG8`): each run is read from its first
/// four digits on, of which three readings give nothing that is text. One pass, and each digit is read at
/// most six times.
struct Packed {
    /// The text that a reading gives; the place of its run.
    typealias Visit = (_ text: ArraySlice<UInt8>, _ run: Range<Int>) -> Void

    /// So few digits hold no secret twice encoded.
    static let fewestDigits = 10
    private static let fewestHexDigits = 12
    /// A shorter text is chance.
    private static let shortest = 6
    /// A line of Base64 that goes on in the next has at least so many digits.
    private static let shortestLine = 40

    static func each(in text: [UInt8], _ visit: Visit) {
        var reading = Packed()
        text.withUnsafeBufferPointer { text in
            var position = 0
            while position < text.count {
                guard value(text[position]) != nil else {
                    position += 1
                    continue
                }
                let end = reading.take(text, from: position)
                reading.visit(position..<end, text, visit)
                position = end
            }
        }
    }

    /// Values of a run's digits.
    private var digits: [UInt8] = []
    /// What was read, up to its last byte that is text.
    private var read: [UInt8] = []
    /// Bytes of a character that are still to come.
    private var due = 0

    /// Takes up the digits of the run that begins there, and returns its end.
    private mutating func take(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        digits.removeAll(keepingCapacity: true)
        var position = start
        var line = 0
        while position < text.count {
            if let value = Self.value(text[position]) {
                digits.append(value)
                line += 1
                position += 1
                continue
            }
            guard line >= Self.shortestLine else { break }
            var next = position
            while next < text.count, next < position + 4, Self.isSpace(text[next]) { next += 1 }
            guard next > position, next < text.count, Self.value(text[next]) != nil else { break }
            (position, line) = (next, 0)
        }
        while position < text.count, text[position] == UInt8(ascii: "=") { position += 1 }
        return position
    }

    private mutating func visit(
        _ run: Range<Int>, _ text: UnsafeBufferPointer<UInt8>, _ visit: Visit
    ) {
        guard digits.count >= Self.fewestDigits else { return }
        for first in 0..<4 {
            var position = first
            while position + 1 < digits.count {
                let four = digits[position..<min(position + 4, digits.count)]
                let bits =
                    four.reduce(UInt32(0)) { $0 << 6 | UInt32($1) } << UInt32(24 - 6 * four.count)
                add(UInt8(bits >> 16), run, visit)
                if four.count > 2 { add(UInt8(bits >> 8 & 0xff), run, visit) }
                if four.count > 3 { add(UInt8(bits & 0xff), run, visit) }
                position += 4
            }
            end(run, visit)
        }
        var start = run.lowerBound
        while start < run.upperBound {
            let end =
                text[start..<run.upperBound].firstIndex { Self.hexValue($0) == nil }
                ?? run.upperBound
            if end - start >= Self.fewestHexDigits {
                for first in start...start + 1 {
                    for position in stride(from: first, to: end - 1, by: 2) {
                        let (high, low) = (
                            Self.hexValue(text[position]), Self.hexValue(text[position + 1])
                        )
                        add((high ?? 0) << 4 | (low ?? 0), start..<end, visit)
                    }
                    self.end(start..<end, visit)
                }
            }
            start = end + 1
        }
    }

    private mutating func add(_ byte: UInt8, _ run: Range<Int>, _ visit: Visit) {
        switch byte {
        // The other half of a character in UTF-16.
        case 0: return
        case 0x20...0x7e, 0x09, 0x0a,
            0x0d where due == 0:
            break
        case 0x80...0xbf where due > 0: due -= 1
        case 0xc2...0xdf where due == 0: due = 1
        case 0xe0...0xef where due == 0: due = 2
        case 0xf0...0xf4 where due == 0: due = 3
        default: return end(run, visit)
        }
        read.append(byte)
    }

    /// What was read so far is all of it.
    private mutating func end(_ run: Range<Int>, _ visit: Visit) {
        if read.count >= Self.shortest { visit(read[...], run) }
        read.removeAll(keepingCapacity: true)
        due = 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// Of a digit of Base64 in either alphabet.
    @inline(__always)
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5a: byte - 0x41
        case 0x61...0x7a: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
        default: nil
        }
    }
}
