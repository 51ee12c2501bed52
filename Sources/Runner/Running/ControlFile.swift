internal import Foundation
internal import Glibc
package import Journal
internal import Rigs

/// What somebody asks of a run that goes on: a mark for its report, or another load.
package enum RunRequest: Sendable, Hashable {
    /// Something happened: a moment, or its begin or end.
    case mark(name: String, MarkEdge)
    /// No more arrivals until `resume`.
    case pause
    case resume
    /// Households arrive at this rate from now on, evenly.
    case rate(Rate)
    /// As Ctrl-C.
    case stop

    package enum MarkEdge: String, Sendable, CaseIterable { case moment, begin, end }

    /// Households a second.
    package struct Rate: Sendable, Hashable {
        package var perSecond: Double

        package init(perSecond: Double) { self.perSecond = perSecond }
    }
}

/// `control.jsonl` of a run directory: other processes of its owner write requests to it, a line each, and the run
/// reads them. It exists while the run goes on, and the run holds a lock on it: a file without a lock was left by a
/// run that was killed.
package final class ControlFile: @unchecked Sendable {
    // Safe because `read` and `close` are called on one queue, that of the run's watch.
    private let path: String
    private let descriptor: Int32
    private var rest = Data()

    package static let name = "control.jsonl"

    /// Makes it, for a run that begins. Nil where the file system takes none: the run goes on without.
    package init?(in directory: RunDirectory) {
        path = directory.file(Self.name)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            unlink(path)
            return nil
        }
    }

    /// The requests since the last time, each with the time at which it was made, in microseconds of UTC.
    package func read() -> [(request: RunRequest, microseconds: Int64)] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            rest.append(contentsOf: buffer[..<count])
        }
        var found: [(RunRequest, Int64)] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[rest.startIndex..<end]
            rest = Data(rest[rest.index(after: end)...])
            if let request = Self.request(Data(line)) { found.append(request) }
        }
        return found
    }

    /// The run is over.
    package func close() {
        unlink(path)
        Glibc.close(descriptor)
    }

    /// Why a request cannot be made.
    package enum ControlError: Error, CustomStringConvertible {
        case noRun(String)
        case notWritten(String, reason: String)

        package var description: String {
            switch self {
            case .noRun(let run):
                "\(run) is not going on: marks and changes of the load are for a run that is. If one is, name its "
                    + "directory with --run"
            case .notWritten(let path, let reason): "cannot write to \(path): \(reason)"
            }
        }
    }

    /// Asks the run in `directory`.
    package static func ask(
        _ request: RunRequest, of directory: RunDirectory, microseconds: Int64
    ) throws(ControlError) {
        let path = directory.file(name)
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { throw .noRun(directory.name) }
            throw .notWritten(path, reason: String(cString: strerror(errno)))
        }
        defer { Glibc.close(file) }
        guard flock(file, LOCK_SH | LOCK_NB) != 0 else { throw .noRun(directory.name) }
        let line = Array((text(of: request, microseconds) + "\n").utf8)
        guard Glibc.write(file, line, line.count) == line.count else {
            throw .notWritten(path, reason: String(cString: strerror(errno)))
        }
    }

    private static func text(of request: RunRequest, _ microseconds: Int64) -> String {
        let words: [String] =
            switch request {
            case .mark(let name, let edge): ["mark", name, edge.rawValue]
            case .pause: ["pause"]
            case .resume: ["resume"]
            case .rate(let rate): ["rate", "\(rate.perSecond)"]
            case .stop: ["stop"]
            }
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        return "{\"us\":\(microseconds),\"do\":[\(list)]}"
    }

    private struct Line: Decodable {
        var us: Int64
        var `do`: [String]
    }

    private static func request(_ line: Data) -> (RunRequest, Int64)? {
        guard let read = try? JSONDecoder().decode(Line.self, from: line) else { return nil }
        return RunRequest(words: read.do).map { ($0, read.us) }
    }
}

extension RunRequest {
    /// `["mark", "rollout", "begin"]`, `["rate", "20"]`; nil where it is none.
    package init?(words: [String]) {
        switch (words.first, words.count) {
        case ("mark", 3):
            guard let edge = MarkEdge(rawValue: words[2]), EventTerms.isName(words[1]) else {
                return nil
            }
            self = .mark(name: words[1], edge)
        case ("pause", 1): self = .pause
        case ("resume", 1): self = .resume
        case ("stop", 1): self = .stop
        case ("rate", 2):
            guard let number = Double(words[1]), (0.001...100_000).contains(number)
            else { return nil }
            self = .rate(Rate(perSecond: number))
        default: return nil
        }
    }
}
