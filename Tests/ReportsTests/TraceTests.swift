import Checker
import Dialects
import Foundation
import Journal
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Rendering
@testable import Reports

/// One household as it signs in, with everything that a history may hold of it.
struct OneHousehold: Recorded {
    var header: HistoryHeader = Self.linkedHeader()
    var end: HistoryEnd?
    var gaps: [String] = []
    var record = HouseholdRecord(
        household: 17, kind: "living room", lane: 0, arrived: Instant(.seconds(12)))
    var life: [Exchange] = []
    var happened: [DeviceEvent] = []
    /// Whether requests and responses are there.
    var talks = true

    static let tag = Dialects.Tag(mvpd: "DemoCable", user: "viewer-17")
    static let hostile = "</pre><script>alert(1)</script>\u{1b}[31m"

    static func linkedHeader() -> HistoryHeader {
        var header = Shape().header(Seed(7))
        header.rigSource = """
            rig: one
            target: {base: embedded}
            load: {closed: {households: 1}}
            links:
              trace: "https://tempo.example/{trace-id}/{span-id}"
              logs: "https://kibana.example/?q={request-id}&h={household}&t={time-ms}"

            """
        var rules = Rules()
        rules.startedMicroseconds = header.startedMicroseconds
        header.judging = rules.texts
        header.sendsTraceContext = true
        return header
    }

    /// `pending`: how many polls come back empty before the viewer takes the phone.
    init(pending: Int = 5) {
        tell(.firstScreen, .registrationCode, at: 100, code: "K7DPQ2X")
        for number in 0..<pending {
            tell(
                .firstScreen, .pollToken, at: 5_100 + Double(number) * 5_000, .absent, status: 404,
                code: "K7DPQ2X")
        }
        let phone = 5_600 + Double(pending) * 5_000
        tell(.secondScreen, .registrationRecord, at: phone, code: "K7DPQ2X")
        tell(.secondScreen, .authenticate, at: phone + 500, status: 302, code: "K7DPQ2X")
        tell(
            .secondScreen, .assertion, at: phone + 2_000, took: 30, .none, status: 302,
            code: "K7DPQ2X", tag: Self.tag)
        tell(.secondScreen, .checkCode, at: phone + 2_100, code: "K7DPQ2X")
        tell(.firstScreen, .pollToken, at: phone + 4_500, code: "K7DPQ2X", tag: Self.tag)
        record.codeShown = life[0].ended
        record.phoneDone = life[pending + 4].ended
        record.tokenSeen = life[pending + 5].ended
        record.polls = pending + 1
        record.viewerTime = .milliseconds(Int64(phone))
        (record.fate, record.stage) = (.signedIn, .signedIn)
        record.ended = life[pending + 5].ended + .milliseconds(10)
    }

    /// `at`: milliseconds since it arrived.
    mutating func tell(
        _ role: DeviceID.Role, _ operation: OperationName, at: Double, took: Double = 4,
        _ result: Observation.Result = .success, status: Int = 200, code: String? = nil,
        tag: Dialects.Tag? = nil
    ) {
        let sent = Instant(nanoseconds: 12_000_000_000 + Int64(at * 1e6))
        let ended = sent + .microseconds(Int64(took * 1000))
        let epoch = header.startedMicroseconds / 1000 + Int64(sent.milliseconds)
        let shownCode = code.map(Code.init)
        life.append(
            Exchange(
                lane: 0, sequence: life.count + 1, device: DeviceID(household: 17, role: role),
                operation: operation, code: shownCode, planned: sent, sent: sent, firstByte: ended,
                ended: ended, delivery: .answered(status: status),
                outcome: status >= 404 ? .pending : .ok,
                observation: Observation(
                    result, tag: tag, code: shownCode,
                    generated: operation == .registrationCode ? epoch : nil,
                    expires: operation == .registrationCode
                        ? epoch + 1_800_000 : tag == nil ? nil : epoch + 21_600_000,
                    record: operation == .registrationCode ? "record" : nil),
                evidence: ["X-Request-Id": "req \(life.count + 1)"]))
    }

    func cells(_ body: (Cell) throws -> Void) throws {}
    func households(_ body: (HouseholdRecord) throws -> Void) throws { try body(record) }
    func errorGroups() throws -> [ErrorGroup] { [] }
    func health() throws -> [LaneHealth] { [] }
    func events(household: Int) throws -> [DeviceEvent] { happened }
    func exchanges(household: Int) throws -> [Exchange] { household == 17 ? life : [] }

    func messages(household: Int) throws -> [KeptMessage] {
        guard talks else { return [] }
        return life.map { exchange in
            KeptMessage(
                household: 17, sequence: exchange.sequence, method: "GET",
                url: "http://127.0.0.1:8080/\(exchange.operation.name)",
                requestHeaders: [
                    "Authorization": "Bearer (secret #00000000000000aa)",
                    "traceparent": "00-000000000000000000000000000000aa-00000000000000bb-01",
                ],
                status: exchange.delivery.status, responseHeaders: ["X-Word": Self.hostile],
                responseBody: "{\"word\": \"\(Self.hostile)\"}")
        }
    }

    /// What the judge finds in it.
    func findings() throws -> Findings {
        let judge = Judge(try Rules(texts: header.judging))
        for exchange in life.sorted(by: { $0.ended < $1.ended }) { judge.take(exchange) }
        return judge.finish()
    }

    func trace(judged: Bool = true) throws -> Trace {
        try Trace(
            self, record, findings: judged ? findings() : nil, links: ExchangeLinks(header))
    }

    func page() throws -> String { TracePage.text(try trace(), nonce: "r00c0ffee") }
}

@Suite("The page of one household")
struct TraceTests {
    /// Sees the token, and 30 ms later does not.
    static func flapping() -> OneHousehold {
        var home = OneHousehold()
        let last = (home.life[10].ended - home.record.arrived).milliseconds
        home.tell(
            .firstScreen, .pollToken, at: last + 30, .absent, status: 404, code: "K7DPQ2X")
        home.record.ended = home.life[11].ended + .milliseconds(10)
        return home
    }

    @Test("a household of a known run has the page that was reviewed")
    func golden() throws {
        try Golden.expect(try Self.flapping().page(), is: "household.html")
    }

    @Test("polls that are alike are one row, and what is between them parts them")
    func collapsing() throws {
        var home = OneHousehold(pending: 312)
        home.happened = [
            DeviceEvent(
                device: DeviceID(household: 17, role: .firstScreen), sequence: 1,
                at: home.life[100].ended + .seconds(1), name: "habit", detail: "reloads")
        ]
        let trace = try home.trace()
        let rows = trace.steps.compactMap { step -> Int? in
            if case .repeated(let positions) = step { positions.count } else { nil }
        }
        #expect(rows == [100, 212])
        let page = try home.page()
        #expect(page.contains("212 pending polls") && page.contains("habit: reloads"))
        #expect(page.utf8.count < 400_000)
    }

    @Test(
        "a run is as long as its neighbours are alike, and short ones stay apart",
        arguments: [
            ("aaab", "[3]1"), ("aab", "111"), ("aaabbb", "[3][3]"), ("aa-a", "1111"),
            ("aaa-aaa", "[3]1[3]"),
            ("", ""), ("----", "1111"),
        ])
    func runs(likenesses: String, rows: String) {
        let all = Array(likenesses)
        let steps = all.indices.map { TraceStep.exchange($0) }
        let shown = Trace.collapsed(steps) { all[$0] == "-" ? nil : all[$0] }.map { step in
            if case .repeated(let run) = step { "[\(run.count)]" } else { "1" }
        }
        #expect(shown.joined() == rows)
    }

    @Test("the state of the TV after each exchange: no token, either, the user's token")
    func beliefs() throws {
        let trace = try OneHousehold().trace()
        #expect(trace.unbelieved == nil)
        let views = trace.exchanges.map { $0.after.map(BeliefText.brief) ?? "-" }
        #expect(views.first == "no token")
        #expect(views[8] == "no token or viewer-17")
        #expect(views[10] == "viewer-17")
        #expect(trace.exchanges.filter(\.changesBelief).count >= 3)
    }

    @Test(
        "a sign-in has the name of its user, or of its provider while the service has not named the user",
        arguments: [
            ("viewer-3", "DemoCable", "token of viewer-3 of DemoCable", "viewer-3"),
            ("", "DemoCable", "token of the sign-in at DemoCable", "sign-in at DemoCable"),
            ("", "", "token of somebody", "somebody"),
        ])
    func names(user: String, mvpd: String, words: String, brief: String) {
        let view = Belief.View.possible([[Dialects.Tag(mvpd: mvpd, user: user)]])
        #expect(BeliefText.words(view) == words && BeliefText.brief(view) == brief)
    }

    @Test(
        "where the run was not checked, or exchanges are missing, the page says why there is no state"
    )
    func unbelieved() throws {
        var home = OneHousehold()
        home.life.remove(at: 3)
        #expect(try home.trace().unbelieved == "not every exchange of this household was recorded")
        home.header.judging = []
        let trace = try home.trace(judged: false)
        #expect(trace.unbelieved == "the run was not checked against promises")
        #expect(trace.verdict == "Signed in.")
    }

    @Test("the story names code, user and times; the verdict the promise")
    func story() throws {
        let home = Self.flapping()
        let story = try home.trace().story.joined(separator: " ")
        #expect(story.contains("The TV showed code K7DPQ2X at 0.104 s."))
        #expect(story.contains("signed in as viewer-17 of DemoCable"))
        #expect(
            story.contains("The TV saw the token of viewer-17 of DemoCable at 35.104 s, by poll 6"))
        #expect(try home.trace().verdict.hasPrefix("Violated: token-monotonic"))
        #expect(try home.trace().tone == "fail")
    }

    @Test("a violation stands after the response that proves it")
    func violation() throws {
        let trace = try Self.flapping().trace()
        let steps = trace.steps
        let place = try #require(steps.firstIndex(of: .violation(0)))
        #expect(steps[place - 1] == .exchange(11))
    }

    @Test(
        "links have the trace that the request carried, or that this version makes of the run's id")
    func links() throws {
        var home = OneHousehold()
        let links = ExchangeLinks(home.header)
        let message = try home.messages(household: 17)[0]
        let kept = links.links(of: home.life[0], message)
        #expect(kept.map(\.name) == ["trace", "logs"])
        #expect(
            kept[0].address
                == "https://tempo.example/000000000000000000000000000000aa/00000000000000bb")
        #expect(kept[1].address.hasPrefix("https://kibana.example/?q=req%201&h=17&t=17952444121"))
        let context = TraceContext(run: "\(try #require(home.header.runID))", household: 17)
        #expect(
            links.links(of: home.life[0])[0].address
                == "https://tempo.example/\(context.trace)/\(context.span(1))")
        home.header.sendsTraceContext = false
        #expect(ExchangeLinks(home.header).links(of: home.life[0]).map(\.name) == ["logs"])
    }

    @Test(
        "nothing that a peer said is markup, no id is there twice, and every link leads somewhere")
    func harmless() throws {
        let page = try Self.flapping().page()
        #expect(page.matches(of: #/<script/#).count == 1)
        #expect(!page.unicodeScalars.contains("\u{1b}"))
        #expect(
            page.contains("default-src 'none'") && page.contains("script-src 'nonce-r00c0ffee'"))
        let elements = try Elements.read(page)
        #expect(Set(elements.ids).count == elements.ids.count)
        for link in elements.links where link.hasPrefix("#") {
            #expect(elements.ids.contains(String(link.dropFirst())), "\(link)")
        }
        for label in elements.labels { #expect(elements.ids.contains(label)) }
        for link in elements.links where !link.hasPrefix("#") {
            #expect(
                link == "../report.html" || link.hasPrefix("https://tempo.example/")
                    || link.hasPrefix("https://kibana.example/"))
        }
    }
}
