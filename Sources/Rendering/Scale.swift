/// Round numbers for axes.
package enum Scale {
    /// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `step`.
    package static func roundStep(_ step: Double) -> Double {
        guard step.isFinite, step > 0 else { return 1 }
        var power = 1.0
        while power < step { power *= 10 }
        while power / 10 >= step { power /= 10 }
        // Now power / 10 < step <= power.
        for candidate in [power / 10 * 2, power / 10 * 2.5, power / 10 * 5] where candidate >= step
        {
            return candidate
        }
        return power
    }

    /// Steps that divide minutes and hours, in seconds.
    package static func timeStep(_ step: Double) -> Double {
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200,
        ]
        return steps.first { $0 >= step } ?? roundStep(step / 86_400) * 86_400
    }
}
