/// What every drawing of a conflict needs: a stretch of time across its width, and words for what may be true.
package struct ConflictDrawing: Sendable {
    /// Nanoseconds.
    package var from: Int64
    package var through: Int64
    package var left: Double
    package var right: Double
    package var width: Double

    package init(from: Int64, through: Int64, left: Double, right: Double, width: Double) {
        (self.from, self.through) = (from, through)
        (self.left, self.right, self.width) = (left, right, width)
    }

    /// Where a moment stands; at an end if it lies beyond.
    package func across(_ time: Int64) -> Double {
        let share = Double(min(max(time, from), through) - from) / Double(max(1, through - from))
        return left + share * (width - left - right)
    }

    /// What a TV may be, of a set of states: bit 0 signed out, bit n signed in by its n-th sign-in. Nil where
    /// nothing is possible any more.
    package static func states(_ belief: Int) -> String? {
        var words = belief & 1 != 0 ? ["signed out"] : []
        for tag in 1..<16 where belief >> tag & 1 != 0 {
            words.append(tag == 1 ? "signed in" : "signed in (\(tag))")
        }
        return words.isEmpty ? nil : words.joined(separator: " or ")
    }
}
