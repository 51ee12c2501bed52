import Foundation
import Journal
import Rigs
import Testing

@testable import Rendering
@testable import Reports

/// Households that were to sign in on the platform, and how many of them did.
@Suite("A household that takes another path than its kind asks for is told")
struct SignOnTests {
    private static let reason = "step 9: token-exchange answered 400 Invalid 'SAMLResponse'"

    private static func sample(diverted: Int, of count: Int, path: SignInPath = .code) -> Sample {
        var shape = Shape()
        shape.households = count
        shape.trouble = nil
        var sample = Sample(shape)
        for position in sample.records.indices {
            let isDiverted = position < diverted
            var signOn = SignOnRecord(
                asked: .platform, paths: [isDiverted ? path : .platform],
                began: sample.records[position].arrived,
                steps: isDiverted ? "1-2-6-7-8-9-10" : "1-2-6-7-8-9-11",
                prompts: 1, codes: isDiverted ? ["VSA503", "VSA503"] : [])
            if isDiverted { signOn.diversion = reason }
            sample.records[position].signOn = signOn
            // Everybody signs in.
            sample.records[position].fate = .signedIn
            sample.records[position].cause = ""
            let shown = sample.records[position].codeShown ?? sample.records[position].arrived
            sample.records[position].codeShown = shown
            if sample.records[position].tokenSeen == nil {
                sample.records[position].tokenSeen = shown + .seconds(5)
            }
        }
        return sample
    }

    @Test(
        "in the headline where it is most of them, in a note where it is not",
        arguments: [
            (
                15, 16,
                "Passed, but 15 of 16 households signed in by code, although their kind "
                    + "asks for platform sign-on: all 16 households signed in."
            ),
            (
                16, 16,
                "Passed, but all 16 households signed in by code, although their kind asks "
                    + "for platform sign-on: all 16 households signed in."
            ),
            (3, 16, "Passed: all 16 households signed in."),
            (0, 16, "Passed: all 16 households signed in."),
        ])
    func headline(diverted: Int, of count: Int, headline: String) throws {
        let summary = try Summary(Self.sample(diverted: diverted, of: count), thresholds: [])
        #expect(summary.headline == headline)
        let told = summary.explanations + summary.notes
        let why = "left the platform's path at \(Self.reason)"
        #expect(told.contains { $0.hasPrefix(why) } == (diverted > 0))
        let sentence = "\(diverted) of 16 households signed in by code"
        #expect(summary.notes.contains { $0.hasPrefix(sentence) } == (diverted == 3))
    }

    @Test("in a web view it is told so")
    func webView() throws {
        let summary = try Summary(
            Self.sample(diverted: 4, of: 4, path: .webView), thresholds: [])
        #expect(summary.headline.contains("all 4 households signed in in a web view, although"))
    }

    @Test(
        "a threshold can fail a run for it, and another is about the time on the platform",
        arguments: [
            ("households diverted == 0", false, "3 of 8"),
            ("households diverted < 50%", true, "37.5 % (3 of 8)"),
            ("platform-sign-in p95 < 1ms", false, nil),
            ("platform-sign-in max < 10m", true, nil),
        ])
    func thresholds(text: String, met: Bool, actual: String?) throws {
        let threshold = try #require(
            try Rig.read(
                "rig: t\ntarget: {base: embedded}\nload: {closed: {households: 1}}\n"
                    + "thresholds: ['\(text)']\n", file: "t.yaml"
            ).rig.thresholds.last)
        let summary = try Summary(Self.sample(diverted: 3, of: 8), thresholds: [threshold])
        let result = try #require(summary.thresholds.first)
        #expect(result.met == met && result.expression == text)
        if let actual { #expect(result.actual == actual) }
        #expect(result.actual != ThresholdResult.nothing)
    }

    @Test("every file has paths, codes and reasons")
    func files() throws {
        let files = try Report.texts(
            Self.sample(diverted: 3, of: 8), thresholds: [], findings: nil)
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
        let page = try #require(texts["report.html"])
        for word in [
            "Sign-in by path", "Diverted households by reason", "VSA503",
            "the platform&#39;s metadata request failed", "1-2-6-7-8-9-10", "8 permission prompts",
        ] {
            #expect(page.contains(word), "\(word)")
        }
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data((texts["summary.json"] ?? "").utf8))
                as? [String: Any])
        let signOns = try #require(json["signOns"] as? [String: Any])
        #expect(signOns["diverted"] as? Int == 3 && signOns["askedForPlatform"] as? Int == 8)
        #expect(signOns["prompts"] as? Int == 8)
        let paths = try #require(signOns["paths"] as? [[String: Any]])
        #expect(paths.map { $0["name"] as? String } == ["code", "platform"])
        #expect(paths.map { $0["households"] as? Int } == [3, 5])
        let times = paths.map { ($0["signInMs"] as? [String: Any])?["count"] as? Int }
        #expect(times == [3, 5])
        let codes = try #require(signOns["codes"] as? [[String: Any]])
        #expect(codes.first?["code"] as? String == "VSA503" && codes.first?["times"] as? Int == 6)
        let rows = CSV.rows(texts["households.csv"] ?? "")
        let path = try #require(rows.first?.firstIndex(of: "path"))
        let reason = try #require(rows.first?.firstIndex(of: "diversion"))
        #expect(rows.dropFirst().count { $0[path] == "platform" && $0[reason].isEmpty } == 5)
        #expect(rows.dropFirst().count { $0[path] == "code" && $0[reason] == Self.reason } == 3)
        let terminal = TerminalReport.text(
            try Summary(Self.sample(diverted: 3, of: 8), thresholds: []), width: 100, color: false)
        #expect(terminal.contains("sign-in by path\n") && terminal.contains("codes: VSA503 6x"))
        #expect(texts["summary.md"]?.contains("**By path:** 3 code") == true)
    }

    @Test("a run without platform and SDK says nothing of paths")
    func ordinary() throws {
        var sample = Sample()
        for position in sample.records.indices { sample.records[position].signOn.paths = [.code] }
        let files = try Report.texts(sample, thresholds: [], findings: nil)
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
        #expect(texts["report.html"]?.contains("Sign-in by path") == false)
        #expect(texts["summary.md"]?.contains("By path") == false)
    }
}
