/// How soon after events of a kind somebody looked at what they had changed, and so which windows would
/// have been noticed: times after each event in which the old state still shows.
///
/// ```text
/// event ──┬── window ──┐
///         │      look  │            noticed: the look was answered within the window
///         │            │   look     missed
/// ```
///
/// A look counts by when its answer came. The request reached the other side some time before that, so a
/// window there that is as long as the delay includes it.
public struct WindowExposure: Sendable, Hashable {
    /// Events, whether or not somebody looked afterwards.
    public private(set) var events = 0
    /// From an event to the answer of the first look after it, in nanoseconds; one for each event that was
    /// followed by a look.
    public private(set) var delays = Histogram()

    public init() {}

    /// As another one was, which a history has kept.
    public init(events: Int, delays: Histogram) {
        (self.events, self.delays) = (events, delays)
    }

    /// An event took place.
    public mutating func addEvent() { events += 1 }

    /// The first look after an event was answered so many nanoseconds after it.
    public mutating func addLook(after delay: Int64) { delays.record(delay) }

    /// Adds all of `other`, as if its events had been added here.
    public mutating func merge(_ other: WindowExposure) {
        events += other.events
        delays.merge(other.delays)
    }

    /// Events of which the first look was answered within so many nanoseconds.
    public func hits(within window: Int64) -> Int { delays.count - delays.count(above: window) }

    /// The share of events in which such a window would have been noticed, 0 to 1.
    public func share(within window: Int64) -> Double {
        events == 0 ? 0 : Double(hits(within: window)) / Double(events)
    }

    /// The probability that as many events, looked at in the same way, notice such a window at least once,
    /// where `share` of the events have one.
    public func probability(ofSeeing window: Int64, inShare share: Double = 1) -> Double {
        TrialCount.probability(ofSeeing: self.share(within: window) * share, in: events)
    }

    /// The shortest window that as many events notice with that probability, in nanoseconds; nil where no
    /// window is long enough.
    public func shortestWindow(
        seenWith probability: Double = 0.95, inShare share: Double = 1
    ) -> Int64? {
        guard events > 0, delays.count > 0, share > 0 else { return nil }
        let each = TrialCount.share(seenWith: probability, in: events)
        let hits = (each / share * Double(events) - 1e-9).rounded(.up)
        guard hits <= Double(delays.count) else { return nil }
        return delays.value(atShare: (max(1, hits) - 0.5) / Double(delays.count))
    }
}
