import Formats
import Testing

@testable import Rendering

@Suite("Numbers and texts")
struct FiguresTests {
    @Test(
        "a time has three digits and its unit",
        arguments: [
            (0, "0 ms"), (0.0004, "0 ms"), (0.0421, "0.042 ms"), (0.42, "0.42 ms"),
            (4.206, "4.21 ms"), (42.06, "42.1 ms"), (420.6, "421 ms"), (999.4, "999 ms"),
            (999.6, "1.00 s"), (1240, "1.24 s"), (75_300, "75.3 s"), (725_000, "12 min 5 s"),
        ] as [(Double, String)])
    func time(milliseconds: Double, text: String) {
        #expect(Figures.time(milliseconds: milliseconds) == text)
    }

    @Test(
        "a share is never rounded to none or all",
        arguments: [
            (0, "0 %"), (0.000001, "< 0.001 %"), (0.0002, "0.02 %"), (0.00055, "0.055 %"),
            (0.0132, "1.32 %"), (0.25, "25 %"), (0.9996, "> 99.9 %"), (1, "100 %"),
        ] as [(Double, String)])
    func percent(share: Double, text: String) {
        #expect(Figures.percent(share) == text)
    }

    @Test(
        "what a share is below needs no second sign",
        arguments: [(0.0132, "1.32 %"), (0.000001, "0.001 %"), (0, "0 %")] as [(Double, String)])
    func upperBound(share: Double, text: String) {
        #expect(Figures.upperBound(share) == text)
    }

    @Test(
        "a length of time is told in whole words",
        arguments: [
            (0, "0 s"), (0.44, "0.4 s"), (48.3, "48 s"), (119, "119 s"), (120, "2 min"),
            (725, "12 min 5 s"), (7380, "2 h 3 min"), (86_400, "24 h"),
        ] as [(Double, String)])
    func span(seconds: Double, text: String) {
        #expect(Figures.span(seconds: seconds) == text)
    }

    @Test(
        "numbers for machines have no trailing zeros and are always numbers",
        arguments: [
            (0, "0"), (-0.0001, "0"), (1.5, "1.5"), (181.25, "181.25"), (12_345.6789, "12345.679"),
            (-2.5, "-2.5"), (.nan, "0"), (.infinity, "0"),
        ] as [(Double, String)])
    func trimmed(value: Double, text: String) {
        #expect(DecimalText.trimmed(value) == text)
    }

    @Test(
        "counts are grouped by thousands",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1234, "-1,234"),
        ])
    func count(number: Int, text: String) {
        #expect(Figures.count(number) == text)
    }

    @Test(
        "texts of others are one harmless line",
        arguments: [
            ("plain ünïcode ✓", "plain ünïcode ✓"), ("a\nb\tc\rd", "a b c d"),
            ("\u{1b}[31mred", "\u{fffd}[31mred"), ("a\u{202e}b", "a\u{fffd}b"),
            ("\u{7f}\u{9b}", "\u{fffd}\u{fffd}"),
        ])
    func line(text: String, clean: String) {
        #expect(Sanitizer.line(text) == clean)
    }

    @Test("a long text is cut and says so")
    func cut() {
        #expect(Sanitizer.line(String(repeating: "x", count: 500), limit: 10) == "xxxxxxxxx…")
        #expect(Sanitizer.lines("a:\r\n\tb\u{1b}") == "a:\n    b\u{fffd}")
    }
}
