public import Checker
public import Journal

/// Whoever judges what a history holds.
public protocol HistoryJudge: AnyObject {
    /// Exchanges taken.
    var operations: Int { get }
    func take(_ exchange: Exchange)
    func take(_ record: HouseholdRecord)
    /// Everything that ended before `instant` has been taken.
    func pass(_ instant: Instant)
    func clockStoodStill(for time: Duration, at noticed: Instant)
}

extension Judge: HistoryJudge {}

/// Judges a history in which shards had several targets: one judge for each, for what two services do is no
/// contradiction. What they find is added. Where all had one target there is one judge.
final class JudgePanel: HistoryJudge {
    private let judges: [Judge]
    private let shards: ShardMap?

    init(_ rules: Rules) {
        shards = rules.shards
        judges = (0..<max(1, shards?.targets ?? 1)).map { _ in Judge(rules) }
    }

    var operations: Int { judges.reduce(0) { $0 + $1.operations } }

    func take(_ exchange: Exchange) {
        judge(of: exchange.device.household, at: exchange.begun).take(exchange)
    }

    func take(_ record: HouseholdRecord) {
        judge(of: record.household, at: record.arrived).take(record)
    }

    /// Those of one household.
    func take(events: [DeviceEvent], of household: Int, hasEnded: Bool) {
        judge(of: household, at: events.first?.at ?? .start)
            .take(events: events, of: household, hasEnded: hasEnded)
    }

    func pass(_ instant: Instant) {
        for judge in judges { judge.pass(instant) }
    }

    func clockStoodStill(for time: Duration, at noticed: Instant) {
        for judge in judges { judge.clockStoodStill(for: time, at: noticed) }
    }

    func finish() -> Findings {
        var findings = judges[0].finish()
        for judge in judges.dropFirst() { findings.add(judge.finish()) }
        return findings
    }

    private func judge(of household: Int, at time: Instant) -> Judge {
        guard judges.count > 1, let shards else { return judges[0] }
        let target = shards.part(of: household, at: time.nanoseconds).target
        return judges[min(target, judges.count - 1)]
    }
}
