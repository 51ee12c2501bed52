import Testing

@testable import Rigs

@Suite("Thresholds")
struct ThresholdTests {
    @Test(
        "every form of the grammar is understood",
        arguments: [
            (
                "poll-token p99 < 250ms", Threshold.Subject.operation(.pollToken),
                Threshold.Measure.percentile(0.99, .latency), Threshold.Relation.below, 250e6
            ),
            (
                "poll-token service p99.9 <= 1s", .operation(.pollToken),
                .percentile(0.999, .service), .atMost, 1e9
            ),
            ("authorize lateness max < 5ms", .operation(.authorize), .max(.lateness), .below, 5e6),
            ("sign-in p50 < 30s", .signIn, .percentile(0.5, .latency), .below, 30e9),
            ("sign-in-service mean < 8s", .signInService, .mean(.latency), .below, 8e9),
            ("token-visibility min >= 1ms", .tokenVisibility, .min(.latency), .atLeast, 1e6),
            ("errors < 0.1%", .everything, .errors, .below, 0.001),
            ("authenticate errors == 0%", .operation(.authenticate), .errors, .equal, 0),
            ("throttled < 5%", .everything, .throttled, .below, 0.05),
            ("rate > 20/s", .everything, .rate, .above, 20),
            ("households failed < 5%", .householdsFailed, .share, .below, 0.05),
            ("households failed == 0", .householdsFailed, .count, .equal, 0),
            ("households abandoned <= 12", .householdsAbandoned, .count, .atMost, 12),
            ("households not-entitled < 5%", .householdsNotEntitled, .share, .below, 0.05),
            ("violations == 0", .violations, .count, .equal, 0),
            ("undecided < 0.1%", .undecided, .share, .below, 0.001),
            ("one-owner == 0", .invariant("one-owner"), .count, .equal, 0),
        ])
    func forms(
        line: String, subject: Threshold.Subject, measure: Threshold.Measure,
        comparison: Threshold.Relation, bound: Double
    ) throws {
        let threshold = try Threshold.read(line)
        #expect(threshold.subject == subject)
        #expect(threshold.measure == measure)
        #expect(threshold.comparison == comparison)
        #expect(abs(threshold.bound - bound) <= 1e-9 * bound)
        #expect(threshold.text == line)
        #expect(threshold.kind == nil)
    }

    @Test("a line may be about one kind of household, in quotes or not, as YAML reads it or not")
    func kinds() throws {
        #expect(try Threshold.read("kind \"living room\": sign-in p95 < 8s").kind == "living room")
        #expect(try Threshold.read("kind trial: errors < 1%").kind == "trial")
        let rig = try Rig.sample(
            "kinds: [{name: a b}]\nthresholds:\n  - kind \"a b\": errors < 2%\n"
                + "  - 'kind \"a b\": sign-in p95 < 8s'")
        #expect(rig.thresholds.suffix(2).map(\.kind) == ["a b", "a b"])
    }

    @Test(
        "the defaults hold unless a line on the same subject replaces them",
        arguments: [
            (
                "[]",
                [
                    "errors < 1%", "households failed < 5%", "households abandoned < 5%",
                    "violations == 0", "undecided < 0.1%",
                ]
            ),
            (
                "[errors < 3%]",
                [
                    "households failed < 5%", "households abandoned < 5%", "violations == 0",
                    "undecided < 0.1%", "errors < 3%",
                ]
            ),
            (
                "[households failed == 0, throttled < 1%]",
                [
                    "errors < 1%", "households abandoned < 5%", "violations == 0",
                    "undecided < 0.1%", "households failed == 0", "throttled < 1%",
                ]
            ),
            (
                "[authenticate errors < 9%]",
                [
                    "errors < 1%", "households failed < 5%", "households abandoned < 5%",
                    "violations == 0", "undecided < 0.1%",
                    "authenticate errors < 9%",
                ]
            ),
            (
                "['kind \"household\": errors < 9%']",
                [
                    "errors < 1%", "households failed < 5%", "households abandoned < 5%",
                    "violations == 0", "undecided < 0.1%",
                    "kind \"household\": errors < 9%",
                ]
            ),
        ])
    func defaults(lines: String, expected: [String]) throws {
        #expect(try Rig.sample("thresholds: \(lines)").thresholds.map(\.text) == expected)
    }

    @Test("the defaults' values are those of their own texts")
    func defaultTexts() throws {
        for threshold in Threshold.defaults {
            #expect(try Threshold.read(threshold.text) == threshold)
        }
    }

    @Test(
        "what is not the grammar is refused",
        arguments: [
            "", "p99 < 1s", "poll-token", "poll-token p99", "poll-token p99 < 1", "errors < 1",
            "poll-token p99<1s", "poll-token p0 < 1s", "poll-token p100 < 1s",
            "sign-in errors < 1%",
            "poll-token service errors < 1%", "households < 3", "kind \"a\" errors < 1%",
            "rate > 3%",
            "violations == 1s", "errors = 1%", "households failed < 1.5",
        ])
    func refused(line: String) {
        #expect(throws: Refusal.self) { try Threshold.read(line) }
    }
}
