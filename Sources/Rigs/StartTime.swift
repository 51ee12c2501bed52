internal import Formats

/// The time at which the shards of a run start together, as `--start-at` has it.
public enum StartTime {
    /// Why a text is no such time.
    public enum Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        case malformed(String)
        /// From now on, which is another time in every process.
        case relative(String)
        case tooFar(String, days: Int64)
        case tooLate(String, days: Int64)

        public var description: String {
            switch self {
            case .malformed(let text):
                "--start-at is '\(text.shortened)'; it must be a time in UTC such as 2026-11-25T19:30:00Z, or seconds "
                    + "since 1970"
            case .relative(let text):
                "--start-at is '\(text.shortened)', which is another time in each process; give all of them one time, "
                    + "such as --start-at \"$(date -u -d '+60 seconds' +%FT%TZ)\""
            case .tooFar(let text, let days):
                "--start-at is \(text.shortened), \(days) days from now; a run waits at most \(daysAtMost) days"
            case .tooLate(let text, let days):
                "--start-at is \(text.shortened), \(days) days ago; a shard starts at most \(daysAtMost) days late"
            }
        }
    }

    /// How long a run waits at most, and how late it may start.
    public static let daysAtMost: Int64 = 31
    private static let day: Int64 = 86_400_000_000

    /// Such a time as a text: `2026-11-25T19:30:00Z`.
    public static func text(_ microseconds: Int64) -> String {
        microseconds % 1_000_000 == 0
            ? UTCTime(microseconds: microseconds).rfc3339
            : UTCTime.rfc3339(microseconds: microseconds, decimals: 3)
    }

    /// Microseconds since 1970: of a time in UTC (RFC 3339, 5.6) or of seconds since then, either with up to six
    /// decimals. A time in the past is allowed, up to `daysAtMost`: a shard may be late.
    public static func microseconds(_ text: String, now: Int64) throws(Mistake) -> Int64 {
        if let sign = text.first, sign == "+" || sign == "-" { throw .relative(text) }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var whole = String(parts[0])
        var fraction = parts.count == 2 ? String(parts[1]) : "0"
        let isDate = text.contains("T")
        if isDate, parts.count == 2 {
            guard fraction.hasSuffix("Z") else { throw .malformed(text) }
            fraction.removeLast()
            whole += "Z"
        }
        let seconds =
            isDate ? UTCTime(rfc3339: whole)?.seconds : ShardRequest.number(whole).map(Int64.init)
        guard let seconds, seconds < 100_000_000_000, fraction.utf8.count <= 6,
            let decimals = ShardRequest.number(fraction)
        else { throw .malformed(text) }
        let scale = (fraction.utf8.count..<6).reduce(1) { scale, _ in scale * 10 }
        let microseconds = seconds * 1_000_000 + Int64(decimals * scale)
        let ahead = microseconds - now
        guard ahead <= daysAtMost * day else { throw .tooFar(text, days: ahead / day) }
        guard -ahead <= daysAtMost * day else { throw .tooLate(text, days: -ahead / day) }
        return microseconds
    }
}
