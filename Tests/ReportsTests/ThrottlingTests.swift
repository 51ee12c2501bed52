import Checker
import Journal
import Statistics
import Testing

@testable import Reports

@Suite("Throttled by limit")
struct ThrottlingTests {
    /// Households 0 to 3: nothing, 3 of the TV, 2 and 4 of both, and a phone's after the sign-in.
    private static func fold() -> ThrottlingFold {
        let counts = [
            ThrottledRequests(), ThrottledRequests(firstScreen: 3, beforeSignIn: 3),
            ThrottledRequests(firstScreen: 2, secondScreens: 4, beforeSignIn: 5),
            ThrottledRequests(secondScreens: 1),
        ]
        var fold = ThrottlingFold()
        for (index, count) in counts.enumerated() {
            var record = HouseholdRecord(household: index, kind: "a", lane: 0, arrived: .start)
            record.fate = .signedIn
            record.codeShown = .start
            record.tokenSeen = .start + .seconds(index + 1)
            record.throttled = count
            fold.add(record)
        }
        return fold
    }

    private static func rules(_ key: Rules.ThrottledBy, homes: Int = 1) -> [String] {
        var rules = Rules()
        rules.throttledBy = key
        rules.householdsOfHome = homes
        return rules.texts
    }

    @Test(
        "limits are homes, two households together or one, or devices, as the run was judged",
        arguments: [
            (rules(.household), "home", 4, [3, 10, 3, 6]),
            (rules(.household, homes: 2), "home", 2, [2, 10, 7, 7]),
            (rules(.device), "device", nil, [4, 10, 3, 4]),
            (rules(.unknown), "household", 4, [3, 10, 3, 6]),
            ([], "household", 4, [3, 10, 3, 6]),
        ] as [([String], String, Int?, [Int])])
    func limits(judging: [String], limit: String, limits: Int?, counts: [Int]) throws {
        let found = try #require(Self.fold().result(judging: judging))
        #expect(found.limit == limit)
        #expect(found.limits == limits)
        #expect([found.throttled, found.requests, found.p50, found.max] == counts)
    }

    @Test(
        "sign-ins with a throttled request before the token are told apart, and the rest with the others"
    )
    func signIns() throws {
        let found = try #require(Self.fold().result(judging: Self.rules(.household)))
        #expect(found.signIns == 4)
        #expect(found.delayed == 2)
        #expect(found.delayedTime?.count == 2)
        #expect(found.delayedTime?.max == 3_000)
        #expect(found.otherTime?.max == 4_000)
        #expect(
            found.sentence.hasPrefix(
                "10 requests of 3 of 4 homes, at most 6 of one; 2 of 4 first sign-ins had to wait"))
    }

    @Test(
        "a pass of which a twentieth was throttled says so",
        arguments: [
            (201, nil),
            (200, "5 % of the requests were throttled (429), and 2 of 4 first sign-ins"),
        ] as [(Int, String?)])
    func headline(sent: Int, words: String?) throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        var summary = try Summary(sample, thresholds: [])
        summary.throttling = Self.fold().result(judging: Self.rules(.household))
        summary.exchanges.sent = sent
        summary.judge(failure: "")
        #expect(summary.outcome == .pass)
        let told = words.map { " \($0) had to wait." }
        #expect(
            summary.headline.contains(told ?? "throttled") == (told != nil), "\(summary.headline)")
    }

    @Test("a history from before it was kept tells nothing")
    func older() {
        var fold = ThrottlingFold()
        fold.add(HouseholdRecord(household: 0, kind: "a", lane: 0, arrived: .start))
        #expect(fold.result(judging: []) == nil)
    }
}
