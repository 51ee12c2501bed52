public import Formats
internal import Foundation
internal import GRDB
internal import Journal
internal import Rendering

/// Everything under a folder that screenrig has left there: runs, searches, and histories of nights.
public struct RunIndex: Sendable {
    /// A run directory.
    public struct Entry: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            case run, race
            /// A search by `find-limit`, with the runs of its steps: that some of them miss a threshold is its purpose.
            case limit
        }

        /// From the folder of the index.
        public var path: String
        public var rig: String
        public var kind = Kind.run
        /// UTC, ISO 8601; of a run in virtual time that of its directory.
        public var started: String
        /// `pass`, `fail`, `invalid` or `aborted`; empty where the run left no report.
        public var outcome: String
        public var headline: String
        /// By whom or whatever ended it before its end: a key, a signal, the end of its process.
        public var wasInterrupted = false
        /// It has no report, and its history was written to within the last minute.
        public var isUnderWay = false
        /// Name of its page; nil if the run left no report.
        public var page: String?
        /// Households that signed in of those that started; p95 of a sign-in in milliseconds; errors of requests.
        public var signedIn: (Int, of: Int)?
        public var signInP95: Double?
        public var errors: (Int, of: Int)?
        public var violated: [String]

        public static func == (left: Entry, right: Entry) -> Bool { left.path == right.path }
        public func hash(into hasher: inout Hasher) { hasher.combine(path) }
    }

    /// A history of nights, with its page.
    public struct Book: Sendable {
        public var path: String
        public var views: [NightsView]
    }

    /// The newest first.
    public var entries: [Entry]
    public var books: [Book]
    /// What could not be read, in words.
    public var troubles: [String]
    /// When it was made; nil where nothing is to depend on that.
    public var now: UTCTime?

    /// Folders deeper than this are not looked into, nor are more runs read than these, the newest of them: somebody who
    /// keeps thousands does not wait for that.
    static let depth = 5
    static let limit = 2000

    /// `now`: nights that should have run by then are missing, and runs may go on.
    public init(_ folder: String, now: UTCTime? = nil) {
        (entries, books, troubles) = ([], [], [])
        self.now = now
        var found: [(path: String, stamp: String)] = []
        Self.look(in: folder, under: "", depth: 0) { path, isRun in
            if isRun {
                found.append((path, Self.stamp(of: RunDirectory(path: Self.join(folder, path)))))
            } else if NightBook.isOne(Self.join(folder, path)) {
                do {
                    let book = try NightBook(path: Self.join(folder, path), creates: false)
                    books.append(
                        Book(
                            path: path,
                            views: NightsView.all(try book.nights(), accepted: try book.accepted()))
                    )
                } catch {
                    troubles.append("\(error)")
                }
            }
        }
        let newest = found.sorted { ($0.stamp, $0.path) > ($1.stamp, $1.path) }
        if newest.count > Self.limit {
            troubles.append(
                "\(Figures.counted(newest.count - Self.limit, "older run")) not read; name a folder with fewer"
            )
        }
        entries = newest.prefix(Self.limit).compactMap {
            Entry(folder, $0.path, stamp: $0.stamp, now: now)
        }
        books.sort { $0.path < $1.path }
    }

    /// When a run was made; where neither its name nor its history tells, when its summary was.
    private static func stamp(of directory: RunDirectory) -> String {
        let stamp = directory.stamp
        guard stamp < "1971" else { return stamp }
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: directory.file("summary.json"))
        let date = attributes?[.modificationDate] as? Date ?? .distantPast
        return UTCTime(seconds: Int64(date.timeIntervalSince1970)).compact
    }

    private static func join(_ folder: String, _ path: String) -> String {
        (folder as NSString).appendingPathComponent(path)
    }

    /// Calls `body` for each run directory, and for each file that may be a history of nights. Links are not followed.
    private static func look(
        in folder: String, under path: String, depth: Int, _ body: (String, Bool) -> Void
    ) {
        let place = join(folder, path)
        let files = FileManager.default
        let names = ((try? files.contentsOfDirectory(atPath: place)) ?? []).sorted()
        if ["history.sqlite", "summary.json", "limit.json"].contains(where: names.contains) {
            return body(path, true)
        }
        for name in names where !name.hasPrefix(".") {
            let inner = join(path, name)
            var status = stat()
            guard lstat(join(folder, inner), &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if depth < self.depth { look(in: folder, under: inner, depth: depth + 1, body) }
            } else if status.st_mode & S_IFMT == S_IFREG, name.hasSuffix(".sqlite") {
                body(inner, false)
            }
        }
    }
}

extension RunIndex.Entry {
    /// Nil where no history lies there, and no summary of ours.
    init?(_ folder: String, _ path: String, stamp: String, now: UTCTime?) {
        let directory = RunDirectory(path: (folder as NSString).appendingPathComponent(path))
        self.path = path
        started = UTCTime(compact: stamp)?.rfc3339 ?? ""
        page = ["report.html", "limit.html"].first {
            FileManager.default.fileExists(atPath: directory.file($0))
        }
        (rig, outcome, headline, violated) = (directory.name, "", "", [])
        if let limit = Self.json(directory.file("limit.json")) {
            readLimit(limit)
            return
        }
        guard let json = Self.json(directory.file("summary.json")) else {
            guard FileManager.default.fileExists(atPath: directory.history) else { return nil }
            isUnderWay = now.map(directory.isWritten) ?? false
            return
        }
        guard json["schema"]?.text?.hasPrefix("screenrig/race/") != true else {
            readRace(json)
            return
        }
        let run = json["run"]
        readWhat(run)
        outcome = Sanitizer.line(json["outcome"]?.text ?? "", limit: 20)
        headline = Sanitizer.line(json["headline"]?.text ?? "", limit: 400)
        wasInterrupted = ["interrupted", "cutShort"].contains { run?[$0]?.isTrue ?? false }
        func number(_ object: String, _ key: String) -> Int? {
            json[object]?[key]?.integer.flatMap { Int(exactly: $0) }
        }
        if let part = number("households", "signedIn"), let all = number("households", "started") {
            signedIn = (part, all)
        }
        if let part = number("exchanges", "errors"), let all = number("exchanges", "sent") {
            errors = (part, all)
        }
        signInP95 = json["signInMs"]?["p95"]?.text.flatMap { Double($0) }
        violated = (json["invariants"]?.items("") ?? []).filter {
            ($0["violations"]?.integer ?? 0) > 0
        }.compactMap { $0["name"]?.text }.map { Sanitizer.line($0, limit: 60) }
    }

    private mutating func readWhat(_ run: JSONDocument.Value?) {
        if let text = run?["rig"]?.text { rig = Sanitizer.line(text, limit: 120) }
        if let text = run?["started"]?.text, !(run?["virtual"]?.isTrue ?? false) { started = text }
    }

    /// As the exit code of `find-limit` has it.
    private mutating func readLimit(_ json: JSONDocument.Value) {
        kind = .limit
        readWhat(json)
        headline = Sanitizer.line(json["headline"]?.text ?? "", limit: 400)
        let ending = json["ending"]?.text
        wasInterrupted = ending == "interrupted"
        outcome =
            switch ending {
            case "found", "holds-to": "pass"
            case "steps-used":
                (json["steps"]?.items("") ?? []).contains { $0["held"]?.isTrue ?? false }
                    ? "pass" : "fail"
            case "misses-from": "fail"
            case "rig-was-limit": "invalid"
            default: "aborted"
            }
    }

    /// A search passes where it found nothing that its baseline does not know.
    private mutating func readRace(_ json: JSONDocument.Value) {
        kind = .race
        readWhat(json)
        let findings = json["findings"]?.items("") ?? []
        let broken = (json["comparisons"]?.items("") ?? []).filter { $0["broken"]?.isTrue ?? false }
        let found = findings + broken + (json["alsoIn"]?.items("") ?? [])
        let new = found.filter { !($0["known"]?.isTrue ?? false) }
        let trials = json["trials"]?.integer.flatMap { Int(exactly: $0) } ?? 0
        violated = (findings + broken).compactMap { $0["invariant"]?.text }.map {
            Sanitizer.line($0, limit: 60)
        }
        wasInterrupted = json["end"]?.text == "interrupted"
        let isOver = !wasInterrupted && (trials > 0 || !found.isEmpty)
        outcome = !new.isEmpty ? "fail" : isOver ? "pass" : "aborted"
        headline =
            "Race: \(Figures.counted(findings.count + broken.count, "finding")) in \(Figures.counted(trials, "trial"))"
            + (findings.first?["sentence"]?.text.map { ": \(Sanitizer.line($0, limit: 300))" }
                ?? ".")
    }

    /// The root of a file that screenrig wrote; nil for any other.
    private static func json(_ path: String) -> JSONDocument.Value? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        var limit: JSON.Limit?
        let root = JSONReader.document(Array(data), &limit)?.root
        return root?["schema"]?.text?.hasPrefix("screenrig/") ?? false ? root : nil
    }
}

extension NightBook {
    /// Whether a file is a history of nights; it is only read for that.
    static func isOne(_ path: String) -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        guard (try? ForeignDatabase.refuse(beside: path)) != nil,
            let database = try? DatabaseQueue(path: path, configuration: configuration)
        else { return false }
        let found = try? database.read { database in
            try ForeignDatabase.refuse(database, path: path)
            return try String.fetchOne(
                database, sql: "SELECT value FROM meta WHERE key = 'schema'")
        }
        return found == schema
    }
}
