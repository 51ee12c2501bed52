import Formats
import Testing

@Suite("times in UTC")
struct UTCTimeTests {
    @Test(
        "a Date is read to the second, in the one form that servers may send",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199_000),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200_000),
            ("Fri, 31 Dec 2100 00:00:00 GMT", 4_133_894_400_000),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 9994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 28:49:37 GMT", nil),
            ("Sun, -6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Now 1994 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func http(text: String, milliseconds: Int64?) {
        #expect(UTCTime(http: text)?.milliseconds == milliseconds)
    }

    @Test(
        "dates are those of the calendar, in each form, both ways",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z", "19700101T000000Z"),
            (
                784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
                "19941106T084937Z"
            ),
            (
                951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z",
                "20000229T000000Z"
            ),
            (
                1_735_689_599_999, "Tue, 31 Dec 2024 23:59:59 GMT", "2024-12-31T23:59:59Z",
                "20241231T235959Z"
            ),
            (
                4_107_542_400_000, "Mon, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00Z",
                "21000301T000000Z"
            ),
        ] as [(Int64, String, String, String)])
    func forms(milliseconds: Int64, http: String, rfc3339: String, compact: String) {
        let time = UTCTime(milliseconds: milliseconds)
        #expect(time.http == http)
        #expect(time.rfc3339 == rfc3339)
        #expect(time.compact == compact)
        #expect(time.date == String(rfc3339.prefix(10)))
        #expect(time.seconds == milliseconds / 1000)
        #expect(UTCTime(http: http) == time)
        #expect(UTCTime(rfc3339: rfc3339) == time)
        #expect(UTCTime(compact: compact) == time)
    }

    @Test(
        "microseconds are cut, also before 1970",
        arguments: [
            (0, 0, "1970-01-01T00:00:00Z"), (-1, 0, "1969-12-31T23:59:59Z"),
            (-1, 6, "1969-12-31T23:59:59.999999Z"),
            (1_795_244_400_250_999, 3, "2026-11-21T07:00:00.250Z"),
            (1_795_244_400_000_009, 6, "2026-11-21T07:00:00.000009Z"),
        ] as [(Int64, Int, String)])
    func microseconds(_ microseconds: Int64, decimals: Int, text: String) {
        #expect(UTCTime.rfc3339(microseconds: microseconds, decimals: decimals) == text)
        #expect(UTCTime(microseconds: microseconds).rfc3339.dropLast() == text.prefix(19))
    }

    @Test(
        "other forms are none",
        arguments: [
            "", "1994-11-06", "1994-11-06 08:49:37Z", "1994-11-06T08:49:37+00:00",
            "1994-13-06T08:49:37Z", "1994-00-06T08:49:37Z", "1994-11-32T08:49:37Z",
            "19941106T0849377", "1994110ST084937Z", "99999999T999999Z",
        ])
    func refused(text: String) {
        #expect(UTCTime(rfc3339: text) == nil)
        #expect(UTCTime(compact: text) == nil)
    }
}
