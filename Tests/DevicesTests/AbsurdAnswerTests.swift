import Dialects
import Foundation
import Journal
import Testing

/// Whole households whose service and provider write numbers that no server should.
@Suite struct AbsurdAnswerTests {
    static let numbers = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-1", "0", "1e308",
        "1e400",
        "1e-5", "0.5", "\"NaN\"", "1234567890123456789012345678901234567890",
        "\"9223372036854775808\"",
        "\"\"", "null", "true", "[]", "{}", "315576000000", "7258118400000", "7258118400001", "1",
        "NaN",
    ]

    private static func run(_ alter: @escaping (Reply) -> Reply) throws -> FakeRun {
        try FakeRun(
            alter: alter,
            provider: FakeRun.script(.page("refresh"), .page("plain"), .page("hand-over")))
    }

    private static func replacing(_ pattern: String, by text: String, in reply: Reply) -> Reply {
        var reply = reply
        let body = reply.text.replacingOccurrences(
            of: pattern, with: NSRegularExpression.escapedTemplate(for: text),
            options: .regularExpression)
        reply.body = Array(body.utf8)
        return reply
    }

    @Test(
        "a household ends, and is not signed in by an answer that is malformed",
        arguments: ["expires_in", "generated", "expires"], numbers)
    func fields(name: String, number: String) throws {
        let run = try Self.run {
            Self.replacing("\"\(name)\":\"?[0-9]+\"?", by: "\"\(name)\":\(number)", in: $0)
        }
        let malformed = run.ledger.exchanges.contains { $0.outcome == .malformed }
        #expect(run.fates.count == 1)
        #expect(!malformed || run.fates[0] != .signedIn)
    }

    @Test("numbers in headers are clamped: they change nothing", arguments: numbers)
    func headers(number: String) throws {
        let value = number.filter { $0 != "\"" }
        let run = try Self.run { reply in
            var reply = reply
            for name in ["Retry-After", "Date", "Age", "Keep-Alive", "Expires", "Content-Length"] {
                reply.headers.append(name, name == "Keep-Alive" ? "timeout=\(value)" : value)
            }
            reply.headers.append("Set-Cookie", "x=1; Max-Age=\(value); Expires=\(value)")
            return reply
        }
        #expect(run.fates == [.signedIn])
    }

    @Test("a page that refreshes at an absurd time ends or goes on", arguments: numbers)
    func refresh(number: String) throws {
        let value = number.filter { $0 != "\"" }
        let run = try Self.run {
            Self.replacing("content=\"[0-9]+;", by: "content=\"\(value);", in: $0)
        }
        #expect(run.fates.count == 1)
    }
}
