/// This machine slept during a run: its monotonic clock stood still while the service's went on.
public struct Standstill: Sendable, Hashable {
    /// When it was noticed, by the clock that stood still.
    public var noticed: Instant
    public var length: Duration

    public init(noticed: Instant, length: Duration) {
        self.noticed = noticed
        self.length = length
    }

    /// `NOTICED:LENGTH` in nanoseconds, as histories keep it.
    var text: String { "\(noticed.nanoseconds):\(Instant(length).nanoseconds)" }

    init?(text: String) {
        let parts = text.split(separator: ":").compactMap { Int64($0) }
        guard parts.count == 2 else { return nil }
        self.init(noticed: Instant(nanoseconds: parts[0]), length: .nanoseconds(parts[1]))
    }
}
