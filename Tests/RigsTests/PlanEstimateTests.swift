import Foundation
import TestSupport
import Testing

@testable import Rigs

@Suite("What a plan will come to")
struct PlanEstimateTests {
    static let machine = MachineLimits(
        descriptors: 1_024, descriptorsAtMost: 20_000, ports: 28_232, cores: 2)

    static func estimate(_ file: String, _ sets: [(String, String)] = []) throws -> PlanEstimate {
        let rig = try Rig.read(
            contentsOf: Repository.rigs.appending(path: file).path,
            with: RigSurroundings(overrides: sets.map { (path: $0.0, value: $0.1) })
        ).rig
        return PlanEstimate(Plan(rig, seed: rig.seed), on: machine)
    }

    @Test(
        "the table is what the golden file says",
        arguments: [
            "second-screen", "closed", "twenty", "slow-viewer",
        ])
    func table(name: String) throws {
        let text = try Self.estimate("\(name).yaml").description
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        try Golden.expect(
            text + "\n", is: "estimate-\(name).txt")
    }

    @Test("accounts of a file that are too few for the households at a time are told")
    func accounts() throws {
        let folder = TestFolder()
        let rows = (1...40).map { "DemoSat,user-\($0),pw\n" }.joined()
        let file = try folder.write("mvpd,user,password\n" + rows, to: "accounts.csv")
        chmod(file, 0o600)
        func warnings(_ rate: Int, _ keys: String = "") throws -> [String] {
            let rig = try Rig.read(
                """
                rig: few
                target: {base: embedded, resources: [live]}
                load: {arrivals: [{ramp-to: \(rate)/s, over: 0s}, {hold: 20s}]}
                accounts: {file: \(file)\(keys)}
                """, file: "few.yaml"
            ).rig
            return PlanEstimate(Plan(rig, seed: rig.seed), on: Self.machine).warnings.filter {
                $0.contains("has accounts for 40:")
            }
        }
        #expect(try warnings(1) == [])
        #expect(try warnings(50).count == 1)
        #expect(try warnings(50, ", sharing: shared") == [])
        #expect(try warnings(50, ", on-exhausted: fail") == [])
    }

    @Test(
        "a series of nights that rests on too few values for its percentile is told, if somebody chose it"
    )
    func fewValues() throws {
        let series =
            "[sign-in-service p95, sign-in-service p50, authorize p99, poll-token p50, errors]"
        let note = try #require(
            try Self.estimate("twenty.yaml", [("nightly.series", series)]).note)
        #expect(
            note.hasPrefix(
                "'nightly' will not judge single nights of sign-in-service p95 (about 20; it takes 100), "
                    + "authorize p99 (about 20; it takes 500): "), "\(note)")
        #expect(try Self.estimate("twenty.yaml").note == nil)
        #expect(try Self.estimate("nightly.yaml").note == nil)
    }

    @Test(
        "divided over machines: what each needs, and how many it takes, with a calibration and without"
    )
    func shards() throws {
        let rig = try Rig.read(
            contentsOf: Repository.rigs.appending(path: "premiere.yaml").path,
            with: RigSurroundings(
                overrides: [("load.arrivals", "[{ramp-to: 2000/s, over: 0s}, {hold: 10m}]")],
                target: .url("https://auth.staging.example"))
        ).rig
        var machine = Self.machine
        (machine.memoryMB, machine.descriptorsAtMost) = (16_000, 1_048_576)
        func estimate() -> ShardEstimate {
            ShardEstimate(
                PlanEstimate(Plan(rig, seed: rig.seed), on: machine), of: rig, on: machine)
        }
        let unknown = estimate()
        #expect(unknown.needs[0].machines == nil)
        machine.measured = .init(
            requestsPerSecond: 20_000, lanes: 1, recordsAll: false, date: "2026-11-21")
        let divided = estimate()
        #expect(divided.machines >= 3 && divided.machines == divided.deciding?.machines)
        for need in divided.needs {
            guard let limit = need.limit, let least = need.machines else { continue }
            #expect(need.each(of: least) <= limit * (1 + 1e-9), "\(need.name)")
            if least > 1 { #expect(need.each(of: least - 1) > limit, "\(need.name)") }
        }
        let text = [unknown.text(shards: nil), divided.text(shards: nil), divided.text(shards: 2)]
            .joined(separator: "\n\n---\n\n")
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        try Golden.expect(
            text + "\n", is: "estimate-shards.txt")
    }

    @Test("households alive are rate times life, and requests per second rate times requests")
    func little() throws {
        let estimate = try Self.estimate("second-screen.yaml")
        #expect(estimate.households == 2_000)
        #expect(abs(estimate.alive - 50 * estimate.life.seconds) < 1)
        let codes = try #require(estimate.operations.first { $0.name == .registrationCode })
        #expect(codes.perHousehold == 1 && abs(codes.peak - 50) < 1e-6)
        let polls = try #require(estimate.operations.first { $0.name == .pollToken })
        #expect(abs(polls.perHousehold - 2.5) < 1e-6)
        #expect(estimate.descriptors > 2 * estimate.connections)
    }

    @Test("viewers whose times spread over intervals meet a poll within w in w/T of sign-ins")
    func windows() throws {
        let spread = [("kinds.0.viewer.signs-in", "uniform(1s, 61s)")]
        let windows = try Self.estimate("second-screen.yaml", spread).windows
        #expect(windows.signIns == 2_000)
        #expect(abs(windows.share(within: 30e6) - 0.006) < 0.0006)
        #expect(windows.share(within: 5.5e9) == 1)
        #expect(windows.probability(ofSeeing: 30e6) > 0.999)
        let shortest = try #require(windows.shortestWindow)
        #expect(abs(shortest - 7.5e6) < 1e6)
        let text = try Self.estimate("second-screen.yaml", spread).description
        #expect(text.contains("detectable windows"))
        let two = try Self.estimate("second-screen.yaml", spread + [("polling.pollers", "2")])
        #expect(abs(two.windows.share(within: 30e6) - 0.012) < 0.0012)
    }

    @Test("viewers who are always done long before the next poll meet none")
    func missed() throws {
        let windows = try Self.estimate("smoke.yaml").windows
        #expect(windows.share(within: 30e6) == 0 && windows.probability(ofSeeing: 30e6) == 0)
        #expect(try #require(windows.shortestWindow) > 1.8e9)
        let pressed = try Self.estimate("continue-button.yaml").windows
        #expect(pressed.signIns > 0)
    }

    @Test(
        "what this machine cannot do is said, with what to change",
        arguments: [
            ("load.arrivals.0.ramp-to", "2000/s", "descriptors"),
            ("connections", "fresh", "a closed one keeps its port"),
            ("lanes", "9", "uses 9 lanes on 2 cores"),
            ("events", "[{name: deploy, at: 3h}]", "event 'deploy' is due 3 h into the load"),
        ])
    func warnings(path: String, value: String, words: String) throws {
        #expect(try !Self.estimate("second-screen.yaml").description.contains(words + ":"))
        let estimate = try Self.estimate("second-screen.yaml", [(path, value)])
        #expect(estimate.warnings.contains { $0.contains(words) })
    }

    private static func plan(_ sets: [(String, String)] = []) throws -> Plan {
        let rig = try Rig.read(
            contentsOf: Repository.rigs.appending(path: "second-screen.yaml").path,
            with: RigSurroundings(overrides: sets.map { (path: $0.0, value: $0.1) })
        ).rig
        return Plan(rig, seed: rig.seed)
    }

    @Test("what cannot work on this machine is refused, with what to change; what may work is not")
    func refusal() throws {
        let plan = try Self.plan([("load.arrivals.0.ramp-to", "2000/s")])
        let estimate = PlanEstimate(plan, on: Self.machine)
        let words = try #require(estimate.refusal(on: Self.machine))
        #expect(
            words.hasPrefix(
                "needs \(estimate.descriptors) file descriptors, and this machine "
                    + "allows"))
        #expect(words.contains("'ulimit -Hn'") && words.contains("'connections: pooled'"))
        #expect(estimate.warnings.contains(words))
        #expect(PlanEstimate(try Self.plan(), on: Self.machine).refusal(on: Self.machine) == nil)
    }

    @Test(
        "memory grows with devices, and more so over TLS and with the stand-in in the same process",
        arguments: [
            ("embedded", 29.0), ("http://127.0.0.1:8080", 16.0), ("https://127.0.0.1:8443", 60.0),
        ])
    func memory(base: String, kilobytesEach: Double) throws {
        let plan = try Self.plan([("target.base", base)])
        let estimate = PlanEstimate(plan, on: Self.machine)
        let wanted = 60 + 1_450 * kilobytesEach / 1024
        #expect(abs(Double(estimate.memoryMB) - wanted) <= 1)
        var machine = Self.machine
        machine.memoryMB = estimate.memoryMB
        let warning = try #require(
            PlanEstimate(plan, on: machine).warnings.first { $0.contains("MB are available") })
        #expect(warning.contains("'connections: pooled'"))
        machine.memoryMB = 2 * estimate.memoryMB
        #expect(
            !PlanEstimate(plan, on: machine).warnings.contains {
                $0.contains(
                    "MB are "
                        + "available")
            })
    }

    @Test("what this machine was measured at stands beside what the plan needs")
    func measured() throws {
        var machine = Self.machine
        machine.measured = MachineLimits.Measured(
            requestsPerSecond: 80_000, lanes: 1, recordsAll: false, date: "2026-11-21")
        let enough = PlanEstimate(try Self.plan(), on: machine)
        let words = enough.description.replacing("\n                      ", with: " ")
        #expect(
            words.contains(
                "this machine          calibrated at 80000 plain requests/s (counted, 1 lane) on "
                    + "2026-11-21; "
                    + "the plan needs 935/s"))
        #expect(enough.description.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(enough.warnings == PlanEstimate(try Self.plan(), on: Self.machine).warnings)
        machine.measured?.requestsPerSecond = 2_000
        let warning = try #require(
            PlanEstimate(try Self.plan(), on: machine).warnings.first { $0.contains("requests/s") })
        #expect(
            warning.hasPrefix(
                "needs 935 requests/s at its peak, and this machine can send about 800/s"))
    }

    @Test("fresh connections are counted against the ports of one source address")
    func ports() throws {
        let estimate = PlanEstimate(try Self.plan([("connections", "fresh")]), on: Self.machine)
        #expect(estimate.newConnectionsPerSecond > 470)
        #expect(estimate.warnings.contains { $0.contains("sustains about 470/s") })
    }
}
