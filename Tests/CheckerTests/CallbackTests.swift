import Checker
import Journal
import Testing
import Vocabulary

/// access-enabler-sdk.md § 10: the judge's part; rule by rule it is tested beside `CallbackOrder`.
@Suite("The order of an SDK's callbacks is judged with the rest")
struct CallbackTests {
    private static let kept = [
        "call setRequestor", "setRequestorComplete 1", "call checkAuthentication",
        "setAuthenticationStatus 1", "call checkAuthorization", "setToken",
    ]
    private static let broken = kept + ["setToken"]

    private static func events(_ texts: [String], of household: Int = 7) -> [DeviceEvent] {
        texts.enumerated().map { position, text in
            let words = text.split(separator: " ").map(String.init)
            let isCall = words[0] == "call"
            return DeviceEvent(
                device: DeviceID(household: household, role: .firstScreen), sequence: position + 1,
                at: Instant(nanoseconds: Int64(position) * 1_000),
                name: isCall ? text : words[0],
                detail: isCall || words.count < 2 ? "" : words[1])
        }
    }

    private static func findings(
        _ events: [DeviceEvent], rules: Rules = Rules(), hasEnded: Bool = true
    ) -> Findings {
        let judge = Judge(rules)
        judge.take(events: events, of: 7, hasEnded: hasEnded)
        return judge.finish()
    }

    @Test("a history that keeps it is counted, and accused of nothing")
    func keeps() {
        let findings = Self.findings(Self.events(Self.kept))
        #expect(findings.violations.isEmpty)
        #expect(findings[.conforms].checked == Self.kept.count)
        #expect(findings.sdkHouseholds == 1)
        #expect(
            findings[.conforms].note == "includes the order of SDK callbacks in 1 household")
    }

    @Test("a history that breaks it says where, and by which rule")
    func breaks() throws {
        let findings = Self.findings(Self.events(Self.broken))
        let found = try #require(findings.violations.first)
        #expect(findings.violations.count == 1)
        #expect(found.invariant == .conforms)
        #expect(found.source == .documented && found.standing == .fails)
        #expect(found.household == 7 && found.at == 6_000)
        #expect(
            found.signature == "conforms: setToken came without an authorization call (rule 5)")
        #expect(
            found.sentence
                == "household 7: the SDK violated the order of its callbacks: "
                + "event 7: setToken came without an "
                + "authorization call (rule 5)")
    }

    @Test("several breaches of a household are one finding, and told how often")
    func several() throws {
        let found = Self.findings(
            Self.events(Self.broken + ["setToken", "dismissTVProviderDialog"]))
        #expect(found.violations.map(\.times) == [3])
    }

    @Test(
        "the page promises the order: a breach fails under documented promises, not observed ones")
    func standing() {
        var rules = Rules()
        rules.promises = Promises(.documented)
        #expect(Self.findings(Self.events(Self.broken), rules: rules).failing == 1)
        rules.promises = Promises(.observe)
        #expect(Self.findings(Self.events(Self.broken), rules: rules).failing == 0)
    }

    @Test("what never came is a breach of a story that ended, and none of one that was cut short")
    func owed() {
        let events = Self.events(Self.kept.dropLast())
        #expect(
            Self.findings(events).violations.map(\.sentence) == [
                "household 7: the SDK violated the order of its callbacks: "
                    + "1 authorizations were never answered (rule 5)"
            ])
        #expect(Self.findings(events, hasEnded: false).violations.isEmpty)
    }

    @Test("with a gap in the events nothing is said of their order")
    func gap() {
        var events = Self.events(Self.kept)
        events.remove(at: 1)
        let findings = Self.findings(events)
        #expect(findings.violations.isEmpty && findings[.conforms].undecided == 1)
    }

    @Test("households without an SDK are not counted")
    func others() {
        let findings = Self.findings(
            Self.events(["platform prompt"]).map {
                var event = $0
                event.name = "platform prompt"
                return event
            })
        #expect(findings.sdkHouseholds == 0 && findings[.conforms].checked == 0)
    }

    @Test("batch by batch, as while a run goes on, it finds the same", arguments: [true, false])
    func live(isStopped: Bool) {
        let judge = Judge(Rules())
        var record = HouseholdRecord(household: 7, kind: "x", lane: 0, arrived: .start)
        let owing = Self.events(Self.kept.dropLast())
        var first = Batch(lane: 0, through: .start)
        first.events = Array(owing.prefix(3))
        judge.take(first)
        record.ended = Instant(nanoseconds: 9_000)
        record.cause = isStopped ? "the run was stopped" : ""
        var last = Batch(lane: 0, households: [record], through: .start)
        last.events = Array(owing.dropFirst(3))
        judge.take(last)
        #expect(judge.finish().violations.count == (isStopped ? 0 : 1))
    }
}
