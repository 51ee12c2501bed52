/// Logarithm, exponential and the normal quantile by additions, multiplications, divisions and
/// square roots only. IEEE 754 fixes the result of each of these to the last bit; the C library's
/// `log` and `exp` differ between processors, and a plan must not. Each is good
/// to about 1e-15, far below the nanosecond that a sample is rounded to.
package enum Elementary {
    private static let ln2High = 0x1.62e42fefa38p-1
    /// The rest of ln 2; `ln2High` has so few bits that its product with an exponent is exact.
    private static let ln2Low = 0x1.ef35793c7673p-45

    /// Natural logarithm of a positive, finite, normal number.
    package static func logarithm(_ value: Double) -> Double {
        precondition(
            value >= .leastNormalMagnitude && value.isFinite, "logarithm needs a value > 0")
        // value = m * 2^e with m in sqrt(1/2)...sqrt(2); ln m = 2 artanh((m - 1) / (m + 1)).
        var exponent = Int(value.exponentBitPattern) - 1023
        var mantissa = Double(
            sign: .plus, exponentBitPattern: 1023,
            significandBitPattern: value.significandBitPattern)
        if mantissa > 0x1.6a09e667f3bcdp0 {
            mantissa *= 0.5
            exponent += 1
        }
        let s = (mantissa - 1) / (mantissa + 1)
        let square = s * s
        var series = 0.0
        for divisor in stride(from: 23.0, through: 3.0, by: -2.0) {
            series = (series + 1 / divisor) * square
        }
        let e = Double(exponent)
        return e * ln2High + (2 * s + (2 * s * series + e * ln2Low))
    }

    /// e to the power of `value`, which must be within -700...700.
    package static func exponential(_ value: Double) -> Double {
        precondition(abs(value) <= 700, "exponential needs a value within 700 of zero")
        // value = n ln 2 + r with |r| <= ln 2 / 2; Taylor to the 14th power leaves 1e-19.
        let n = (value * 0x1.71547652b82fep0).rounded(.toNearestOrEven)
        let r = (value - n * ln2High) - n * ln2Low
        var sum = 1.0
        for divisor in stride(from: 14.0, through: 1.0, by: -1.0) {
            sum = 1 + r / divisor * sum
        }
        let power = Double(
            sign: .plus, exponentBitPattern: UInt(1023 + Int(n)), significandBitPattern: 0)
        return sum * power
    }

    /// The value below which a standard normal variable lies with this probability, which must be
    /// within 0 and 1, both excluded. Algorithm AS 241, PPND16 (Wichura, Applied Statistics 37,
    /// 1988): three rational functions, for the middle, the tails and the far tails.
    static func normalQuantile(_ probability: Double) -> Double {
        precondition(probability > 0 && probability < 1, "a quantile needs a probability in 0...1")
        let q = probability - 0.5
        if abs(q) <= 0.425 {
            return q * middle.value(at: 0.180625 - q * q)
        }
        let tail = q < 0 ? probability : 1 - probability
        let r = (-logarithm(tail)).squareRoot()
        let size = r <= 5 ? tails.value(at: r - 1.6) : farTails.value(at: r - 5)
        return q < 0 ? -size : size
    }

    /// A quotient of two polynomials, coefficients from the constant term up.
    private struct Rational {
        var above: [Double]
        var below: [Double]

        func value(at x: Double) -> Double {
            Self.horner(above, x) / Self.horner(below, x)
        }

        private static func horner(_ coefficients: [Double], _ x: Double) -> Double {
            var sum = 0.0
            for coefficient in coefficients.reversed() { sum = sum * x + coefficient }
            return sum
        }
    }

    private static let middle = Rational(
        above: [
            3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
            1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
            3.3430575583588128105e4, 2.5090809287301226727e3,
        ],
        below: [
            1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
            2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
            5.2264952788528545610e3,
        ])
    private static let tails = Rational(
        above: [
            1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
            3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
            2.27238449892691845833e-2, 7.74545014278341407640e-4,
        ],
        below: [
            1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
            1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
            1.05075007164441684324e-9,
        ])
    private static let farTails = Rational(
        above: [
            6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
            2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
            2.71155556874348757815e-5, 2.01033439929228813265e-7,
        ],
        below: [
            1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
            7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
            2.04426310338993978564e-15,
        ])
}
