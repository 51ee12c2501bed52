internal import Devices
internal import Dispatch
internal import Journal
internal import Lanes
internal import Reports
internal import Rigs
internal import Synchronization

/// What is known of a run before it begins, for those who watch it.
struct RunOutline {
    var title: String
    var planned: Duration?
    var plannedHouseholds: Int?
    /// How long the rig's TVs poll on after the last sign-in.
    var settle: Duration
    var thresholds: [Threshold]
    /// `validity.lateness-p99`; nil in virtual time, where nothing is late.
    var allowedLateness: Duration?
    /// When the lanes' clock began.
    var startedMicroseconds: Int64
    /// Whether households arrive at times of their own.
    var isOpenLoad: Bool
}

/// Looks at a run from outside while it goes on: tells its observer where it is, and ends it on Ctrl-C, when the
/// history cannot be written, when nothing answers at all, or when the breaker says so.
///
/// Safe because the timer is made in `init` and only cancelled after; the rest is constant or in a
/// `Mutex`.
final class RunWatch: @unchecked Sendable {
    private let coordinator: Coordinator
    private let writer: HistoryWriter
    private let outline: RunOutline
    private let observer: any RunObserver
    private let isVirtual: Bool
    private let queue = DispatchQueue(label: "screenrig.watch")
    /// Is told when this machine has slept; nil where nothing is judged.
    private let judge: JudgeQueue?
    private let timer: any DispatchSourceTimer
    private let state: Mutex<State>
    private let desk: EventDesk
    /// Where other processes ask for marks and another load; nil in virtual time.
    private let control: ControlFile?
    /// Called once where lanes do not come to rest when they should.
    private let abandon: @Sendable () -> Void

    /// Since when nothing was answered.
    private struct SilentSince {
        var completed = 0
        var errors = 0
        var began = ContinuousClock.now

        mutating func hear(_ progress: Progress) {
            guard progress.completed != completed || progress.errors < errors else { return }
            (completed, errors, began) = (progress.completed, progress.errors, .now)
        }
    }

    private struct State {
        var silence = SilentSince()
        var failure: String?
        var tripped: String?
        var breaker: Breaker?
        var clocks = ClockWatch()
        var standstills: [Standstill] = []
        var turns = LongTurns()
        var stallDetector: StallDetector?
        var stalls: [Standstill] = []
        var ticks = 0
        var isStopping = false
        var isPaused = false
        var hasEnded = false
        var rates: [Double] = []
        /// Since when thresholds that may end the run are missed, by their text.
        var missedSince: [String: Instant] = [:]
    }

    /// How long a run may go without a single answer.
    private static let silence: Duration = .seconds(5)
    /// How long, after the last arrival, a service that did answer may be gone before nobody is
    /// waited for any more; longer where the rig settles longer.
    private static let grace: Duration = .seconds(10)
    /// So many requests without an answer make a silence.
    private static let unanswered = 3
    /// How long lanes may take to come to rest once their time is up: when the run was stopped, and
    /// when somebody does not want to wait any more.
    private static let (patience, impatience): (Duration, Duration) = (.seconds(10), .seconds(3))
    private static let ratesKept = 120

    init(
        coordinator: Coordinator, writer: HistoryWriter, judge: JudgeQueue?,
        outline: RunOutline, observer: any RunObserver, breaker: Breaker?, isVirtual: Bool,
        desk: EventDesk, control: ControlFile?, abandon: @escaping @Sendable () -> Void
    ) {
        (self.desk, self.control) = (desk, control)
        self.abandon = abandon
        self.coordinator = coordinator
        self.writer = writer
        self.judge = judge
        self.outline = outline
        self.observer = observer
        self.isVirtual = isVirtual
        state = Mutex(State(breaker: isVirtual ? nil : breaker))
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [unowned self] in tick() }
        timer.activate()
        if !isVirtual {
            let coordinator = coordinator
            state.withLock { state in
                state.stallDetector = StallDetector { [weak self] length in
                    self?.stalled(for: length, until: max(.start, coordinator.now))
                }
            }
        }
        guard observer.wantsBatches else { return }
        writer.observe { [weak self] progress in
            self?.queue.async { [weak self] in
                if let self { observer.changed(live(progress)) }
            }
        }
    }

    deinit {
        timer.cancel()
    }

    /// Somebody has asked for its end.
    var wasInterrupted: Bool { state.withLock { $0.isStopping } }

    /// Why the run could not go on; nil when it could.
    var failure: String? { state.withLock { $0.failure } }

    /// Why the breaker stopped it; nil when it did not.
    var tripped: String? { state.withLock { $0.tripped } }

    /// When this machine slept.
    var standstills: [Standstill] { state.withLock { $0.standstills } }

    /// When this process did not run.
    var stalls: [Standstill] { state.withLock { $0.stalls } }

    /// Turns that took seconds, and lanes that did not come to rest.
    var longTurns: [String] { state.withLock { $0.turns.sentences } }

    /// Somebody asks for its end: within 5 s, and at once where somebody has asked before (Ctrl-C, `control stop`). Gives
    /// whether somebody had.
    @discardableResult
    func interrupt() -> Bool {
        let isAgain = state.withLock { state in
            defer { state.isStopping = true }
            return state.isStopping
        }
        if !isAgain {
            observer.say(
                "interrupted: no more arrivals; households go on for at most 5 s (Ctrl-C "
                    + "again: stop at once)"
            )
            stop(within: .seconds(5))
        } else {
            stop(within: .zero, patience: Self.impatience)
        }
        return isAgain
    }

    func interrupt(within grace: Duration) {
        state.withLock { $0.isStopping = true }
        stop(within: grace)
    }

    /// Ends the run within `grace`, if need be without a lane that is stuck in a turn: whatever it is at,
    /// what the journal has is reported.
    private func stop(within grace: Duration, patience: Duration = patience) {
        coordinator.stop(within: grace)
        // In virtual time that grace may take as long as it takes.
        guard !isVirtual || grace == .zero else { return }
        let seconds = (grace + patience) / .seconds(1)
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.giveUpLanes() }
    }

    private func giveUpLanes() {
        let turns = coordinator.turns
        let isStuck = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.turns.giveUp(turns)
            return true
        }
        if isStuck { abandon() }
    }

    /// The breaker has tripped: more load would do more harm.
    func trip(_ trip: Breaker.Trip) {
        state.withLock { $0.tripped = $0.tripped ?? "\(trip)" }
        stop(within: .zero)
    }

    // MARK: Requests from outside

    /// Does what was asked; a mark has the time at which it was asked. From any thread. Gives why it could not, or nil.
    @discardableResult
    func take(_ request: RunRequest, microseconds: Int64) -> String? {
        let asked = Instant.start + .microseconds(microseconds - outline.startedMicroseconds)
        let instant = min(max(.start, asked), max(.start, coordinator.now))
        switch request {
        case .mark(let name, let edge): desk.mark(name, edge, at: instant)
        case .stop: interrupt()
        case .pause, .resume, .rate:
            guard outline.isOpenLoad else {
                let reason = "this load has no arrivals that could be paused or paced"
                observer.say("note: \(reason)")
                return reason
            }
            // What it changes changes now: a file is read once a second.
            steer(request, at: max(.start, coordinator.now))
        }
        return nil
    }

    private func steer(_ request: RunRequest, at instant: Instant) {
        switch request {
        case .pause:
            coordinator.pauseArrivals()
            guard setPaused(true) else { return observer.say("arrivals are paused already") }
            desk.note("arrivals-paused", .begin, at: instant, origin: .control)
            observer.say("arrivals are paused; 'screenrig control resume' goes on")
        case .resume:
            coordinator.resumeArrivals()
            guard setPaused(false) else { return observer.say("arrivals go on already") }
            desk.note("arrivals-paused", .end, at: instant, origin: .control)
            observer.say("arrivals go on")
        case .rate(let rate):
            coordinator.setArrivalRate(perSecond: rate.perSecond)
            let isSlow = rate.perSecond < 1
            let text = String(format: "%g", isSlow ? rate.perSecond * 60 : rate.perSecond)
            let unit = isSlow ? "minute" : "second"
            desk.note("arrivals-at-\(text)-per-\(unit)", .moment, at: instant, origin: .control)
            observer.say("arrivals: \(text)/\(isSlow ? "m" : "s") from now on")
        case .mark, .stop: break
        }
    }

    /// False: they are so already.
    private func setPaused(_ isPaused: Bool) -> Bool {
        state.withLock { state in
            defer { state.isPaused = isPaused }
            return state.isPaused != isPaused
        }
    }

    /// A threshold with `abort` that was missed for long enough ends the run.
    private func lookAtAborts(_ live: LiveState) {
        let now = live.progress.elapsed
        for threshold in outline.thresholds {
            guard let patience = threshold.abortsAfter else { continue }
            let result = live.thresholds.first { $0.expression == threshold.text }
            let isOver = state.withLock { state in
                // What only the rig's own lateness misses is no reason to end a run.
                guard let result, !result.met, result.punctual == nil else {
                    state.missedSince[threshold.text] = nil
                    return false
                }
                let since = state.missedSince[threshold.text] ?? now
                state.missedSince[threshold.text] = since
                guard now - since >= patience, state.tripped == nil, !state.isStopping else {
                    return false
                }
                let length = String(format: "%g", patience / .seconds(1))
                state.tripped =
                    "\(RunWatch.abortWord) '\(threshold.text)' was missed for \(length) s (it was \(result.actual))"
                return true
            }
            if isOver {
                observer.say(
                    "a threshold with 'abort: true' is missed: \(threshold.text); ending the run")
                stop(within: .seconds(5))
            }
        }
    }

    /// What the reason begins with where a threshold has ended the run, and not the breaker.
    static let abortWord = "the threshold"

    /// The lanes have come to rest, the last of them at `ended`: no more lines, and the block is gone.
    func end(at ended: Instant) {
        timer.cancel()
        state.withLock { $0.stallDetector = nil }
        queue.sync { [self] in
            for (request, time) in control?.read() ?? [] { take(request, microseconds: time) }
            control?.close()
        }
        desk.end(at: ended)
        state.withLock { $0.hasEnded = true }
        observer.end()
        if let failure = writer.failure { note(failure) }
    }

    /// Waits until everything that was heard is shown.
    func settle() {
        queue.sync {}
    }

    private func tick() {
        if let failure = writer.failure { return stop(failure) }
        let progress = writer.progress
        // In virtual time a lane that is busy keeps nobody waiting.
        if !isVirtual {
            lookAtTurns()
            lookAtClocks(at: progress.elapsed)
        }
        let (ticks, trip) = state.withLock { state in
            state.ticks += 1
            let trip = state.breaker?.look(
                at: progress.elapsed, ended: progress.sent, errors: progress.errors)
            return (state.ticks, trip)
        }
        let isSilent = progress.completed == 0 && progress.errors >= Self.unanswered
        if !isVirtual, isSilent, ticks >= Int(Self.silence.components.seconds) {
            note("no response for \(ticks) s; no request has been answered so far")
            return coordinator.giveUp(because: "nothing answered")
        }
        if !isVirtual, isGone(progress) {
            coordinator.giveUp(because: "no more responses came")
        }
        if let trip { self.trip(trip) }
        for (request, time) in control?.read() ?? [] { take(request, microseconds: time) }
        display(progress, ticks: ticks)
    }

    /// The service did answer, and has long ceased to, and nobody new will ask it.
    private func isGone(_ progress: Progress) -> Bool {
        let silence = state.withLock { state in
            state.silence.hear(progress)
            return state.silence
        }
        guard coordinator.outlook != .arriving, progress.completed > 0,
            progress.errors - silence.errors >= Self.unanswered
        else { return false }
        return ContinuousClock.now - silence.began >= max(outline.settle, Self.grace)
    }

    /// What the service let run out meanwhile only seems to have run out early.
    private func lookAtClocks(at now: Instant) {
        guard let length = state.withLock({ $0.clocks.look() }) else { return }
        let standstill = Standstill(noticed: now, length: length)
        state.withLock { $0.standstills.append(standstill) }
        judge?.note(standstill)
        observer.say(
            "note: this machine was suspended for \(Instant(length).milliseconds / 1000) s; "
                + "ignore the measurements of that time"
        )
    }

    /// Nothing was read, sent or decided meanwhile, however well the service did.
    private func stalled(for length: Duration, until now: Instant) {
        let stall = Standstill(noticed: now, length: length)
        state.withLock { $0.stalls.append(stall) }
        queue.async { [observer] in observer.say("note: \(stall.ofProcess)") }
    }

    /// Names what keeps a lane busy for seconds: meanwhile it can do nothing else.
    private func lookAtTurns() {
        let turns = coordinator.turns
        let now = LiveLoop.monotonic()
        for sentence in state.withLock({ $0.turns.look(turns, at: now) }) {
            observer.say("note: \(sentence)")
        }
    }

    private func stop(_ failure: String) {
        note(failure)
        stop(within: .zero)
    }

    private func note(_ failure: String) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    // MARK: Showing

    private func display(_ progress: Progress, ticks: Int) {
        state.withLock { $0.rates = ($0.rates + [progress.answerRate]).suffix(Self.ratesKept) }
        let live = live(progress)
        observer.tick(live, second: ticks)
        if !isVirtual { lookAtAborts(live) }
    }

    private func live(_ heard: Progress) -> LiveState {
        var progress = heard
        // Idle lanes tell nothing, and time goes on all the same.
        if !isVirtual, !state.withLock(\.hasEnded) {
            progress.elapsed = max(progress.elapsed, coordinator.now)
        }
        let phase = phase(of: progress)
        let findings = judge?.soFar
        var live = state.withLock { state in
            LiveState(
                title: outline.title, progress: progress, planned: outline.planned,
                plannedHouseholds: outline.plannedHouseholds,
                phase: state.isStopping || state.tripped != nil
                    ? .stopping : phase == .arrivals && state.isPaused ? .paused : phase,
                recentRates: state.rates, findings: findings)
        }
        live.hold(against: outline.thresholds, allowed: outline.allowedLateness)
        live.events = desk.events
        return live
    }

    private func phase(of progress: Progress) -> LiveState.Phase {
        switch coordinator.outlook {
        case .arriving: return .arrivals
        case .viewers(let count): return .viewers(count)
        case .settling(let until):
            let left = until - progress.elapsed
            return left > .zero ? .settling(left) : .leaving(progress.households.running)
        }
    }
}
