internal import Formats
internal import Foundation

/// Maps values to a share of a length, and knows where round numbers lie.
package struct Axis {
    package enum AxisShape { case linear, log, nines }

    package struct Tick {
        package var value: Double
        package var label: String

        package init(value: Double, label: String) {
            self.value = value
            self.label = label
        }
    }

    package let shape: AxisShape
    package let low: Double
    package let high: Double
    package let ticks: [Tick]

    package init(shape: AxisShape, low: Double, high: Double, ticks: [Tick]) {
        self.shape = shape
        self.low = low
        self.high = high
        self.ticks = ticks
    }

    /// 0 at the low end, 1 at the high end, cut off beyond them.
    package func share(_ value: Double) -> Double {
        let (from, to) = (Self.bent(low, shape), Self.bent(high, shape))
        guard to > from else { return 0 }
        return min(1, max(0, (Self.bent(value, shape) - from) / (to - from)))
    }

    private static func bent(_ value: Double, _ shape: AxisShape) -> Double {
        switch shape {
        case .linear: value
        case .log: log10(max(value, 1e-9))
        case .nines: -log10(max(1 - value, 1e-9))
        }
    }

    /// From 0 to a round number at or above `top`, in about `wanted` steps.
    package static func upward(to top: Double, wanted: Int = 4, label: (Double) -> String) -> Axis {
        let top = top > 0 ? top : 1
        let step = Scale.roundStep(top / Double(wanted))
        let count = max(1, Int((top / step - 1e-9).rounded(.up)))
        let ticks = (0...count).map { index in
            Tick(value: step * Double(index), label: label(step * Double(index)))
        }
        return Axis(shape: .linear, low: 0, high: step * Double(count), ticks: ticks)
    }

    /// From `low` to `high` with ticks at round steps between them.
    package static func between(
        _ low: Double, _ high: Double, wanted: Int = 8, label: (Double) -> String
    ) -> Axis {
        let step = Scale.roundStep(max(high - low, 1e-6) / Double(wanted))
        let first = Int((low / step - 1e-9).rounded(.up))
        let last = Int((high / step + 1e-9).rounded(.down))
        let ticks = (first...max(first, last)).map { index in
            Tick(value: step * Double(index), label: label(step * Double(index)))
        }
        return Axis(shape: .linear, low: low, high: max(high, low + step / 100), ticks: ticks)
    }

    /// Seconds of a run.
    package static func time(through seconds: Double) -> Axis {
        let high = max(seconds, 1)
        let step = Scale.timeStep(high / 9)
        let ticks = (0...Int(high / step)).map { index in
            Tick(value: step * Double(index), label: clock(step * Double(index)))
        }
        return Axis(shape: .linear, low: 0, high: high, ticks: ticks)
    }

    /// `0`, `15 s`, `1:30`, `1:05:00`.
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if whole == 0 { return "0" }
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60):\(two(whole % 60))" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
    }

    /// Milliseconds on a logarithmic scale around the given values: 1, 2, 5 in each decade while
    /// there are few decades; of more than `most` ticks, which would lie on each other, whole decades and the ends.
    package static func milliseconds(around values: [Double], ticks most: Int = .max) -> Axis {
        let positive = values.filter { $0 > 0 }
        let smallest = positive.min() ?? 1
        let largest = max(positive.max() ?? 10, smallest * 1.2)
        let steps: [Double] = largest / smallest > 2000 ? [1] : [1, 2, 5]
        var marks: [Double] = []
        for power in -4...7 { marks += steps.map { $0 * pow(10, Double(power)) } }
        let low = marks.last { $0 <= smallest } ?? marks[0]
        let high = marks.first { $0 >= largest } ?? largest
        var shown = marks.filter { $0 >= low && $0 <= high }
        if shown.count > most {
            let decades = (-4...7).map { pow(10, Double($0)) }
            shown.removeAll { $0 != low && $0 != high && !decades.contains($0) }
        }
        let ticks = shown.map { Tick(value: $0, label: time($0)) }
        return Axis(shape: .log, low: low, high: high, ticks: ticks)
    }

    /// The same from one value to another, neither of which need be round.
    package static func milliseconds(from low: Double, to high: Double) -> Axis {
        let around = milliseconds(around: [low, high])
        let ticks = around.ticks.filter { $0.value >= low * 0.999 && $0.value <= high * 1.001 }
        guard ticks.isEmpty else {
            return Axis(shape: .log, low: low, high: high, ticks: ticks)
        }
        // All lies between two round numbers: the ends say where.
        let ends = [low, high].map { Tick(value: $0, label: Figures.time(milliseconds: $0)) }
        return Axis(shape: .log, low: low, high: high, ticks: ends)
    }

    /// `0.5 ms`, `20 ms`, `2 s`: for round numbers, without digits that say nothing.
    package static func time(_ milliseconds: Double) -> String {
        if milliseconds == 0 { return "0" }
        return abs(milliseconds) < 1000
            ? "\(DecimalText.trimmed(milliseconds, 4)) ms"
            : "\(DecimalText.trimmed(milliseconds / 1000, 3)) s"
    }

    /// Percentiles, each further nine as wide as the one before.
    package static func percentiles(through share: Double) -> Axis {
        let all: [(Double, String)] = [
            (0, "0 %"), (0.5, "50 %"), (0.75, "75 %"), (0.9, "90 %"), (0.99, "99 %"),
            (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %"), (0.999999, "99.9999 %"),
        ]
        let high = max(share, 0.9)
        let ticks = all.filter { $0.0 <= high + 1e-9 }.map { Tick(value: $0.0, label: $0.1) }
        return Axis(shape: .nines, low: 0, high: high, ticks: ticks)
    }
}
