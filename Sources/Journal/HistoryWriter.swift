internal import Dispatch
internal import Synchronization
public import Vocabulary

/// Writes a history while the run goes on, off the lanes: batches are handed over to a serial queue
/// of its own, counted there, and written in transactions, at least one in each second.
///
/// Safe because `ledger` is used on `queue` only, or while that waits (`Background`), which
/// `assertOnQueue` checks; everything else that changes is inside a `Mutex` or atomic.
public final class HistoryWriter: HistorySink, @unchecked Sendable {
    private let queue = DispatchQueue(label: "screenrig.journal", qos: .utility)
    private let ledger: Ledger
    private let timer: any DispatchSourceTimer
    /// Lets only so many batches wait, where lanes may be made to wait.
    private let gate: DispatchSemaphore?
    private let background = Background()
    /// For how long the last batch had waited. On `queue` only.
    private var age = Duration.zero
    private let onFailure: @Sendable (String) -> Void
    private let shared = Mutex(WriterState())
    /// In the batches that wait. The thread that lanes go before asks for it, and may hold no lock that a lane wants.
    private let waitingExchanges = Atomic(0)

    private struct WriterState {
        var progress = Progress()
        var failure: String?
        var waiting = 0
        var ticks = 0
        var observer: (@Sendable (Progress) -> Void)?
    }

    private static let waitingLimit = 16
    /// Seconds between transactions. With the 0.1 s for which a lane keeps what it has, a run that is
    /// killed misses 0.3 s, and a loaded machine has the rest of a second to be late in.
    private static let beat = 0.2
    /// Progress is renewed every so many beats.
    private static let beatsToProgress = 5
    /// Exchanges that may wait for the disk. Of what comes while more do, exchanges are
    /// counted and not kept: a slow disk may cost detail, but neither memory nor the lanes' time.
    private let backlog: Int
    static let usualBacklog = 200_000
    /// Called before each batch is taken up: a slow disk, for tests.
    private let delay: @Sendable () -> Void

    /// Creates `path`, which must not exist yet. With `waits`, `append` blocks while many batches
    /// wait: for virtual time, which would outrun the disk. `onFailure` is called once, on a queue
    /// of the journal, when the file cannot be written any more.
    public convenience init(
        path: String, header: HistoryHeader, recording: Recording = .all, waits: Bool = false,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(JournalError) {
        try self.init(
            path: path, header: header, recording: recording, waits: waits, pageLimit: nil,
            onFailure: onFailure)
    }

    init(
        path: String, header: HistoryHeader, recording: Recording, waits: Bool, pageLimit: Int?,
        backlog: Int = usualBacklog, delay: @escaping @Sendable () -> Void = {},
        onFailure: @escaping @Sendable (String) -> Void
    ) throws(JournalError) {
        self.backlog = backlog
        self.delay = delay
        ledger = try Ledger(
            path: path, header: header, recording: recording, pageLimit: pageLimit)
        gate = waits ? DispatchSemaphore(value: Self.waitingLimit) : nil
        self.onFailure = onFailure
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.beat, repeating: Self.beat)
        timer.setEventHandler { [weak self] in self?.tick() }
        if !waits {
            ledger.pause = { [unowned self] in
                Background.giveWay(waiting: waitingExchanges.load(ordering: .relaxed))
            }
        }
        // From here on the queue may have the ledger.
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Hands a batch over. Called on a lane's thread.
    public func append(_ batch: Batch) {
        gate?.wait()
        let count = batch.exchanges.count
        shared.withLock { $0.waiting += 1 }
        let waiting = waitingExchanges.add(count, ordering: .relaxed).newValue
        let isBehind = gate == nil && waiting > backlog
        let handed = ContinuousClock.now
        queue.async { [self] in
            assertOnQueue()
            delay()
            age = ContinuousClock.now - handed
            workBesideLanes { ledger.take(batch, keeps: !isBehind) }
            shared.withLock { $0.waiting -= 1 }
            waitingExchanges.subtract(count, ordering: .relaxed)
            gate?.signal()
            tellFailure()
        }
    }

    /// Keeps requests and replies of households in which something is wrong, and of examples, as
    /// `gate` lets them through. Before the first batch.
    public func keepMessages(through gate: OutputGate) {
        queue.async { [self] in
            assertOnQueue()
            ledger.messages = MessageLedger(gate)
        }
    }

    /// All exchanges of this household are to be kept, whatever is sampled: something is wrong with
    /// it. Those that were let go before are not brought back.
    public func keepWhole(_ household: Int) {
        queue.async { [self] in
            assertOnQueue()
            ledger.keepWhole(household)
        }
    }

    /// Keeps an event of the run; once more when it has ended.
    public func note(_ event: RunEvent) {
        queue.async { [self] in
            assertOnQueue()
            ledger.take(event)
        }
    }

    /// Keeps when instant zero was, microseconds since 1970: the clocks of the lanes begin after the header was written.
    public func note(started microseconds: Int64) {
        queue.async { [self] in
            assertOnQueue()
            ledger.take(started: microseconds)
        }
    }

    /// Keeps when the lanes of a shard began to run, microseconds since 1970.
    public func note(began microseconds: Int64) {
        queue.async { [self] in
            assertOnQueue()
            ledger.take(began: microseconds)
        }
    }

    /// Waits until everything that was handed over so far is written.
    public func drain() {
        queue.sync {
            assertOnQueue()
            ledger.settle()
        }
    }

    /// Nothing more comes from the lanes: what there is to do about that is done while the caller does other things
    /// before `finish`.
    public func settle() {
        queue.async { [self] in
            assertOnQueue()
            ledger.settle()
            ledger.index()
            tellFailure()
        }
    }

    /// Waits for everything handed over, writes it and the end, and gives the end with its history
    /// hash. The file is then complete and read-only in spirit. Call it once, last.
    public func finish(_ end: HistoryEnd) -> HistoryEnd {
        queue.sync {
            assertOnQueue()
            timer.cancel()
            let finished = ledger.finish(end)
            publish()
            tellFailure()
            return finished
        }
    }

    /// What stopped the writing, in words for the user; nil while all is well.
    public var failure: String? { shared.withLock { $0.failure } }

    /// Where the run is; renewed about once a second.
    public var progress: Progress {
        shared.withLock { shared in
            var progress = shared.progress
            progress.waitingBatches = shared.waiting
            return progress
        }
    }

    /// Has `observer` see each state of the run, about one in a second and the last when the history is
    /// finished; on the journal's queue, which it must not keep.
    public func observe(_ observer: @escaping @Sendable (Progress) -> Void) {
        shared.withLock { $0.observer = observer }
    }

    /// Five times in a second: so at most the last second is missing after `kill -9`.
    private func tick() {
        assertOnQueue()
        workBesideLanes { ledger.settle() }
        tellFailure()
        let ticks = shared.withLock { shared in
            shared.ticks += 1
            return shared.ticks
        }
        if ticks.isMultiple(of: Self.beatsToProgress) { publish() }
    }

    /// Lanes that wait for the journal have nothing to go first with.
    private func workBesideLanes(_ work: () -> Void) {
        guard gate == nil else { return work() }
        background.run(waiting: waitingExchanges.load(ordering: .relaxed), for: age, work)
    }

    private func publish() {
        var progress = Progress()
        workBesideLanes { progress = ledger.progress() }
        let observer = shared.withLock { shared in
            shared.progress = progress
            return shared.observer
        }
        observer?(progress)
    }

    private func tellFailure() {
        guard let failure = ledger.failure else { return }
        let isNew = shared.withLock { shared in
            defer { shared.failure = failure }
            return shared.failure == nil
        }
        if isNew { onFailure(failure) }
    }

    private func assertOnQueue() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
