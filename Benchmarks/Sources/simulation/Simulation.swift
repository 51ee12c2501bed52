import Devices
import Dialects
import Journal
import Lanes
import Rigs
import Signing
import Standin
import Statistics
import Synchronization

/// How fast virtual time goes: the second-screen rig of N households (2,000 unless the first
/// argument says otherwise), five times, on one lane, with nobody writing the history down.
@main
struct Simulation {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let households = arguments.first.flatMap { Int($0) } ?? 2000
        let rig = try Rig.read(source(households), file: "benchmark.yaml").rig
        var best = 0.0
        for turn in 1...5 {
            let run = Run(rig)
            let clock = ContinuousClock()
            let spent = clock.measure { run.go() }
            let seconds =
                Double(spent.components.seconds)
                + Double(spent.components.attoseconds) / 1e18
            let rate = Double(run.lane.events) / seconds
            best = max(best, rate)
            print(
                "\(turn): \(run.lane.events) events, \(run.tally.exchanges) exchanges in \(spent): "
                    + "\(Int(rate)) events/s")
        }
        print("best: \(Int(best)) events/s")
    }

    /// 50 arrivals a second, viewer times of 10 s together.
    private static func source(_ households: Int) -> String {
        """
        rig: benchmark
        target: {base: embedded}
        load:
          arrivals: [{ramp-to: 50/s, over: 0s}, {hold: \(households * 20)ms}]
        kinds:
          - name: living room
            weight: 100
            viewer: {notices-code: "fixed 4s", signs-in: "fixed 6s", gives-up: 0%}
        after-sign-in: [user-metadata, preauthorize, authorize, media-token, {logout: 20%}]
        """
    }
}

/// One lane with all that it needs, ready to go.
struct Run {
    let lane: Lane
    let tally = Tally()
    private let coordinator: Coordinator

    /// 2026-01-01T00:00:00Z, as the command has it.
    private static let epoch: Int64 = 1_767_225_600_000

    init(_ rig: Rig) {
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: 80)
        let dialect = V1(
            origin: origin, requestor: rig.target.requestor, domain: rig.target.domain,
            redirectURL: rig.target.redirectURL)
        let exchangeBuilder = ExchangeBuilder(
            run: "benchmark", fingerprinter: Fingerprinter(key: 1))
        lane = Lane(
            index: 0, loop: VirtualLoop(), exchangeBuilder: exchangeBuilder, sink: tally)
        let settings = ServiceSettings(
            requestors: [.init(id: rig.target.requestor, domains: [rig.target.domain])])
        let service = Service(settings, seed: Seed(1), epochMilliseconds: Self.epoch)
        let network = Network(latency: rig.standin.latency, loss: rig.standin.loss)
        lane.use(
            InProcess(
                lane: lane, service: service, network: network, seed: Seed(2),
                timeout: rig.target.timeout))
        let plan = Plan(rig, seed: rig.seed)
        let terms = RunConfiguration(
            rig, statement: Secret(Signing.demoSoftwareStatement())
        ) { _ in dialect }
        coordinator = Coordinator(plan, terms: terms, lanes: [lane])
    }

    func go() { coordinator.run() }
}

/// Takes batches and only counts them.
final class Tally: HistorySink {
    private let count = Atomic(0)

    var exchanges: Int { count.load(ordering: .relaxed) }

    func append(_ batch: Batch) {
        count.add(batch.exchanges.count, ordering: .relaxed)
    }
}
