internal import Dialects
internal import Foundation
internal import Journal
internal import Lanes
internal import Reports
internal import Rigs
internal import Synchronization
internal import Wire

/// The part of `try` that a run lacks: prints each exchange as it ends, and holds what was seen
/// against the checklist.
final class Trial: Sendable {
    private let bodies: Bool
    private let seen = Mutex<[Sighting]>([])

    init(bodies: Bool) {
        self.bodies = bodies
    }

    /// Watches a lane. One household is slow enough to print from the lane's own thread.
    func watch(_ lane: Lane, of rig: Rig, at target: Origin) {
        let redaction = Redaction(lane.fingerprinter, ownHeaders: rig.target.headers)
        let words = SightingText(
            redaction, origin: target, width: Terminal.width, bodies: bodies)
        lane.observe { [self] call, transfer, answered in
            var reply: Reply?
            if case .answered(let received) = transfer.result { reply = received }
            let sighting = Sighting(
                call: call, reply: reply, exchange: answered.exchange, answer: answered.answer)
            seen.withLock { $0.append(sighting) }
            Terminal.print(words.text(sighting))
        }
    }

    /// Prints the checklist and where the run is kept; throws the exit code if it is not 0.
    /// `file`: the rig's, for the command that comes next.
    func conclude(
        _ directory: RunDirectory, rig: Rig, target: Origin, file: String
    ) throws {
        let summary = try Outcome.write(directory, thresholds: [])
        let sightings = seen.withLock { $0 }
        let checklist = Checklist(
            sightings, household: try Self.household(directory), rig: rig,
            surroundings: Checklist.Surroundings(
                origin: target, unusedProxy: Self.unusedProxy(rig.target, for: target)))
        Terminal.print("\n" + checklist.text(width: Terminal.width))
        Terminal.print("\nthe run is kept in \(directory.path)")
        if checklist.isPassed { Terminal.print("next, the load: screenrig run \(file)") }
        switch summary.exitStatus {
        case .interrupted: throw Failure(code: .interrupted, message: "")
        case .couldNotRun: throw Failure(code: .couldNotRun, message: "")
        default: if !checklist.isPassed { throw Failure(code: .failed, message: "") }
        }
    }

    private static func household(_ directory: RunDirectory) throws -> HouseholdRecord? {
        var record: HouseholdRecord?
        do {
            try History(path: directory.history).households { record = $0 }
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
        return record
    }

    /// The proxy that other programs would use for this target.
    private static func unusedProxy(_ target: Target, for origin: Origin) -> String? {
        guard target.proxy == .none else { return nil }
        return WireSettings.Proxy.ofEnvironment(for: origin)
    }
}
