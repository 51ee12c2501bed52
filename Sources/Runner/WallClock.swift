internal import Foundation
internal import Lanes

/// The machine's wall clock; everything but the dates of a run goes by the lanes' clock.
package enum WallClock {
    /// Since 1970.
    package static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// At instant zero of a live lane, since 1970.
    static func microseconds(ofStart lane: Lane) -> Int64 {
        microseconds - lane.now.nanoseconds / 1_000
    }
}
