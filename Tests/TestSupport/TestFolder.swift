public import Foundation

/// A folder of one test, gone with this value.
public final class TestFolder: Sendable {
    public let url: URL
    public var path: String { url.path }

    public init() {
        url = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-test-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no folder for a test: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func path(_ name: String) -> String { url.appending(path: name).path }

    public func read(_ name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    /// Gives the file's path.
    public func write(_ text: String, to name: String) throws -> String {
        try text.write(to: url.appending(path: name), atomically: true, encoding: .utf8)
        return path(name)
    }
}
