internal import Foundation

/// Where the cases of a run or a race lie: `cases/NAME.json`, and beside each its page.
public struct CaseFolder: Sendable {
    public let path: String

    /// The folder `cases` of a run directory.
    public init(in directory: String) {
        path = (directory as NSString).appendingPathComponent("cases")
    }

    /// Writes a case and its page; gives the path of the JSON.
    @discardableResult
    public func write(_ made: Case) throws(CaseError) -> String {
        let file = (path as NSString).appendingPathComponent(made.name + ".json")
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(file: path, reason: error.localizedDescription)
        }
        try made.save(as: file)
        return file
    }
}

extension Case {
    /// Writes the case to `file`, and its page beside it.
    public func save(as file: String) throws(CaseError) {
        let page = (file as NSString).deletingPathExtension + ".html"
        do {
            try Data(json.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            try Data(self.page(replaying: file).utf8).write(
                to: URL(fileURLWithPath: page), options: .atomic)
        } catch {
            throw .unwritable(file: file, reason: error.localizedDescription)
        }
    }
}
