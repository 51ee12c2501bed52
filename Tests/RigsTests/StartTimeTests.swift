import TestSupport
import Testing

@testable import Rigs

@Suite("The common start of shards")
struct StartTimeTests {
    private static let now: Int64 = 1_795_633_946_000_000

    @Test(
        "is a time in UTC, or seconds since 1970, with decimals or without",
        arguments: [
            ("2026-11-25T19:12:26Z", 0), ("2026-11-25T19:12:26.25Z", 250_000),
            ("1795633946", 0), ("1795633947.000001", 1_000_001),
            ("2026-11-25T19:12:20Z", -6_000_000),
        ] as [(String, Int64)])
    func times(text: String, after: Int64) throws {
        #expect(try StartTime.microseconds(text, now: Self.now) == Self.now + after)
    }

    @Test("is written as it is read")
    func written() throws {
        #expect(StartTime.text(Self.now) == "2026-11-25T19:12:26Z")
        #expect(StartTime.text(Self.now + 250_000) == "2026-11-25T19:12:26.250Z")
    }

    @Test("is nothing else, and the sentence says what would be")
    func mistakes() throws {
        let texts = [
            "+30s", "-5", "", "soon", "19:30", "19:30:00Z", "2026-11-25 19:30:00Z",
            "2026-11-25T19:30:00+01:00", "2026-11-25T19:30:00.1234567Z", "2026-13-01T00:00:00Z",
            "99999999999999", "1795633946.", "2027-11-25T19:30:00Z", "2020-01-01T00:00:00Z",
        ]
        let sentences = texts.map { text in
            do throws(StartTime.Mistake) {
                return "\(text) is \(try StartTime.microseconds(text, now: Self.now))"
            } catch {
                return "\(error)"
            }
        }
        for sentence in sentences { #expect(sentence.hasPrefix("--start-at is ")) }
        try Golden.expect(
            sentences.joined(separator: "\n") + "\n",
            is: "start-times.txt")
    }
}
