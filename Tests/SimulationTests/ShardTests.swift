import Dialects
import Foundation
import Journal
import Rigs
import Runner
import Statistics
import TestSupport
import Testing

@testable import Lanes

/// Shards in virtual time, and what of them is left for another attempt.
@Suite("Shards of a run")
struct ShardTests {
    private let folder = TestFolder()

    private static let run = RunID(named: "premiere")

    static let rigs: [(name: String, changes: KeyValuePairs<String, String>)] = [
        ("premiere-ramp.yaml", [:]), ("smoke.yaml", [:]), ("twenty.yaml", [:]),
        ("returning.yaml", ["load.arrivals": "[{ramp-to: 8/s, over: 4s}]"]),
        ("closed.yaml", [:]),
    ]

    /// Plays one attempt, into `folder/name`; `stop` ends it as a signal would, at once.
    @discardableResult
    private func play(
        _ rig: Rig, _ terms: ShardTerms?, as name: String, stop: Instant? = nil, lanes: Int = 1
    ) throws -> History {
        let path = folder.path(name)
        var options = RunOptions()
        options.judges = false
        options.virtualLanes = lanes
        let session = try RunSession(
            rig, on: Venue(virtual: rig, as: terms),
            into: RunDirectory.create(rig: rig.name, startedMicroseconds: 0, out: path), options)
        if let stop {
            for lane in session.lanes { lane.at(stop) { session.interrupt(within: .zero) } }
        }
        _ = try session.play()
        return try History(path: path)
    }

    private static func households(_ history: History) throws -> [HouseholdRecord] {
        var all: [HouseholdRecord] = []
        try history.households { all.append($0) }
        return all
    }

    @Test(
        "run every household of the plan once between them, each as in the whole run",
        arguments: rigs.filter { $0.name != "closed.yaml" }, [1, 2, 3, 8])
    func union(rig named: (name: String, changes: KeyValuePairs<String, String>), count: Int) throws
    {
        var rig = try RigFiles.read(named.name, named.changes)
        rig.record = .all
        let whole = try Self.households(try play(rig, nil, as: "whole"))
        var found: [HouseholdRecord] = []
        for number in 0..<count {
            let shard = Shard(number, of: count)
            let history = try play(
                try rig.part(of: shard), ShardTerms(shard, of: Self.run), as: "\(number)")
            let header = history.header
            let own = try Self.households(history)
            #expect(header.shard?.number == number && header.shard?.count == count)
            #expect(header.runID == Self.run)
            #expect(header.shard?.householdsOfPlan == whole.count)
            #expect(header.shard?.households == own.count)
            found += own
        }
        #expect(found.map(\.household).sorted() == whole.map(\.household))
        let byNumber = Dictionary(uniqueKeysWithValues: found.map { ($0.household, $0) })
        #expect(whole.allSatisfy { byNumber[$0.household]?.kind == $0.kind })
        // Who signs in before the load arrives when the plan says so, as everybody does.
        #expect(whole.allSatisfy { byNumber[$0.household]?.arrived == $0.arrived })
    }

    @Test(
        "that were stopped go on in another attempt: nobody twice, nobody left out, the lost named",
        arguments: rigs, [0.0, 0.7, 2.3, 3.9])
    func resumed(rig named: (name: String, changes: KeyValuePairs<String, String>), seconds: Double)
        throws
    {
        var rig = try RigFiles.read(named.name, named.changes)
        rig.record = .all
        let shard = Shard(1, of: 2)
        let out = folder.path("run")
        let plan = Plan(rig, seed: rig.seed, run: Self.run).part(shard)
        let first = try Self.households(
            try play(
                rig, ShardTerms(shard, of: Self.run), as: "run", stop: Instant(.seconds(seconds)),
                lanes: 2))
        let earlier = try EarlierAttempts(of: shard, Self.run, rig: rig, plan: plan, out: out)
        #expect(earlier.attempts.count == 1)
        switch try #require(try earlier.remainder(now: 0)) {
        case .nothing(let directory, let lost, let isComplete):
            #expect(!isComplete)
            // Everybody came at the start, or had.
            #expect(directory.path == out)
            #expect(lost == Self.unfinished(first))
            if let households = plan.households { #expect(first.count == households) }
        case .rest(let rest):
            #expect(rest.attempt == 2 && rest.earlier == ["run"])
            #expect(Set(first.map(\.household)).isSubset(of: rest.begun))
            #expect(Set(Self.unfinished(first)).isSubset(of: rest.lost))
            #expect(EarlierAttempts.next(after: out) == out + "-2")
            let history = try play(
                rig, ShardTerms(shard, of: Self.run, attempt: 2, rest: rest), as: "run-2")
            let second = try Self.households(history)
            let record = try #require(history.header.shard)
            #expect(record.attempt == 2 && record.lost == rest.lost)
            #expect(record.begins == .start + rest.begins)
            let both = (first + second).map(\.household)
            #expect(Set(both).count == both.count)
            #expect(second.allSatisfy { $0.arrived >= record.begins })
            guard let count = plan.households else {
                #expect(both.allSatisfy { $0 % 2 == 1 })
                return
            }
            // Who signs in before the load and was stopped there has no record, and is lost.
            let all = Set((0..<count).map(plan.index(of:)))
            #expect(Set(both).union(rest.lost) == all)
            // The plan's times: nobody comes twice as fast because of the restart.
            for household in second {
                let position = try #require(
                    (0..<count).first { plan.index(of: $0) == household.household })
                let arrival = try #require(plan.household(position)?.arrival)
                #expect(household.arrived == .start + arrival)
            }
            // Once more nothing is left.
            let again = try EarlierAttempts(of: shard, Self.run, rig: rig, plan: plan, out: out)
            #expect(again.attempts.count == 2)
            guard case .nothing(let last, let lost, true) = try again.remainder(now: 0) else {
                Issue.record("something is left after the second attempt")
                return
            }
            #expect(last.name == "run-2" && lost == rest.lost)
        }
    }

    private static func unfinished(_ records: [HouseholdRecord]) -> [Int] {
        records.filter { $0.ended == nil || $0.abandonedBy == .run }.map(\.household).sorted()
    }

    @Test("of a machine that was lost, all that may have begun until now counts as begun")
    func lostMachine() throws {
        var rig = try RigFiles.read("premiere-ramp.yaml")
        rig.record = .all
        let shard = Shard(0, of: 2)
        let out = folder.path("run")
        let plan = Plan(rig, seed: rig.seed, run: Self.run).part(shard)
        try play(rig, ShardTerms(shard, of: Self.run), as: "run", stop: Instant(.seconds(1)))
        // As if its end and the lanes' file had not come to the disk.
        try Self.cutShort(out)
        try FileManager.default.removeItem(atPath: out + "/lanes.bin")
        let earlier = try EarlierAttempts(of: shard, Self.run, rig: rig, plan: plan, out: out)
        let started = try #require(earlier.attempts.first).history.header.startedMicroseconds
        for seconds in [0, 2] as [Int64] {
            let remainder = try earlier.remainder(now: started + seconds * 1_000_000)
            guard case .rest(let rest) = remainder else {
                Issue.record("nothing is left after \(seconds) s")
                return
            }
            // Two seconds more, for clocks that differ.
            let until: Duration = .seconds(seconds + 2)
            for position in 0..<(plan.households ?? 0) {
                let household = try #require(plan.household(position))
                let isEarly = try #require(household.arrival) <= until
                #expect(rest.begun.contains(household.index) == isEarly)
            }
            #expect(rest.begins > until)
        }
        // Whatever was planned for then, nothing is left.
        guard case .nothing = try earlier.remainder(now: started + 3_600_000_000) else {
            Issue.record("something is left an hour later")
            return
        }
    }

    private static func cutShort(_ path: String) throws {
        let program = try Program([
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"DELETE FROM meta WHERE key='ended_ns'\"); c.commit()",
            path + "/history.sqlite",
        ])
        #expect(program.status == 0)
    }

    @Test("an attempt of another shard, run or count is none of this one's")
    func others() throws {
        var rig = try RigFiles.read("smoke.yaml")
        rig.record = .all
        let shard = Shard(0, of: 2)
        let out = folder.path("run")
        try play(rig, ShardTerms(shard, of: Self.run), as: "run", stop: Instant(.seconds(1)))
        func attempts(_ shard: Shard, _ run: RunID) throws -> Int {
            let plan = Plan(rig, seed: rig.seed, run: run).part(shard)
            return try EarlierAttempts(of: shard, run, rig: rig, plan: plan, out: out).attempts
                .count
        }
        #expect(try attempts(shard, Self.run) == 1)
        #expect(try attempts(Shard(1, of: 2), Self.run) == 0)
        #expect(try attempts(Shard(0, of: 3), Self.run) == 0)
        #expect(try attempts(shard, RunID(named: "another")) == 0)
        rig.seed = Seed(99)
        #expect(throws: RunError.self) { try attempts(shard, Self.run) }
    }

    @Test("an attempt that is still running is not continued, nor one that cannot be read")
    func held() throws {
        let rig = try RigFiles.read("smoke.yaml")
        let shard = Shard(0, of: 2)
        let out = folder.path("run")
        let plan = Plan(rig, seed: rig.seed, run: Self.run).part(shard)
        try play(rig, ShardTerms(shard, of: Self.run), as: "run", stop: Instant(.seconds(1)))
        func attempts(anew: Bool = false) throws -> Int {
            try EarlierAttempts(
                of: shard, Self.run, rig: rig, plan: plan, out: out, anew: anew
            ).attempts.count
        }
        let lanes = out + "/lanes.bin"
        try FileManager.default.removeItem(atPath: lanes)
        do {
            let living = TurnRecord(lanes: 1, path: lanes)
            #expect(throws: RunError.self) { try attempts() }
            withExtendedLifetime(living) {}
        }
        #expect(try attempts() == 1)
        try Data("no history".utf8).write(to: URL(filePath: out + "/history.sqlite"))
        #expect(throws: RunError.self) { try attempts() }
        #expect(try attempts(anew: true) == 0)
        // Nobody had begun: the lanes' file is made after the history.
        try FileManager.default.removeItem(atPath: lanes)
        #expect(try attempts() == 0)
    }

    @Test("have their part of listed accounts, and one of them runs the commands of events")
    func parts() throws {
        var rig = try RigFiles.read("events.yaml")
        #expect(rig.events.contains { $0.run != nil })
        #expect(try rig.part(of: Shard(0, of: 2)).events == rig.events)
        let other = try rig.part(of: Shard(1, of: 2)).events
        #expect(other.count == rig.events.count && other.allSatisfy { $0.run == nil })
        let path = folder.path("accounts.csv")
        let lines = ["mvpd,user,password"] + (0..<7).map { "DemoCable,viewer-\($0),secret" }
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(lines.joined(separator: "\n").utf8),
                attributes: [.posixPermissions: 0o600]))
        rig = try RigFiles.read("twenty.yaml", ["accounts": "{file: \(path)}"])
        guard case .listed(let file) = rig.accounts else {
            Issue.record("the rig has no accounts of a file")
            return
        }
        let parts = try (0..<2).map { number in
            guard case .listed(let part) = try rig.part(of: Shard(number, of: 2)).accounts else {
                return [AccountList.Entry]()
            }
            return part.entries
        }
        #expect(Set(parts[0]).isDisjoint(with: parts[1]))
        #expect(Set(parts[0] + parts[1]) == Set(file.entries))
        let own = Plan(rig, seed: rig.seed).homes ?? 0
        #expect(own > file.entries.count)
        var error = #expect(throws: RunError.self) { try rig.part(of: Shard(0, of: own)) }
        #expect("\(try #require(error))".contains("shards needs one of its own"))
        error = #expect(throws: RunError.self) { try rig.part(of: Shard(0, of: own + 1)) }
        #expect("\(try #require(error))".contains("use at most \(own) shards, or a larger load"))
    }

    @Test("send no more than their part of max-rate")
    func ceilings() throws {
        var rig = try RigFiles.read("twenty.yaml", ["target.max-rate": "40/s"])
        rig.record = .all
        func busiestSecond(_ history: History) throws -> Int {
            var seconds: [Int: Int] = [:]
            try history.exchanges { seconds[$0.begun.second, default: 0] += 1 }
            return seconds.values.max() ?? 0
        }
        // As many as the ceiling lets through, so that the parts below are put to the test.
        #expect((38...41).contains(try busiestSecond(try play(rig, nil, as: "whole"))))
        for number in 0..<4 {
            let history = try play(
                rig, ShardTerms(Shard(number, of: 4), of: Self.run), as: "\(number)")
            #expect((8...11).contains(try busiestSecond(history)))
        }
    }

    @Test("give a secret the same fingerprint in all shards of a run, and in no other run")
    func fingerprints() async throws {
        let rig = try Rig.read(
            """
            rig: remote
            target:
              base: http://127.0.0.1:9
              protocol: adobe-pass-v1
              headers: {X-Key: "${KEY}"}
            load: {closed: {households: 4}}
            """, file: "remote.yaml",
            with: RigSurroundings(environment: ["KEY": "a secret of the rig"])
        ).rig
        var number = 0
        func fingerprint(_ terms: ShardTerms?) async throws -> Fingerprint {
            number += 1
            let venue = try await Venue(
                rig, isVirtual: false, allowed: [], asksLeave: false, as: terms)
            let writer = try HistoryWriter(
                path: folder.path("\(number).sqlite"),
                header: HistoryHeader(
                    run: "", rigName: "", rigSource: "", seed: 0, startedMicroseconds: 0,
                    target: "",
                    protocolName: "", version: "", isVirtual: false, lanes: 1, kinds: [],
                    plannedHouseholds: nil, load: "", thresholds: [], validLatenessNanoseconds: 0,
                    validBusy: 1, breachFails: false))
            let lanes = try venue.lanes(recordingTo: writer)
            return lanes[0].exchangeBuilder.fingerprinter.fingerprint(of: Secret("token"))
        }
        let first = try await fingerprint(ShardTerms(Shard(0, of: 2), of: Self.run))
        #expect(try await fingerprint(ShardTerms(Shard(1, of: 2), of: Self.run)) == first)
        let other = RunID(named: "another")
        #expect(try await fingerprint(ShardTerms(Shard(0, of: 2), of: other)) != first)
        let unsplit = try await fingerprint(nil)
        #expect(try await fingerprint(nil) != unsplit)
    }
}
