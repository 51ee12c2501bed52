import Foundation
import Synchronization

extension Rehearsal {
    /// The run of `rigs/NAME` as its file and seed give it, played once for all tests that look at it.
    static func standard(_ name: String) throws -> Rehearsal {
        let place = places.withLock { places in
            if places.isEmpty { atexit { Rehearsal.removeStandards() } }
            let place = places[name] ?? Place()
            places[name] = place
            return place
        }
        return try place.held.withLock { held in
            if let held { return held }
            let made = try Rehearsal(RigFiles.read(name))
            held = made
            return made
        }
    }

    /// One lock for each, so that two rigs are played at a time.
    private final class Place: Sendable {
        let held = Mutex<Rehearsal?>(nil)
    }

    private static let places = Mutex<[String: Place]>([:])

    /// They outlive every test; their files must not outlive the process.
    private static func removeStandards() {
        for place in places.withLock({ Array($0.values) }) {
            place.held.withLock { $0?.removeFiles() }
        }
    }
}
