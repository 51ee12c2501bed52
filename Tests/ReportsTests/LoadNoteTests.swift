import Journal
import Testing
import Vocabulary

@testable import Reports

@Suite("What a reader must know about connections and pages in front")
struct LoadNoteTests {
    private func sample(http: String) -> Sample {
        var shape = Shape(households: 12, trouble: nil)
        shape.source = shape.source.replacing(
            "{base: embedded}", with: "{base: \"http://127.0.0.1:8080\", http: \(http)}")
        var sample = Sample(shape)
        sample.recordsAll = true
        return sample
    }

    @Test("a target that was to be spoken to over HTTP/2 and took HTTP/1.1 is named")
    func olderHTTP() throws {
        var sample = sample(http: "2")
        // A provider's pages are not the target's.
        let all = sample.exchanges.count {
            $0.delivery.status != nil && $0.operation != .mvpdLogin
        }
        let summary = try Summary(sample, thresholds: [])
        let words = "\(all) of \(all) responses came over HTTP/1.1, although target.http is 2"
        #expect(summary.notes.contains { $0.hasPrefix(words) }, "\(summary.notes)")
        #expect(TrialForecast(summary).text(width: 400)?.contains(words) == true)
        for index in sample.exchanges.indices {
            sample.exchanges[index].route = Route(
                connection: 1, reused: true, local: "", remote: "", httpVersion: "2")
        }
        let right = try Summary(sample, thresholds: [])
        #expect(!right.notes.contains { $0.contains("HTTP/1.1") })
        let asked = try Summary(self.sample(http: "1.1"), thresholds: [])
        #expect(!asked.notes.contains { $0.contains("HTTP/1.1") })
    }

    @Test(
        "a server that closes each connection is named; devices that ask but once are no sign of it"
    )
    func freshConnections() throws {
        func notes(_ sample: Sample, connections: (Exchange) -> Bool) throws -> [String] {
            var sample = sample
            for exchange in sample.exchanges where connections(exchange) {
                var connect = exchange
                connect.operation = .connect
                connect.delivery = .answered(status: 200)
                connect.outcome = .ok
                sample.exchanges.append(connect)
            }
            return try Summary(sample, thresholds: []).notes.filter {
                $0.hasPrefix("no connection was used twice: ")
            }
        }
        let plain = sample(http: "1.1")
        #expect(try notes(plain) { _ in true }.count == 1)
        #expect(try notes(plain) { $0.sequence % 5 == 1 } == [])
        var once = plain
        once.exchanges.removeAll { $0.sequence > 1 }
        #expect(try notes(once) { _ in true } == [])
    }

    @Test("a page that answered the service's requests, too, is no login's")
    func pageInFront() throws {
        var ends = OpenEnds()
        ends.add(
            DeviceEvent(
                device: DeviceID(household: 0, role: .secondScreen), sequence: 1, at: .start,
                name: OpenEnds.names[0],
                detail: "the login ended on the page at x ('Access Denied')"))
        let plain = try #require(ends.notes(pagesInFront: ["", "Maintenance"]).first)
        #expect(plain.contains("login.failed-when"))
        let front = try #require(ends.notes(pagesInFront: ["", "Access Denied"]).first)
        #expect(!front.contains("login.failed-when") && front.contains("firewall"), "\(front)")
    }
}
