/// Converts the kernel's time stamps, taken by the wall clock, to the monotonic clock. All in nanoseconds.
///
/// The wall clock may be set between a stamp and its reading. Its lead over the monotonic clock is therefore read twice: when the
/// wait before the latest one ended, and now. The smaller lead gives the right instant or a later one. An arrival that is too
/// early would be a false order for the judge. No arrival is earlier than the end of that wait, which left nothing unread but what
/// found no room.
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
