internal import Devices
internal import Dispatch
internal import Journal
internal import Lanes
internal import Reports
internal import Synchronization

/// What of a run is shown while it goes on, and how.
struct Show {
    enum Form {
        case nothing
        /// A line every few seconds: logs keep it readable.
        case lines
        /// A block, redrawn in place.
        case block
        /// An object each second, on standard output.
        case json
    }

    var title: String
    var planned: Duration?
    var plannedHouseholds: Int?
    var form: Form
}

/// Looks at a run from outside while it goes on: shows where it is, and ends it on Ctrl-C, when the
/// history cannot be written, when nothing answers at all, or when the breaker says so.
///
/// Safe because the timer is made in `init` and only cancelled after; the rest is constant or in a
/// `Mutex`.
final class RunWatch: @unchecked Sendable {
    private let coordinator: Coordinator
    private let writer: HistoryWriter
    private let judge: JudgeQueue?
    private let show: Show
    private let isVirtual: Bool
    private let timer: any DispatchSourceTimer
    private let state: Mutex<State>

    private struct State {
        var failure: String?
        var tripped: String?
        var breaker: Breaker?
        var ticks = 0
        var isStopping = false
        var hasEnded = false
        var printer = LivePrinter()
        var shown: [String] = []
        var rates: [Double] = []
    }

    /// How long a run may go without a single answer.
    private static let silence: Duration = .seconds(5)
    private static let printEvery = 3
    private static let ratesKept = 120

    init(
        coordinator: Coordinator, writer: HistoryWriter, judge: JudgeQueue? = nil, show: Show,
        breaker: Breaker?,
        isVirtual: Bool
    ) {
        self.coordinator = coordinator
        self.writer = writer
        self.judge = judge
        self.show = show
        self.isVirtual = isVirtual
        state = Mutex(State(breaker: isVirtual ? nil : breaker))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "screenrig.watch"))
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [unowned self] in tick() }
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Why the run could not go on; nil when it could.
    var failure: String? { state.withLock { $0.failure } }

    /// Why the breaker stopped it; nil when it did not.
    var tripped: String? { state.withLock { $0.tripped } }

    func interrupted(_ times: Int) {
        state.withLock { $0.isStopping = true }
        if times == 1 {
            say(
                "interrupted: no more arrivals; what runs may finish within 5 s (again: stop at once)"
            )
            coordinator.stop(within: .seconds(5))
        } else {
            coordinator.stop(within: .zero)
        }
    }

    /// The breaker has tripped: more load would do more harm.
    func trip(_ trip: Breaker.Trip) {
        state.withLock { $0.tripped = $0.tripped ?? "\(trip)" }
        coordinator.stop(within: .zero)
    }

    /// The lanes have come to rest: no more lines, and the block is gone.
    func end() {
        timer.cancel()
        state.withLock { state in
            state.hasEnded = true
            state.printer.clear()
        }
        if let failure = writer.failure { note(failure) }
    }

    private func tick() {
        if let failure = writer.failure { return stop(failure) }
        let progress = writer.progress
        let (ticks, trip) = state.withLock { state in
            state.ticks += 1
            let trip = state.breaker?.look(
                at: progress.elapsed, ended: progress.sent, errors: progress.errors)
            return (state.ticks, trip)
        }
        let isSilent = progress.completed == 0 && progress.errors >= 3
        if !isVirtual, isSilent, ticks >= Int(Self.silence.components.seconds) {
            return stop("nothing has answered for \(ticks) s")
        }
        if let trip { self.trip(trip) }
        display(progress, ticks: ticks)
    }

    private func stop(_ failure: String) {
        note(failure)
        coordinator.stop(within: .zero)
    }

    private func note(_ failure: String) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    // MARK: Showing

    private func display(_ progress: Progress, ticks: Int) {
        let phase = phase(of: progress)
        let judging = judge?.progress
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.rates = (state.rates + [progress.perSecond]).suffix(Self.ratesKept)
            let live = LiveState(
                title: show.title, progress: progress, planned: show.planned,
                plannedHouseholds: show.plannedHouseholds,
                phase: state.isStopping ? .stopping : phase, recentRates: state.rates,
                judging: judging)
            switch show.form {
            case .nothing: break
            case .json: Terminal.print(ProgressJSON.progress(live))
            case .block:
                state.shown = LiveBlock.lines(
                    live, width: Terminal.progressWidth, color: Terminal.progressUsesColor)
                state.printer.draw(state.shown)
            case .lines where ticks.isMultiple(of: Self.printEvery):
                Terminal.complain(
                    ProgressLine.text(progress, planned: show.planned, judging: judging))
            case .lines: break
            }
        }
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

    private func say(_ line: String) {
        state.withLock { state in
            switch show.form {
            case .nothing: break
            case .json, .lines: Terminal.complain(line)
            case .block: state.printer.say(line, above: state.hasEnded ? [] : state.shown)
            }
        }
    }
}
