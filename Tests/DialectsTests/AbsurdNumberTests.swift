import Testing
import Vocabulary

@testable import Dialects

/// A field that a service fills with a time, and a good answer around it.
struct TimeField: Sendable, CustomTestStringConvertible {
    var name: String
    var operation: OperationName
    /// JSON with `@` where the field's value stands.
    var body: String
    var page: String
    /// What may be missing or be no time at all: then it is not read.
    var isOptional = false
    var testDescription: String { "\(operation.name) \(name)" }

    static let all = [
        TimeField(
            name: "expires_in", operation: .accessToken,
            body: #"{"access_token":"t","expires_in":@}"#, page: "D2"),
        TimeField(
            name: "generated", operation: .registrationCode,
            body: #"{"id":"i","code":"Q7MK2XA","generated":@,"expires":1760001800000}"#,
            page: "R1"),
        TimeField(
            name: "expires", operation: .registrationCode,
            body: #"{"id":"i","code":"Q7MK2XA","generated":1760000000000,"expires":@}"#,
            page: "R1"),
        TimeField(
            name: "generated", operation: .registrationRecord,
            body: #"{"id":"i","code":"Q7MK2XA","generated":@,"expires":1760001800000}"#,
            page: "R2", isOptional: true),
        TimeField(
            name: "expires", operation: .registrationRecord,
            body: #"{"id":"i","code":"Q7MK2XA","generated":1760000000000,"expires":@}"#,
            page: "R2", isOptional: true),
        TimeField(
            name: "expires", operation: .pollToken,
            body: #"{"mvpd":"M","userId":"u","requestor":"DEMOTV","expires":@}"#, page: "N4"),
        TimeField(
            name: "expires", operation: .authorize,
            body: #"{"resource":"r","mvpd":"M","requestor":"DEMOTV","expires":@}"#, page: "Z3"),
        TimeField(
            name: "expires", operation: .mediaToken,
            body: #"{"serializedToken":"dA==","mvpdId":"M","expires":@}"#, page: "Z5"),
    ]
}

@Suite struct AbsurdNumberTests {
    private static let dialect = V1(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), requestor: "DEMOTV",
        domain: "demo.test", redirectURL: "https://demo.test/done")

    private static func read(_ field: TimeField, _ value: String) -> Reading {
        let status = [.accessToken, .registrationCode].contains(field.operation) ? 201 : 200
        let body = field.body.split(separator: "@").joined(separator: value)
        let call = Call(
            field.operation, .get,
            WebAddress(origin: dialect.origin, target: "/api/v1/" + field.operation.name))
        return dialect.read(
            Reply(
                status: status, headers: ["Content-Type": "application/json"],
                body: Array(body.utf8)), to: call)
    }

    /// Each is no instant from 1970 to 2200, no duration from 0 to 10 years, or both.
    static let absurd = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-1", "1e308",
        "1e400",
        "1234567890123456789012345678901234567890", "\"9223372036854775808\"",
        "\"-9223372036854775808\"", "7258118400001", "-0.5",
    ]

    @Test(
        "a number out of range is malformed, and the deviation says which and what would be right",
        arguments: TimeField.all, absurd)
    func outOfRange(field: TimeField, value: String) throws {
        let reading = Self.read(field, value)
        #expect(reading.outcome == .malformed)
        #expect(reading.reason == "a time out of range")
        // The table may have another word for the same field.
        #expect(
            reading.deviations.contains {
                $0.rule.contains(field.name)
            }, "\(reading.deviations)")
    }

    @Test(
        "what is no number is no time",
        arguments: TimeField.all.filter { !$0.isOptional && $0.name != "expires_in" },
        ["\"\"", "null", "true", "[]", "{}", "\"NaN\"", "\"soon\""])
    func noNumber(field: TimeField, value: String) {
        #expect(Self.read(field, value).outcome == .malformed)
    }

    @Test("NaN is no JSON", arguments: TimeField.all)
    func notJSON(field: TimeField) {
        #expect(Self.read(field, "NaN").reason == "a body that is neither JSON nor XML")
    }

    @Test(
        "a code lives from 1 ms to 10 years",
        arguments: [
            (1_760_000_000_000, 1_760_000_000_000, nil),
            (1_760_000_000_000, 1_759_999_999_999, nil),
            (1_760_000_000_000, 1_760_000_000_001, 1), (0, 1, 1),
            (1_760_000_000_000, 2_075_576_000_000, 315_576_000_000),
            (1_760_000_000_000, 2_075_576_000_001, nil),
            (7_258_118_399_999, 7_258_118_400_000, 1),
        ] as [(Int64, Int64, Int64?)])
    func codeLife(generated: Int64, expires: Int64, lives: Int64?) {
        var field = TimeField.all[1]
        field.body = #"{"code":"Q7MK2XA","generated":@,"expires":\#(expires)}"#
        let reading = Self.read(field, String(generated))
        guard let lives else {
            #expect(reading.reason == "a time out of range")
            return
        }
        guard case .code(let issued) = reading.answer else {
            Issue.record("no code: \(reading)")
            return
        }
        #expect(issued.lifetime == .milliseconds(lives))
    }

    @Test(
        "an access token lives as long as expires_in says, in whatever spelling",
        arguments: [
            ("0", 0), ("3600", 3_600_000), ("\"3600\"", 3_600_000), ("3600.5", 3_600_500),
            ("3.6e3", 3_600_000), ("1e-5", 0), ("null", 21_600_000), ("315576000", 315_576_000_000),
            ("315576001", nil), ("\"\"", nil), ("true", nil), ("[]", nil), ("{}", nil),
            ("\"nan\"", nil), ("\"inf\"", nil),
        ] as [(String, Int64?)])
    func tokenLife(value: String, milliseconds: Int64?) {
        let reading = Self.read(TimeField.all[0], value)
        if let milliseconds {
            guard case .accessToken(let token) = reading.answer else {
                Issue.record("no token: \(reading)")
                return
            }
            #expect(token.lifetime == .milliseconds(milliseconds))
        } else {
            #expect(reading.reason == "a time out of range")
        }
    }
}
