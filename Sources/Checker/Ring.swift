internal import Vocabulary

/// The last operations of a device, of each what differs from what the one before lets expect: one byte of a poll that
/// comes in time and takes as long as the last, some seven of one that does not, instead of 32.
///
/// ```text
/// control   operation, effect   screen   flags    sequence   belief    pace     length
/// 1 byte    2 bytes             1 byte   1 byte   varint     2 bytes   varint   varint
///           each only where the control byte says so
/// ```
///
/// The pace is by how much longer than the step before the step from call to call is, as in Gorilla (Pelkonen et al.,
/// VLDB 2015): TVs poll at an even rate.
struct Ring: ~Copyable {
    static let limit = 64

    // Half a kilobyte for each device that lives: no array, which has a header and doubles.
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var capacity: UInt16 = 0
    /// Where the oldest begins, and where the newest ends.
    private var first: UInt16 = 0
    private var end: UInt16 = 0
    private var count: UInt8 = 0
    /// What came before the oldest, and the newest.
    private var before = RingEntry()
    private var last = RingEntry()

    /// What the next one is compared with.
    private struct RingEntry {
        var call: Int64 = 0
        /// From the call before to this one.
        var step: Int64 = 0
        var length: Int64 = 0
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
        static let pace: UInt8 = 32
        static let length: UInt8 = 64
    }

    /// No entry is longer: varints of five (of 32 bits), ten (of 64) and seven bytes (of 48), and seven others.
    private static let longest: UInt16 = 29
    /// In steps, for what is read once a violation is found is no reason to double.
    private static let step: UInt16 = 32

    init() {}

    deinit { bytes?.deallocate() }

    /// A length has 48 bits, which are 78 hours.
    mutating func append(_ beat: CompactOperation) {
        var entry = RingEntry()
        entry.call = beat.call
        entry.step = beat.call &- last.call
        entry.length = min(max(0, beat.ret.plus(-beat.call)), 0xffff_ffff_ffff)
        entry.sequence = beat.sequence
        entry.operation = beat.operation.rawValue
        entry.effect = beat.effect.rawValue
        entry.screen = beat.screen
        entry.flags = beat.flags
        entry.belief = beat.belief
        if count == Self.limit {
            count -= 1
            var next = first
            before = read(&next, after: before)
            first = next
        }
        if capacity - end < Self.longest { makeRoom() }
        write(entry)
        last = entry
        count += 1
    }

    /// At the end, for one more.
    private mutating func makeRoom() {
        let filled = end - first
        var room = bytes
        // Moving up frees too little for one more.
        if capacity - filled < Self.longest {
            capacity += Self.step
            room = .allocate(capacity: Int(capacity))
        }
        if let bytes, let room {
            room.update(from: bytes + Int(first), count: Int(filled))
            if room != bytes { bytes.deallocate() }
        }
        (bytes, first, end) = (room, 0, filled)
    }

    private mutating func write(_ entry: RingEntry) {
        let place = end
        end += 1
        var control: UInt8 = 0
        if entry.operation != last.operation || entry.effect != last.effect {
            control |= Differs.kind
            put(entry.operation)
            put(entry.effect)
        }
        if entry.screen != last.screen {
            control |= Differs.screen
            put(entry.screen)
        }
        if entry.flags != last.flags {
            control |= Differs.flags
            put(entry.flags)
        }
        let steps = entry.sequence &- last.sequence
        if steps != 1 {
            control |= Differs.sequence
            put(varint: Int64(steps))
        }
        if entry.belief != last.belief {
            control |= Differs.belief
            put(UInt8(truncatingIfNeeded: entry.belief))
            put(UInt8(truncatingIfNeeded: entry.belief >> 8))
        }
        if entry.step != last.step {
            control |= Differs.pace
            put(varint: entry.step &- last.step)
        }
        if entry.length != last.length {
            control |= Differs.length
            put(varint: entry.length - last.length)
        }
        self[place] = control
    }

    private func read(_ position: inout UInt16, after last: RingEntry) -> RingEntry {
        var entry = last
        func next() -> UInt8 {
            defer { position += 1 }
            return self[position]
        }
        func varint() -> Int64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = next()
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(value & 1) }
                shift += 7
            }
        }
        let control = next()
        if control & Differs.kind != 0 { (entry.operation, entry.effect) = (next(), next()) }
        if control & Differs.screen != 0 { entry.screen = next() }
        if control & Differs.flags != 0 { entry.flags = next() }
        entry.sequence &+=
            control & Differs.sequence == 0 ? 1 : Int32(truncatingIfNeeded: varint())
        if control & Differs.belief != 0 {
            entry.belief = UInt16(next())
            entry.belief |= UInt16(next()) << 8
        }
        if control & Differs.pace != 0 { entry.step &+= varint() }
        entry.call &+= entry.step
        if control & Differs.length != 0 { entry.length += varint() }
        return entry
    }

    // MARK: Bytes

    private subscript(position: UInt16) -> UInt8 {
        get {
            precondition(position < end, "a byte that was written")
            return bytes.unsafelyUnwrapped[Int(position)]
        }
        set {
            precondition(position < capacity, "an entry is no longer than the longest")
            bytes.unsafelyUnwrapped[Int(position)] = newValue
        }
    }

    private mutating func put(_ byte: UInt8) {
        self[end] = byte
        end += 1
    }

    /// The lowest bit is the sign.
    private mutating func put(varint value: Int64) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
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
                call: entry.call, ret: entry.call.plus(entry.length),
                sequence: entry.sequence, operation: operation, effect: effect,
                screen: entry.screen, flags: entry.flags, belief: entry.belief)
        }
    }
}
