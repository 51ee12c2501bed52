import Dialects
import Foundation
import Statistics
import TestSupport
import Testing

@testable import Journal

@Suite("Requests and replies that are kept")
struct MessageTests {
    private static let gate = OutputGate(Fingerprinter(key: 1), ownHeaders: ["X-Waf": "planted"])

    private static func message(
        _ household: Int, _ sequence: Int, says: String = "{}", bytes: Int = 0
    ) -> Message {
        var call = Call(
            .pollToken, .post,
            WebAddress("http://127.0.0.1:80/tokens?deviceId=d-1&access_token=hushhush1")!)
        call.headers = [
            "Authorization": "Bearer hushhush2", "X-Waf": "hushhush3", "Accept": "*/*",
            "Content-Type": "application/x-www-form-urlencoded",
        ]
        call.body = Array("grant=1&client_secret=hush%20hush4".utf8)
        let body = Array(says.utf8) + [UInt8](repeating: 0x61, count: bytes)
        let reply = Reply(status: 403, headers: ["Content-Type": "application/json"], body: body)
        return Message(household: household, sequence: sequence, call: call, reply: reply)
    }

    private static func record(
        _ batches: [Batch], accused: [Int] = [], _ scratch: TestFolder,
        through gate: OutputGate = gate
    ) throws -> History {
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        writer.keepMessages(through: gate)
        for batch in batches { writer.append(batch) }
        for household in accused { writer.keepWhole(household) }
        _ = writer.finish(Samples.end)
        return try History(path: scratch.path)
    }

    private static func batches(
        households: Int, erring: [Int: Int] = [:], kind: (Int) -> String = { _ in "family" }
    ) -> [Batch] {
        var samples = Samples(Seed(4))
        return (1...3).map { step in
            var batch = Batch(lane: 0, through: Instant(.seconds(step)))
            for household in 0..<households {
                var exchange = samples.exchange(
                    household: household, sequence: step, around: step, clean: true)
                exchange.provoked = false
                if erring[household] == step { exchange.outcome = .serverError }
                batch.exchanges.append(exchange)
                batch.messages.append(message(household, step))
                var record = HouseholdRecord(
                    household: household, kind: kind(household), lane: 0, arrived: .start)
                if step == 3 { record.ended = exchange.ended }
                if step != 2 { batch.households.append(record) }
            }
            return batch
        }
    }

    @Test("kept are the first household of each kind, accused ones whole, and the first error")
    func which() throws {
        let scratch = TestFolder()
        let batches = Self.batches(households: 9, erring: [4: 2]) { $0 < 6 ? "family" : "student" }
        let history = try Self.record(batches, accused: [3], scratch)
        var kept: [Int: [Int]] = [:]
        try history.messages { kept[$0.household, default: []].append($0.sequence) }
        #expect(kept == [0: [1, 2, 3], 3: [1, 2, 3], 4: [2], 6: [1, 2, 3]])
        #expect(try history.messages(household: 4).map(\.sequence) == [2])
    }

    @Test("without a gate nothing is kept")
    func off() throws {
        let scratch = TestFolder()
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        for batch in Self.batches(households: 2) { writer.append(batch) }
        _ = writer.finish(Samples.end)
        #expect(try History(path: scratch.path).messages(household: 0).isEmpty)
    }

    @Test("what is kept reads back, with every secret a fingerprint and all else as it was")
    func redacted() throws {
        let scratch = TestFolder()
        let history = try Self.record(Self.batches(households: 1), scratch)
        let kept = try #require(try history.messages(household: 0).first)
        #expect(kept.method == "POST")
        #expect(
            kept.url == "http://127.0.0.1/tokens?deviceId=d-1&access_token="
                + Self.gate.mark("hushhush1"))
        #expect(kept.requestHeaders["Accept"] == "*/*")
        #expect(kept.requestHeaders["X-Waf"] == Self.gate.mark("hushhush3"))
        #expect(kept.requestBody.hasPrefix("grant=1&client_secret=(secret #"))
        #expect(kept.status == 403)
        #expect(kept.responseBody == "{}")
        let file = try Data(contentsOf: URL(filePath: scratch.history))
        for secret in ["hushhush1", "hushhush2", "hushhush3", "hush%20hush4"] {
            #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        #expect(file.range(of: Data("deviceId=d-1".utf8)) != nil)
    }

    @Test("a secret that the service echoes is a fingerprint wherever it stands")
    func echoes() {
        let says =
            #"{"message": "no such token hushhush2, password 'hush hush4'", "x": "hushhush1"}"#
        var known = KnownSecrets()
        let kept = KeptMessage.kept(
            [Self.message(1, 1, says: says), Self.message(1, 2)], Self.gate, knowing: &known)
        let marks = ["hushhush2", "hush hush4", "hushhush1"].map { Self.gate.mark($0) }
        let wanted =
            "{\"message\": \"no such token \(marks[0]), password '\(marks[1])'\", \"x\": \"\(marks[2])\"}"
        let body = kept[0].responseBody
        #expect(body == wanted)
    }

    @Test("a body of megabytes is cut, and does not fill the memory")
    func bounded() {
        var shelf = MessageShelf(limit: 2_000_000)
        for sequence in 1...50 { _ = shelf.add([Self.message(1, sequence, bytes: 2_000_000)]) }
        let kept = shelf.want(1)
        #expect(kept.count == 50)
        #expect(kept.allSatisfy { $0.reply!.body.count == Message.bodyLimit })
    }

    @Test("the oldest messages are forgotten first, but never those of a household that is wanted")
    func forgotten() {
        var shelf = MessageShelf(limit: 100_000)
        for sequence in 1...4 {
            for household in 0..<100 { _ = shelf.add([Self.message(household, sequence)]) }
        }
        #expect(shelf.message(0, 1) == nil)
        #expect(shelf.want(0).allSatisfy { $0.sequence > 2 })
        #expect(shelf.want(99).map(\.sequence).last == 4)
        // What comes later of a household that is wanted goes through at once.
        #expect(shelf.add([Self.message(99, 5), Self.message(98, 5)]).map(\.sequence) == [5])
        for sequence in 6...2_000 { _ = shelf.add([Self.message(7, sequence)]) }
        #expect(shelf.want(98).isEmpty)
        let last = shelf.want(7).map(\.sequence)
        #expect(last.last == 2_000 && last == last.sorted() && last.count < 200)
    }
}
