import Dialects
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

/// How a TLS connection ends, and what that says of the answer before it (RFC 9112, 9.8).
@Suite("the end of a TLS connection", .serialized)
struct TLSEndTests {
    /// Answers the first request with `answer`, and ends TCP with or without the farewell of TLS.
    private static func server(
        _ files: Certificates, _ answer: String, saysFarewell: Bool
    ) throws -> RoughServer {
        try .secure(files) { visit in
            guard visit.hasRequest() else { return }
            visit.send(answer)
            if saysFarewell { visit.sayFarewell() }
        }
    }

    struct Ending: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var answer: String
        var saysFarewell: Bool
        /// Nil: the answer `ab`.
        var lost: String?
    }

    static let endings: [Ending] = [true, false].flatMap { saysFarewell in
        let manner = saysFarewell ? "with close_notify" : "without close_notify"
        return [
            Ending(
                testDescription: "a counted body, \(manner)",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
                saysFarewell: saysFarewell),
            Ending(
                testDescription: "chunks, \(manner)",
                answer:
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
                saysFarewell: saysFarewell),
            Ending(
                testDescription: "a body until the end, \(manner)",
                answer: "HTTP/1.1 200 OK\r\n\r\nab", saysFarewell: saysFarewell,
                lost: saysFarewell ? nil : "close_notify"),
            Ending(
                testDescription: "part of a counted body, \(manner)",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
                saysFarewell: saysFarewell, lost: ""),
            Ending(
                testDescription: "nothing, \(manner)", answer: "", saysFarewell: saysFarewell,
                lost: ""),
        ]
    }

    @Test(
        "an answer that may be cut off is the transport's failure, no answer", arguments: engines,
        endings)
    func end(_ engine: TransportOptions.Engine, _ row: Ending) throws {
        let files = try Certificates(["server"])
        let server = try Self.server(files, row.answer, saysFarewell: row.saysFarewell)
        defer { server.stop() }
        let settings = WireSettings(tls: .init(ca: files.path("ca.pem")))
        let port = server.port
        let transfer = try Bench.run(engine: engine, settings) {
            await $0.exchange(secure(port), from: plainDevice())
        }
        guard let words = row.lost else {
            #expect(transfer.reply?.text == "ab", "\(transfer.result)")
            return
        }
        let error = try #require(transfer.loss)
        #expect(error.kind == .connectionLost)
        #expect(error.outcome == .transport)
        #expect(words.isEmpty || error.detail.contains(words), "\(error)")
    }
}
