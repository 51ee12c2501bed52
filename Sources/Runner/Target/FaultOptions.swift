internal import Foundation
package import Reports
package import Standin
internal import Synchronization

/// The stand-in's faults as rigs and command lines name them.
package enum FaultOptions {
    /// Those of `--fault`.
    package static func faults(_ texts: [String]) throws -> [Fault] {
        try texts.map { text in
            do throws(FaultError) {
                return try Fault(parsing: text)
            } catch {
                throw RunError.badInput("--fault \(text): \(error)")
            }
        }
    }

    /// The value of `faults:` that says the same, for `--set`.
    package static func override(_ texts: [String]) -> (path: String, value: String)? {
        guard !texts.isEmpty else { return nil }
        let items = texts.map { "'\($0.replacing("'", with: "''"))'" }
        return ("faults", "[\(items.joined(separator: ", "))]")
    }

    /// For shells to complete.
    package static var names: [String] { FaultKind.all.map(\.name) }
}

/// Where the stand-in's faults say what they did: lines of JSON (see `TruthEvent`).
package final class TruthFile: Sendable {
    private let handle: Mutex<FileHandle>

    /// Makes the file, or empties it.
    package init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw RunError.couldNotRun(
                "--truth: cannot write to \(path); name a file "
                    + "in a folder that can be written")
        }
        self.handle = Mutex(handle)
    }

    /// Says which faults are switched on, whatever comes of them.
    package func enable(_ faults: [Fault]) {
        let lines = faults.filter { !$0.kind.isControl }.map {
            "{\"event\":\"\(FaultActivations.enabled)\",\"fault\":\"\($0.kind.name)\",\"us\":0}\n"
        }
        handle.withLock { try? $0.write(contentsOf: Data(lines.joined().utf8)) }
    }

    package func append(_ events: [TruthEvent]) {
        guard !events.isEmpty else { return }
        let text = events.map { $0.json + "\n" }.joined()
        // A full disk ends the record of the truth, not the service.
        handle.withLock { try? $0.write(contentsOf: Data(text.utf8)) }
    }
}

extension FaultActivations {
    /// Of faults that are switched on, and what they did.
    package init(_ faults: [Fault], _ events: [TruthEvent]) {
        // Controls break nothing, and note nothing.
        self.init(faults.filter { !$0.kind.isControl }.map(\.kind.name))
        take(events)
    }

    package mutating func take(_ events: [TruthEvent]) {
        for event in events { add(event.fault, event.kind.rawValue) }
    }
}
