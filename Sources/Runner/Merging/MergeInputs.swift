internal import Foundation
internal import Journal

/// The histories that the arguments of a merge name: run directories, `history.sqlite` files, folders of run
/// directories, and names that a command fetches.
struct MergeInputs {
    struct Input {
        /// As the user wrote it, or its path in the folder that the user named.
        var name: String
        /// Path of the history's file.
        var path: String
        /// Directory of its other files; nil where it was fetched.
        var directory: RunDirectory?
    }

    private(set) var inputs: [Input] = []
    /// Names that could not be fetched, a sentence each.
    private(set) var failures: [String] = []
    /// Folder of fetched histories; nil where none was fetched.
    private var temporary: String?
    private let leftovers: MergeLeftovers

    /// `leftovers` removes what was fetched.
    init(
        _ names: [String], fetch: FetchCommand?, _ leftovers: MergeLeftovers
    ) throws(RunError) {
        self.leftovers = leftovers
        var seen: Set<String> = []
        for name in names {
            let local = try Self.local(name) ?? (fetch == nil ? Self.known(name) : nil)
            let found = if let local { local } else { try fetched(name, fetch) }
            for input in found {
                let file = URL(filePath: input.path).resolvingSymlinksInPath().path
                if seen.insert(file).inserted { inputs.append(input) }
            }
        }
    }

    /// Nil where nothing of that name is on this machine.
    private static func local(_ name: String) throws(RunError) -> [Input]? {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: name, isDirectory: &isFolder) else { return nil }
        guard isFolder.boolValue else {
            let folder = (name as NSString).deletingLastPathComponent
            return [
                Input(
                    name: name, path: name,
                    directory: RunDirectory(path: folder.isEmpty ? "." : folder))
            ]
        }
        if let run = run(at: name) { return [run] }
        let children = ((try? files.contentsOfDirectory(atPath: name)) ?? []).sorted()
            .filter { $0 != RunDirectory.latest }
            .compactMap { run(at: (name as NSString).appendingPathComponent($0)) }
        // The result of an earlier merge in the same folder is not a shard.
        let runs = children.filter { (try? History(path: $0.path))?.merge == nil }
        guard !runs.isEmpty else {
            throw .badInput(
                "\(name) holds no run: neither a history.sqlite nor folders with one; name run directories "
                    + "of one run's shards")
        }
        return runs
    }

    /// `latest`, `latest~1` or the name of a run under `reports`, as other commands take them.
    private static func known(_ name: String) -> [Input]? {
        guard let found = try? RunDirectory.find(name) else { return nil }
        return run(at: found.path).map { [$0] }
    }

    private static func run(at path: String) -> Input? {
        let directory = RunDirectory(path: path)
        guard FileManager.default.fileExists(atPath: directory.history) else { return nil }
        return Input(name: path, path: directory.history, directory: directory)
    }

    private mutating func fetched(_ name: String, _ fetch: FetchCommand?) throws(RunError)
        -> [Input]
    {
        guard let fetch else {
            throw .badInput(
                "there is no run at \(name); name a run directory, its history.sqlite or a folder of run "
                    + "directories, or say how to fetch it: --fetch 'aws s3 cp {} -'")
        }
        let folder =
            temporary
            ?? FileManager.default.temporaryDirectory
            .appending(path: "screenrig-merge-\(UUID().uuidString)").path
        leftovers.add(folder)
        do {
            try PrivateFile.makeFolder(folder)
        } catch {
            throw .couldNotRun("\(folder) cannot be made: \(PrivateFile.reason(of: error))")
        }
        temporary = folder
        let path = (folder as NSString).appendingPathComponent(
            "\(inputs.count + failures.count).sqlite")
        do {
            try fetch.fetch(name, to: path, leftovers)
        } catch {
            failures.append("\(error)")
            try? FileManager.default.removeItem(atPath: path)
            return []
        }
        return [Input(name: name, path: path, directory: nil)]
    }
}
