import Testing
import Vocabulary

@testable import Dialects

@Suite("Retry-After (RFC 9110, 10.2.3), in every dialect")
struct RetryAfterTests {
    private static let origin = Origin(scheme: .http, host: "127.0.0.1", port: 80)
    private static let dialects: [any Dialect] = [
        V1(
            origin: origin, requestor: "R", domain: "d.test", redirectURL: "https://d.test/done"),
        V2(
            origin: origin, serviceProvider: "R", domain: "d.test",
            redirectURL: "https://d.test/done"), DeviceGrantTests.dialect(),
    ]
    private static let date: Headers = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]

    @Test(
        "seconds, or an instant of the server's clock; what cannot be read counts as nothing",
        arguments: [
            ("7", 7), ("0", 1), ("", 1), ("soon", 1), ("-5", 1), ("1.5", 1), ("3600", 3600),
            ("99999999999999999999", 315_576_000),
            ("Sun, 06 Nov 1994 08:51:37 GMT", 120), ("Sun, 06 Nov 1994 08:00:00 GMT", 1),
        ])
    func throttled(text: String, seconds: Int64) {
        for dialect in Self.dialects {
            let call = Call(
                .accessToken, .post, WebAddress(origin: Self.origin, target: "/token"))
            var headers = Self.date
            headers.append("Retry-After", text)
            let reading = dialect.read(Reply(status: 429, headers: headers), to: call)
            #expect(reading.outcome == .throttled && reading.deviations.isEmpty)
            guard case .slow(let pause) = reading.answer, pause == .seconds(seconds) else {
                Issue.record("\(dialect.name): \(reading.answer)")
                continue
            }
        }
    }

    @Test("an instant without the server's clock says nothing")
    func withoutDate() {
        let headers: Headers = ["Retry-After": "Sun, 06 Nov 1994 08:51:37 GMT"]
        #expect(Reply(status: 429, headers: headers).retryAfter == nil)
    }

    @Test("a server that fails may say for how long", arguments: ["application/json", "text/html"])
    func unavailable(type: String) {
        for dialect in Self.dialects {
            let call = Call(
                .accessToken, .post, WebAddress(origin: Self.origin, target: "/token"))
            let reply = Reply(
                status: 503, headers: ["Content-Type": type, "Retry-After": "7"], body: [60])
            guard case .unavailable(let pause) = dialect.read(reply, to: call).answer,
                pause == .seconds(7)
            else {
                Issue.record("\(dialect.name)")
                continue
            }
        }
    }
}
