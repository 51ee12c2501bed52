internal import Dialects
internal import Foundation
internal import Journal
internal import Lanes
internal import Reports
internal import Rigs
internal import Synchronization
internal import Vocabulary
internal import Wire

/// The part of `try` that a run lacks: prints each exchange as it ends, and holds what was seen
/// against the checklist.
final class Trial: Sendable {
    private let bodies: Bool
    /// The name of the kind of household; nil: the rig's first.
    private let kind: String?
    private let seen = Mutex<[RecordedExchange]>([])

    init(bodies: Bool, kind: String? = nil) {
        self.bodies = bodies
        self.kind = kind
    }

    /// The rig of one household, as `screenrig try` was asked for it.
    func rig(of whole: Rig) throws -> Rig {
        if let rig = whole.trial(of: kind) { return rig }
        let names = whole.kinds.map(\.name)
        let near = kind?.nearest(among: names).map { "; did you mean '\($0)'?" }
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        throw CommandFailure.badInput(
            "--kind: unknown kind of household '\(kind ?? "")'"
                + (near ?? "; the rig has \(known)"))
    }

    /// Watches a lane. One household is slow enough to print from the lane's own thread.
    func watch(_ lane: Lane, at target: Origin) {
        let words = ExchangeText(origin: target, width: Terminal.width, bodies: bodies)
        lane.observe { [self] call, transfer, answered, gate in
            var reply: Reply?
            if case .answered(let received) = transfer.result { reply = received }
            let recorded = RecordedExchange(
                call: call, reply: reply, exchange: answered.exchange, answer: answered.answer,
                gate: gate)
            seen.withLock { $0.append(recorded) }
            Terminal.print(words.text(recorded))
        }
    }

    /// Prints the checklist, what would fail a run, and where this one is kept; throws the exit code
    /// if it is not 0. `words`: rig and options as they were typed, for the command that comes next.
    func conclude(
        _ directory: RunDirectory, _ summary: Summary, rig: Rig, target: Origin, words: String
    ) throws {
        let exchanges = seen.withLock { $0 }
        let checklist = Checklist(
            exchanges, household: try Self.household(directory), rig: rig,
            surroundings: Checklist.Surroundings(
                origin: target, unusedProxy: Self.unusedProxy(rig.target, for: target)))
        Terminal.print("\n" + checklist.text(width: Terminal.width))
        let forecast = TrialForecast(summary)
        if let text = forecast.text(width: Terminal.width) { Terminal.print("\n" + text) }
        Terminal.print("\nrun directory: \(directory.path)")
        let isReady = checklist.isPassed && !forecast.wouldFail
        if isReady { Terminal.print("next, run the load: screenrig run \(words)") }
        switch summary.exitStatus {
        case .interrupted: throw CommandFailure(code: .interrupted, message: "")
        case .couldNotRun: throw CommandFailure(code: .couldNotRun, message: "")
        default: if !isReady { throw CommandFailure(code: .failed, message: "") }
        }
    }

    private static func household(_ directory: RunDirectory) throws -> HouseholdRecord? {
        var record: HouseholdRecord?
        try CommandFailure.catching(as: .couldNotRun) {
            try History(path: directory.history).households { record = $0 }
        }
        return record
    }

    /// The proxy that other programs would use for this target.
    private static func unusedProxy(_ target: Target, for origin: Origin) -> String? {
        guard target.proxy == .none else { return nil }
        return TransportOptions.Proxy.ofEnvironment(for: origin)
    }
}
