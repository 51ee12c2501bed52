internal import CLinux
public import Dialects
internal import Glibc
public import Journal
internal import Synchronization
public import Vocabulary

/// The lane was stopped while a flow slept.
public struct Stopped: Error {
    public init() {}
}

/// One exchange as a flow sees it: what is recorded, and what it learnt.
/// One object, however far it is handed on: flows that wait would keep every copy.
public final class Answered: Sendable {
    public let exchange: Exchange
    public let answer: Answer
    /// The page of a browser hop that was refused or blocked.
    public let page: Untrusted?
    /// Of a request that was sent again: its first copy.
    public let firstCopy: Answered?

    /// Of a first copy: the service may have acted on it, since it did not refuse its stream.
    public var mayHaveActed: Bool { exchange.delivery.error?.kind == .staleConnection }

    init(exchange: Exchange, answer: Answer, page: Untrusted?, firstCopy: Answered? = nil) {
        self.exchange = exchange
        self.answer = answer
        self.page = page
        self.firstCopy = firstCopy
    }
}

/// Time, order and I/O for a group of households: the only place where time passes, requests leave
/// and events are recorded. Live and virtual lanes differ only in their loop and transport.
///
/// A lane is both the serial executor of its households (they are actors on it) and the task
/// executor of their tasks. With a serial executor alone, a resumed continuation would first visit
/// the global pool: order, and with it a seed, would be lost.
///
/// Safe because everything but `enqueue`, `post`, `stop` and `turn` runs on the thread that is inside
/// `run()`, which `checkIsolated` compares; of those four the first three touch only `inbox`, the last
/// only what is atomic.
public final class Lane: TaskExecutor, SerialExecutor, @unchecked Sendable {
    public let index: Int
    /// What came due on this lane so far: an action (a request that reaches the stand-in, an answer
    /// that reaches its device, an arrival) or the waking of a sleeper. How fast virtual time goes
    /// is counted in these. Read it once `run()` has returned.
    public private(set) var events = 0
    let loop: any LaneLoop
    let exchangeBuilder: ExchangeBuilder
    private let sink: any HistorySink
    private(set) var transport: (any Transport)!
    private var tap: Tap?

    // Nothing is held while others run: a timer is out of the heap, and the jobs of a turn are out of `ready`, before
    // they are begun.
    private var timers = TimerHeap()
    private var ready: [UnownedJob] = []
    private var spare: [UnownedJob] = []
    private var answered: [UnownedJob] = []
    private var flows = 0
    private var batch: Batch
    private var recent = RecentContent()
    private var health: LaneHealth
    private var flushDue: Instant
    private var dueTimes = DueTimes()
    /// `events` when the grid was last adapted.
    private var eventsBefore = 0
    private(set) var hasStopped = false
    private var isWindingDown = false
    private var begins = Instant.start
    /// Nil where nothing is held back.
    private(set) var departures: RateLimiter<UnsafeContinuation<Instant?, Never>>?
    /// When the timer of those who wait to leave goes off next; nil when there is none.
    private var departureDue: Instant?
    private var heldBack = HeldBack()
    private var underWay = [Int32](
        repeating: 0, count: OperationName.allCases.count)
    /// What has ended so far, for a breaker in virtual time. On the lane's thread.
    public private(set) var ended = (exchanges: 0, errors: 0)

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var actions: [@Sendable () -> Void] = []
        var stopAt: Instant?
    }
    private let inbox = Mutex(Inbox())
    /// Set after something was put into `inbox`, and taken back before it is emptied. A turn may find it false
    /// when there is something already: the loop is woken after each time that it is set.
    private let hasMail = Atomic(false)
    private let thread = Atomic<UInt>(0)
    /// What it is at, for those outside: its words in a record.
    private var turns: TurnRecord.TurnSlot
    private var turnRecord: TurnRecord

    /// Of a live lane: so many requests at most leave before it reads what has arrived.
    private static let timersPerTurn = 64
    /// How much is handed to the journal at once, and how often at least.
    private static let batchSize = 512
    public static let batchEvery: Duration = .milliseconds(100)

    public init(
        index: Int, loop: any LaneLoop, exchangeBuilder: ExchangeBuilder, sink: any HistorySink
    ) {
        self.index = index
        self.loop = loop
        self.exchangeBuilder = exchangeBuilder
        self.sink = sink
        batch = Batch(lane: index, through: .start)
        health = LaneHealth(
            lane: index, from: .start, through: .start, turns: 0, busy: .zero, longestTurn: .zero)
        flushDue = .start + Self.batchEvery
        turnRecord = TurnRecord(lanes: 1)
        turns = TurnRecord.TurnSlot(0, of: turnRecord)
    }

    /// Keeps what it is at in `record`, among the other lanes of its run. Before `run()`.
    public func keepTurns(in record: TurnRecord) {
        turnRecord = record
        turns = TurnRecord.TurnSlot(index, of: record)
    }

    /// What it is at. From any thread.
    public var turn: LaneTurn { turns.turn(of: index) ?? LaneTurn(lane: index, phase: .waiting) }

    /// A transport needs its lane and a lane its transport: set once, before `run()`.
    public func use(_ transport: any Transport) {
        self.transport = transport
    }

    /// How many households of its part it has begun, where a process that continues this one will look. Before they
    /// begin (`LaneTurn.BegunHouseholds`).
    public func keepBegun(arrived: Int, prepared: Int) {
        turns.begun(arrived: arrived, prepared: prepared)
    }

    /// Goes on where an earlier run ended: nothing was measured before `instant`. Before `hold` and `run()`.
    public func begin(at instant: Instant) {
        batch.through = instant
        health.from = instant
        health.through = instant
        flushDue = (loop.canBeWoken ? instant : Self.step(before: instant)) + Self.batchEvery
        begins = instant
    }

    /// Holds requests back so that no more leave than this lane's part of `ceilings` allows. Before
    /// `run()`.
    public func hold(to ceilings: RateLimits) {
        departures = ceilings.holdsBack ? RateLimiter(ceilings, from: begins) : nil
    }

    /// Sees every exchange of a lane as it ends: the request as it left, how it went, what it meant, and
    /// what of it may be shown.
    public typealias Tap = (
        _ call: Call, _ transfer: Transfer, _ answered: Answered, _ gate: OutputGate
    ) -> Void

    /// Has `tap` see each exchange, on the lane's thread; for a trial of one household. Set before
    /// `run()`.
    public func observe(_ tap: @escaping Tap) {
        self.tap = tap
    }

    /// Hands requests and replies to the journal too, which knows what of them to keep. Set before
    /// `run()`.
    public var handsOverMessages = false

    /// What of a peer's words may be shown, as far as the run's own secrets go.
    public var gate: OutputGate { exchangeBuilder.gate }

    /// The same for words about a device, whose household has secrets of its own.
    public func gate(of device: Device) -> OutputGate { gate.knowing(device.secrets) }

    // MARK: What flows use

    public var now: Instant { loop.now }

    /// Waits until `instant`; at once when it has passed. Throws when the lane stops meanwhile. A request that follows
    /// at once was due then (`send`).
    public func sleep(until instant: Instant) async throws(Stopped) {
        if hasStopped || isWindingDown { throw Stopped() }
        let stopped = await withUnsafeContinuation { sleeper in
            timers.push(due: instant.nanoseconds, .wake(sleeper, isBehind: instant < now))
        }
        if stopped { throw Stopped() }
    }

    /// What counts as the planned instant of a request that a timer of the lane's was set for: where it keeps time in
    /// steps, about when its turn comes (`TimeGrid`).
    public func onGrid(_ planned: Instant) -> Instant { dueTimes.onGrid(planned, at: now) }

    public func sleep(for duration: Duration) async throws(Stopped) {
        try await sleep(until: now + duration)
    }

    /// Sends a request and waits for what becomes of it. `planned` is when it was due. Nil: when the timer was that it
    /// follows (the end of a sleep, an arrival), when the response arrived that it follows at once, or else now. A ceiling that holds it back
    /// puts that off. Never throws: a request that could not be sent is an exchange too.
    ///
    /// As real devices do, it sends a request again, once and on a new connection, when the service closes a
    /// kept one under it (`Transfer.isToBeRepeated`). Both copies are exchanges of their own, for the service may have
    /// acted on the first.
    public func send(_ call: Call, from device: Device, planned: Instant? = nil) async -> Answered {
        var due = dueTimes.planned(planned, at: now)
        var firstCopy: Answered?
        while true {
            if departures != nil, !hasStopped {
                due = due + (await wait(toSend: call, from: device))
            }
            let sequence = device.counter.next()
            guard !hasStopped else { return refuse(call, from: device, sequence, planned: due) }
            var dressed = call
            exchangeBuilder.dress(&dressed, from: device, sequence: sequence)
            let begun = now
            device.noteLateness(from: due, to: begun)
            underWay[Int(call.operation.rawValue)] += 1
            let transfer = await withUnsafeContinuation { flow in
                if firstCopy != nil {
                    transport.startAnew(dressed, from: device) { flow.resume(returning: $0) }
                } else {
                    transport.start(dressed, from: device) { flow.resume(returning: $0) }
                }
            }
            underWay[Int(call.operation.rawValue)] -= 1
            let isResent = firstCopy == nil && transfer.isToBeRepeated(call.method)
            let answered = record(
                transfer, of: dressed, from: device, sequence: sequence, planned: due,
                begun: begun, copy: isResent ? .first : firstCopy.map { .second(of: $0) } ?? .only)
            guard isResent else { return answered }
            (due, firstCopy) = (dueTimes.planned(nil, at: now), answered)
        }
    }

    @inline(never)
    private func refuse(
        _ call: Call, from device: Device, _ sequence: Int, planned: Instant
    ) -> Answered {
        let error = TransportError(.stopped, "the run was stopped before this was sent")
        let transfer = Transfer(sent: nil, firstByte: nil, ended: now, result: .refused(error))
        return record(
            transfer, of: call, from: device, sequence: sequence, planned: planned, begun: now)
    }

    /// Keeps a household's state as of now.
    public func note(_ household: HouseholdRecord) {
        batch.households.append(household)
    }

    /// Keeps something that happened on a device.
    public func note(_ event: DeviceEvent) {
        batch.events.append(event)
    }

    /// Starts a flow on this lane. The lane runs until its last flow has ended.
    public func start(_ flow: @escaping @Sendable () async -> Void) {
        flows += 1
        Task(executorPreference: self) {
            await flow()
            self.flows -= 1
        }
    }

    /// Calls `action` on this lane at `instant`: for transports and for the coordinator's pace. `isDue`: the request that
    /// it leads to at once was due then (`send`).
    public func at(_ instant: Instant, isDue: Bool = false, _ action: @escaping () -> Void) {
        timers.push(due: instant.nanoseconds, .call(action, isDue: isDue))
    }

    /// Wakes every sleeper with `Stopped`, and whoever would sleep from now on: flows come to their
    /// ends, and may still send until the lane stops.
    public func windDown() {
        isWindingDown = true
        for sleeper in timers.removeSleepers() { sleeper.resume(returning: true) }
    }

    /// A device was switched off.
    public func retire(_ device: Device) {
        transport.retire(device)
    }

    // MARK: Holding back

    /// Waits until the ceilings let this request leave; gives how long they held it back. That is
    /// neither the service's time nor the rig's lateness, so it is not part of an exchange.
    func wait(toSend call: Call, from device: Device) async -> Duration {
        let asked = now
        let connects = transport.wouldConnect(for: call, from: device)
        device.beginDelay(at: asked)
        let since: Instant? = await withUnsafeContinuation { flow in
            let host = call.address.origin.host
            guard let need = departures?.need(host: host, connects: connects) else {
                return flow.resume(returning: asked)
            }
            departures?.add(flow, need, at: asked)
            letGo()
        }
        let held = since.map { max(.zero, $0 - asked) } ?? .zero
        device.endDelay(at: asked + held)
        // Stopped while it waited: what was not sent was not held back either.
        guard held > .zero else { return .zero }
        heldBack.count += 1
        heldBack.longest = max(heldBack.longest, held)
        return held
    }

    /// A household has, or will never have, the account that it waited for.
    public func noteAccountWait(_ waited: Duration) {
        heldBack.accountWaits += 1
        heldBack.longestAccountWait = max(heldBack.longestAccountWait, waited)
    }

    /// Lets everybody leave who may, and sets a timer for the next.
    private func letGo() {
        while let departure = departures?.leave(at: now) {
            departure.traveller.resume(returning: departure.since)
        }
        guard let next = departures?.next, next < departureDue ?? .distantFuture else { return }
        departureDue = next
        at(next) { [unowned self] in
            departureDue = nil
            letGo()
        }
    }

    // MARK: From other threads

    /// Runs `action` on the lane, soon.
    public func post(_ action: @escaping @Sendable () -> Void) {
        inbox.withLock { $0.actions.append(action) }
        hasMail.store(true, ordering: .releasing)
        loop.wake()
    }

    /// Stops the lane at `instant`: sleepers are woken with `Stopped`, exchanges under way end, and
    /// `run()` returns once the flows have. A second call may only bring it forward.
    public func stop(at instant: Instant) {
        inbox.withLock { $0.stopAt = min($0.stopAt ?? .distantFuture, instant) }
        hasMail.store(true, ordering: .releasing)
        loop.wake()
    }

    // MARK: The loop

    /// Runs until no flow is left and `isFinished` says that none will come. Blocks its thread; the
    /// coordinator gives it one.
    public func run(until isFinished: () -> Bool) {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        defer { thread.store(0, ordering: .releasing) }
        // Refused or ignored, the lane is later where it shares its core with journal and judge.
        if loop.canBeWoken { _ = thread_set_slices(100_000) }
        var stopAt: Instant?
        var began = loop.now
        turns.begin()
        while true {
            dueTimes.beginTurn(at: began)
            stopAt = takeInbox() ?? stopAt
            if let stopAt, !hasStopped, began >= stopAt { stopFlows() }
            // A live lane sends what is due before it goes on with what was answered: a response that waits has its time of
            // arrival already, a request that waits is late.
            if loop.canBeWoken { swap(&ready, &answered) } else { runReady() }
            // So many at most: an overloaded lane would else never get to its sockets, and open a connection for each
            // request while answered ones lie unread.
            var room = loop.canBeWoken ? Self.timersPerTurn : .max
            runTimers(&room)
            for job in answered {
                run(job)
                // Before a timer, whose flow would else not be the first to send after it.
                runReady()
                if room > 0, let next = timers.next, next <= loop.now.nanoseconds {
                    runTimers(&room)
                }
            }
            answered.removeAll(keepingCapacity: true)
            endTurn(began: began)
            turns.end()
            if flows == 0, isFinished() { break }
            let wake = nextDue(stopAt: hasStopped ? nil : stopAt)
            if loop.canBeWoken {
                began = loop.wait(until: wake) { turns.begin() }
            } else {
                began = loop.wait(until: wake)
                let step = Self.step(before: began)
                if began >= flushDue { flush(through: step, at: step) }
                // To wait for other lanes, or for the journal, is no turn.
                loop.keepTogether()
                turns.begin()
            }
        }
        flush(through: loop.now, at: loop.now)
        loop.leave()
        sink.end(lane: index)
    }

    /// A virtual lane hands over at steps that are the same for all: what one of its batches holds lies between two
    /// of them, so that those of several lanes can be joined step by step.
    public static func step(before instant: Instant) -> Instant {
        let step = Instant(batchEvery).nanoseconds
        return Instant(nanoseconds: instant.nanoseconds / step * step)
    }

    /// When the lane must wake by itself: the next timer, the stop, or, live, the next hand-over to
    /// the journal, so that an idle lane keeps nothing back.
    private func nextDue(stopAt: Instant?) -> Instant? {
        let timer = timers.next.map { dueTimes.wake(for: $0, isBehind: timers.isNextBehind) }
        precondition(timer != nil || loop.canBeWoken, "a virtual lane has flows but no timer")
        let isHolding = loop.canBeWoken && !(batch.exchanges.isEmpty && batch.households.isEmpty)
        var due = min(timer ?? .distantFuture, stopAt ?? .distantFuture)
        if isHolding { due = min(due, flushDue) }
        return due == .distantFuture ? nil : due
    }

    private func endTurn(began: Instant) {
        let ended = loop.now
        health.turns += 1
        // In virtual time no turn takes any.
        if ended > began {
            let turn = ended - began
            health.busy += turn
            health.longestTurn = max(health.longestTurn, turn)
        }
        // What arrived since this turn began is read in the next one.
        if ended >= flushDue || batch.exchanges.count >= Self.batchSize {
            flush(through: began, at: ended)
        }
    }

    private func flush(through: Instant, at now: Instant) {
        health.through = now
        batch.health = health
        heldBack.waiting = departures?.waiting ?? 0
        batch.heldBack = heldBack
        heldBack = HeldBack()
        batch.underWay = underWay
        batch.through = through
        sink.append(batch)
        // As many as last time: a full batch would be a large block to come and go at each flush.
        let usual = (exchanges: batch.exchanges.count, households: batch.households.count)
        batch = Batch(lane: index, through: through)
        batch.exchanges.reserveCapacity(usual.exchanges)
        batch.households.reserveCapacity(usual.households)
        if loop.sharesWakeUps {
            dueTimes.adapt(to: events - eventsBefore, in: (now - health.from).seconds)
            eventsBefore = events
        }
        health = LaneHealth(
            lane: index, from: now, through: now, turns: 0, busy: .zero, longestTurn: .zero)
        flushDue = (loop.canBeWoken ? now : Self.step(before: now)) + Self.batchEvery
    }

    private func stopFlows() {
        hasStopped = true
        for sleeper in timers.removeSleepers() { sleeper.resume(returning: true) }
        for flow in departures?.removeAll() ?? [] { flow.resume(returning: nil) }
        transport.abort()
    }

    private func takeInbox() -> Instant? {
        guard hasMail.load(ordering: .acquiring), hasMail.exchange(false, ordering: .acquiring)
        else {
            return nil
        }
        let (jobs, actions, stopAt) = inbox.withLock { inbox in
            defer {
                inbox.jobs = []
                inbox.actions = []
            }
            return (inbox.jobs, inbox.actions, inbox.stopAt)
        }
        ready.append(contentsOf: jobs)
        for action in actions { action() }
        return stopAt
    }

    /// Runs what is due by now, with what that leads to at once; what comes due meanwhile waits.
    private func runTimers(_ room: inout Int) {
        let due = loop.now.nanoseconds
        while room > 0, let timer = timers.pop(dueBy: due) {
            room -= 1
            events += 1
            if loop.canBeWoken { dueTimes.begin(timer) }
            switch timer.action {
            case .wake(let sleeper, _): sleeper.resume(returning: false)
            case .call(let action, _): action()
            }
            runReady()
        }
        dueTimes.endTimers()
    }

    private func runReady() {
        while !ready.isEmpty {
            swap(&ready, &spare)
            for job in spare { run(job) }
            spare.removeAll(keepingCapacity: true)
        }
    }

    @inline(__always)
    private func run(_ job: UnownedJob) {
        job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        dueTimes.endJob()
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            inbox.withLock { $0.jobs.append(job) }
            hasMail.store(true, ordering: .releasing)
            loop.wake()
        }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(isCurrent, "this may only run on lane \(index)")
    }

    private var isCurrent: Bool {
        thread.load(ordering: .acquiring) == UInt(pthread_self())
    }

    // MARK: Recording

    /// Never part of `send`: what it needs in memory would be part of each flow.
    @inline(never)
    func record(
        _ transfer: Transfer, of call: Call, from device: Device, sequence: Int, planned: Instant,
        begun: Instant, copy: ExchangeBuilder.RequestCopy = .only
    ) -> Answered {
        turns.read(call.operation, of: device.id.household, sequence)
        defer { turns.act() }
        if case .answered(let reply) = transfer.result {
            device.cookies.store(reply.headers, from: call.address)
        }
        let answered = exchangeBuilder.exchange(
            transfer, of: call, from: device, lane: index, sequence: sequence, planned: planned,
            begun: begun, copy: copy, recent: &recent)
        batch.exchanges.append(answered.exchange)
        if handsOverMessages, answered.exchange.outcome != .notSent {
            var reply: Reply?
            if case .answered(let received) = transfer.result { reply = received }
            batch.messages.append(
                Message(
                    household: device.id.household, sequence: sequence, call: call, reply: reply,
                    secrets: device.secrets))
        }
        if answered.exchange.outcome != .notSent { ended.exchanges += 1 }
        if answered.exchange.isError { ended.errors += 1 }
        if answered.exchange.outcome == .throttled { device.noteThrottled() }
        if let tap { tap(call, transfer, answered, gate(of: device)) }
        if loop.canBeWoken { dueTimes.read(responseOf: transfer.ended) }
        return answered
    }
}
