import Dialects
import Foundation
import Journal
import Reports
import TestSupport
import Testing
import Vocabulary

@testable import Runner

@Suite("Telemetry without a responding collector", .timeLimit(.minutes(2)))
struct TelemetryTests {
    private static func exchange(_ number: Int) -> Exchange {
        let sent = Instant(.milliseconds(number))
        return Exchange(
            lane: 0, sequence: number, device: DeviceID(household: number, role: .firstScreen),
            operation: .pollToken, planned: sent, begun: sent, sent: sent, firstByte: sent,
            ended: sent, delivery: .answered(status: 200), outcome: .ok,
            observation: Observation(.success), route: Route(connection: 1, remote: "127.0.0.1:1"))
    }

    @Test("metrics go out beside spans that a collector does not take, and every span is counted")
    func slowCollector() async throws {
        // Connections are made, and nothing is answered.
        let (socket, port) = Loopback.listening(backlog: 16)
        defer { close(socket) }
        let planted = try PlantedShards()
        let run = try planted.write(0, as: "run")
        let exporter = try TelemetryExporter(
            Collector("http://127.0.0.1:\(port)", [:]), sendsSpans: true,
            TelemetryExporter.Pace(metricsEvery: 1, patience: .seconds(2), grace: 2))
        exporter.begin(try History(path: run.history).header)
        exporter.show(LiveState(title: "", progress: Progress()))
        let sink = exporter.before(Nowhere())
        // Forty messages of spans: two seconds each until they are given up.
        let spans = 40 * 512
        for first in stride(from: 0, to: spans, by: 512) {
            var batch = Batch(lane: 0, through: .start)
            batch.exchanges = (first..<first + 512).map(Self.exchange)
            sink.append(batch)
        }
        while exporter.lostMetrics == 0 { try await Task.sleep(for: .milliseconds(100)) }
        let sentence = exporter.finish()
        #expect(sentence.hasPrefix("telemetry: sent 0 spans and 0 messages of metrics to http"))
        #expect(sentence.contains("; dropped \(spans) spans, lost "), "\(sentence)")
    }

    @Test("a command that ends before its run begins lets its exporter go")
    func neverBegun() throws {
        for _ in 0..<3 {
            _ = try TelemetryExporter(Collector("http://127.0.0.1:1", [:]), sendsSpans: true)
        }
    }

    @Test("who presses Ctrl-C twice waits for no collector")
    func givenUp() throws {
        let (socket, port) = Loopback.listening(backlog: 16)
        defer { close(socket) }
        let planted = try PlantedShards()
        let run = try planted.write(0, as: "run")
        let exporter = try TelemetryExporter(
            Collector("http://127.0.0.1:\(port)", [:]), sendsSpans: false,
            TelemetryExporter.Pace(patience: .seconds(100), grace: 1_000))
        exporter.begin(try History(path: run.history).header)
        exporter.show(LiveState(title: "", progress: Progress()))
        exporter.giveUp()
        #expect(exporter.finish().hasPrefix("telemetry: sent "))
    }
}
