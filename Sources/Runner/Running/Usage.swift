internal import Foundation
internal import Lanes

/// Processor time of this process.
package struct Usage {
    package var processor: Double
    package var wall: Double

    package static func now() -> Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        let processor = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Usage(processor: processor, wall: Double(LiveLoop.monotonic()) / 1e9)
    }

    /// Percent of one core since `start`.
    package func percent(since start: Usage) -> Double {
        wall > start.wall ? 100 * (processor - start.processor) / (wall - start.wall) : 0
    }
}
