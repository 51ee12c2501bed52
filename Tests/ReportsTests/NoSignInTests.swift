import Checker
import Dialects
import Journal
import Rigs
import Testing
import Vocabulary

@testable import Reports

@Suite("A run in which no household signed in")
struct NoSignInTests {
    private typealias Change = (inout HouseholdRecord) -> Void

    private func summary(
        of households: Int = 3, shows: [String] = [], thresholds: [Threshold] = [],
        findings: Findings? = nil, _ change: Change
    ) throws -> Summary {
        var sample = Sample(Shape(households: households))
        sample.header.shows = shows
        for position in sample.records.indices {
            var record = HouseholdRecord(
                household: position, kind: "trial", lane: 0, arrived: .start)
            (record.stage, record.fate) = (.codeShown, .abandoned)
            record.cause = "as made up"
            change(&record)
            sample.records[position] = record
        }
        return try Summary(sample, thresholds: thresholds, findings: findings)
    }

    @Test(
        "fails where one was meant to: by a failure, by the service, by the end of the run",
        arguments: [
            (.failed, nil), (.abandoned, .service), (.abandoned, .run), (.running, nil),
        ] as [(HouseholdRecord.Fate, HouseholdRecord.Abandonment?)])
    func wanted(fate: HouseholdRecord.Fate, by: HouseholdRecord.Abandonment?) throws {
        let summary = try summary {
            ($0.fate, $0.abandonedBy) = (fate, by)
        }
        #expect(summary.exitStatus == .failed && summary.outcome == .fail)
        #expect(summary.headline == "Failed: none of 3 households signed in: as made up.")
        #expect(JUnit.text(summary).contains("name=\"households signed in\""))
        let one = try self.summary(of: 1) { ($0.fate, $0.abandonedBy) = (fate, by) }
        #expect(one.headline == "Failed: the only household did not sign in: as made up.")
    }

    @Test("names the service's clock, where it has jumped")
    func clock() throws {
        var rules = Rules()
        rules.promises = Promises(.documented)
        let judge = Judge(rules)
        for (position, hour) in ["08", "08", "08", "02"].enumerated() {
            let sent = Instant(.seconds(position))
            judge.take(
                Exchange(
                    lane: 0, sequence: position + 1,
                    device: DeviceID(household: 1, role: .firstScreen), operation: .pollToken,
                    code: Code("AAAAAA1"), planned: sent, sent: sent, firstByte: sent,
                    ended: sent, delivery: .answered(status: 404), outcome: .pending,
                    observation: Dialects.Observation(.absent, code: Code("AAAAAA1")),
                    evidence: ["Date": "Thu, 09 Oct 2025 \(hour):53:2\(position) GMT"]))
        }
        let summary = try summary(findings: judge.finish()) {
            ($0.fate, $0.abandonedBy) = (.failed, nil)
        }
        #expect(
            summary.headline
                == "Failed: none of 3 households signed in: as made up; the timestamps in the "
                + "service's responses come from clocks at least 5 h 59 min apart "
                + "(clock-agreement).")
    }

    @Test("names the most frequent cause of those that the rig did not draw, with its count")
    func mixed() throws {
        let summary = try summary {
            $0.abandonedBy = $0.household < 2 ? .viewer : .service
            if $0.household < 2 { $0.cause = "the viewer gave up" }
        }
        #expect(
            summary.headline == "Failed: none of 3 households signed in: as made up (1 of 3).")
    }

    @Test(
        "fails where the service gave codes a shorter life than the rig expects",
        arguments: [HouseholdRecord.tooLate, HouseholdRecord.tooLateForPoll])
    func shortCodes(late: String) throws {
        let cause = "\(late)\(HouseholdRecord.codeTooShort) 2 s"
        let summary = try summary { ($0.abandonedBy, $0.cause) = (.viewer, cause) }
        #expect(summary.headline == "Failed: none of 3 households signed in: \(cause).")
        // Some were quick enough: no failure, and no secret either.
        let some = try self.summary {
            ($0.abandonedBy, $0.cause) = (.viewer, cause)
            if $0.household == 0 { ($0.fate, $0.stage, $0.cause) = (.signedIn, .signedIn, "") }
        }
        #expect(some.exitStatus == .passed)
        #expect(some.explanations == ["2 of 3 households were abandoned: \(cause)"])
    }

    @Test(
        "says below the headline what most of the others failed of",
        arguments: [
            (3, 0, "3 of 8 households failed: as made up"),
            (3, 2, "5 of 8 households failed or were abandoned: as made up (3 of these 5)"),
            (0, 1, "1 of 8 households was abandoned: the code ended"),
            (1, 0, "1 of 8 households failed: as made up"),
        ])
    func partial(failed: Int, abandoned: Int, sentence: String) throws {
        let summary = try summary(of: 8, thresholds: [Thresholds.failed(below: 0)]) {
            switch $0.household {
            case ..<failed: $0.fate = .failed
            case ..<(failed + abandoned):
                ($0.abandonedBy, $0.cause) = (.service, "the code ended")
            default: ($0.fate, $0.stage, $0.cause) = (.signedIn, .signedIn, "")
            }
        }
        #expect(summary.outcome == .fail && summary.explanations.first == sentence)
        #expect(MarkdownPage.text(summary).contains(sentence))
        let terminal = TerminalReport.text(summary, width: 200, color: false)
        #expect(terminal.contains(sentence))
    }

    @Test("passes where none was meant to: by the rig's draw, or by 'shows:'")
    func unwanted() throws {
        #expect(try summary { $0.abandonedBy = .viewer }.exitStatus == .passed)
        // A history from before it was kept.
        #expect(try summary { $0.abandonedBy = nil }.exitStatus == .passed)
        let expected = try summary(shows: ["households signed-in == 0"]) {
            $0.abandonedBy = .service
        }
        #expect(expected.exitStatus == .passed)
        let notExpected = try summary(shows: ["households signed-in <= 2"]) {
            $0.abandonedBy = .service
        }
        #expect(notExpected.exitStatus == .failed)
    }

    @Test("signed in on arrival is signed in, in each count")
    func onArrival() throws {
        let summary = try summary {
            if $0.household < 2 { ($0.stage, $0.fate) = (.signedIn, .preSignedIn) }
            if $0.household == 2 { $0.abandonedBy = .viewer }
        }
        #expect(
            summary.headline
                == "Passed: 2 of 3 households signed in, 2 of them on arrival, 1 abandoned by the viewer."
        )
        #expect(summary.households.signedIn == 2 && summary.households.preSignedIn == 2)
        #expect(summary.funnels[0].steps.first { $0.name == "signed in" }?.households == 2)
    }

    @Test("each household is in a number of the headline, one that the run's end cut off as well")
    func cutOffByEnd() throws {
        let summary = try summary {
            if $0.household == 0 { ($0.stage, $0.fate) = (.signedIn, .preSignedIn) }
            if $0.household == 1 { $0.abandonedBy = .viewer }
            if $0.household == 2 { $0.abandonedBy = .run }
        }
        #expect(
            summary.headline
                == "Passed: 1 of 3 households signed in, 1 of them on arrival, 1 abandoned by the viewer, "
                + "1 without a sign-in when the run ended.")
    }

    @Test("households abandoned counts those that the rig did not draw")
    func threshold() throws {
        let line = Threshold(
            subject: .householdsAbandoned, measure: .share, comparison: .below, bound: 0.05,
            text: "households abandoned < 5%")
        for (who, met) in [
            (HouseholdRecord.Abandonment.viewer, true), (.run, true), (.service, false),
        ] {
            var sample = Sample(Shape(households: 4))
            (sample.records[0].fate, sample.records[0].abandonedBy) = (.abandoned, who)
            #expect(try Summary(sample, thresholds: [line]).thresholds[0].met == met)
        }
    }
}
