import Foundation
import Rigs
import Synchronization

extension Rehearsal {
    /// The run of `rigs/NAME` as its file and seed give it, against a service without faults, played
    /// once for all tests that look at it. `limit`: of its households.
    static func standard(
        _ name: String, limit: Int = RigFiles.householdLimit
    ) throws -> Rehearsal {
        var rig = try RigFiles.read(name, limit: limit)
        if !rig.faults.isEmpty {
            // What it shows may hang on them.
            rig.faults = []
            rig.shows = []
        }
        let place = places.withLock { places in
            if places.isEmpty { atexit { Rehearsal.removeStandards() } }
            let place = places[rig] ?? Place()
            places[rig] = place
            return place
        }
        return try place.held.withLock { held in
            if let held { return held }
            let made = try Rehearsal(rig)
            held = made
            return made
        }
    }

    /// One lock for each, so that two rigs are played at a time.
    private final class Place: Sendable {
        let held = Mutex<Rehearsal?>(nil)
    }

    private static let places = Mutex<[Rig: Place]>([:])

    /// They outlive every test; their files must not outlive the process.
    private static func removeStandards() {
        for place in places.withLock({ Array($0.values) }) {
            place.held.withLock { $0?.removeFiles() }
        }
    }
}
