internal import Foundation
internal import Journal

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
            try PrivateFile.makeFolder(path)
        } catch {
            throw .unwritable(file: path, reason: error.localizedDescription)
        }
        try made.save(as: file) { try PrivateFile.write($0, to: $1) }
        return file
    }
}

extension Case {
    /// Numbers the second case of a name, and those after it: `names` counts them.
    package mutating func count(in names: inout [String: Int]) {
        let count = names[name, default: 0] + 1
        names[name] = count
        if count > 1 { name += "-\(count)" }
    }

    /// Writes the case to `file`, and its page beside it.
    public func save(as file: String) throws(CaseError) {
        // By name, for others to have: with the rights that the user gives new files.
        try save(as: file) { try $0.write(to: URL(fileURLWithPath: $1), options: .atomic) }
    }

    fileprivate func save(
        as file: String, _ write: (Data, String) throws -> Void
    ) throws(CaseError) {
        let page = (file as NSString).deletingPathExtension + ".html"
        do {
            try write(Data(json.utf8), file)
            try write(Data(self.page(replaying: file).utf8), page)
        } catch {
            throw .unwritable(file: file, reason: error.localizedDescription)
        }
    }
}
