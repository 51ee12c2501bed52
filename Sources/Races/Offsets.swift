/// Offsets as people write them.
enum Offsets {
    /// The middle of a window, as round as still lies within its inner half; without one, the offset
    /// itself, rounded.
    static func center(of window: RaceFinding.Window?, near offset: Duration) -> Duration {
        guard let window, !window.isLowOpen, !window.isHighOpen, window.width > .zero else {
            return rounded(offset)
        }
        let middle = window.middle.inMicroseconds
        let reach = window.width.inMicroseconds / 8
        for step in [100_000, 50_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1] {
            let round = Int((Double(middle) / Double(step)).rounded()) * step
            if abs(round - middle) <= reach { return .microseconds(round) }
        }
        return .microseconds(middle)
    }

    /// To two significant digits.
    static func rounded(_ offset: Duration) -> Duration {
        let value = offset.inMicroseconds
        var step = 1
        while abs(value) / step >= 100 { step *= 10 }
        return .microseconds(Int((Double(value) / Double(step)).rounded()) * step)
    }

    /// `+0.3 ms`, `-12 ms`, `0`.
    static func text(_ offset: Duration) -> String {
        let value = offset.inMicroseconds
        let sign = value < 0 ? "-" : value > 0 ? "+" : ""
        let size = abs(value)
        if size == 0 { return "0" }
        if size < 1_000 { return "\(sign)\(trimmed(size, 1)) us" }
        if size < 10_000_000 { return "\(sign)\(trimmed(size, 1_000)) ms" }
        return "\(sign)\(trimmed(size, 1_000_000)) s"
    }

    /// For a column of them, without the unit: `+12.35`, `-0.05`.
    static func milliseconds(_ offset: Duration) -> String {
        let hundredths = (offset / .microseconds(10)).rounded()
        let magnitude = Int(hundredths.magnitude)
        let cents = magnitude % 100
        return (hundredths < 0 ? "-" : "+") + "\(magnitude / 100)." + (cents < 10 ? "0" : "")
            + "\(cents)"
    }

    /// `value / unit` with three significant digits.
    private static func trimmed(_ value: Int, _ unit: Int) -> String {
        var keep = unit
        while keep > 1, value / keep < 100, unit / keep < 1_000 { keep /= 10 }
        let rounded = (value + keep / 2) / max(keep, 1) * max(keep, 1)
        let (whole, rest) = rounded.quotientAndRemainder(dividingBy: unit)
        guard rest > 0 else { return "\(whole)" }
        let digits = String(String(rest + unit).dropFirst())
        return "\(whole)." + digits.trimmingEnd("0")
    }
}

extension Duration {
    /// How far from zero, on either side.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension ClosedRange<Duration> {
    /// The longest offset, early or late.
    var reach: Duration { Swift.max(upperBound, .zero - lowerBound) }
}

extension String {
    fileprivate func trimmingEnd(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
