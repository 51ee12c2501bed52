import Testing

@testable import Checker

@Suite("Times in sentences")
struct WordingTests {
    @Test(
        "a bound from below is rounded down, a time to the nearest",
        arguments: [
            (54_960_000_000, "54.9 s", "55 s"), (55_000_000_000, "55 s", "55 s"),
            (1_234_560_000, "1234.5 ms", "1234.6 ms"), (19_999_000, "19.99 ms", "20 ms"),
        ] as [(Int64, String, String)])
    func rounded(time: Int64, down: String, nearest: String) {
        #expect(atLeast(time) == "at least \(down)")
        #expect(milliseconds(time) == nearest)
    }
}
