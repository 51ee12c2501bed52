internal import Formats

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
    static let fewestDigits = 11
    private static let fewestHexDigits = 16
    /// A shorter text is chance.
    static let shortest = 8
    /// A line of Base64 that goes on in the next has at least so many digits.
    private static let shortestLine = 40

    static func each(in text: [UInt8], _ visit: Visit) {
        var reading = Packed()
        text.withUnsafeBufferPointer { text in
            var position = 0
            while position < text.count {
                guard isDigit(text[position]) else {
                    position += 1
                    continue
                }
                var end = position + 1
                while end < text.count, isDigit(text[end]) { end += 1 }
                if end - position >= fewestDigits {
                    var readings = readings(of: text.span, position..<end)
                    if !readings.isEmpty {
                        let line = end
                        end = reading.take(text, from: position)
                        // Digits of further lines were not looked at.
                        if reading.digits.count > line - position { readings = .all }
                        reading.visit(position..<end, text, readings, visit)
                    }
                }
                position = end
            }
        }
    }

    /// The ways in which a run of digits may be read.
    struct Readings: OptionSet {
        var rawValue: UInt8

        /// Base64 from the first, second, third or fourth digit on.
        static func base64(_ first: Int) -> Readings { Readings(rawValue: 1 << UInt8(first & 3)) }
        static let hexadecimal = Readings(rawValue: 16)
        static let all = Readings(rawValue: 31)
    }

    /// The readings of a run of digits that give text for long enough, and perhaps one that does not:
    /// by one look at each digit and without any memory.
    static func readings(of text: Span<UInt8>, _ run: Range<Int>) -> Readings {
        let table = PackedTable.shared
        let (digits, sorts, next) = (table.digits.span, table.sorts.span, table.next.span)
        var found: Readings = []
        var states: InlineArray<4, UInt8> = [0, 0, 0, 0]
        var (bits, hexDigits, mostHexDigits) = (0, 0, 0)
        for position in run {
            // There is one for each byte.
            let digit = Int(digits[unchecked: Int(text[position])])
            hexDigits = digit >= PackedTable.hexadecimal ? hexDigits + 1 : 0
            mostHexDigits = max(mostHexDigits, hexDigits)
            bits = (bits << 6 | digit & 63) & 0xff_ffff
            let last = position - run.lowerBound
            guard last >= 3 else { continue }
            // The digit completes three bytes of the reading that began with the first, second, ...
            let reading = (last + 1) & 3
            var state = PackedTable.state(states[reading], bits >> 16, sorts, next)
            state = PackedTable.state(state, bits >> 8, sorts, next)
            state = PackedTable.state(state, bits, sorts, next)
            states[reading] = state
        }
        for first in 0..<4 {
            switch max(0, run.count - first) & 3 {
            case 2: states[first] = PackedTable.state(states[first], bits >> 4, sorts, next)
            case 3:
                states[first] = PackedTable.state(states[first], bits >> 10, sorts, next)
                states[first] = PackedTable.state(states[first], bits >> 2, sorts, next)
            default: break
            }
            if states[first] == PackedTable.isText { found.insert(.base64(first)) }
        }
        if mostHexDigits >= fewestHexDigits, mayHoldHex(text, run) { found.insert(.hexadecimal) }
        return found
    }

    private static func mayHoldHex(_ text: Span<UInt8>, _ run: Range<Int>) -> Bool {
        let table = PackedTable.shared
        let (sorts, next) = (table.sorts.span, table.next.span)
        for first in run.prefix(2) {
            var state: UInt8 = 0
            for position in stride(from: first, to: run.upperBound - 1, by: 2) {
                guard let high = Hexadecimal.value(text[position]),
                    let low = Hexadecimal.value(text[position + 1])
                else {
                    if state == PackedTable.isText { return true }
                    state = 0
                    continue
                }
                state = PackedTable.state(state, Int(high << 4 | low), sorts, next)
            }
            if state == PackedTable.isText { return true }
        }
        return false
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
        digits.reserveCapacity(Self.shortestLine)
        read.reserveCapacity(Self.shortestLine)
        var position = start
        var line = 0
        while position < text.count {
            if Self.isDigit(text[position]) {
                digits.append(Self.value(text[position]))
                line += 1
                position += 1
                continue
            }
            guard line >= Self.shortestLine else { break }
            var next = position
            while next < text.count, next < position + 4, Self.isSpace(text[next]) { next += 1 }
            guard next > position, next < text.count, Self.isDigit(text[next])
            else { break }
            (position, line) = (next, 0)
        }
        while position < text.count, text[position] == UInt8(ascii: "=") { position += 1 }
        return position
    }

    private mutating func visit(
        _ run: Range<Int>, _ text: UnsafeBufferPointer<UInt8>, _ readings: Readings,
        _ visit: Visit
    ) {
        guard digits.count >= Self.fewestDigits else { return }
        for first in 0..<4 where readings.contains(.base64(first)) {
            var (bits, count) = (UInt32(0), 0)
            for digit in digits[first...] {
                bits = bits << 6 | UInt32(digit)
                count += 1
                // The first digit of four gives no byte yet, each of the others one.
                switch count & 3 {
                case 1: continue
                case 2: add(UInt8(truncatingIfNeeded: bits >> 4), run, visit)
                case 3: add(UInt8(truncatingIfNeeded: bits >> 2), run, visit)
                default: add(UInt8(truncatingIfNeeded: bits), run, visit)
                }
            }
            end(run, visit)
        }
        guard readings.contains(.hexadecimal) else { return }
        var start = run.lowerBound
        while start < run.upperBound {
            let end =
                text[start..<run.upperBound].firstIndex { Hexadecimal.value($0) == nil }
                ?? run.upperBound
            if end - start >= Self.fewestHexDigits {
                for first in start...start + 1 {
                    for position in stride(from: first, to: end - 1, by: 2) {
                        let (high, low) = (
                            Hexadecimal.value(text[position]), Hexadecimal.value(text[position + 1])
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
        case 0x20...0x7e where due == 0, 0x09 where due == 0, 0x0a where due == 0,
            0x0d where due == 0:
            break
        // Half a character ends a text, and what follows it begins the next.
        case 0x20...0x7e:
            end(run, visit)
            due = 0
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

    /// Whether it is a digit of Base64, in either alphabet.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        let set: UInt64 = byte & 64 == 0 ? 0x03ff_a800_0000_0000 : 0x07ff_fffe_87ff_fffe
        return byte < 0x80 && set >> UInt64(byte & 63) & 1 == 1
    }

    /// Of a digit.
    @inline(__always)
    static func value(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 0x61...: digit - 0x61 + 26
        case UInt8(ascii: "_"): 63
        case 0x41...: digit - 0x41
        case 0x30...: digit - 0x30 + 52
        default: digit == UInt8(ascii: "/") ? 63 : 62
        }
    }
}
