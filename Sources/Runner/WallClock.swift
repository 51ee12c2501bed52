internal import Foundation

/// The machine's wall clock; everything but the dates of a run goes by the lanes' clock.
package enum WallClock {
    /// Since 1970.
    package static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }
}
