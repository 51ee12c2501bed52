public import Formats
internal import Foundation
internal import Journal

/// Writes the index of a folder.
public enum RunIndexFiles {
    /// Name of the page in the folder.
    public static let page = "index.html"
    /// What tells our page from anybody's.
    private static let mark = "screenrig · all runs in a folder"

    /// Writes `index.html` of a folder of reports; returns its path, and what was found. Another program's page is not
    /// overwritten.
    public static func write(
        _ folder: String, now: UTCTime? = nil
    ) throws(NightError) -> (page: String, index: RunIndex) {
        let path = (folder as NSString).appendingPathComponent(page)
        guard !FileManager.default.fileExists(atPath: path) || isOurs(path) else {
            throw .unwritten(path: path, why: "it is there, and screenrig did not make it; move it")
        }
        let index = RunIndex(folder, now: now)
        let title = URL(filePath: folder).standardizedFileURL.lastPathComponent
        do {
            try PrivateFile.write(Data(RunIndexPage.text(index, title: title).utf8), to: path)
        } catch {
            throw .unwritten(path: path, why: PrivateFile.reason(of: error))
        }
        return (path, index)
    }

    /// The same, where such a page is there already.
    public static func refresh(_ folder: String, now: UTCTime? = nil) throws(NightError) {
        guard isOurs((folder as NSString).appendingPathComponent(page)) else { return }
        _ = try write(folder, now: now)
    }

    private static func isOurs(_ path: String) -> Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        return String(decoding: data.prefix(60_000), as: UTF8.self).contains(mark)
    }
}
