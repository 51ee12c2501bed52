import Foundation
import TestSupport
import Testing

@Suite("The sample report", .ownThread)
struct SampleReportTests {
    private static let samples = Repository.root.appending(path: "reports/samples")

    @Test("reports/samples holds what its rig and seed give, byte for byte")
    func current() async throws {
        let folder = TestFolder()
        let rig = Self.samples.appending(path: "evening.yaml").path
        let ended = try await Command.run(
            "simulate", rig, "--seed", "1", "--out", "evening", in: folder)
        #expect([0, 1].contains(ended.code), "\(ended.output)\(ended.errors)")
        let made = folder.url.appending(path: "evening")
        let kept = Self.samples.appending(path: "evening")
        // The history is made again within seconds, and would be the largest file of all; cases have
        // tests of their own. Of the pages of households the first that the report names is enough.
        for name in ["history.sqlite", "cases"] {
            try? FileManager.default.removeItem(at: made.appending(path: name))
        }
        let report = try String(contentsOf: made.appending(path: "report.html"), encoding: .utf8)
        let named = try #require(report.firstMatch(of: #/href="(households/\d+\.html)"/#)).1
        for name in try Self.files(in: made)
        where name.hasPrefix("households/") && name != named {
            try FileManager.default.removeItem(at: made.appending(path: name))
        }
        if Golden.isUpdating {
            try? FileManager.default.removeItem(at: kept)
            try FileManager.default.copyItem(at: made, to: kept)
        }
        let names = try Self.files(in: made)
        #expect(names.contains("report.html") && names.contains(String(named)))
        #expect(try Self.files(in: kept) == names)
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

    /// By their paths within it.
    private static func files(in folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(
                atPath: folder.appending(path: path).path, isDirectory: &isFolder)
            return !isFolder.boolValue
        }
    }
}
