import Foundation
import TestSupport
import Testing

/// A run directory as a script reads it.
struct Run {
    let folder: TestFolder
    let name: String
    private let summary: [String: Any]

    init(_ folder: TestFolder, _ name: String) throws {
        self.folder = folder
        self.name = name
        let data = try Data(contentsOf: folder.url.appending(path: "\(name)/summary.json"))
        summary = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    subscript(key: String) -> Any? { summary[key] }

    /// A value of an object of summary.json.
    subscript(object: String, key: String) -> Any? { (summary[object] as? [String: Any])?[key] }

    func number(_ object: String, _ key: String) -> Int? { self[object, key] as? Int }

    /// A list of texts in summary.json.
    func texts(_ key: String) -> [String] { summary[key] as? [String] ?? [] }

    var hash: String { self["run", "historyHash"] as? String ?? "" }

    /// Count by operation, then by status; making connections is no exchange.
    var statuses: [String: [String: Int]] {
        var found: [String: [String: Int]] = [:]
        for row in summary["operations"] as? [[String: Any]] ?? [] {
            guard let name = row["name"] as? String, !Self.ofConnections.contains(name) else {
                continue
            }
            found[name] = row["statuses"] as? [String: Int]
        }
        return found
    }

    /// Operations that are no requests.
    static let ofConnections = ["connect", "tls"]

    /// The rows of a CSV file, each by the names of its columns. No field of ours holds a comma.
    func table(_ file: String) throws -> [[String: String]] {
        let lines = try folder.read("\(name)/\(file)").split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let header = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(zip(header, $0)) { first, _ in first } }
    }
}

/// Every file that README.md promises of a run directory.
func expectComplete(_ folder: TestFolder, _ name: String) throws {
    let files = [
        "report.html", "summary.json", "latencies.csv", "timeline.csv", "households.csv",
        "violations.csv", "history.sqlite", "junit.xml", "summary.md",
    ]
    for file in files {
        let size =
            try? FileManager.default.attributesOfItem(
                atPath: folder.path("\(name)/\(file)"))[.size] as? Int
        #expect(size ?? 0 > 0, "\(file) of \(name)")
    }
}
