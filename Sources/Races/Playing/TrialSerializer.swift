internal import Journal
internal import Lanes

/// One at a time, with a gap between. On its lane.
final class Turns {
    private let lane: Lane
    private let gap: Duration
    private var isTaken = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    init(_ lane: Lane, gap: Duration) {
        self.lane = lane
        self.gap = gap
    }

    /// Waits for its turn.
    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withUnsafeContinuation { waiting.append($0) }
    }

    /// Its turn is over: the next comes after the gap.
    func pass() {
        lane.at(lane.now + gap) { self.letNextIn() }
    }

    private func letNextIn() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        waiting.removeFirst().resume()
    }
}

/// Lets the races of several trials go one after another, when all are set up and before any is
/// settled: what one does to the service shows in no other's race. On its lane.
///
/// ```text
///   setup of all  |race|gap|race|gap|race|  settling of all, in turns where nobody is to disturb
/// ```
final class TrialSerializer {
    private let lane: Lane
    private let gap: Duration
    private var expected: Int
    private var waiting: [UnsafeContinuation<Void, Never>] = []
    private var through: [UnsafeContinuation<Void, Never>] = []
    private var left = 0
    private var isOpen = false

    /// `expected`: how many trials come.
    init(_ lane: Lane, expected: Int, gap: Duration) {
        self.lane = lane
        self.expected = expected
        self.gap = gap
    }

    /// Waits until everybody is ready, and for its turn.
    func enter() async {
        await withUnsafeContinuation { trial in
            waiting.append(trial)
            openIfReady()
        }
    }

    /// Its race is over; waits until everybody's is.
    func leave() async {
        left += 1
        lane.at(lane.now + gap) { self.letNextIn() }
        guard left < expected else { return letAllOut() }
        await withUnsafeContinuation { through.append($0) }
    }

    /// A trial that comes to no race.
    func drop() {
        expected -= 1
        openIfReady()
        if isOpen, left == expected { letAllOut() }
    }

    private func openIfReady() {
        guard !isOpen, waiting.count == expected, expected > 0 else { return }
        isOpen = true
        lane.at(lane.now + gap) { self.letNextIn() }
    }

    private func letNextIn() {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst().resume()
    }

    private func letAllOut() {
        for trial in through { trial.resume() }
        through = []
    }
}
