import Foundation
import Rigs
import Runner
import Signing
import Standin
import Statistics
import Testing

@testable import Races

/// Over real sockets: what only they can show of the grouped release.
@Suite("the gate of HTTP/2") struct GroupTests {
    /// Six trials at `offset`, on a stand-in over TLS that takes 3 s to apply a sign-in.
    private func trials(_ offset: Duration, _ certificate: String) async throws -> [TrialResult] {
        let pair = try CertificatePair.selfSigned(for: ["127.0.0.1"])
        try Data(pair.certificate.utf8).write(to: URL(filePath: certificate))
        let service = Service(
            faults: [try Fault(parsing: "ack-before-apply:window=3s")], seed: Seed(1),
            epochMilliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let listener = try await Listener.start(service, tls: pair)
        let text = """
            rig: group
            target: {base: '\(listener.url)', http: 2, tls: {ca: '\(certificate)'}}
            connections: pooled
            load: {closed: {households: 1}}
            race: {plans: [poll-authenticate], offsets: -300ms..300ms, gate: group}
            """
        let stage = try await RaceStage(
            Rig.read(text, file: "group.yaml").rig, isVirtual: false, allowed: [])
        let schedule = stage.plans[0].variants[0].at(offset)
        let results = await stage.arena.play(Array(repeating: schedule, count: 6))
        await stage.shutdown()
        await listener.stop()
        return results
    }

    @Test("released together on one connection over TLS, every trial counts, and the window is hit")
    func overTLS() async throws {
        let certificate = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-group-\(UInt64.random(in: 0 ... .max)).pem").path
        defer { try? FileManager.default.removeItem(atPath: certificate) }
        let results = try await trials(.milliseconds(300), certificate)
        #expect(results.compactMap(\.discarded) == [])
        #expect(results.contains { $0.breaks(.signInVisible) })
        for result in results {
            let raced = result.releases.filter { result.schedule[op: $0.op]?.gate == .group }
            let connections = result.exchanges.filter { exchange in
                raced.contains { $0.sequence == exchange.sequence }
            }.map(\.route.connection)
            #expect(raced.count == 2 && Set(connections).count == 1, "\(connections)")
        }
    }
}
