import Foundation
import FoundationNetworking
import TestSupport
import Testing

@Suite("What this machine can do", .ownThread)
struct CalibrateTests {
    private static let times = [
        "count", "min", "mean", "p50", "p75", "p90", "p95", "p99", "p99.9", "max",
    ]

    private static func object(_ ended: Command.Ended) throws -> [String: Any] {
        let read = try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
        return try #require(read as? [String: Any], "\(ended.output)\(ended.errors)")
    }

    private static func number(_ object: [String: Any], _ key: String, _ inner: String) -> Double {
        ((object[key] as? [String: Any])?[inner] as? NSNumber)?.doubleValue ?? .nan
    }

    @Test("one JSON object with the keys that scripts rely on, and nothing else")
    func json() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "calibrate", "--json", "--for", "300ms", "--connections", "20", in: folder)
        #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
        let found = try Self.object(ended)
        #expect(
            Set(found.keys) == [
                "schema", "requestsPerSecond", "cpuMicrosecondsPerRequest", "latencyMs",
                "serviceMs", "latenessMs", "connections", "errors", "drainTimeMs",
                "peakMemoryMB", "gateSpreadUs",
            ])
        #expect(found["schema"] as? String == "screenrig/calibration/1")
        #expect(found["connections"] as? Int == 20 && found["errors"] as? Int == 0)
        for key in ["latencyMs", "serviceMs", "latenessMs", "gateSpreadUs"] {
            #expect(Set((found[key] as? [String: Any] ?? [:]).keys) == Set(Self.times), "\(key)")
        }
        for key in ["requestsPerSecond", "cpuMicrosecondsPerRequest", "peakMemoryMB"] {
            #expect((found[key] as? NSNumber)?.doubleValue ?? 0 > 0, "\(key)")
        }
        let perSecond = (found["requestsPerSecond"] as? NSNumber)?.doubleValue ?? 0
        #expect(abs(Self.number(found, "latencyMs", "count") - perSecond * 0.3) < 2)
        #expect(Self.number(found, "latencyMs", "p99") >= Self.number(found, "serviceMs", "p50"))
        // As many as go into its five seconds.
        #expect((1...2_000).contains(Self.number(found, "gateSpreadUs", "count")))
    }

    @Test(
        "at a rate exactly so many requests are due, whatever is kept of them",
        arguments: ["aggregates", "all"])
    func rate(record: String) async throws {
        let ended = try await Command.run(
            "calibrate", "--json", "--for", "1s", "--rate", "200/s", "--connections", "10",
            "--record", record, in: TestFolder())
        let found = try Self.object(ended)
        #expect(Self.number(found, "latencyMs", "count") == 200)
        #expect(Self.number(found, "latenessMs", "count") == 200)
        #expect(found["errors"] as? Int == 0)
        // Where nothing is written and judged, nothing is left to write and judge.
        #expect((found["drainTimeMs"] as? NSNumber != nil) == (record == "all"))
    }

    @Test("a URL is asked for over so many connections; an answer of 400 or more is an error")
    func target() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0", "--no-throttle"], in: folder)
        let url = try await server.url()
        func found(_ path: String) async throws -> Command.Ended {
            try await Command.run(
                "calibrate", "--target", "\(url)\(path)", "--json", "--for", "500ms", "--rate",
                "100/s", "--connections", "5", in: folder)
        }
        let right = try Self.object(try await found("/_standin/counters"))
        #expect(right["connections"] as? Int == 5 && right["errors"] as? Int == 0)
        #expect(Self.number(right, "latencyMs", "count") == 50)
        let wrong = try await found("/nowhere")
        #expect(wrong.code == 3)
        #expect(wrong.errors.contains("every response was an error: status 40"), "\(wrong.errors)")
        #expect(wrong.errors.contains("--target must name a page"))
    }

    @Test("what was found is remembered for validate; a run at a rate, or of a target, is not")
    func remembered() async throws {
        let folder = TestFolder()
        let rig = Command.rig("smoke.yaml")
        func line() async throws -> String? {
            let ended = try await Command.run("validate", rig, in: folder)
            return ended.output.split(separator: "\n").first { $0.hasPrefix("this machine") }
                .map(String.init)
        }
        #expect(try await line() == nil)
        _ = try await Command.run(
            "calibrate", "--for", "100ms", "--rate", "100/s", "--connections", "2", in: folder)
        #expect(try await line() == nil)
        let ended = try await Command.run("calibrate", "--for", "200ms", in: folder)
        #expect(ended.output.contains("requests/s to a built-in service"), "\(ended.output)")
        let said = try #require(try await line())
        #expect(
            said.contains(
                /this machine +calibrated at \d+ plain requests\/s \(counted, 1 lane\) on/),
            "\(said)")
        func divided(_ shards: String) async throws -> Command.Ended {
            try await Command.run("validate", rig, "--shards", shards, in: folder)
        }
        #expect(try await divided("auto").output.contains("one machine like this one is enough"))
        #expect(try await divided("3").output.contains("each of 3"))
        #expect(try await divided("none").code == 2)
        let tooMany = try await divided("100000")
        #expect(
            tooMany.code == 2 && tooMany.errors.contains("use at most"), "\(tooMany.errors)")
        _ = try folder.write("broken", to: "screenrig/calibration.json")
        #expect(try await divided("auto").output.contains("run 'screenrig calibrate' on it once"))
        #expect(try await line() == nil)
    }

    @Test("hosts that are not loopback are refused before a byte is sent")
    func refused() async throws {
        // A documentation address (RFC 5737): even a mistake would reach nobody.
        let ended = try await Command.run(
            "calibrate", "--target", "http://192.0.2.1/", in: TestFolder())
        #expect(ended.code == 3 && ended.output.isEmpty)
        #expect(ended.errors.contains("pass --allow 192.0.2.1"), "\(ended.errors)")
    }

    @Test("a port at which nobody listens is exit code 3")
    func nothingListens() async throws {
        let ended = try await Command.run(
            "calibrate", "--target", "http://127.0.0.1:\(closedPort)/", "--for", "100ms",
            in: TestFolder())
        #expect(ended.code == 3 && ended.output.isEmpty)
        #expect(
            ended.errors.contains("no request was answered: connection-refused"),
            "\(ended.errors)")
    }

    @Test("more connections than descriptors are refused, with what to change")
    func descriptors() async throws {
        let folder = TestFolder()
        let ended = try await Command(
            ["-c", "ulimit -n 200; exec \(Command.binary) calibrate --connections 150"],
            in: folder, program: "/bin/sh"
        ).ended()
        #expect(ended.code == 3, "\(ended.output)")
        #expect(
            ended.errors.contains(
                "150 connections need 364 file descriptors, and this process may open 200"),
            "\(ended.errors)")
    }
}
