import Dialects
import Testing

@Suite("The Date of an answer")
struct HTTPDateTests {
    @Test(
        "is read to the second, in the one form that servers may send",
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
    func read(text: String, milliseconds: Int64?) {
        #expect(HTTPDate.milliseconds(text) == milliseconds)
    }
}
