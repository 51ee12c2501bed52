/// A time in which nothing of a run could happen: this machine slept, and its monotonic clock stood still while the service's
/// went on; or this process was stopped, or starved by its machine.
public struct Standstill: Sendable, Hashable {
    /// When it was noticed, by this machine's monotonic clock.
    public var noticed: Instant
    public var length: Duration

    public init(noticed: Instant, length: Duration) {
        self.noticed = noticed
        self.length = length
    }

    /// What is said of one of this process: `this process did not run for 4.0 s, until second 14.2 of the run ...`.
    public var ofProcess: String {
        func tenths(_ instant: Instant) -> String {
            let tenths = (instant.nanoseconds + 50_000_000) / 100_000_000
            return "\(tenths / 10).\(tenths % 10)"
        }
        return
            "this process did not run for \(tenths(Instant(length))) s, until second \(tenths(noticed)) of the run "
            + "(it was stopped, or starved by its machine); ignore the measurements of that time"
    }

    /// `NOTICED:LENGTH` in nanoseconds, as histories keep it.
    var text: String { "\(noticed.nanoseconds):\(Instant(length).nanoseconds)" }

    init?(text: String) {
        let parts = text.split(separator: ":").compactMap { Int64($0) }
        guard parts.count == 2 else { return nil }
        self.init(noticed: Instant(nanoseconds: parts[0]), length: .nanoseconds(parts[1]))
    }
}

extension HistoryEnd {
    /// When this process did not run, in words. Of a machine that starves it again and again, the first say enough.
    public var stallTexts: [String] {
        let first = stalls.prefix(5).map(\.ofProcess)
        return stalls.count > first.count
            ? first + ["and \(stalls.count - first.count) more such times"] : first
    }
}
