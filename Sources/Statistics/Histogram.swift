/// Counts of durations in log-linear buckets: 256 to an octave, so a percentile is within 0.2 % of
/// the exact one, in constant memory. Smallest, largest and sum are kept exactly.
///
/// ```text
/// nanoseconds   0 ..< 512        one bucket each
///               512 ..< 1024     256 buckets of 2
///               1024 ..< 2048    256 buckets of 4 ...
/// ```
public struct Histogram: Sendable, Hashable {
    public private(set) var count = 0
    public private(set) var sum: Int64 = 0
    /// Exact extremes in nanoseconds; zero while empty.
    public private(set) var smallest: Int64 = 0
    public private(set) var largest: Int64 = 0
    private var buckets: [UInt32] = []
    /// Index of `buckets[0]`: only the range in use is stored.
    private var offset = 0

    private static let bits = 8

    public init() {}

    /// Records one value in nanoseconds; negative values count as zero.
    public mutating func record(_ nanoseconds: Int64) {
        let value = max(0, nanoseconds)
        add(Self.index(of: value))
        smallest = count == 0 ? value : min(smallest, value)
        largest = count == 0 ? value : max(largest, value)
        count += 1
        sum = Self.sum(sum, value)
    }

    /// Of what is not negative; a sum that is too large stays at the largest number.
    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    public mutating func record(_ duration: Duration) {
        record(duration.nanoseconds)
    }

    /// Adds all of `other`, as if its values had been recorded here.
    public mutating func merge(_ other: Histogram) {
        guard other.count > 0 else { return }
        addBuckets(of: other)
        smallest = count == 0 ? other.smallest : min(smallest, other.smallest)
        largest = count == 0 ? other.largest : max(largest, other.largest)
        count += other.count
        sum = Self.sum(sum, other.sum)
    }

    /// The value, in nanoseconds, at or below which `share` (0 to 1) of the values lie: the middle
    /// of its bucket, never outside the exact extremes. Nil while empty.
    public func value(atShare share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        if rank >= count { return largest }
        var seen = 0
        for (position, times) in buckets.enumerated() {
            seen += Int(times)
            if seen >= rank {
                let (low, width) = Self.range(of: offset + position)
                return min(max(low + width / 2, smallest), largest)
            }
        }
        return largest
    }

    /// How many values lie above `bound`; those in the bucket of the bound do not.
    public func count(above bound: Int64) -> Int {
        guard bound < largest else { return 0 }
        let first = max(0, Self.index(of: max(0, bound)) + 1 - offset)
        return buckets.dropFirst(first).reduce(0) { $0 + Int($1) }
    }

    /// Arithmetic mean in nanoseconds, nil while empty.
    public var mean: Double? {
        count == 0 ? nil : Double(sum) / Double(count)
    }

    /// The buckets that hold anything, in order: lower bound and width in nanoseconds, and count.
    public var filled: [(low: Int64, width: Int64, count: Int)] {
        var filled: [(low: Int64, width: Int64, count: Int)] = []
        filled.reserveCapacity(min(count, buckets.count))
        for position in buckets.indices where buckets[position] > 0 {
            let (low, width) = Self.range(of: offset + position)
            filled.append((low, width, Int(buckets[position])))
        }
        return filled
    }

    private mutating func add(_ index: Int) {
        if index < offset || index >= offset + buckets.count { cover(index...index) }
        buckets[index - offset] = Self.total(buckets[index - offset], 1)
    }

    /// The first and the last bucket of a histogram hold something, so that this makes room for no more
    /// than is filled. Reports merge thousands: eight buckets at a time.
    private mutating func addBuckets(of other: Histogram) {
        guard !buckets.isEmpty else {
            (buckets, offset) = (other.buckets, other.offset)
            return
        }
        cover(other.offset...other.offset + other.buckets.count - 1)
        let start = other.offset - offset
        buckets.withUnsafeMutableBufferPointer { own in
            other.buckets.withUnsafeBufferPointer { more in
                precondition(start + more.count <= own.count, "room was made for them")
                for position in more.indices {
                    own[start + position] = Self.total(own[start + position], more[position])
                }
            }
        }
    }

    /// A count that is too large stays at the largest number.
    @inline(__always)
    private static func total(_ one: UInt32, _ other: UInt32) -> UInt32 {
        let total = one &+ other
        return total < one ? .max : total
    }

    /// Makes room for buckets.
    private mutating func cover(_ indices: ClosedRange<Int>) {
        if buckets.isEmpty { offset = indices.lowerBound }
        if indices.lowerBound < offset {
            let more = offset - indices.lowerBound
            var wider = [UInt32](repeating: 0, count: more + buckets.count)
            wider.replaceSubrange(more..., with: buckets)
            (buckets, offset) = (wider, indices.lowerBound)
        }
        let missing = indices.upperBound - offset - buckets.count + 1
        if missing > 0 { buckets.append(contentsOf: repeatElement(0, count: missing)) }
    }

    static func index(of value: Int64) -> Int {
        let magnitude = 64 - value.leadingZeroBitCount
        let shift = max(0, magnitude - bits - 1)
        return shift << bits + Int(value >> Int64(shift))
    }

    static func range(of index: Int) -> (low: Int64, width: Int64) {
        guard index >= 2 << bits else { return (Int64(index), 1) }
        let shift = index >> bits - 1
        return (Int64(index - shift << bits) << Int64(shift), 1 << Int64(shift))
    }
}

extension Histogram {
    /// A compact form for storage: varint extremes and sum, then (gap, count) pairs of the filled
    /// buckets. `init(encoded:)` reads it back exactly.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        func put(_ value: UInt64) {
            var rest = value
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        put(UInt64(count))
        guard count > 0 else { return bytes }
        put(UInt64(smallest))
        put(UInt64(largest))
        put(UInt64(sum))
        var last = 0
        for (position, times) in buckets.enumerated() where times > 0 {
            put(UInt64(offset + position - last))
            put(UInt64(times))
            last = offset + position
        }
        return bytes
    }

    /// Reads `encoded`; nil when the bytes are not such an encoding.
    public init?(encoded bytes: some Sequence<UInt8>) {
        // As an array: whoever asks through another module has no code made for its own sequence.
        self.init(bytes: Array(bytes))
    }

    private init?(bytes: [UInt8]) {
        var numbers: [UInt64] = []
        numbers.reserveCapacity(bytes.count)
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            guard shift < 64 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 {
                numbers.append(value)
                (value, shift) = (0, 0)
            } else {
                shift += 7
            }
        }
        guard shift == 0, let total = numbers.first else { return nil }
        self.init()
        guard total > 0 else {
            if numbers.count == 1 { return } else { return nil }
        }
        guard numbers.count >= 6, numbers.count.isMultiple(of: 2) else { return nil }
        guard numbers[1...3].allSatisfy({ $0 <= Int64.max }), numbers[1] <= numbers[2] else {
            return nil
        }
        var last = 0
        for pair in stride(from: 4, to: numbers.count, by: 2) {
            guard numbers[pair] < 1 << 16 else { return nil }
            last += Int(numbers[pair])
            guard last <= Self.index(of: .max) else { return nil }
        }
        cover(Int(numbers[4])...last)
        var index = 0
        var seen: UInt64 = 0
        for pair in stride(from: 4, to: numbers.count, by: 2) {
            guard let times = UInt32(exactly: numbers[pair + 1]) else { return nil }
            index += Int(numbers[pair])
            buckets[index - offset] = Self.total(buckets[index - offset], times)
            seen += UInt64(times)
        }
        guard seen == total else { return nil }
        count = Int(total)
        smallest = Int64(numbers[1])
        largest = Int64(numbers[2])
        sum = Int64(numbers[3])
    }
}

extension Duration {
    /// Whole nanoseconds, rounded toward zero; the nearest number where there are too many.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || isMore ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole microseconds, rounded toward zero.
    public var wholeMicroseconds: Int64 { nanoseconds / 1_000 }

    /// Milliseconds with their fraction.
    public var milliseconds: Double {
        Double(nanoseconds) / 1e6
    }

    /// Seconds with their fraction.
    public var seconds: Double {
        Double(nanoseconds) / 1e9
    }
}
