import Dialects
import Journal
import TestSupport
import Testing
import Vocabulary

@testable import Races

@Suite("A case as a text for the server's maintainers")
struct FindingTextTests {
    /// A refusal that a TV was never told, as a race of a device grant finds it.
    private var lost: Case {
        var lost = Case.sample
        lost.name = "refuse-poll-refusal-delivered"
        lost.target = .init(
            name: "http://127.0.0.1:8000", protocolName: "oauth-device-grant",
            date: "Sat, 21 Nov 2026 07:00:00 GMT", server: "gunicorn")
        lost.rig.source = """
            rig: tv
            target:
              base: "http://127.0.0.1:8000"
              device-grant:
                preset: django-allauth
                secret: ${CLIENT_SECRET}
            accounts:
              file: "accounts.csv"
            polling:
              every: 1s

            """
        lost.expected = .init(
            .refusalDelivered, ops: ["check", "poll"],
            sentence: "the TV was told that a code | is pending")
        lost.controls.clean = nil
        return lost
    }

    @Test("what was promised, what happened, how often, how to see it again, versions and settings")
    func text() throws {
        let text = lost.finding(
            server: "django-allauth 65.21.1, 2 workers", script: "refuse-poll-refusal-delivered.py",
            replaying: "refuse-poll-refusal-delivered.json")
        try Golden.expect(text, is: "finding.md")
        #expect(!text.contains("file:"), "whose accounts were used is not told")
    }

    @Test("without a script and without a replay it says what there is, and how to get the rest")
    func bare() {
        var bare = Case.sample
        (bare.evidence, bare.trial, bare.controls) = (nil, nil, .init())
        let text = bare.finding(
            server: nil, script: nil, reason: "scripts cannot check it", replaying: "c.json")
        for words in [
            "because scripts cannot check it",
            "`screenrig replay c.json --virtual --save` adds one",
            "| Server | ??? ", "Seen in a run; its rate is not measured yet",
        ] {
            #expect(text.contains(words), "\(words)")
        }
        bare.evidence = .init(rate: HitRate())
        #expect(
            bare.finding(server: nil, script: "c.py", replaying: "c.json").contains(
                "Seen in a search that its limit ended; its rate is not measured yet"))
        #expect(!text.contains("RFC"), "those are of the device grant")
    }

    @Test(
        "every promise that only the device grant has names a paragraph",
        arguments: Invariant.allCases.filter(\.isOfDeviceGrant))
    func clauses(promise: Invariant) {
        #expect(!promise.grantClauses.isEmpty)
        #expect(promise.grantClauses.allSatisfy { $0.reference.hasPrefix("RFC ") })
    }

    @Test("both requests that got one code are marked, and homes have the schedule's names")
    func oneCode() {
        var found = Case.sample
        found.expected = .init(.codeUnique)
        found.schedule = Schedule(
            plan: "create-create",
            actors: [
                .init(name: "tv", screen: .first),
                .init(name: "other-tv", screen: .first, household: 1),
            ],
            ops: [
                .init("create", "tv", .createSession), .init("other", "other-tv", .createSession),
            ])
        func exchange(_ household: Int, _ sequence: Int, _ operation: OperationName) -> Exchange {
            Exchange(
                lane: 0, sequence: sequence,
                device: DeviceID(household: household, role: .firstScreen), operation: operation,
                code: operation == .createSession ? Code("ABCDEFG") : nil, planned: .start,
                sent: .start + .milliseconds(sequence), ended: .start + .milliseconds(sequence + 1),
                delivery: .answered(status: 200), outcome: .ok)
        }
        let result = TrialResult(
            schedule: found.schedule, households: [101, 102],
            releases: [
                .init(op: "create", sent: .start + .milliseconds(3), sequence: 3),
                .init(op: "other", sent: .start + .milliseconds(3), sequence: 3),
            ],
            breaches: [
                Breach(
                    .codeUnique,
                    sentence: "household 102: it got code ABCDEFG (#3) while household 101 held it",
                    household: 102, exchanges: [3])
            ],
            exchanges: [101, 102].flatMap {
                [exchange($0, 2, .configuration), exchange($0, 3, .createSession)]
            })
        found.take(result, startedMicroseconds: 0)
        #expect(
            found.expected.sentence
                == "household 102 (other-tv): it got code ABCDEFG (#3) while household 101 (tv) held it"
        )
        let entries = found.trial?.exchanges ?? []
        #expect(Set(entries.map(found.lane(of:))) == ["tv", "other-tv"])
        #expect(entries.filter(\.isConflict).map(\.operation) == [.createSession, .createSession])
    }
}
