/// The one source of chance. A seed is split by purpose and index, so adding a household or a
/// random choice never reshuffles the others.
public struct Seed: Hashable, Sendable {
    public let value: UInt64

    @inlinable
    public init(_ value: UInt64) {
        self.value = value
    }

    /// The seed of one purpose (and of its `index`-th bearer): a pure function of both. Inlined everywhere, for then
    /// the hash of a purpose is computed when this is compiled.
    @inlinable @inline(__always)
    public func child(_ purpose: StaticString, _ index: Int = 0) -> Seed {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a over the purpose
        purpose.withUTF8Buffer { bytes in
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        return Seed(mixed(mixed(value ^ hash) &+ UInt64(bitPattern: Int64(index))))
    }

    public func generator() -> Dice {
        Dice(self)
    }

    /// `count` well separated seeds, for property tests.
    public static func samples(_ count: Int) -> [Seed] {
        (0..<count).map { Seed(mixed(UInt64($0) &+ 1)) }
    }
}

extension Seed: CustomStringConvertible {
    public var description: String { String(value) }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): eight bytes of state, the same numbers on every
/// machine. Draws of our own instead of the standard library's, whose algorithms may change.
public struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: Seed) {
        state = seed.value
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return mixed(state)
    }

    /// A whole number in `0..<bound`, unbiased enough for load (bias below 2^-32 for bounds below
    /// 2^32); `bound` must be at least 1.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "below(_:) needs a positive bound")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in `0..<1` with 53 random bits.
    public mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// True with probability `share` (0 to 1).
    public mutating func chance(_ share: Double) -> Bool {
        unit() < share
    }
}

@inlinable
func mixed(_ input: UInt64) -> UInt64 {
    var z = input
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
}
