internal import Glibc

/// Notices that this machine slept. Everything of a run goes by the monotonic clock, which stands
/// still in the meantime; the boot-time clock does not (clock_gettime(2)). What a service lets run
/// out then seems to run out early.
///
///     boot time  ───────────────────────▶
///     monotonic  ─────┐        ┌────────▶
///                     └─ slept ┘  the distance has grown: that long
public struct ClockWatch: Sendable {
    /// Boot time less monotonic time, when it was looked at last.
    private var distance: Int64?

    /// Less is the time between two readings.
    private static let least: Int64 = 10_000_000

    public init() {}

    /// How long the machine has slept since the last look; nil: not at all, or this is the first.
    public mutating func look() -> Duration? {
        let before = LiveLoop.monotonic()
        let bootTime = Self.bootTime()
        let after = LiveLoop.monotonic()
        // The thread was put off between the readings: they say nothing about each other.
        guard after - before < Self.least / 10 else { return nil }
        return look(monotonic: before, bootTime: bootTime)
    }

    /// The same for two readings in nanoseconds.
    mutating func look(monotonic: Int64, bootTime: Int64) -> Duration? {
        let now = bootTime - monotonic
        defer { distance = now }
        guard let distance, now - distance >= Self.least else { return nil }
        return .nanoseconds(now - distance)
    }

    private static func bootTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
