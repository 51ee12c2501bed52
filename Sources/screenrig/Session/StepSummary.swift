internal import Foundation
internal import Journal

/// The page that a CI service shows beside a job.
enum StepSummary {
    /// Appends `summary.md` of a run to the file that `GITHUB_STEP_SUMMARY` names, if it names one.
    static func append(_ directory: RunDirectory) {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty,
            let page = try? Data(contentsOf: URL(filePath: directory.file("summary.md")))
        else { return }
        do {
            if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: URL(filePath: path))
            }
            // Whoever opens a pipe waits for its reader.
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                return Terminal.complain(
                    "note: the summary was not appended: \(path) is not a "
                        + "regular file; let GITHUB_STEP_SUMMARY name one")
            }
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            defer { try? file.close() }
            try file.seekToEnd()
            try file.write(contentsOf: page)
        } catch {
            let reason = PrivateFile.reason(of: error)
            Terminal.complain(
                "note: the summary was not appended to \(path): \(reason); let "
                    + "GITHUB_STEP_SUMMARY name a writable file")
        }
    }
}
