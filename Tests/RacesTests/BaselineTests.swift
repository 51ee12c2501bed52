import Foundation
import Runner
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Races

@Suite struct BaselineTests {
    private static let late = RaceBaseline.Known(
        plan: "poll-authenticate", invariant: "sign-in-visible")

    private var finding: RaceFinding {
        RaceFinding(
            plan: "poll-authenticate", invariant: .signInVisible, source: .ours,
            schedule: RacePlan.catalogue[0].variants[0].at(.milliseconds(15)), swept: "poll",
            best: .milliseconds(15), rate: HitRate(hits: 29, trials: 30), sentence: "late")
    }

    private func outcome(
        _ baseline: Set<RaceBaseline.Known>?, sweeps: [RaceOutcome.Sweep] = [whole()]
    ) -> RaceOutcome {
        var outcome = RaceOutcome()
        outcome.findings = [finding]
        outcome.trials = 100
        outcome.sweeps = sweeps
        outcome.baseline = baseline.map { RaceBaseline(file: "base", known: $0) }
        return outcome
    }

    private static func whole(
        _ plan: String = "poll-authenticate", isWhole: Bool = true, obstacle: String = ""
    ) -> RaceOutcome.Sweep {
        RaceOutcome.Sweep(
            plan: plan, title: plan, rounds: isWhole ? 5 : 2, isWhole: isWhole, trials: 100,
            discarded: obstacle.isEmpty ? 0 : 100, obstacle: obstacle)
    }

    private func report(_ outcome: RaceOutcome) -> RaceReport {
        RaceReport(
            outcome, cases: [],
            about: .init(rig: "r", target: "t", version: "1", seed: 1, startedMicroseconds: 0))
    }

    @Test("what the baseline has fails nothing, and every file says that it is known")
    func known() {
        let outcome = outcome([Self.late])
        #expect(!outcome.isAccusing)
        let report = report(outcome)
        #expect(report.verdict == .pass)
        #expect(
            report.headline
                == "Nothing new: sign-in-visible in poll-authenticate violated, as in the baseline."
        )
        let files = Dictionary(uniqueKeysWithValues: report.files.map { ($0.name, $0.text) })
        #expect(files["summary.json"]?.contains("\"known\": true") == true)
        #expect(files["findings.csv"]?.contains(",true") == true)
        #expect(files["junit.xml"]?.contains("failures=\"0\"") == true)
        #expect(files["junit.xml"]?.contains("<skipped message=\"known from the baseline") == true)
        #expect(files["report.html"]?.contains("Known from the baseline") == true)
        let text = RaceText.report(outcome, cases: [])
        #expect(text.hasPrefix("KNOWN  sign-in-visible violated in poll-authenticate\n"))
    }

    @Test("without a baseline, with another plan's, or beside something new, it fails")
    func new() {
        #expect(outcome(nil).isAccusing)
        #expect(outcome([.init(plan: "poll-poll", invariant: "sign-in-visible")]).isAccusing)
        var outcome = outcome([Self.late])
        outcome.alsoIn = [("poll-poll", Promise(.signInVisible))]
        #expect(outcome.isAccusing)
        #expect(
            report(outcome).headline
                == "Found: sign-in-visible in poll-poll violated; known from the baseline: "
                + "sign-in-visible in poll-authenticate.")
        let text = RaceText.report(outcome, cases: [])
        #expect(
            text.contains("FOUND  sign-in-visible is violated in poll-poll as well")
        )
    }

    @Test(
        "what was known of a reading of ours covers no breach of what is documented",
        arguments: [
            (.ours, .documented, false), (.documented, .ours, true), (.ours, .ours, true),
            (.ours, .policy, false), (nil, .documented, true),
        ] as [(PromiseSource?, PromiseSource, Bool)])
    func source(known: PromiseSource?, found: PromiseSource, isCovered: Bool) {
        var outcome = outcome([
            .init(plan: "poll-authenticate", invariant: "sign-in-visible", source: known)
        ])
        outcome.findings[0].source = found
        #expect(outcome.isAccusing == !isCovered)
        #expect(RaceText.report(outcome, cases: []).hasPrefix(isCovered ? "KNOWN" : "FOUND"))
        #expect(outcome.gone.isEmpty == (known == nil || known == found))
    }

    @Test("what is gone is told, where its plan was swept whole")
    func gone() {
        let other = RaceBaseline.Known(plan: "poll-delete", invariant: "delete-final")
        let swept = [Self.whole(), Self.whole("poll-delete")]
        #expect(outcome([Self.late, other], sweeps: swept).gone == [other])
        #expect(outcome([Self.late, other]).gone.isEmpty)
        let half = [Self.whole(), Self.whole("poll-delete", isWhole: false)]
        #expect(outcome([Self.late, other], sweeps: half).gone.isEmpty)
        // It broke in a trial that nobody looked into.
        var seen = outcome([Self.late, other], sweeps: swept)
        seen.seen = [other]
        #expect(seen.gone.isEmpty)
        // One way to play it was swept, another was not.
        let ways = half + [Self.whole("poll-delete")]
        #expect(outcome([Self.late, other], sweeps: ways).gone.isEmpty)
    }

    @Test("a baseline is what a race has written")
    func reads() throws {
        let folder = TestFolder()
        var outcome = outcome(nil)
        outcome.alsoIn = [("poll-poll", Promise(.signInVisible))]
        try report(outcome).write(to: folder.path)
        let read = try RaceBaseline(contentsOf: folder.path)
        #expect(read.known == outcome.found && read.known.count == 2)
        #expect(try RaceBaseline(contentsOf: folder.path + "/summary.json").known == read.known)
    }

    @Test(
        "what is no baseline is refused with the reason",
        arguments: [
            ("{", "it is not valid JSON"), ("[]", "it has no schema"),
            ("{\"schema\": \"screenrig/summary/1\"}", "its schema is 'screenrig/summary/1'"),
            (
                "{\"schema\": \"screenrig/race/1\", \"findings\": [{\"plan\": \"x\"}]}",
                "findings[0] lacks its plan or its invariant"
            ),
            (
                "{\"schema\": \"screenrig/race/1\", \"findings\": [{\"plan\": \"x\", \"invariant\": "
                    + "\"logout-final\", \"source\": \"screenrig's own expectation\"}]}",
                "source of findings[0] must be one of documented, policy, ours"
            ),
        ])
    func refuses(text: String, reason: String) throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-baseline-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect {
            _ = try RaceBaseline(contentsOf: file.path)
        } throws: { error in
            "\(error)".hasPrefix("\(file.path) is no baseline: \(reason); ")
        }
        #expect {
            _ = try RaceBaseline(contentsOf: file.path + ".no")
        } throws: { error in
            "\(error)".contains("no such file")
        }
    }

    @Test(
        "nothing found is an answer only where everything was swept, and most trials told something"
    )
    func doubt() {
        func doubt(
            _ sweeps: [RaceOutcome.Sweep], discarded: Int = 0
        ) -> String? {
            var outcome = outcome(nil, sweeps: sweeps)
            outcome.findings = []
            outcome.trials = sweeps.reduce(0) { $0 + $1.trials }
            if discarded > 0 { outcome.discarded = [("poll was throttled", discarded)] }
            return outcome.whyNothingIsNoAnswer
        }
        #expect(doubt([Self.whole()]) == nil)
        #expect(doubt([Self.whole()], discarded: 50) == nil)
        #expect(
            doubt([Self.whole()], discarded: 51)
                == "51 of 100 trials could not be completed: poll was throttled")
        #expect(
            doubt([Self.whole()], discarded: 100)
                == "no trial could be completed: poll was throttled")
        #expect(
            doubt([Self.whole(), Self.whole("poll-poll", isWhole: false)])
                == "1 of 2 sweeps are not complete; give it more time or trials")
        // One way to play it that this target lacks is no reason to doubt the other.
        let unplayable = Self.whole("poll-sso", obstacle: "no platform")
        #expect(doubt([Self.whole(), unplayable], discarded: 100) == nil)
        #expect(doubt([Self.whole(), unplayable], discarded: 151)?.hasPrefix("51 of 100") == true)
        #expect(
            doubt([Self.whole("poll-sso", obstacle: "no platform")])
                == "none of the plans can be played on this target")
    }

    @Test("a deploy is over once two looks in a row show the same new version")
    func deploys() async {
        let looks = Mutex<[DeployWatch.Look]>([
            .deployed("1"), .failed("no route"), .failed("no route"), .deployed("2"),
            .deployed("1"), .deployed("2"), .deployed("3"), .deployed("3"), .deployed("4"),
        ])
        let watch = DeployWatch(
            look: { looks.withLock { $0.isEmpty ? .deployed("4") : $0.removeFirst() } },
            pause: {})
        var said: [String] = []
        let next = await watch.change(from: "1", until: { false }, say: { said.append($0) })
        #expect(next == "3" && said == ["--watch: no route; asking again"])
        #expect(looks.withLock { $0.count } == 1)
        #expect(await watch.change(from: "4", until: { true }, say: { _ in }) == nil)
    }

    @Test(
        "a command is program and arguments",
        arguments: [
            ("", "must be a command"), ("'open", "its quotes closed"),
            ("cat version | head -1", "'|' would be an argument"),
        ])
    func commands(command: String, reason: String) {
        #expect { _ = try DeployWatch(command: command) } throws: { "\($0)".contains(reason) }
    }
}
