/// Dates of the proleptic Gregorian calendar in UTC, from epoch milliseconds, by whole-number
/// arithmetic: 400 years are 146,097 days.
enum Calendar {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
    static func httpDate(_ milliseconds: Int64) -> String {
        let (days, second) = floored(milliseconds / 1000, by: 86_400)
        let date = civil(days)
        return "\(weekdays[Int(floored(days, by: 7).remainder)]), \(two(date.day)) "
            + "\(months[Int(date.month) - 1]) \(date.year) \(clock(second)) GMT"
    }

    /// `1994-11-06T08:49:37Z`, as SAML has it.
    static func isoDate(_ milliseconds: Int64) -> String {
        let (days, second) = floored(milliseconds / 1000, by: 86_400)
        let date = civil(days)
        return "\(date.year)-\(two(date.month))-\(two(date.day))T\(clock(second))Z"
    }

    /// The epoch milliseconds of what `isoDate` wrote; nil for other texts.
    static func milliseconds(_ isoDate: String) -> Int64? {
        let parts = isoDate.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
        guard parts.count == 6, isoDate.hasSuffix("Z"), (1...12).contains(parts[1]) else {
            return nil
        }
        // Days of the years from March on, as `civil` counts them.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let month = parts[1] > 2 ? parts[1] - 3 : parts[1] + 9
        let (era, yearOfEra) = floored(year, by: 400)
        let dayOfYear = (153 * month + 2) / 5 + parts[2] - 1
        let day = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + day - 719_468
        return (days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]) * 1000
    }

    private static func clock(_ second: Int64) -> String {
        "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    }

    private static func two(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static func floored(
        _ value: Int64, by unit: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let remainder = (value % unit + unit) % unit
        return ((value - remainder) / unit, remainder)
    }

    /// Years are counted from March, so that the leap day is the last of its year.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = floored(days + 719_468, by: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isPastNewYear = month >= 10
        return (
            year + era * 400 + (isPastNewYear ? 1 : 0), isPastNewYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
