import Testing
import Vocabulary

@testable import Dialects

/// A compressed body is none that anybody asked for, and no breach either (RFC 9110, 12.5.3).
@Suite struct ContentCodingTests {
    private static let origin = Origin(scheme: .http, host: "127.0.0.1", port: 8080)
    private static let dialects: [any Dialect] = [
        V1(
            origin: origin, requestor: "DEMOTV", domain: "demo.test",
            redirectURL: "https://demo.test/done"),
        V2(
            origin: origin, serviceProvider: "DEMOTV", domain: "demo.test",
            redirectURL: "https://demo.test/done"),
        DeviceGrant(origin: origin),
    ]

    private static func reading(
        _ dialect: any Dialect, _ operation: OperationName, _ status: Int, coding: String,
        _ body: [UInt8] = [0x1f, 0x8b, 8, 0, 0]
    ) throws -> Reading {
        let address = WebAddress(origin: origin, target: "/any")
        return dialect.read(
            Reply(
                status: status,
                headers: ["content-encoding": coding, "Content-Type": "application/json"],
                body: body), to: Call(operation, .get, address))
    }

    @Test("it is unreadable by its header, for services and pages, and accused of nothing")
    func compressed() throws {
        for dialect in Self.dialects {
            for operation in [
                OperationName.accessToken, .pollToken, .profiles, .deviceToken, .mvpdLogin,
            ] {
                for status in [200, 404] {
                    let reading = try Self.reading(dialect, operation, status, coding: "gzip")
                    #expect(reading.outcome == .blocked)
                    #expect(reading.deviations.isEmpty)
                    #expect(
                        reading.reason.map { "\($0)" } != nil
                            && reading.reason
                                == "a body with Content-Encoding gzip, which screenrig does not read"
                    )
                }
            }
        }
    }

    @Test("a plain body that is called identity, one that is empty and a redirect are read")
    func plain() throws {
        let body = Array(#"{"access_token":"a","expires_in":9}"#.utf8)
        for dialect in Self.dialects {
            let named = try Self.reading(dialect, .mvpdLogin, 200, coding: "Identity", body)
            #expect(named.outcome == .ok)
            let empty = try Self.reading(dialect, .accessToken, 404, coding: "gzip", [])
            #expect(empty.outcome != .blocked)
        }
        let redirect = Self.dialects[0].read(
            Reply(
                status: 302, headers: ["Content-Encoding": "gzip", "Location": "/next"], body: [31]),
            to: Call(.mvpdLogin, .get, WebAddress(origin: Self.origin, target: "/login")))
        #expect(redirect.outcome == .ok)
    }
}
