internal import Reports
internal import Synchronization

/// What runs, for those who have several runs on one screen.
public struct ShownRun: Sendable, Hashable {
    public var rig: String
    /// Name of the run directory; empty until there is one.
    public var run: String
    public var target: String
    public var version: String
    /// Which part of a run that is split over machines; nil: it is whole.
    public var shard: Shard?

    /// Shard `number`, from 0, of `count`.
    public struct Shard: Sendable, Hashable {
        public var number: Int
        public var count: Int

        public init(number: Int, count: Int) {
            self.number = number
            self.count = count
        }
    }

    public init(rig: String, run: String, target: String, version: String, shard: Shard? = nil) {
        self.shard = shard
        self.rig = rig
        self.run = run
        self.target = target
        self.version = version
    }
}

/// What is shown, between the thread that knows it and the one that serves it.
final class Board: Sendable {
    private struct HeldPage {
        var board: LiveBoard
        var subject: ShownRun
        var isToBeTold = false
        var press: (@Sendable ([String]) -> String?)?
    }

    private let held: Mutex<HeldPage>
    /// Who has it may press the page's buttons; nil where it has none.
    let token: String?

    init(_ board: LiveBoard, _ subject: ShownRun, token: String? = nil) {
        held = Mutex(HeldPage(board: board, subject: subject))
        self.token = token
    }

    func obey(_ press: @escaping @Sendable ([String]) -> String?) {
        held.withLock { $0.press = press }
    }

    /// Does what a button stands for; why it could not, or nil.
    func press(_ words: [String]) -> String? {
        guard let press = held.withLock({ $0.board.ending == nil ? $0.press : nil }) else {
            return "the run has not started or has ended"
        }
        return press(words)
    }

    func take(_ state: LiveState) { held.withLock { $0.board.take(state) } }
    func end(_ ending: LiveBoard.Ending) { held.withLock { $0.board.end(ending) } }
    func enter(run: String) { held.withLock { $0.subject.run = run } }

    /// Whether the caller is to have it told; false where somebody is about to.
    func claimTelling() -> Bool {
        held.withLock { held in
            defer { held.isToBeTold = true }
            return !held.isToBeTold
        }
    }

    func endTelling() { held.withLock { $0.isToBeTold = false } }

    /// The charts and the present state as server-sent events (HTML Standard, 9.2.6): `ended` is the last.
    var event: String {
        let board = held.withLock { $0.board }
        return
            "event: charts\ndata: \(board.charts)\n\nevent: \(board.ending == nil ? "state" : "ended")\ndata: \(board.json)\n\n"
    }

    var json: String { held.withLock { $0.board }.json }

    var metrics: String {
        let (state, subject) = held.withLock { ($0.board.state, $0.subject) }
        return Metrics.text(state, subject)
    }
}
