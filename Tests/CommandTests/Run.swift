import Foundation
import Testing

/// A run directory as a script reads it.
struct Run {
    let folder: Folder
    let name: String
    private let summary: [String: Any]

    init(_ folder: Folder, _ name: String) throws {
        self.folder = folder
        self.name = name
        let data = try Data(contentsOf: folder.url.appending(path: "\(name)/summary.json"))
        summary = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    subscript(key: String) -> Any? { summary[key] }

    /// A value of an object of summary.json.
    subscript(object: String, key: String) -> Any? { (summary[object] as? [String: Any])?[key] }

    func number(_ object: String, _ key: String) -> Int? { self[object, key] as? Int }

    var hash: String { self["run", "historyHash"] as? String ?? "" }

    /// Count by operation, then by status.
    var statuses: [String: [String: Int]] {
        var found: [String: [String: Int]] = [:]
        for row in summary["operations"] as? [[String: Any]] ?? [] {
            guard let name = row["name"] as? String else { continue }
            found[name] = row["statuses"] as? [String: Int]
        }
        return found
    }

    /// The rows of a CSV file, each by the names of its columns. No field of ours holds a comma.
    func table(_ file: String) throws -> [[String: String]] {
        let lines = try folder.read("\(name)/\(file)").split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let header = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(zip(header, $0)) { first, _ in first } }
    }
}

/// Every file that product.md promises of a run directory.
func expectComplete(_ folder: Folder, _ name: String) throws {
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

/// A port at which nobody listens: one that the system just gave away and took back.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
            guard bind(descriptor, address, length) == 0,
                getsockname(descriptor, address, &length) == 0
            else { return 0 }
            return pointer.pointee.sin_port.bigEndian
        }
    }
    try #require(port != 0)
    return Int(port)
}
