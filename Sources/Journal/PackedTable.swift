internal import Formats

/// What digits are worth, and a machine that reads bytes and knows whether so many of them in a row were
/// text (`Packed.shortest`): UTF-8, or UTF-16 of ASCII.
///
/// Its state is how many bytes of text came last (0 to 7) and how many more its last character has to
/// have (0 to 3), or `isText`, in which it stays.
struct PackedTable: Sendable {
    static let shared = PackedTable()

    /// By byte, what it is worth as a digit of Base64; with `hexadecimal` where it is such a digit, too.
    let digits: [UInt8]
    /// By byte, its `Sort`.
    let sorts: [UInt8]
    /// By state and sort.
    let next: [UInt8]

    static let hexadecimal = 0x80
    /// There was text for long enough.
    static let isText: UInt8 = 63

    private enum Sort: UInt8, CaseIterable {
        /// The other half of a character in UTF-16.
        case zero
        case ascii, space, continuation
        /// Opens a character of two, three, four bytes.
        case two, three, four
        case other

        init(_ byte: UInt8) {
            self =
                switch byte {
                case 0: .zero
                case 0x09, 0x0a, 0x0d: .space
                case 0x20...0x7f: .ascii
                case 0x80...0xbf: .continuation
                case 0xc2...0xdf: .two
                case 0xe0...0xef: .three
                case 0xf0...0xf4: .four
                default: .other
                }
        }
    }

    private init() {
        digits = (0...255).map { (byte: UInt8) in
            guard Packed.isDigit(byte) else { return 0 }
            return Packed.value(byte)
                | (Hexadecimal.value(byte) == nil ? 0 : UInt8(Self.hexadecimal))
        }
        sorts = (0...255).map { Sort($0).rawValue }
        next = (0..<512).map { index in
            let state = UInt8(index >> 3)
            guard state != Self.isText, let sort = Sort(rawValue: UInt8(index & 7)) else {
                return state
            }
            return Self.state(after: sort, count: state >> 2, due: state & 3)
        }
    }

    private static func state(after sort: Sort, count: UInt8, due: UInt8) -> UInt8 {
        switch (sort, due) {
        case (.zero, _): count << 2 | due
        case (.ascii, 0), (.space, 0): state(count + 1, due: 0)
        // Half a character ends a text, and what follows it begins the next.
        case (.ascii, _): state(1, due: 0)
        case (.continuation, 1...): state(count + 1, due: due - 1)
        case (.two, 0): state(count + 1, due: 1)
        case (.three, 0): state(count + 1, due: 2)
        case (.four, 0): state(count + 1, due: 3)
        default: 0
        }
    }

    private static func state(_ count: UInt8, due: UInt8) -> UInt8 {
        count >= Packed.shortest ? isText : count << 2 | due
    }

    /// The state after one more byte; `sorts` and `next` are those of the table, held once for a run.
    @inline(__always)
    static func state(
        _ state: UInt8, _ byte: Int, _ sorts: Span<UInt8>, _ next: Span<UInt8>
    ) -> UInt8 {
        // Both masks keep within the tables.
        next[unchecked: (Int(state) << 3 | Int(sorts[unchecked: byte & 0xff])) & 511]
    }
}
