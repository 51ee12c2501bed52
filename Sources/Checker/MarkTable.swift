/// Values by marks or numbers, found without the hashing that guards a dictionary against chosen keys: marks are mixed
/// already, and households are numbered by us. Open addressing with linear probing.
struct MarkTable<Value> {
    private struct Slot {
        var key: UInt64
        var value: Value?
    }

    private var slots: [Slot] = []
    private(set) var count = 0
    private var shift: UInt64 = 64

    var keys: [UInt64] { slots.compactMap { $0.value == nil ? nil : $0.key } }
    var values: [Value] { slots.compactMap(\.value) }

    /// By Fibonacci hashing: of neighbouring numbers, too, the high bits of the product are spread.
    @inline(__always)
    private func home(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> shift)
    }

    /// Where the key is, or where it would go. There is an empty slot.
    @inline(__always)
    private func position(of key: UInt64) -> Int {
        var position = home(of: key)
        while slots[position].value != nil, slots[position].key != key {
            position = (position + 1) & (slots.count - 1)
        }
        return position
    }

    subscript(key: UInt64) -> Value? {
        @inline(__always) get { slots.isEmpty ? nil : slots[position(of: key)].value }
        set {
            guard let newValue else {
                removeValue(for: key)
                return
            }
            if 4 * (count + 1) > 3 * slots.count { grow() }
            let position = position(of: key)
            if slots[position].value == nil { count += 1 }
            slots[position] = Slot(key: key, value: newValue)
        }
    }

    private mutating func grow() {
        let old = slots
        let size = max(16, 2 * old.count)
        slots = Array(repeating: Slot(key: 0, value: nil), count: size)
        shift = 64 - UInt64(size.trailingZeroBitCount)
        for slot in old where slot.value != nil { slots[position(of: slot.key)] = slot }
    }

    /// Those behind it that had to give way to it move up.
    @discardableResult
    mutating func removeValue(for key: UInt64) -> Value? {
        guard !slots.isEmpty else { return nil }
        var hole = position(of: key)
        guard let value = slots[hole].value else { return nil }
        let mask = slots.count - 1
        var next = (hole + 1) & mask
        while slots[next].value != nil {
            // It may lie in the hole if its home is not between the two.
            if (next - home(of: slots[next].key)) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole].value = nil
        count -= 1
        return value
    }
}
