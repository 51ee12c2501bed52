package import Checker
internal import Dispatch
package import Journal
package import Reports
internal import Synchronization

/// Judges a run while it goes on, on a queue of its own: batches go to the journal first, and then
/// to the judge, so that a slow verdict delays no lane. Where a lane and the judge have one core
/// between them, the lane goes first (`Background`).
///
/// It never judges a sample and calls it the whole. Where more waits than `backlogLimit`, it stops
/// listening, and what it did not hear is judged in the end:
///
/// ```text
/// history holds every exchange     all of it is judged again, from the file
/// it does not                      the rest goes to a spill file, and the judge goes on from there
/// no spill file can be written     "not judged from second 12 on"
/// ```
///
/// Safe because `judge` is used on `queue` only, or while that waits (`Background`), which
/// `assertOnQueue` checks; the rest that changes is in a `Mutex` or atomic.
package final class JudgeQueue: HistorySink, @unchecked Sendable {
    private let writer: HistoryWriter
    private let queue = DispatchQueue(label: "screenrig.judge", qos: .utility)
    private let background = Background()
    private let judge: Judge
    /// Lets only so many batches wait, where lanes may be made to wait.
    private let gate: DispatchSemaphore?
    private let spill: SpillFile?
    private let backlogLimit: Int
    private let shared = Mutex(Backlog())
    /// Exchanges that wait. The thread that lanes go before asks for it, and may hold no lock that a lane wants.
    private let waiting = Atomic(0)

    private struct Backlog {
        var hasFallenBehind = false
        /// The earliest that the judge did not hear.
        var unheard = Instant(nanoseconds: .max)
        var findings = LiveFindings()
        /// When those were looked up; they cost a walk over all verdicts.
        var lookedAt: ContinuousClock.Instant?
    }

    /// How old what is told of the findings may be.
    private static let freshness: Duration = .milliseconds(500)

    private static let batchLimit = 16
    /// Exchanges that may wait in memory.
    package static let usualBacklog = 500_000

    /// With `waits`, `append` blocks while many batches wait: for virtual time. `spill` is needed
    /// where the history does not hold every exchange.
    package init(
        _ rules: Rules, lanes: Int, before writer: HistoryWriter, waits: Bool,
        spill: SpillFile? = nil, backlogLimit: Int = usualBacklog
    ) {
        self.writer = writer
        self.spill = spill
        self.backlogLimit = backlogLimit
        judge = Judge(rules, lanes: lanes)
        gate = waits ? DispatchSemaphore(value: Self.batchLimit) : nil
    }

    package func append(_ batch: Batch) {
        writer.append(batch)
        let count = batch.exchanges.count
        let listens = shared.withLock { shared in
            if waiting.load(ordering: .relaxed) > backlogLimit { shared.hasFallenBehind = true }
            guard !shared.hasFallenBehind else {
                shared.unheard = batch.exchanges.reduce(shared.unheard) { min($0, $1.ended) }
                return false
            }
            waiting.add(count, ordering: .relaxed)
            return true
        }
        guard listens else {
            spill?.append(batch)
            return
        }
        gate?.wait()
        queue.async { [self] in
            assertOnQueue()
            let isDue = beginLook()
            var found: LiveFindings?
            workBesideLanes {
                judge.take(batch, pause: gate == nil ? giveWay : {})
                for household in judge.takeAccused() { writer.keepWhole(household) }
                if isDue { found = LiveFindings(judge.findings) }
            }
            if let found { shared.withLock { $0.findings = found } }
            waiting.subtract(count, ordering: .relaxed)
            gate?.signal()
        }
    }

    /// This machine slept: the judge is told once it has what came before.
    package func note(_ standstill: Standstill) {
        queue.async { [self] in
            assertOnQueue()
            judge.clockStoodStill(for: standstill.length, at: standstill.noticed)
        }
    }

    /// Waits for everything handed over, and gives what was found. Where the judge fell behind and
    /// there is no spill file, its findings say from when on nothing was heard.
    package func finish() -> Findings {
        queue.sync {
            assertOnQueue()
            let backlog = shared.withLock { $0 }
            var isWhole = !backlog.hasFallenBehind
            if !isWhole, let spill { isWhole = spill.replay(to: judge) }
            var findings = judge.finish()
            shared.withLock { $0.findings = LiveFindings(findings) }
            for household in judge.takeAccused() { writer.keepWhole(household) }
            if !isWhole { findings.unjudgedFrom = backlog.unheard }
            return findings
        }
    }

    /// What has been found so far, half a second ago. From any thread; nil when the judge fell behind.
    package var soFar: LiveFindings? {
        shared.withLock { $0.hasFallenBehind ? nil : $0.findings }
    }

    /// Whether what is told of the findings is too old, and is to be told anew.
    private func beginLook() -> Bool {
        let now = ContinuousClock.now
        return shared.withLock { shared in
            if let last = shared.lookedAt, now - last < Self.freshness { return false }
            shared.lookedAt = now
            return true
        }
    }

    /// Lanes that wait for the judge have nothing to go first with.
    private func workBesideLanes(_ work: () -> Void) {
        guard gate == nil else { return work() }
        background.run(waiting: waiting.load(ordering: .relaxed), work)
    }

    private func giveWay() {
        Background.giveWay(waiting: waiting.load(ordering: .relaxed))
    }

    private func assertOnQueue() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
