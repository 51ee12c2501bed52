import Testing

@testable import Formats

/// Figures are written by digits; the twin writes them as texts.
@Suite struct DecimalTextTests {
    /// With the decimals that are asked for, and without zeros at their end.
    private static func twin(_ value: Double, _ places: Int) -> (fixed: String, trimmed: String) {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (abs(value) * scale).rounded()
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let sign = value < 0 && scaled > 0 ? "-" : ""
        let whole = sign + padded.dropLast(places)
        var decimals = String(padded.suffix(places))
        let fixed = places == 0 ? whole : "\(whole).\(decimals)"
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return (fixed, decimals.isEmpty ? whole : "\(whole).\(decimals)")
    }

    @Test("digits, sign and point stand where the twin has them", arguments: 0...7)
    func twins(places: Int) {
        var values = [0, -0.0, 0.5, -0.5, 0.05, 0.0004, -0.0004, 0.9996, 999.9996, 1, 10, -100]
        for exponent in -6...4 {
            let size = (0..<abs(exponent)).reduce(1.0) { size, _ in
                exponent < 0 ? size / 10 : size * 10
            }
            values += (1...40).map { Double($0 * $0 - 400) * 1.37 * size }
            values += (1...12).map { Double($0) * size }
        }
        for value in values {
            let wanted = Self.twin(value, places)
            #expect(DecimalText.fixed(value, places) == wanted.fixed)
            #expect(DecimalText.trimmed(value, places) == wanted.trimmed)
        }
    }

    @Test(
        "what is no number, or too large for decimals",
        arguments: [
            (.nan, "0", "0"), (.infinity, "0", "0"), (-.infinity, "0", "0"),
            (9e12, "9000000000000.0", "9000000000000"), (-1e16, "-1e+16", "-1e+16"),
            (1.5e20, "1.5e+20", "1.5e+20"),
            (8_999_999_999_999, "8999999999999.000", "8999999999999"),
        ] as [(Double, String, String)])
    func extremes(value: Double, fixed: String, trimmed: String) {
        #expect(DecimalText.fixed(value, 3) == fixed)
        #expect(DecimalText.trimmed(value) == trimmed)
    }
}
