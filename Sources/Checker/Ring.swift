internal import Vocabulary

/// The last operations of a device, of each what differs from the one before: ten bytes of a poll, instead of 32.
///
/// ```text
/// control   operation, effect   screen   flags    sequence   belief    call          length
/// 1 byte    2 bytes             1 byte   1 byte   varint     2 bytes   varint        varint
///           the first five only where the control byte says so         since before
/// ```
struct Ring: Sendable {
    static let limit = 64

    private var bytes: [UInt8] = []
    /// Where the oldest begins.
    private var first = 0
    private var count = 0
    /// What came before the oldest, and the newest.
    private var before = RingEntry()
    private var last = RingEntry()

    /// What the next one is compared with.
    private struct RingEntry: Sendable {
        var call: Int64 = 0
        var length: UInt64 = 0
        var sequence: Int32 = 0
        var operation: UInt8 = 0
        var effect: UInt8 = 0
        var screen: UInt8 = 0
        var flags: UInt8 = 0
        var belief: UInt16 = 0
    }

    private enum Differs {
        static let kind: UInt8 = 1
        static let screen: UInt8 = 2
        static let flags: UInt8 = 4
        /// It is not one more.
        static let sequence: UInt8 = 8
        static let belief: UInt8 = 16
    }

    /// No entry is longer: three varints of ten bytes, and seven others.
    private static let longest = 37
    private static let step = 96

    /// A length has 48 bits, which are 78 hours.
    mutating func append(_ beat: CompactOperation) {
        var entry = RingEntry()
        entry.call = beat.call
        entry.length = UInt64(min(max(0, beat.ret.plus(-beat.call)), 0xffff_ffff_ffff))
        entry.sequence = beat.sequence
        entry.operation = beat.operation.rawValue
        entry.effect = beat.effect.rawValue
        entry.screen = beat.screen
        entry.flags = beat.flags
        entry.belief = beat.belief
        if count == Self.limit {
            count -= 1
            before = read(&first, after: before)
        }
        makeRoom()
        write(entry)
        last = entry
        count += 1
    }

    /// In steps, for what is read once a violation is found is no reason to double.
    private mutating func makeRoom() {
        guard bytes.capacity - bytes.count < Self.longest else { return }
        if first >= Self.step {
            bytes.removeSubrange(..<first)
            first = 0
        } else {
            bytes.reserveCapacity(bytes.count + Self.step)
        }
    }

    private mutating func write(_ entry: RingEntry) {
        var control: UInt8 = 0
        if entry.operation != last.operation || entry.effect != last.effect {
            control |= Differs.kind
        }
        if entry.screen != last.screen { control |= Differs.screen }
        if entry.flags != last.flags { control |= Differs.flags }
        let steps = entry.sequence &- last.sequence
        if steps != 1 { control |= Differs.sequence }
        if entry.belief != last.belief { control |= Differs.belief }
        bytes.append(control)
        if control & Differs.kind != 0 {
            bytes.append(entry.operation)
            bytes.append(entry.effect)
        }
        if control & Differs.screen != 0 { bytes.append(entry.screen) }
        if control & Differs.flags != 0 { bytes.append(entry.flags) }
        if control & Differs.sequence != 0 { write(varint: Self.zigzag(Int64(steps))) }
        if control & Differs.belief != 0 {
            bytes.append(UInt8(truncatingIfNeeded: entry.belief))
            bytes.append(UInt8(truncatingIfNeeded: entry.belief >> 8))
        }
        write(varint: Self.zigzag(entry.call &- last.call))
        write(varint: entry.length)
    }

    private func read(_ position: inout Int, after last: RingEntry) -> RingEntry {
        var entry = last
        func next() -> UInt8 {
            defer { position += 1 }
            return bytes[position]
        }
        func varint() -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = next()
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
        }
        let control = next()
        if control & Differs.kind != 0 { (entry.operation, entry.effect) = (next(), next()) }
        if control & Differs.screen != 0 { entry.screen = next() }
        if control & Differs.flags != 0 { entry.flags = next() }
        entry.sequence &+=
            control & Differs.sequence == 0
            ? 1 : Int32(truncatingIfNeeded: Self.unzigzag(varint()))
        if control & Differs.belief != 0 {
            entry.belief = UInt16(next())
            entry.belief |= UInt16(next()) << 8
        }
        entry.call &+= Self.unzigzag(varint())
        entry.length = varint()
        return entry
    }

    private mutating func write(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }

    private static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Oldest first.
    var all: [CompactOperation] {
        var position = first
        var entry = before
        return (0..<count).compactMap { _ in
            entry = read(&position, after: entry)
            // Written from values of these types, so that they are some.
            guard let operation = OperationName(rawValue: entry.operation),
                let effect = Observed.ObservedEffect(rawValue: entry.effect)
            else { return nil }
            return CompactOperation(
                call: entry.call, ret: entry.call.plus(Int64(entry.length)),
                sequence: entry.sequence, operation: operation, effect: effect,
                screen: entry.screen, flags: entry.flags, belief: entry.belief)
        }
    }
}
