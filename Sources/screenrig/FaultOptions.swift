internal import Foundation
internal import Reports
internal import Rigs
internal import Standin
internal import Synchronization

/// The stand-in's faults as rigs and command lines name them.
enum FaultOptions {
    /// Those of `--fault`.
    static func faults(_ texts: [String]) throws -> [Fault] {
        try texts.map { text in
            do throws(FaultError) {
                return try Fault(parsing: text)
            } catch {
                throw CommandFailure.badInput("--fault \(text): \(error)")
            }
        }
    }

    /// The value of `faults:` that says the same, for `--set`.
    static func override(_ texts: [String]) -> (path: String, value: String)? {
        guard !texts.isEmpty else { return nil }
        let items = texts.map { "'\($0.replacing("'", with: "''"))'" }
        return ("faults", "[\(items.joined(separator: ", "))]")
    }

    /// For shells to complete.
    static var names: [String] { FaultKind.all.map(\.name) }

    /// For `explain` and `list`.
    static var explanations: [Explanation] {
        FaultKind.all.map { kind in
            let parameters = kind.parameters.map {
                "\($0.name) (\($0.line); \($0.wanted); default \($0.fallback))"
            }
            let takes =
                parameters.isEmpty ? "" : " It takes \(parameters.joined(separator: ", "))."
            let meant =
                kind.isControl
                ? "It breaks no promise: a violation reported because of it is a false alarm."
                : "A run should report a violation of \(kind.invariants.joined(separator: " or "))."
            return Explanation(
                .fault, kind.name, kind.line,
                "A fault of the stand-in, for rigs ('faults:') and --fault. \(meant)\(takes)",
                harmless: "", send: "")
        }
    }
}

/// Where the stand-in's faults say what they did: lines of JSON (see `TruthEvent`).
final class TruthFile: Sendable {
    private let handle: Mutex<FileHandle>
    let path: String

    /// Makes the file, or empties it.
    init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw CommandFailure.couldNotRun(
                "--truth: cannot write to \(path); name a file "
                    + "in a folder that can be written")
        }
        self.path = path
        self.handle = Mutex(handle)
    }

    /// Says which faults are switched on, whatever comes of them.
    func enable(_ faults: [Fault]) {
        let lines = faults.filter { !$0.kind.isControl }.map {
            "{\"event\":\"\(FaultActivations.enabled)\",\"fault\":\"\($0.kind.name)\",\"us\":0}\n"
        }
        handle.withLock { try? $0.write(contentsOf: Data(lines.joined().utf8)) }
    }

    func append(_ events: [TruthEvent]) {
        guard !events.isEmpty else { return }
        let text = events.map { $0.json + "\n" }.joined()
        // A full disk ends the record of the truth, not the service.
        handle.withLock { try? $0.write(contentsOf: Data(text.utf8)) }
    }
}

extension FaultActivations {
    /// Of faults that are switched on, and what they did.
    init(_ faults: [Fault], _ events: [TruthEvent]) {
        // Controls break nothing, and note nothing.
        self.init(faults.filter { !$0.kind.isControl }.map(\.kind.name))
        take(events)
    }

    mutating func take(_ events: [TruthEvent]) {
        for event in events { add(event.fault, event.kind.rawValue) }
    }
}
