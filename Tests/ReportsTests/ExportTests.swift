import Dialects
import Foundation
import Journal
import TestSupport
import Testing

@testable import Rendering
@testable import Reports

/// A run of which everything was kept.
struct Talkative: Recorded {
    var sample = Sample(Shape(households: 6))
    var header: HistoryHeader { sample.header }
    var end: HistoryEnd? { sample.end }
    var gaps: [String] = []
    /// Households of which the requests and replies are there.
    var talking: Set<Int> = [0, 1, 2, 3, 4]

    func cells(_ body: (Cell) throws -> Void) throws { try sample.cells(body) }
    func households(_ body: (HouseholdRecord) throws -> Void) throws { try sample.households(body) }
    func errorGroups() throws -> [ErrorGroup] { try sample.errorGroups() }
    func health() throws -> [LaneHealth] { [] }
    func exchanges(household: Int) throws -> [Exchange] {
        try sample.exchanges(household: household)
    }

    func messages(household: Int) throws -> [KeptMessage] {
        guard talking.contains(household) else { return [] }
        return try exchanges(household: household).map { Self.message($0) }
    }

    static func message(_ exchange: Exchange) -> KeptMessage {
        let hasBody = exchange.operation == .registerClient
        return KeptMessage(
            household: exchange.device.household, sequence: exchange.sequence,
            method: hasBody ? "POST" : "GET",
            url: "http://127.0.0.1:8080/\(exchange.operation.name)?deviceId=d%2F1&q=it's",
            requestHeaders: [
                "Authorization": "Bearer (secret #00000000000000aa)", "Host": "127.0.0.1:8080",
                "Cookie": "sid=(secret #00000000000000bb)", "Content-Type": "application/json",
            ],
            requestBody: hasBody
                ? "{\"software_statement\": \"(secret #00000000000000cc)\", \"x\": \"a<b>'\u{9b}\u{1b}\"}"
                : "",
            status: exchange.delivery.status,
            responseHeaders: ["Content-Type": "application/json", "Set-Cookie": "a=1"],
            responseBody: "{\"ok\": true}")
    }
}

@Suite("Exports")
struct ExportTests {
    private static func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("HAR 1.2 has every field that the format asks for", arguments: [1, 5])
    func har(household: Int) throws {
        let export = try Export(Talkative(), household: household)
        let log = try #require(try Self.object(export.text(as: .har))["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        let pages = try #require(log["pages"] as? [[String: Any]])
        let entries = try #require(log["entries"] as? [[String: Any]])
        #expect(entries.count == export.items.count && entries.count > 5)
        let ids = Set(pages.compactMap { $0["id"] as? String })
        let date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        for entry in entries {
            #expect(ids.contains(try #require(entry["pageref"] as? String)))
            #expect(try #require(entry["startedDateTime"] as? String).wholeMatch(of: date) != nil)
            let request = try #require(entry["request"] as? [String: Any])
            let response = try #require(entry["response"] as? [String: Any])
            let timings = try #require(entry["timings"] as? [String: Double])
            for key in [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                "bodySize",
            ] { #expect(request[key] != nil, "\(key)") }
            for key in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content",
                "redirectURL", "headersSize", "bodySize",
            ] { #expect(response[key] != nil, "\(key)") }
            let content = try #require(response["content"] as? [String: Any])
            #expect(content["size"] is Int && content["mimeType"] is String)
            #expect(entry["cache"] is [String: Any])
            // The specification: time is the sum of all timings that are not -1; ssl is in connect.
            let sum = timings.filter { $0.key != "ssl" && $0.value >= 0 }.values.reduce(0, +)
            #expect(abs(sum - (entry["time"] as? Double ?? -1)) < 0.01)
            for key in ["send", "wait", "receive"] { #expect(timings[key] ?? -1 >= 0) }
        }
        let said = entries.filter { !(($0["comment"] as? String ?? "").contains("not recorded")) }
        #expect(said.count == (household == 5 ? 0 : entries.count))
    }

    @Test("JSON lines: one object each, with what was said where it was kept", arguments: [1, 5])
    func lines(household: Int) throws {
        let export = try Export(Talkative(), household: household)
        let lines = export.text(as: .jsonl).split(separator: "\n")
        #expect(lines.count == export.items.count)
        for (line, item) in zip(lines, export.items) {
            let object = try Self.object(line)
            #expect(object["schema"] as? String == "screenrig/exchange/1")
            #expect(object["sequence"] as? Int == item.exchange.sequence)
            #expect((object["request"] == nil) == (household == 5))
            let ended = try #require(object["endedMs"] as? Double)
            #expect(abs(ended - item.exchange.ended.milliseconds) < 0.001)
        }
    }

    @Test("curl lines are words that a shell reads back as they were, secrets as variables")
    func curl() throws {
        let export = try Export(Talkative(), household: 1)
        let text = export.text(as: .curl)
        #expect(text.hasPrefix("# export AUTHORIZATION=...   (fingerprint 00000000000000aa)\n"))
        #expect(text.contains("# export SID=...") && text.contains("# export SOFTWARE_STATEMENT="))
        #expect(!text.contains("(secret #"))
        let script =
            "curl() { for word; do printf '[%s]' \"$word\"; done; echo; }\n"
            + "AUTHORIZATION=tok SID=cook SOFTWARE_STATEMENT='sta te'\n" + text
        let words = try Program(["sh", "-c", script]).output.split(separator: "\n")
        #expect(words.count == export.items.count)
        let expected = [
            "[-sS][-i][-g][--proto][=http,https][-X][POST][--url]",
            "[http://127.0.0.1:8080/register-client?deviceId=d%2F1&q=it's]",
            "[-H][Authorization: Bearer tok][-H][Cookie: sid=cook]",
            "[-H][Content-Type: application/json][--data-raw]",
            "[{\"software_statement\": \"sta te\", \"x\": \"a<b>'\u{9b}\u{1b}\"}]",
        ]
        #expect(words[0] == expected.joined()[...])
    }

    @Test(
        "a terminal that shows an export obeys nothing in it",
        arguments: [Export.Format.har, .jsonl, .curl])
    func controls(format: Export.Format) throws {
        let text = try Export(Talkative(), household: 1).text(as: format)
        #expect(!text.unicodeScalars.contains { $0.isControl && $0 != "\n" })
    }

    @Test("a violation's row names its household and exchanges")
    func violation() {
        let text =
            CSV.line(ViolationLine.columns.map(\.csv))
            + CSV.line([
                "a: b > c", "sign-in-visible", "certain", "ours", "12.5", "17", "17/14 17/15", "",
                "",
                "he said \"no\", twice\r\nand left", "fails", "", "1", "",
                "",
            ])
        let found = ViolationReference(row: 1, of: text)
        #expect(found?.household == 17)
        #expect(found?.exchanges == [14, 15])
        #expect(ViolationReference(row: 0, of: text) == nil)
        #expect(ViolationReference(row: 2, of: text) == nil)
        #expect(ViolationReference(row: 1, of: "") == nil)
    }

    @Test(
        "a text that a spreadsheet would carry out has an apostrophe in front, a number has not",
        arguments: [
            ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"), ("=a,b", "\"'=a,b\""), ("\t=1", "\"'\t=1\""),
            ("\u{ff1d}1", "'\u{ff1d}1"), ("-3.25", "-3.25"), ("+7", "+7"), ("a=1", "a=1"),
            ("'quoted'", "'quoted'"), ("-", "'-"), ("", ""),
        ])
    func formula(text: String, written: String) {
        let line = CSV.line([text, "1"])
        #expect(line == written + ",1\r\n")
        #expect(CSV.rows(line) == [[text, "1"]])
    }

    @Test("the errors of the page show what was said, and how to say it again")
    func talk() throws {
        let page = try Rendered(Talkative(sample: Sample(Shape(households: 5, trouble: 0...40))))[
            "report.html"]
        #expect(page.contains("Authorization: Bearer (secret #00000000000000aa)"))
        #expect(page.contains("export AUTHORIZATION=..."))
        #expect(page.contains("curl -sS -i"))
        _ = try Elements.read(page)
    }
}
