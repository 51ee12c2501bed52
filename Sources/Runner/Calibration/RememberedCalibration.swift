internal import Formats
internal import Foundation
package import Reports
package import Rigs

/// What `calibrate` found last, kept for `validate` in the user's state directory (XDG Base Directory
/// Specification 0.8: `$XDG_STATE_HOME`, else `~/.local/state`).
package struct RememberedCalibration: Codable {
    var requestsPerSecond: Double
    var record: String
    var lanes: Int
    /// `2026-11-21`, UTC.
    var date: String
    var version: String

    package init(_ report: CalibrationReport, _ terms: CalibrationRun.CalibrationSettings) {
        requestsPerSecond = report.requestsPerSecond
        record = terms.keeping.rawValue
        lanes = terms.lanes
        date = UTCTime(microseconds: WallClock.microseconds).date
        version = Release.version
    }

    /// For the plan of a rig: what this machine has done.
    package var measured: MachineLimits.Measured {
        MachineLimits.Measured(
            requestsPerSecond: requestsPerSecond, lanes: lanes, recordsAll: record == "all",
            date: date)
    }

    /// Nil when nothing was measured, or the file cannot be read.
    package static func load() -> RememberedCalibration? {
        guard let text = Disk.contents(file.path),
            let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
            (0...1e9).contains(read.requestsPerSecond), (1...100_000).contains(read.lanes)
        else { return nil }
        return read
    }

    /// Nothing depends on it: where it cannot be written, `validate` only says less.
    package func save() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(self) else { return }
        try? FileManager.default.createDirectory(
            at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? data.write(to: Self.file, options: .atomic)
    }

    /// Paths that are not absolute are to be ignored (the same, "Environment variables").
    private static var file: URL {
        let given = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? ""
        let state =
            given.hasPrefix("/")
            ? URL(filePath: given)
            : FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return state.appending(path: "screenrig/calibration.json")
    }
}
