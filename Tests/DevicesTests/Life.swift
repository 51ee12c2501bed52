import Checker
import Dialects
import Journal
import Lanes
import Rigs
import Statistics
import Testing
import Vocabulary

@testable import Devices

/// A service for one household, in virtual time.
protocol OneHomeService: Transport {
    var lane: Lane { get }
    var polled: [Instant] { get }
    func reply(_ call: Call) -> Reply
}

extension OneHomeService {
    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let sent = lane.now
        let reply = reply(call)
        lane.at(sent + .milliseconds(5)) { [lane] in
            completion(
                Transfer(
                    sent: sent, firstByte: lane.now, ended: lane.now, result: .answered(reply)))
        }
    }

    func retire(_ device: Device) {}
    func abort() {}
}

/// One household, and what became of it.
struct Life {
    let exchanges: [Exchange]
    /// Names of what was noted beside them.
    let events: [String]
    let record: HouseholdRecord
    let polled: [Instant]
    let findings: Findings

    /// But polls, which are `poll`.
    func operations(without poll: OperationName) -> [OperationName] {
        exchanges.map(\.operation).filter { $0 != poll }
    }

    func count(_ operation: OperationName) -> Int {
        exchanges.count { $0.operation == operation }
    }

    init(
        _ rig: Rig, _ rules: Rules = Rules(), dialect: (Application) -> any Dialect,
        service: (Lane) -> some OneHomeService
    ) throws {
        let ledger = Ledger()
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: rig.name, fingerprinter: Fingerprinter(key: 1)), sink: ledger)
        let service = service(lane)
        lane.use(service)
        let terms = RunConfiguration(rig, statement: Secret("s"), dialect: dialect)
        Coordinator(Plan(rig, seed: Seed(1)), terms: terms, lanes: [lane]).run()
        exchanges = ledger.exchanges
        events = ledger.events.map(\.name)
        record = try #require(ledger.households[0])
        polled = service.polled
        let judge = Judge(rules)
        for exchange in exchanges { judge.take(exchange) }
        judge.take(record)
        findings = judge.finish()
    }
}
