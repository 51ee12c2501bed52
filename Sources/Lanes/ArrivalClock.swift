/// Turns the kernel's stamps, which are by the wall clock, into instants of the monotonic one. All in nanoseconds.
///
/// The wall clock may be set between a stamp and its reading. Of how far it was ahead at the wait before the latest and
/// is now, the less is right or makes an arrival too late: never too early, which would be a false order to the judge.
/// Nor is an arrival before the end of that wait: then it would have been read after it, or waited for room.
struct ArrivalClock {
    /// The end of a wait, and how far the wall clock was ahead of the monotonic one.
    private struct Look {
        var ended = Int64.min
        var lead = Int64.max
    }
    private var earlier = Look()
    private var latest = Look()

    /// A wait has ended at `now`.
    mutating func look(at now: Int64, lead: Int64) {
        earlier = latest
        latest = Look(ended: now, lead: lead)
    }

    /// When something arrived that is read at `now`; 0 is no stamp, and says now.
    func arrival(_ stamp: Int64, at now: Int64, lead: Int64) -> Int64 {
        stamp > 0 ? max(min(stamp - min(lead, earlier.lead), now), earlier.ended) : now
    }
}
