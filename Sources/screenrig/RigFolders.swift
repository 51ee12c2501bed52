internal import Foundation
internal import Rigs

/// Where rigs are found by name: in the working directory, in `rigs` below it, then among those that were
/// installed with this program. A path, such as rigs/smoke.yaml or smoke.yaml, is that file and no other: a nightly run
/// whose own rig is missing must not pass with another.
enum RigFolders {
    static let own = "rigs"
    private static let ending = ".yaml"

    /// `share/screenrig/rigs` next to the `bin` that this program lies in, so that an unpacked archive works wherever
    /// it is; nil where there is none, as in a build.
    static let installed: String? = {
        guard
            let program = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
        else { return nil }
        let prefix = URL(filePath: program).deletingLastPathComponent().deletingLastPathComponent()
        let folder = prefix.appending(path: "share/screenrig/rigs").path
        return isFolder(folder) ? folder : nil
    }()

    private static var all: [String] { [own] + (installed.map { [$0] } ?? []) }

    /// Whether the rig at `path` is one of those installed.
    static func holds(_ path: String) -> Bool {
        installed.map { path.hasPrefix($0 + "/") } ?? false
    }

    /// The file that `word` means; `word` itself if there is none, for a message to name it.
    static func path(_ word: String) -> String {
        if FileManager.default.fileExists(atPath: word), !isFolder(word) { return word }
        guard isName(word) else { return word }
        let files = ([""] + all).map { folder in
            folder.isEmpty ? word + ending : "\(folder)/\(word)\(ending)"
        }
        return files.first { FileManager.default.fileExists(atPath: $0) && !isFolder($0) } ?? word
    }

    /// Whether `word` may be looked up: `smoke`, `races/poll-poll`; no path from the root, out of a folder, or
    /// into `rigs` of the working directory, and no file.
    static func isName(_ word: String) -> Bool {
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        return !word.isEmpty && parts[0] != own && !word.hasSuffix(ending)
            && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
    }

    /// A rig that can be run by its name.
    struct Entry {
        var name: String
        /// The first sentence of its comment.
        var line: String
    }

    /// The rigs by folder, those that can be found, in the order in which they are looked up.
    static func entries() -> [(folder: String, rigs: [Entry])] {
        var known: Set<String> = []
        return all.map { folder in
            let rigs = names(in: folder).compactMap { name -> Entry? in
                guard !known.contains(name),
                    let text = try? String(
                        contentsOfFile: "\(folder)/\(name)\(ending)", encoding: .utf8),
                    text.hasPrefix("rig:") || text.contains("\nrig:")
                else { return nil }
                return Entry(name: name, line: firstSentence(of: text))
            }
            known.formUnion(rigs.map(\.name))
            return (folder, rigs)
        }
    }

    /// The name nearest to `word`.
    static func nearest(to word: String) -> String? {
        let name = word.hasSuffix(ending) ? String(word.dropLast(ending.count)) : word
        let known = entries().flatMap { $0.rigs.map(\.name) }
        // Of a path that leads nowhere, the installed rig of that name.
        let stem = name.hasPrefix("\(own)/") ? String(name.dropFirst(own.count + 1)) : name
        return known.contains(stem) ? stem : isName(name) ? name.nearest(among: known) : nil
    }

    private static func names(in folder: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
            .sorted { ($0.contains("/") ? 1 : 0, $0) < ($1.contains("/") ? 1 : 0, $1) }
    }

    private static func firstSentence(of text: String) -> String {
        let comment = text.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0.hasPrefix("# yaml-language-server") }
            .prefix { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }.joined(separator: " ")
        guard let end = comment.range(of: ". ") else {
            return comment.hasSuffix(".") ? String(comment.dropLast()) : comment
        }
        return String(comment[..<end.lowerBound])
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
