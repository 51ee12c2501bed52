internal import Devices
internal import Dispatch
internal import Journal
internal import Reports
internal import Synchronization

/// Looks at a run from outside while it goes on: prints where it is every few seconds, and ends it
/// on Ctrl-C, when the history cannot be written, or when nothing answers at all.
///
/// Safe because the timer is made in `init` and only cancelled after; the rest is constant or in a
/// `Mutex`.
final class RunWatch: @unchecked Sendable {
    private let coordinator: Coordinator
    private let writer: HistoryWriter
    private let planned: Duration?
    private let isQuiet: Bool
    private let isVirtual: Bool
    private let timer: any DispatchSourceTimer
    private let state = Mutex(State())

    private struct State {
        var failure: String?
        var ticks = 0
    }

    /// How long a run may go without a single answer.
    private static let silence: Duration = .seconds(5)
    private static let printEvery = 3

    init(
        coordinator: Coordinator, writer: HistoryWriter, planned: Duration?, isQuiet: Bool,
        isVirtual: Bool
    ) {
        self.coordinator = coordinator
        self.writer = writer
        self.planned = planned
        self.isQuiet = isQuiet
        self.isVirtual = isVirtual
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

    func interrupted(_ times: Int) {
        if times == 1 {
            say(
                "interrupted: no more arrivals; what runs may finish within 5 s (again: stop at once)"
            )
            coordinator.stop(within: .seconds(5))
        } else {
            coordinator.stop(within: .zero)
        }
    }

    /// The lanes have come to rest: no more lines.
    func end() {
        timer.cancel()
        if let failure = writer.failure { note(failure) }
    }

    private func tick() {
        if let failure = writer.failure { return stop(failure) }
        let progress = writer.progress
        let ticks = state.withLock { state in
            state.ticks += 1
            return state.ticks
        }
        let isSilent = progress.completed == 0 && progress.errors >= 3
        if !isVirtual, isSilent, ticks >= Int(Self.silence.components.seconds) {
            return stop("nothing has answered for \(ticks) s")
        }
        if ticks.isMultiple(of: Self.printEvery) {
            say(ProgressLine.text(progress, planned: planned))
        }
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

    private func say(_ line: String) {
        if !isQuiet { Terminal.complain(line) }
    }
}
