internal import Foundation
public import Rigs

/// A rig with every file and variable that it needs to run on another machine.
public struct RigBundle: Sendable {
    /// A file that the rig names.
    public struct File: Sendable, Hashable {
        /// Relative to the rig's folder, without `..`.
        public var path: String
        /// Where it is on this machine.
        public var source: String
        /// Its text; nil where it holds secrets, which no manifest contains.
        public var text: String?
    }

    /// The file's own name, such as `smoke.yaml`.
    public let fileName: String
    /// With the accounts of its file, as they are written there, where this machine has it.
    public let rig: Rig
    /// The rig as it is run: with `--set`, `--target` and `target.from` applied, and secrets as `${NAME}`.
    public let text: String
    /// In the order of their paths.
    public let files: [File]
    /// Environment variables that the rig or its accounts name, in alphabetical order.
    public let variables: [String]

    /// Why its shards would not test one service; nil where they do. `place`: where each of them runs, `pod`.
    func targetWarning(place: String) -> String? {
        let reason: String
        switch rig.target.base {
        case .embedded: reason = "'embedded': each shard would test a stand-in of its own"
        case .remote(let origin, _):
            let host = origin.host.lowercased().filter { $0 != "[" && $0 != "]" }
            let isLoopback =
                host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
                || host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber }
            guard isLoopback else { return nil }
            reason =
                "\(origin.host), which is the \(place) itself: each shard would test its own \(place)"
        }
        return
            "The rig's target is \(reason). Write this with --target URL to test one service from all of them."
    }

    /// Largest size of a ConfigMap, in bytes (kubernetes.io/docs/concepts/configuration/configmap).
    static let bytesAtMost = 1_048_576

    /// `reading` was made without secrets, from the rig at `path`; `contents` reads a file. Throws where a file
    /// is outside the rig's folder, cannot be read, or does not fit into a ConfigMap.
    public init(
        _ reading: RigReading, path: String,
        contents: @escaping @Sendable (_ path: String) -> String? = { Disk.contents($0) }
    ) throws(ManifestError) {
        let folder = (path as NSString).deletingLastPathComponent
        fileName = (path as NSString).lastPathComponent
        var rig = reading.rig
        text = rig.source
        // Read it again as the other machine will: values of a target file or an option now stand in the rig,
        // and their paths are relative to the rig.
        let surroundings = RigSurroundings(secrets: .omitted, contents: contents)
        let there = (try? Rig.read(text, file: path, with: surroundings)) ?? reading
        var files: [File] = []
        var names = Set(there.references.filter { !$0.hasPrefix("file:") })
        for (name, isSecret) in Self.named(by: there) {
            let place = try Self.place(of: name, below: folder)
            guard !files.contains(where: { $0.path == place.inside }) else { continue }
            let text = contents(place.path)
            // Accounts may name secrets in turn. The author of the manifest need not have the file.
            if isSecret { names.formUnion(Self.variables(in: text ?? "")) }
            if case .listed(let list) = there.rig.accounts, list.file == name, let text {
                rig.accounts = .listed(list.withEntries(of: text))
            }
            if text == nil, !isSecret { throw .unreadable(path: place.path) }
            files.append(
                File(path: place.inside, source: place.path, text: isSecret ? nil : text))
        }
        self.rig = rig
        self.files = files.sorted { $0.path < $1.path }
        let keys = Dictionary(
            grouping: [fileName] + self.files.map(\.path), by: KubernetesManifest.key)
        if let alike = keys.values.first(where: { $0.count > 1 }) {
            throw .alike(alike[0], alike[1])
        }
        variables = names.sorted()
        let bytes = files.reduce(text.utf8.count) { $0 + ($1.text?.utf8.count ?? 0) }
        if bytes > Self.bytesAtMost { throw .tooLarge(bytes: bytes) }
    }

    public var secretFiles: [File] { files.filter { $0.text == nil } }
    public var openFiles: [File] { files.filter { $0.text != nil } }

    /// The files that a rig reads, by the names it gives them, and whether they hold secrets.
    private static func named(by reading: RigReading) -> [(name: String, isSecret: Bool)] {
        let rig = reading.rig
        var named = reading.references.filter { $0.hasPrefix("file:") }.map {
            (name: String($0.dropFirst(5)), isSecret: true)
        }
        if case .listed(let list) = rig.accounts { named.append((list.file, true)) }
        if case .listed(let pool) = rig.forwardedFor, let file = pool.file {
            named.append((file, false))
        }
        named += [rig.target.tls.ca, rig.target.tls.certificate].compactMap { $0 }.map {
            ($0, false)
        }
        if let key = rig.target.tls.key { named.append((key, true)) }
        for kind in rig.kinds {
            if case .key(let file)? = kind.platform?.signer { named.append((file, true)) }
        }
        // A file that is named twice counts once, and is a secret if one of its names says so: a certificate and its key
        // may be one file.
        return named.filter(\.isSecret) + named.filter { !$0.isSecret }
    }

    /// Where a file is, and its path within the rig's folder. Some names are relative to that folder; those of
    /// keys that take a path (`tls.ca`) already begin with it.
    private static func place(
        of name: String, below folder: String
    ) throws(ManifestError) -> (path: String, inside: String) {
        let prefix = folder.isEmpty ? "" : folder + "/"
        let inside =
            !prefix.isEmpty && name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        let parts = inside.split(separator: "/").filter { $0 != "." }
        guard !inside.hasPrefix("/"), !parts.isEmpty, !parts.contains("..") else {
            throw .outside(path: name, folder: folder.isEmpty ? "this folder" : folder)
        }
        let clean = parts.joined(separator: "/")
        return (prefix + clean, clean)
    }

    /// `NAME` of each `${NAME}`.
    private static func variables(in text: String) -> [String] {
        text.split(separator: "${", omittingEmptySubsequences: false).dropFirst().map {
            String($0.prefix { $0 != "}" })
        }.filter { !$0.hasPrefix("file:") && !$0.isEmpty }
    }
}
