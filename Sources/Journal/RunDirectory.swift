public import Formats
internal import Foundation

/// The directory of one run: `reports/<slug of rig>-<UTC start>/` (README.md, What a run leaves).
///
/// ```text
/// reports/smoke-20261121T070000Z/     a run
/// reports/smoke-20261121T070000Z-2/   another one, begun in the same second
/// reports/latest -> smoke-20261121T070000Z-2
/// ```
///
/// Only its owner may look into it, or read its files (`PrivateFile`).
public struct RunDirectory: Sendable, Hashable {
    public let path: String

    /// Last part of the path: the id of the run.
    public var name: String { (path as NSString).lastPathComponent }
    public var history: String { file("history.sqlite") }

    /// Where runs go unless `--out` says otherwise.
    public static let root = "reports"
    /// Name of the link to the newest run.
    public static let latest = "latest"

    /// A directory that is known to hold a run.
    public init(path: String) { self.path = path }

    /// Makes the directory again where somebody has removed it; what cannot be made is told by whoever
    /// writes to it.
    public func restore() {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    /// Path of one of its files.
    public func file(_ name: String) -> String {
        (path as NSString).appendingPathComponent(name)
    }

    /// `smoke-shard-3-of-8`: what the names of a shard's directories begin with.
    public static func stem(rig: String, shard: (number: Int, count: Int)?) -> String {
        slug(rig) + (shard.map { "-shard-\($0.number)-of-\($0.count)" } ?? "")
    }

    /// Makes the directory of a run that starts now, and points `latest` to it. With `out` exactly
    /// that directory, which must not hold anything; `latest` then stays as it is.
    public static func create(
        rig: String, shard: (number: Int, count: Int)? = nil, startedMicroseconds: Int64,
        out: String? = nil, under root: String = root
    ) throws(JournalError) -> RunDirectory {
        if let out { return try create(exactly: out) }
        do {
            try FileManager.default.createDirectory(
                atPath: root, withIntermediateDirectories: true)
        } catch {
            throw .cannotCreate(path: root, reason: PrivateFile.reason(of: error))
        }
        let stem = stem(rig: rig, shard: shard)
        let plain = "\(stem)-\(UTCTime(microseconds: startedMicroseconds).compact)"
        for number in 1... {
            let name = number == 1 ? plain : "\(plain)-\(number)"
            let path = (root as NSString).appendingPathComponent(name)
            // mkdir either makes it or says that it is there: two runs never share a directory.
            if mkdir(path, 0o700) == 0 {
                link(latest, to: name, under: root)
                return RunDirectory(path: path)
            }
            let code = errno
            guard code == EEXIST else {
                throw .cannotCreate(path: path, reason: words(for: code))
            }
        }
        throw .cannotCreate(path: plain, reason: "every name is taken")
    }

    /// The run that an argument means: `latest`, `latest~1` (the one before), a directory, its
    /// `history.sqlite`, or the name of a run under `root`.
    public static func find(_ argument: String, under root: String = root)
        throws(JournalError) -> RunDirectory
    {
        let files = FileManager.default
        if let back = stepsBack(argument) {
            let runs = all(under: root)
            guard back < runs.count else {
                throw .noSuchRun(argument: argument, runs: runs.count, folder: root)
            }
            return runs[back]
        }
        for path in [argument, (root as NSString).appendingPathComponent(argument)] {
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue { return RunDirectory(path: path) }
            // Any other file may lie beside the history of another run.
            guard (path as NSString).lastPathComponent == "history.sqlite" else {
                throw .notARun(path: path)
            }
            let folder = (path as NSString).deletingLastPathComponent
            return RunDirectory(path: folder.isEmpty ? "." : folder)
        }
        throw .notFound(path: argument)
    }

    /// All runs under `root` that have a history, the newest first.
    public static func all(under root: String = root) -> [RunDirectory] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.filter { $0 != latest }
            .map { RunDirectory(path: (root as NSString).appendingPathComponent($0)) }
            .filter { FileManager.default.fileExists(atPath: $0.history) }
            .map { (run: $0, age: $0.age) }
            .sorted { $0.age > $1.age }
            .map(\.run)
    }

    /// Lower case letters and digits of the rig's name, all else as one dash; at most 100 of them, for a file's name may
    /// have 255.
    public static func slug(_ rig: String) -> String {
        let words = rig.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        guard !words.isEmpty else { return "run" }
        let whole = words.joined(separator: "-")
        return String(whole.prefix(100).reversed().drop { $0 == "-" }.reversed())
    }

    private static func create(exactly path: String) throws(JournalError) -> RunDirectory {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw .cannotCreate(path: path, reason: "it is a file")
            }
            guard let held = try? files.contentsOfDirectory(atPath: path) else {
                throw .cannotCreate(path: path, reason: words(for: EACCES))
            }
            guard held.isEmpty else { throw .notEmpty(path: path) }
        }
        do {
            try PrivateFile.makeFolder(path)
        } catch {
            throw .cannotCreate(path: path, reason: PrivateFile.reason(of: error))
        }
        return RunDirectory(path: path)
    }

    /// Replaces the link at once, so that it never leads nowhere. A place without links goes
    /// without.
    private static func link(_ name: String, to target: String, under root: String) {
        let path = (root as NSString).appendingPathComponent(name)
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        guard symlink(target, temporary) == 0 else { return }
        if rename(temporary, path) != 0 { unlink(temporary) }
    }

    /// 0 for `latest`, 2 for `latest~2`, nil for anything else.
    private static func stepsBack(_ argument: String) -> Int? {
        if argument == latest { return 0 }
        guard argument.hasPrefix("\(latest)~") else { return nil }
        let digits = argument.dropFirst(latest.count + 1)
        return digits.allSatisfy(\.isDigit) ? Int(digits) : nil
    }

    /// Order of runs: the second of the start, and the number within it. A directory whose name
    /// does not tell has the time of its history.
    private var age: FolderAge {
        let parts = name.split(separator: "-").suffix(2)
        if let last = parts.last, UTCTime(compact: last) != nil {
            return FolderAge(stamp: String(last), number: 1)
        }
        if parts.count == 2, let stamp = parts.first, UTCTime(compact: stamp) != nil,
            let number = parts.last.flatMap({ Int($0) })
        {
            return FolderAge(stamp: String(stamp), number: number)
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: history)
        let date = attributes?[.modificationDate] as? Date ?? .distantPast
        return FolderAge(
            stamp: UTCTime(seconds: Int64(date.timeIntervalSince1970)).compact, number: 1)
    }

    /// When it was made, UTC, as its name tells it, else the date of its history:
    /// `20261121T070000Z`. It sorts as text.
    public var stamp: String { age.stamp }

    /// Whether its history was written to within the last minute: a run that goes on writes to it several times a second,
    /// through the log beside it.
    public func isWritten(at now: UTCTime) -> Bool {
        [history, history + "-wal"].contains { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let date = attributes?[.modificationDate] as? Date else { return false }
            return Double(now.seconds) - date.timeIntervalSince1970 < 60
        }
    }

    /// The stamp of so many seconds before it was made.
    public func stamp(before seconds: Int) -> String {
        guard let made = UTCTime(compact: stamp) else { return stamp }
        return UTCTime(seconds: made.seconds - Int64(seconds)).compact
    }

    private struct FolderAge: Comparable {
        var stamp: String
        var number: Int

        static func < (left: FolderAge, right: FolderAge) -> Bool {
            (left.stamp, left.number) < (right.stamp, right.number)
        }
    }
}

extension Character {
    /// 0 to 9, and no other writing's digits.
    fileprivate var isDigit: Bool { isASCII && isWholeNumber }
}
