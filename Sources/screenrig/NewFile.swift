internal import Foundation
internal import Journal

/// A file that a command writes for its user, with its folders; never over another.
enum NewFile {
    /// Throws a `CommandFailure` where it exists or cannot be written.
    static func write(_ text: String, to path: String) throws {
        let url = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .withoutOverwriting)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            throw CommandFailure.badInput(
                "\(path) already exists; choose another name, or remove it first")
        } catch {
            throw CommandFailure.couldNotRun(
                "\(path) cannot be written: \(PrivateFile.reason(of: error))")
        }
    }
}
