internal import Foundation
internal import Journal
internal import Lanes
package import Rigs
package import Statistics

/// Which part of a plan a process runs, for which run, and from when on.
package struct ShardTerms: Sendable {
    package let shard: Shard
    /// That of all shards.
    package let run: RunID
    /// When they are to start together, microseconds since 1970; nil: at once.
    package var startAt: Int64?
    /// Number of this attempt, where it begins the part anew.
    package var attempt: Int
    /// What earlier attempts leave to do; nil: it begins the part.
    package var rest: ShardRest?

    package init(
        _ shard: Shard, of run: RunID, startAt: Int64? = nil, attempt: Int = 1,
        rest: ShardRest? = nil
    ) {
        self.shard = shard
        self.run = run
        self.startAt = startAt
        self.attempt = attempt
        self.rest = rest
    }

    /// The households that this process is to begin.
    package func part(of plan: Plan) -> Plan {
        let part = plan.part(shard)
        return rest.map { part.without(begun: $0.begun) } ?? part
    }

    /// For the header of a history that starts now.
    func record(of whole: Plan, _ rig: Rig, isVirtual: Bool) -> ShardRecord {
        var accounts: UInt64?
        if case .listed(let list) = rig.accounts { accounts = list.fingerprint }
        return ShardRecord(
            number: shard.number, count: shard.count, attempt: rest?.attempt ?? attempt,
            host: isVirtual ? "" : ProcessInfo.processInfo.hostName,
            // A restart starts late for another reason.
            startAtMicroseconds: rest == nil ? startAt : nil,
            clock: isVirtual ? nil : ClockReading.here(),
            households: whole.part(shard).households, householdsOfPlan: whole.households,
            earlier: rest?.earlier ?? [], lost: rest?.lost ?? [], accounts: accounts,
            begins: .start + (rest?.begins ?? .zero))
    }

    /// When the lanes' clocks are to begin, as of now.
    func start(isVirtual: Bool) -> RunStart? {
        isVirtual ? nil : RunStart(at: startAt, from: .start + (rest?.begins ?? .zero))
    }

    /// How long before its time a run is put together.
    package static let lead: Duration = .seconds(2)
}

/// What is left of a shard's part for another attempt.
package struct ShardRest: Sendable, Hashable {
    /// Of the attempt to come, from 2.
    package var attempt: Int
    /// Names of the run directories of those before it.
    package var earlier: [String]
    /// Households that they began, or may have begun, by their number in the whole plan.
    package var begun: Set<Int>
    /// Of them, those that did not end, in ascending order.
    package var lost: [Int]
    /// Where in the plan this attempt goes on.
    package var begins: Duration

    package init(
        attempt: Int, earlier: [String], begun: Set<Int>, lost: [Int], begins: Duration
    ) {
        self.attempt = attempt
        self.earlier = earlier
        self.begun = begun
        self.lost = lost
        self.begins = begins
    }
}

/// When the clocks of a run's lanes begin: one moment by the wall clock and by the machine's monotonic one.
///
/// ```text
/// put together            instant zero (--start-at)
///      |─────── lead ──────────|── the plan ──▶
/// ```
///
/// A run that goes on where an earlier one ended begins at a later instant: zero then was that much ago.
struct RunStart: Sendable {
    /// Wall clock at instant zero, microseconds since 1970.
    let microseconds: Int64
    /// Monotonic clock at instant zero, in nanoseconds.
    let origin: Int64
    /// Where it begins.
    let from: Instant

    /// What a run that need not wait is given to be put together.
    private static let shortLead: Int64 = 100_000

    /// `asked`: when instant zero is to be, by the wall clock; as soon as possible where that is nil or has passed.
    init(at asked: Int64?, from: Instant) {
        let now = WallClock.microseconds
        let monotonic = LiveLoop.monotonic()
        let begin =
            asked.map { $0 > now && from == .start ? $0 : now + Self.shortLead }
            ?? now + Self.shortLead
        self.from = from
        microseconds = begin - from.nanoseconds / 1000
        origin = monotonic + (begin - now) * 1000 - from.nanoseconds
    }

    /// Blocks until it begins.
    func wait() {
        while true {
            let left = origin + from.nanoseconds - LiveLoop.monotonic()
            guard left > 0 else { return }
            var time = timespec(
                tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            nanosleep(&time, nil)
        }
    }
}

extension Rig {
    /// The rig as a shard runs it: with its part of listed accounts, and commands of events in shard 0 alone, since
    /// they happen once. Refuses where some shard would have no household, or no account of a provider.
    package func part(of shard: Shard) throws(RunError) -> Rig {
        var rig = self
        if let count = Plan(self, seed: seed).homes, count < shard.count {
            throw .badInput(
                "the plan has households for \(count) shards at most, and it is split into \(shard.count): some would "
                    + "have none; use at most \(count) shards, or a larger load")
        }
        if case .listed(let list) = accounts {
            let own = target.mvpds.isEmpty ? nil : Set(target.mvpds.map(\.id))
            if let short = list.shortage(for: shard.count, of: own) {
                let accounts = short.accounts == 1 ? "1 account" : "\(short.accounts) accounts"
                throw .badInput(
                    "\(list.file) has \(accounts) for \(short.mvpd), and each of \(shard.count) shards needs one of its "
                        + "own; add accounts, or use at most \(short.accounts) shards")
            }
            rig.accounts = .listed(list.part(shard))
        }
        if shard.number > 0 {
            rig.events = events.map { event in
                var mark = event
                mark.run = nil
                return mark
            }
        }
        return rig
    }
}
