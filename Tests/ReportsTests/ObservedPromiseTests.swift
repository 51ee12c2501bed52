import Checker
import Dialects
import Foundation
import Journal
import Statistics
import Testing
import Vocabulary

@testable import Reports

@Suite("What was observed and fails no run")
struct ObservedPromiseTests {
    static func exchange(
        _ household: Int, _ sequence: Int, _ role: DeviceID.Role, _ operation: OperationName,
        at milliseconds: Int, _ result: Dialects.Observation.Result, tag: Dialects.Tag? = nil
    ) -> Exchange {
        let sent = Instant(.milliseconds(milliseconds))
        let ended = sent + .milliseconds(4)
        let code = Code("AAAAA\(household)")
        let outcome: Outcome = result == .absent ? .pending : .ok
        let seen = Dialects.Observation(
            result, tag: tag, code: code,
            expires: operation == .pollToken && tag != nil ? 1_760_021_600_000 : nil)
        let status = operation == .assertion ? 302 : result == .absent ? 404 : 200
        return Exchange(
            lane: 0, sequence: sequence, device: DeviceID(household: household, role: role),
            operation: operation, code: code, planned: sent, sent: sent, firstByte: ended,
            ended: ended, delivery: .answered(status: status), outcome: outcome, observation: seen)
    }

    /// Three households; the TVs of two poll 80 ms after their phones were told "done", and see
    /// nothing yet.
    static func findings(_ promises: Promises) -> Findings {
        var rules = Rules()
        rules.promises = promises
        rules.knowsUsers = false
        let judge = Judge(rules)
        for household in 1...3 {
            let told = [
                exchange(household, 1, .firstScreen, .registrationCode, at: 0, .success),
                exchange(
                    household, 2, .secondScreen, .assertion, at: 8_000, .none,
                    tag: Dialects.Tag(mvpd: "DemoCable", user: "user-\(household)")),
                exchange(household, 3, .secondScreen, .checkCode, at: 8_010, .success),
            ]
            for exchange in told { judge.take(exchange) }
            if household < 3 {
                judge.take(exchange(household, 4, .firstScreen, .pollToken, at: 8_100, .absent))
            }
            judge.take(
                exchange(
                    household, household < 3 ? 5 : 4, .firstScreen, .pollToken, at: 9_000, .success,
                    tag: Dialects.Tag(mvpd: "DemoCable", user: "user-\(household)")))
        }
        return judge.finish()
    }

    private static func texts(_ promises: Promises) throws -> [String: String] {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let findings = findings(promises)
        let summary = try Summary(sample, thresholds: [], findings: findings)
        var texts = ["terminal": TerminalReport.text(summary, width: 400, color: true)]
        for (name, text) in try Report.texts(sample, thresholds: [], findings: findings) {
            texts[name] = text
        }
        return texts
    }

    private static let sentence =
        "2 of 3 TVs got 'pending' from a poll after their sign-in had been confirmed "
        + "(sign-in-visible; the protocol does not promise it; `promises: strict` fails it)"

    @Test("a pass with observations says so in every output, and is no plain pass anywhere")
    func everywhere() throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(
            sample, thresholds: [], findings: Self.findings(Promises(.documented)))
        #expect(summary.outcome == .pass && summary.exitStatus == .passed)
        #expect(
            summary.headline
                == "Passed, with observations: \(Self.sentence). All 3 households signed in.")
        let texts = try Self.texts(Promises(.documented))
        let terminal = try #require(texts["terminal"])
        #expect(terminal.hasPrefix("\u{1b}[1;33mPassed, with observations: "))
        #expect(terminal.contains(" promises: documented"))
        let page = try #require(texts["report.html"])
        #expect(page.contains("<div class=\"verdict observed\""))
        let markdown = try #require(texts["summary.md"])
        #expect(markdown.hasPrefix("## 🟡 pass, with observations:"))
        let junit = try #require(texts["junit.xml"])
        #expect(junit.contains("<property name=\"promises\" value=\"documented\"/>"))
        #expect(
            junit.contains(
                "<property name=\"observed\" value=\"2 of 3 TVs got "))
        #expect(junit.contains("<system-out>observed: 2 of 3 TVs got "))
        #expect(junit.contains("failures=\"0\""))
        let data = Data(try #require(texts["summary.json"]).utf8)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let verdict = try #require(json["verdict"] as? [String: Any])
        let observations = try #require(verdict["observations"] as? [[String: Any]])
        #expect(observations.map { $0["sentence"] as? String } == [Self.sentence])
        #expect(observations.map { $0["households"] as? Int } == [2])
    }

    @Test("an observed breach is never counted as kept, nor what broke with it")
    func kept() throws {
        let findings = Self.findings(Promises(.documented))
        #expect(findings[.signInVisible].observed == 2)
        #expect(findings.result(of: .signInVisible) == .observed(with: nil))
        #expect(findings.result(of: .linearizable) == .observed(with: .signInVisible))
        let checked = findings.verdicts.count { $0.checked > 0 }
        let markdown = try #require(try Self.texts(Promises(.documented))["summary.md"])
        #expect(markdown.contains(" \(checked - 2) of \(checked) held"))
    }

    @Test(
        "linearizable says the same in terminal, page, JUnit and Markdown",
        arguments: [
            (Promises.Level.strict, "violated with sign-in-visible"),
            (.documented, "observed with sign-in-visible; does not fail the run"),
        ])
    func linearizable(level: Promises.Level, words: String) throws {
        let texts = try Self.texts(Promises(level))
        for name in ["terminal", "report.html", "summary.md", "junit.xml", "summary.json"] {
            let text = try #require(texts[name]).replacing("\\", with: "")
            let lines = text.split(whereSeparator: \.isNewline)
            // summary.json keeps the word that programs know.
            let wanted =
                name == "summary.json" ? words.replacing("violated", with: "broken") : words
            let said = lines.contains { $0.contains(wanted) }
            #expect(said, "\(name)")
        }
        let junit = try #require(texts["junit.xml"])
        #expect(
            junit.contains("<failure message=\"violated with sign-in-visible: household ")
                == (level == .strict)
        )
    }

    @Test(
        "why it fails no run hangs on who was asked to",
        arguments: [
            (Promises(.observe), "`promises: observe` fails nothing"),
            (
                Promises(.strict, overrides: [.signInVisible: .observe]),
                "the rig's `promises: {sign-in-visible: observe}` does not fail it"
            ),
            (
                Promises(.strict, overrides: [.signInVisible: .documented]),
                "the protocol does not promise it; `promises: {sign-in-visible: strict}` fails it"
            ),
        ])
    func reasons(promises: Promises, reason: String) {
        #expect(Self.findings(promises).observations.map(\.reason) == [reason])
    }

    @Test("what fails the run comes first, and what was observed beside it is not lost")
    func beside() throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(
            sample, thresholds: [Thresholds.poll(below: 1)],
            findings: Self.findings(Promises(.documented)))
        #expect(summary.headline.hasPrefix("Failed: "))
        #expect(
            summary.explanations.contains("observed; does not fail the run: \(Self.sentence)"))
    }

    @Test(
        "an expectation of screenrig's own that fails a run by what is documented says why: it is of safety"
    )
    func safety() throws {
        var rules = Rules()
        rules.isDeviceGrant = true
        rules.promises = Promises(.documented)
        let judge = Judge(rules)
        let told = [
            Self.exchange(1, 1, .firstScreen, .deviceAuthorization, at: 0, .success),
            Self.exchange(1, 2, .secondScreen, .refusal, at: 2_000, .success),
            Self.exchange(1, 3, .firstScreen, .deviceToken, at: 5_000, .success),
        ]
        for exchange in told { judge.take(exchange) }
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(
            sample, thresholds: Thresholds.sample.suffix(1), findings: judge.finish())
        #expect(
            summary.headline.hasPrefix("Failed: the service violated decision-final ")
                && summary.headline.contains(
                    "screenrig's own expectation of safety, in 1 household"),
            "\(summary.headline)")
    }

    @Test("a verdict by an expectation of screenrig's own does not pass for the protocol's")
    func whoseFailure() throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(
            sample, thresholds: Thresholds.sample.suffix(1),
            findings: Self.findings(Promises(.strict)))
        #expect(
            summary.headline.hasPrefix(
                "Failed: the service violated sign-in-visible "
                    + "(\(Invariant.signInVisible.line)), screenrig's own expectation, in 2 households"
            ),
            "\(summary.headline)")
    }

    @Test("a breach means the same in words for runs and races")
    func meaning() {
        let documented = Promises(.documented)
        #expect(
            documented.meaning(of: .signInVisible, from: .ours)
                == "observed; does not fail a run under promises: documented")
        #expect(
            documented.meaning(of: .signInDelivered, from: .documented)
                == "fails a run under promises: documented")
        let own = Promises(.documented, overrides: [.signInVisible: .strict])
        #expect(
            own.meaning(of: .signInVisible, from: .ours)
                == "fails a run under promises: {sign-in-visible: strict}")
    }
}
