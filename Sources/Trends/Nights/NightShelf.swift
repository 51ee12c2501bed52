internal import Foundation
internal import Journal

/// The run directories beside a book of nights: how they are named in it, and which may go.
public struct NightShelf: Sendable {
    /// The folder of the book.
    public let folder: String

    public init(book path: String) {
        let parent = (path as NSString).deletingLastPathComponent
        folder = parent.isEmpty ? "." : parent
    }

    /// How the book names a directory: from its own folder where it lies below that, so that both may
    /// be moved together, else in full.
    public func name(of directory: String) -> String {
        let base = absolute(folder)
        let path = absolute(directory)
        guard path.hasPrefix(base + "/") else { return path }
        return String(path.dropFirst(base.count + 1))
    }

    /// Where a name of the book leads.
    public func path(of name: String) -> String {
        name.hasPrefix("/") ? name : (folder as NSString).appendingPathComponent(name)
    }

    /// Whether a report is there to be linked to.
    public func holdsReport(_ night: Night) -> Bool {
        !night.path.isEmpty
            && FileManager.default.fileExists(atPath: path(of: night.path) + "/report.html")
    }

    /// Deletes the directories of all but the newest `keep` nights of a rig; only those that `nightly`
    /// made, and only where the history in them says so: a book may come from elsewhere, and name any
    /// folder. The rows stay in the series. Returns the nights whose directories went.
    public func prune(_ nights: [Night], keep: Int) -> [Night] {
        nights.dropLast(max(1, keep)).filter { $0.isOurs && !$0.path.isEmpty }.compactMap { night in
            let directory = path(of: night.path)
            let files = FileManager.default
            guard files.fileExists(atPath: directory) else { return night }
            // A directory that somebody has put to another use is left alone.
            guard directory == absolute(directory) || !night.path.hasPrefix("/"),
                !night.path.split(separator: "/").contains(where: { $0.allSatisfy { $0 == "." } }),
                (try? files.destinationOfSymbolicLink(atPath: directory)) == nil,
                (directory as NSString).lastPathComponent == night.run,
                let history = try? History(path: directory), history.header.run == night.run
            else { return nil }
            do { try files.removeItem(atPath: directory) } catch { return nil }
            return night
        }
    }

    private func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
