import Foundation
import Testing

@Suite("The sample report", .serialized, .ownThread)
struct SampleReportTests {
    private static let samples = Command.root.appending(path: "reports/samples")

    @Test("reports/samples holds what its rig and seed give, byte for byte")
    func current() async throws {
        let folder = try Folder()
        let rig = Self.samples.appending(path: "evening.yaml").path
        let ended = try await Command.run(
            "simulate", rig, "--seed", "1", "--out", "evening", in: folder)
        #expect([0, 1].contains(ended.code), "\(ended.output)\(ended.errors)")
        let made = folder.url.appending(path: "evening")
        let kept = Self.samples.appending(path: "evening")
        // The history is made again within seconds, and would be the largest file of all; cases have
        // tests of their own.
        for name in ["history.sqlite", "cases"] {
            try? FileManager.default.removeItem(at: made.appending(path: name))
        }
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1" {
            try? FileManager.default.removeItem(at: kept)
            try FileManager.default.copyItem(at: made, to: kept)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: made.path).sorted()
        #expect(names.contains("report.html"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted() == names)
        for name in names {
            let (now, was) = try (
                Data(contentsOf: made.appending(path: name)),
                Data(contentsOf: kept.appending(path: name))
            )
            #expect(
                now == was,
                "\(name) differs; SCREENRIG_UPDATE_GOLDEN=1 swift test --filter SampleReport renews it"
            )
        }
    }
}
