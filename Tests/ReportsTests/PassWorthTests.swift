import Checker
import Dialects
import Foundation
import Journal
import Statistics
import Testing
import Vocabulary

@testable import Reports

@Suite("What a pass is worth")
struct PassWorthTests {
    /// Of 300 households whose phones sign in, the TVs of twelve poll within 30 ms. `late`: that many TVs are
    /// told "not yet" first.
    private static func findings(late: Int = 0) -> Findings {
        var rules = Rules()
        rules.knowsUsers = false
        rules.promises = Promises(.strict)
        let judge = Judge(rules)
        for household in 0..<300 {
            let tag = Dialects.Tag(mvpd: "DemoCable", user: "user-\(household)")
            func take(
                _ sequence: Int, _ role: DeviceID.Role, _ operation: OperationName, at: Int,
                _ result: Dialects.Observation.Result, _ tag: Dialects.Tag? = nil
            ) {
                var exchange = ObservedPromiseTests.exchange(
                    household, sequence, role, operation, at: at, result, tag: tag)
                // Whose clock is not known, of that service no expiry tells how long a sign-in lasts.
                exchange.observation.expires = nil
                judge.take(exchange)
            }
            take(1, .firstScreen, .registrationCode, at: 0, .success)
            take(2, .secondScreen, .assertion, at: 8_000, .none, tag)
            let delay = household < 12 ? 10 + household : 100 + 10 * household
            if household < late {
                take(3, .firstScreen, .pollToken, at: 8_004 + delay, .absent)
                take(4, .firstScreen, .pollToken, at: 12_000, .success, tag)
            } else {
                take(3, .firstScreen, .pollToken, at: 8_004 + delay, .success, tag)
            }
        }
        return judge.finish()
    }

    private static func texts(_ findings: Findings) throws -> [String: String] {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(sample, thresholds: [], findings: findings)
        var texts = ["terminal": TerminalReport.text(summary, width: 4_000, color: false)]
        for (name, text) in try Report.texts(sample, thresholds: [], findings: findings) {
            texts[name] = text
        }
        return texts
    }

    private static let window =
        "a 30 ms window after each sign-in would be seen with > 99.9 % (hit in 12 of 300 sign-ins); "
        + "with 95 % from 16.0 ms on"

    @Test("terminal, summary.md and junit.xml say it in sentences")
    func sentences() throws {
        let texts = try Self.texts(Self.findings())
        let bound = "violated in fewer than 0.99 % of households (95 %; 0 of 300)"
        for name in ["terminal", "summary.md", "junit.xml"] {
            let text = try #require(texts[name]).replacing("&gt;", with: ">")
            #expect(text.contains(bound), "\(name)")
            #expect(text.contains(Self.window), "\(name)")
        }
        for name in ["terminal", "summary.md"] {
            let text = try #require(texts[name])
            #expect(
                text.contains(
                    "not tested by this run: no-token-before-sign-in, sign-in-delivered, token-monotonic, one-token"
                ),
                "\(name)")
            #expect(text.contains("for shorter windows use 'screenrig race'"), "\(name)")
        }
    }

    @Test("the page has a table of windows, and names what was not tested")
    func page() throws {
        let page = try #require(Self.texts(Self.findings())["report.html"])
        #expect(page.contains("What a pass is worth"))
        #expect(page.contains("Window after") && page.contains("30 ms</th>"))
        #expect(page.contains("&lt; 0.99 %") || page.contains("< 0.99 %"))
        #expect(
            page.contains(
                "Not tested by this run: no-token-before-sign-in, sign-in-delivered, token-monotonic, one-token"
            ))
    }

    @Test("summary.json has bounds and windows as numbers")
    func numbers() throws {
        let text = try #require(Self.texts(Self.findings())["summary.json"])
        let summary = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let promises = try #require(summary["invariants"] as? [[String: Any]])
        func promise(_ name: String) throws -> [String: Any] {
            try #require(promises.first { $0["name"] as? String == name })
        }
        let visible = try promise("sign-in-visible")
        #expect(visible["households"] as? Int == 300)
        let share = try #require(visible["share"] as? [String: Double])
        #expect(share["low"] == 0 && abs((share["high"] ?? 1) - 0.00994) < 1e-5)
        let window = try #require(visible["window"] as? [String: Any])
        #expect(window["events"] as? Int == 300 && window["lookedAt"] as? Int == 300)
        let rows = try #require(window["windows"] as? [[String: Any]])
        let usual = try #require(rows.first { $0["ms"] as? Double == 30 })
        #expect(usual["hits"] as? Int == 12)
        let seen = try #require(usual["seen"] as? [[String: Double]])
        #expect(seen.map { $0["share"] } == [1, 0.1, 0.01])
        #expect(abs((seen[1]["probability"] ?? 0) - 0.6995) < 0.001)
        #expect(try promise("one-token")["window"] is NSNull)
        #expect(try promise("logout-final")["share"] is NSNull)
    }

    @Test("a violated promise has an interval, and no word of what a pass would be worth")
    func violated() throws {
        let findings = Self.findings(late: 6)
        #expect(findings[.signInVisible].violations == 6)
        let texts = try Self.texts(findings)
        #expect(try #require(texts["report.html"]).contains("0.74 % to 4.3 %"))
        let terminal = try #require(texts["terminal"])
        #expect(!terminal.contains("a 30 ms window after each sign-in"))
        // What was late was looked at when it was late.
        #expect(findings[.signInVisible].exposure?.hits(within: 30_050_000) == 12)
    }
}
