/// SipHash-2-4 as a stream (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT
/// 2012; the 128-bit form is that of the authors' reference code). Keyed: without the key nobody
/// can try candidates against a digest.
struct SipHash: Sendable {
    struct HashKey: Sendable, Hashable {
        var low: UInt64
        var high: UInt64
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var pending: UInt64 = 0
    private var length = 0
    private let isWide: Bool

    /// `wide` gives 128 bits by `finish128()`, otherwise 64 by `finish64()`.
    init(key: HashKey, wide: Bool = false) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
        isWide = wide
        if wide { v1 ^= 0xee }
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            pending |= UInt64(byte) << UInt64(8 * (length & 7))
            length &+= 1
            if length & 7 == 0 {
                absorb(pending)
                pending = 0
            }
        }
    }

    /// Eight bytes at once, little endian: the same as `update` of them, and faster.
    @inline(__always)
    mutating func update(word: UInt64) {
        let shift = UInt64(8 * (length & 7))
        length &+= 8
        absorb(pending | word << shift)
        pending = shift == 0 ? 0 : word >> (64 - shift)
    }

    /// The same of bytes that lie side by side, eight at a time.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position + 8 <= bytes.count {
            update(
                word: UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        guard position < bytes.count else { return }
        let count = bytes.count - position
        var rest: UInt64 = 0
        if position > 0 {
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            rest = UInt64(littleEndian: last) >> UInt64(64 - 8 * count)
        } else {
            for offset in 0..<count { rest |= UInt64(bytes[offset]) << UInt64(8 * offset) }
        }
        let shift = 8 * (length & 7)
        pending |= rest << UInt64(shift)
        length &+= count
        guard shift + 8 * count >= 64 else { return }
        absorb(pending)
        pending = shift == 0 ? 0 : rest >> UInt64(64 - shift)
    }

    /// The same of a text in UTF-8.
    mutating func update(_ text: String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { bytes in
            update(UnsafeRawBufferPointer(bytes))
        }
        if done == nil { update(text.utf8) }
    }

    consuming func finish64() -> UInt64 {
        precondition(!isWide, "a 128-bit digest ends with finish128")
        absorb(pending | UInt64(length & 0xff) << 56)
        v2 ^= 0xff
        for _ in 0..<4 { turn() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    /// The first and the last eight bytes of the digest, each little endian.
    consuming func finish128() -> (UInt64, UInt64) {
        precondition(isWide, "a 64-bit digest ends with finish64")
        absorb(pending | UInt64(length & 0xff) << 56)
        v2 ^= 0xee
        for _ in 0..<4 { turn() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { turn() }
        return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    @inline(__always)
    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        turn()
        turn()
        v0 ^= word
    }

    @inline(__always)
    private mutating func turn() {
        v0 = v0 &+ v1
        v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 = v2 &+ v3
        v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
        v2 = v2 &<< 32 | v2 &>> 32
    }
}
