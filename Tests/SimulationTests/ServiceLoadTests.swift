import Dialects
import Journal
import Reports
import Statistics
import Testing
import Vocabulary

@Suite("Load on the service")
struct ServiceLoadTests {
    @Test(
        "peaks are those of the exchanges and households, counted one by one",
        arguments: Seed.samples(4))
    func peaks(seed: Seed) throws {
        // Homes with one address exceed their limit.
        let run = try Rehearsal(
            RigFiles.read(
                "premiere-ramp.yaml", seed: seed.value,
                ["forwarded-for": "per-household", "policies": "{throttle: {rate: 1/s, burst: 3}}"])
        )
        let load = try #require(try run.summary().serviceLoad)
        let exchanges = try run.exchanges().filter { $0.outcome != .notSent }
        let households = try run.households()
        func peak(_ seconds: [Int]) -> [Int] {
            var counts: [Int: Int] = [:]
            for second in seconds { counts[second, default: 0] += 1 }
            let most = counts.values.max() ?? 0
            return [most, counts.filter { $0.value == most }.keys.min() ?? 0]
        }
        let waiting = (0...200).flatMap { second in
            households.filter { household in
                guard let shown = household.codeShown else { return false }
                let ceased = (household.tokenSeen ?? household.ended).map { max($0, shown) }
                return shown.second <= second && ceased.map { $0.second > second } ?? true
            }.map { _ in second }
        }
        let expected = [
            "peakRequestsPerSecond": peak(exchanges.map(\.sent.second)),
            "peakPollsPerSecond": peak(
                exchanges.filter { $0.operation == .pollToken }.map(\.sent.second)),
            "peakSignInsPerSecond": peak(households.compactMap(\.tokenSeen?.second)),
            "peakThrottledPerSecond": peak(
                exchanges.filter { $0.outcome == .throttled }.map(\.ended.second)),
            "peakCodesAlive": peak(waiting),
        ]
        for measure in load.measures {
            #expect([measure.peak, measure.second] == expected[measure.key], "\(measure.name)")
            #expect(measure.steps.max() == measure.peak)
        }
        #expect(load.measures.count == 5 && load.measures.allSatisfy { $0.peak > 0 })
    }

    @Test("curves have at most sixty steps, and end with the load")
    func steps() throws {
        let run = try Rehearsal(RigFiles.read("slow-viewer.yaml"))
        let load = try #require(try run.summary().serviceLoad)
        #expect(load.width > 1)
        for measure in load.measures {
            #expect((1...60).contains(measure.steps.count))
            #expect(measure.steps.max() == measure.peak)
        }
    }
}
