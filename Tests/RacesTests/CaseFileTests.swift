import Foundation
import Races
import TestSupport
import Testing

@Suite("A case as a file")
struct CaseFileTests {
    @Test("what was written is read back")
    func roundTrip() throws {
        let read = try Case(Array(Case.sample.json.utf8), file: "case.json")
        #expect(read == Case.sample)
        #expect(read.json == Case.sample.json)
    }

    @Test("a case that was never replayed has no evidence, and is one all the same")
    func bare() throws {
        var bare = Case.sample
        bare.evidence = nil
        bare.trial = nil
        bare.swept = nil
        bare.controls = Case.Controls()
        bare.expected.gap = nil
        bare.company = .nobody
        bare.target.cookies = ["AWSALB"]
        #expect(try Case(Array(bare.json.utf8), file: "case.json") == bare)
    }

    @Test("the text is as it was")
    func golden() throws { try Golden.expect(Case.sample.json, is: "case.json") }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var from: String
        var to: String
        var says: String
        var testDescription: String { says }

        static let all = [
            Mistake(
                from: "screenrig/case/1", to: "screenrig/case/9",
                says:
                    "c.json: schema is 'screenrig/case/9'; this version reads 'screenrig/case/1'"
            ),
            Mistake(
                from: "\"offsetUs\": 15000, \"gate\"", to: "\"offsetUS\": 15000, \"gate\"",
                says:
                    "c.json: ops[3].offsetUs is missing; it must be a whole number, -34560000000000 to "
                    + "34560000000000"),
            Mistake(
                from: "\"event\": \"firstReplyByte\"", to: "\"event\": \"firstByte\"",
                says:
                    "c.json: ops[3].anchor.event is 'firstByte'; it must be one of lastByteSent, "
                    + "firstReplyByte, absolute"),
            Mistake(
                from: "\"anchor\": {\"op\": \"check\"", to: "\"anchor\": {\"op\": \"chek\"",
                says:
                    "c.json: ops[3].anchor.op is 'chek'; it must be an op of this case: create, "
                    + "sign-in, check, poll"),
            Mistake(
                from: "\"anchor\": {\"op\": \"check\"", to: "\"anchor\": {\"op\": \"poll\"",
                says:
                    "c.json: ops[3].anchor.op is 'poll', which itself depends on 'poll'; it must "
                    + "be an op that does not depend on it"),
            Mistake(
                from: "\"id\": \"check\"", to: "\"id\": \"create\"",
                says: "c.json: ops[2].id is 'create' again; it must be unique"),
            Mistake(
                from: "\"connection\": \"fresh\"", to: "\"connection\": \"new\"",
                says: "c.json: ops[0].connection is 'new'; it must be fresh, or kept: and a number"),
            Mistake(
                from: "\"minimal\": true", to: "\"minimal\": 1",
                says: "c.json: minimal is 1; it must be true or false"),
            Mistake(
                from: "\"seed\": \"7\"", to: "\"seed\": 7",
                says: "c.json: seed is 7; it must be a text"),
        ]
    }

    @Test("a mistake is named by its key, with what is right", arguments: Mistake.all)
    func mistakes(mistake: Mistake) throws {
        let text = Case.sample.json
        let range = try #require(text.firstRange(of: mistake.from), "\(mistake.from)")
        let broken = text.replacingCharacters(in: range, with: mistake.to)
        #expect(throws: CaseError.self) {
            do {
                _ = try Case(Array(broken.utf8), file: "c.json")
            } catch {
                #expect("\(error)" == mistake.says)
                throw error
            }
        }
    }

    @Test("what is no JSON is told, with the place")
    func noJSON() {
        do {
            _ = try Case(Array("{\"schema\": \n nonsense}".utf8), file: "c.json")
            Issue.record("it was read")
        } catch {
            #expect("\(error)".hasPrefix("c.json is not valid JSON"))
        }
    }

    @Test("more ops than can be played are refused before they are compared with each other")
    func manyOps() {
        var crowded = Case.sample
        let op = crowded.schedule.ops[0]
        crowded.schedule.ops += (0..<20_000).map { number in
            var another = op
            another.id = "op-\(number)"
            another.anchor = .init(.firstReplyByte, of: number == 0 ? op.id : "op-\(number - 1)")
            return another
        }
        let wrong = CaseError.wrong(
            file: "c.json", key: "ops", found: "a list of 20004", wanted: "at most 1000")
        #expect(throws: wrong) { try Case(Array(crowded.json.utf8), file: "c.json") }
    }

    @Test("a file that has no end is refused")
    func endless() {
        #expect(throws: CaseError.self) { try Case(contentsOf: "/dev/zero") }
    }

    @Test("what is not there is told")
    func notThere() {
        #expect(
            throws: CaseError.unreadable(
                file: "/nowhere/c.json", reason: "no such file")
        ) {
            try Case(contentsOf: "/nowhere/c.json")
        }
    }

    @Test("given a run's directory, its cases are named")
    func directory() throws {
        let folder = TestFolder()
        let path = folder.path
        try Data("{}".utf8).write(to: folder.url.appending(path: "summary.json"))
        #expect(
            throws: CaseError.unreadable(
                file: path, reason: "it is a directory, and there are no cases in it")
        ) { try Case(contentsOf: path) }
        let cases = folder.url.appending(path: "cases")
        try FileManager.default.createDirectory(at: cases, withIntermediateDirectories: false)
        for name in ["one-owner.json", "logout-final.json", "logout-final.html"] {
            try Data("{}".utf8).write(to: cases.appending(path: name))
        }
        #expect(
            throws: CaseError.unreadable(
                file: path,
                reason: "it is a directory; name one of its cases: cases/logout-final.json, "
                    + "cases/one-owner.json")
        ) { try Case(contentsOf: path) }
    }
}

@Suite("The page of a case")
struct CasePageTests {
    @Test("the page is as it was")
    func golden() throws {
        try Golden.expect(Case.sample.page(replaying: "cases/sample.json"), is: "case.html")
    }

    @Test("what came from a server is text, never markup, and there is no script")
    func hostile() {
        var hostile = Case.sample
        hostile.expected.sentence = "<script>alert(1)</script>"
        hostile.target.server = "\"><img src=x>"
        hostile.trial?.exchanges[0].requestID = "<b>"
        let page = hostile.page(replaying: "c.json")
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"))
    }

    @Test("a script is offered only where one can be written")
    func script() {
        var platform = Case.sample
        #expect(platform.page(replaying: "c.json").contains("--emit python"))
        platform.schedule.ops[0].step = .tokenExchange
        let page = platform.page(replaying: "c.json")
        #expect(!page.contains("--emit python") && page.contains("--times 50"))
    }

    @Test("a case that was never replayed has a page too")
    func bare() {
        var bare = Case.sample
        bare.evidence = nil
        bare.trial = nil
        let page = bare.page(replaying: "c.json")
        #expect(page.contains("not replayed yet") && page.contains("no offsets were swept"))
    }
}
