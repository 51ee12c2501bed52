internal import Formats

/// On which days a night is to be expected, as the nights so far tell.
struct NightCalendar {
    private let starts: [Int64]
    /// Seconds between two nights, mostly: about a day, or more. Nil where there are too few, or where most follow
    /// each other sooner: those are started by hand, and none is due.
    private let usual: Int64?
    private static let day: Int64 = 86_400

    init(_ starts: [String]) {
        let starts = starts.compactMap { UTCTime(rfc3339: $0)?.seconds }.sorted()
        self.starts = starts
        let steps = zip(starts.dropFirst(), starts).map { $0 - $1 }.filter { $0 > 0 }.sorted()
        let middle = steps.count < 3 ? 0 : steps[steps.count / 2]
        usual = middle < Self.day * 3 / 4 ? nil : middle
    }

    /// The nights that should have run between two that did.
    func missing(after first: String, before second: String) -> [String] {
        guard let from = UTCTime(rfc3339: first)?.seconds,
            let to = UTCTime(rfc3339: second)?.seconds
        else { return [] }
        return missing(from, to, late: 2, known: starts.filter { $0 <= from })
            .filter { $0 != UTCTime(seconds: to).date }
    }

    /// The nights that should have run after the newest, as of `now`: of a daily one the start was three hours ago.
    func missing(after newest: String, until now: String) -> [String] {
        guard let from = UTCTime(rfc3339: newest)?.seconds, let to = UTCTime(rfc3339: now)?.seconds
        else { return [] }
        return missing(from, to, late: 8, known: starts)
    }

    /// Where nights follow each other daily, those days of the week are not expected on which none has ever run: weekends
    /// are no news. A night may be late by one part in `late` of an interval.
    private func missing(_ from: Int64, _ to: Int64, late: Int64, known: [Int64]) -> [String] {
        // More than these are not counted: the file's times may be anything.
        guard let usual, to > from, (to - from) / usual < 1000 else { return [] }
        let isDaily = usual <= Self.day * 5 / 4
        let seen = Set(known.map { weekday($0) })
        var missing: [String] = []
        // No date has more than one night.
        var last = from / Self.day
        var next = from + usual
        while next + usual / late < to {
            let day = next / Self.day
            if day > last, !isDaily || seen.contains(weekday(next)) {
                missing.append(UTCTime(seconds: next).date)
                last = day
            }
            next += usual
        }
        return missing
    }

    private func weekday(_ seconds: Int64) -> Int64 { seconds / Self.day % 7 }
}
