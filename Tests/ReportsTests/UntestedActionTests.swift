import Checker
import Dialects
import Foundation
import Journal
import Statistics
import Testing
import Vocabulary

@testable import Reports

@Suite("What a run did and could not judge")
struct UntestedActionTests {
    /// Three households that sign in and log out.
    struct Evening: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isNamed = true
        var isGrant = false
        var logsOut = true
        var looksAfterwards = false
        /// What the headline of the pass says was not tested.
        var untested: [String] = []

        var findings: Findings {
            var rules = Rules()
            rules.knowsUsers = false
            rules.isDeviceGrant = isGrant
            let judge = Judge(rules)
            for household in 1...3 {
                let tag = Dialects.Tag(mvpd: "DemoCable", user: "user-\(household)")
                func take(
                    _ sequence: Int, _ role: DeviceID.Role, _ operation: OperationName, at: Int,
                    _ result: Dialects.Observation.Result, _ tag: Dialects.Tag? = nil
                ) {
                    var exchange = ObservedPromiseTests.exchange(
                        household, sequence, role, operation, at: at, result, tag: tag)
                    exchange.observation.expires = nil
                    judge.take(exchange)
                }
                let issue: OperationName = isGrant ? .deviceAuthorization : .registrationCode
                let poll: OperationName = isGrant ? .deviceToken : .pollToken
                take(1, .firstScreen, issue, at: 0, .success)
                if isGrant {
                    take(2, .secondScreen, .approval, at: 8_000, .success, tag)
                } else {
                    take(2, .secondScreen, .assertion, at: 8_000, .none, tag)
                }
                take(3, .firstScreen, poll, at: 9_000, .success, isNamed ? tag : nil)
                if logsOut { take(4, .firstScreen, .logout, at: 10_000, .success) }
                if looksAfterwards { take(5, .firstScreen, .pollToken, at: 11_000, .absent) }
            }
            return judge.finish()
        }
    }

    private static let logout =
        "whether a logout ends the sign-in (logout-final; polling.after-success tests it)"
    private static let user = "whose token each TV got (token-isolation; no response named the user"

    @Test(
        "the headline of a pass names it, with the key that tests it",
        arguments: [
            Evening(testDescription: "no logout", logsOut: false),
            Evening(testDescription: "a look after each logout", looksAfterwards: true),
            Evening(testDescription: "nothing after the logout", untested: [logout]),
            Evening(
                testDescription: "nobody is named", isNamed: false, logsOut: false,
                untested: [user + ")"]),
            Evening(
                testDescription: "nobody is named, over a device grant", isNamed: false,
                isGrant: true, logsOut: false,
                untested: [user + ": target.device-grant.user-from)"]),
            Evening(testDescription: "neither", isNamed: false, untested: [user + ")", logout]),
        ])
    func headline(evening: Evening) throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let summary = try Summary(sample, thresholds: [], findings: evening.findings)
        #expect(summary.outcome == .pass)
        let expected =
            "Passed: all 3 households signed in."
            + (evening.untested.isEmpty
                ? "" : " Not tested: \(evening.untested.joined(separator: ", ")).")
        #expect(summary.headline == expected)
        #expect(
            summary.explanations.count { $0.contains("was not tested: ") }
                == evening.untested.count)
    }

    @Test("what only clean-up did is no test that failed to come about")
    func cleanUpOnly() throws {
        let findings = Evening(testDescription: "").findings
        func open(_ done: Set<Invariant>) -> [Invariant] {
            findings.untestedActions(
                signedIn: 3, protocols: ["adobe-pass-v1"], cleanUpOnly: done
            ).map(\.invariant)
        }
        #expect(open([]) == [.logoutFinal])
        #expect(open([.deleteFinal]) == [.logoutFinal])
        #expect(open([.logoutFinal]) == [])
    }

    @Test("who signed in with a TempPass has no account that could be named")
    func pass() throws {
        var sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let findings = Evening(testDescription: "", isNamed: false, logsOut: false).findings
        for position in sample.records.indices {
            let summary = try Summary(sample, thresholds: [], findings: findings)
            #expect(summary.untestedActions.count == 1)
            sample.records[position].signOn.paths = [.pass]
        }
        #expect(try Summary(sample, thresholds: [], findings: findings).untestedActions.isEmpty)
    }

    @Test("what would name the user is said in the keys of the run's own protocol")
    func ways() throws {
        let findings = Evening(testDescription: "", isNamed: false).findings
        func sentence(_ protocols: [String]) throws -> String {
            let actions = findings.untestedActions(signedIn: 3, protocols: protocols)
            return try #require(actions.first { $0.invariant == .tokenIsolation }).sentence
        }
        #expect(try sentence(["adobe-pass-v1"]).hasSuffix("polling: {target: authn}"))
        #expect(try sentence(["adobe-pass-v1", "adobe-pass-v2"]).hasSuffix("{target: authn}"))
        let own = try sentence(["adobe-pass-v2"])
        #expect(!own.contains("polling") && own.hasSuffix("userID among the attributes"))
        #expect(!UserReading.remedy(["adobe-pass-v2"]).contains("polling"))
    }

    @Test(
        "terminal, page, Markdown and summary.json say it, and each untested promise with its reason"
    )
    func outputs() throws {
        let sample = Sample(Shape(households: 3, trouble: nil), seed: Seed(11))
        let findings = Evening(testDescription: "", isNamed: false).findings
        let summary = try Summary(sample, thresholds: [], findings: findings)
        var texts: [String: String] = [:]
        for (name, text) in try Report.texts(sample, thresholds: [], findings: findings) {
            texts[name] = text
        }
        texts["terminal"] = TerminalReport.text(summary, width: 4_000, color: false)
        for name in ["terminal", "report.html", "summary.md", "summary.json"] {
            let text = try #require(texts[name])
            #expect(text.contains("Not tested: whose token each TV got"), "\(name)")
            #expect(text.contains("no response named the user of a token"), "\(name)")
        }
        let terminal = try #require(texts["terminal"])
        #expect(terminal.contains("; no response named the user of a token: token-isolation"))
        #expect(terminal.contains("polling: {after-success: 12s}"))
        #expect(
            try #require(texts["report.html"]).contains(
                "not tested: no response named the user of a token"))
    }
}
