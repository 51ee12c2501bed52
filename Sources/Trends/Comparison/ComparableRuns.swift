public import Checker
internal import Foundation
public import Journal
internal import Rendering

extension Comparison {
    /// What changed since the newest run beside `directory` that is older than it and comparable: the
    /// same rig, load, target and protocol, neither interrupted nor with the rig as the bottleneck.
    /// Nil where there is none. `findings` are those of the run, whose summary may not be written yet.
    public static func sinceLastComparable(
        _ directory: RunDirectory, findings: Findings? = nil, draws: Int = 600
    ) throws -> Comparison? {
        // Reading a run to compare it takes longer than a short run in virtual time.
        let older = ComparableRuns.older(than: directory)
        guard !older.isEmpty else { return nil }
        let run = try ComparedRun(directory, findings: findings)
        guard let base = ComparableRuns(to: run, among: older).newestRead() else { return nil }
        return Comparison(try ComparedRun(base), run, draws: draws)
    }
}

/// The runs beside a run that it may be held against.
public struct ComparableRuns {
    private let run: ComparedRun
    private let older: [RunDirectory]

    /// More are not looked at: somebody who keeps thousands of runs does not wait for that.
    private static let limit = 200

    /// `directory` is where `run` was read from.
    public init(to run: ComparedRun, _ directory: RunDirectory) {
        self.init(to: run, among: Self.older(than: directory))
    }

    init(to run: ComparedRun, among older: [RunDirectory]) {
        self.run = run
        self.older = older
    }

    static func older(than directory: RunDirectory) -> [RunDirectory] {
        let place = URL(filePath: directory.path).resolvingSymlinksInPath()
        let all = RunDirectory.all(under: place.deletingLastPathComponent().path)
        let own = all.firstIndex { URL(filePath: $0.path).resolvingSymlinksInPath() == place }
        return own.map { Array(all[($0 + 1)...].prefix(limit)) } ?? []
    }

    /// The newest comparable one; with `stamp` (`20261121T070000Z`), among those made no later.
    public func newest(notAfter stamp: String? = nil) -> RunDirectory? {
        newestRead(notAfter: stamp)?.directory
    }

    /// The same, as far as it was read for that.
    func newestRead(notAfter stamp: String? = nil) -> ReadRun? {
        for candidate in older {
            if let stamp, candidate.stamp > stamp { continue }
            guard mayBeAlike(candidate), let read = try? ReadRun(candidate),
                run.comparability.isComparable(to: read.comparability)
            else { continue }
            return read
        }
        return nil
    }

    /// What the header alone tells.
    private func mayBeAlike(_ candidate: RunDirectory) -> Bool {
        guard let history = try? History(path: candidate.history) else { return false }
        let header = history.header
        // A copy of the run itself: a live one has its id and its start to the microsecond.
        guard header.isVirtual || (header.runID, header.startedMicroseconds) != run.identity else {
            return false
        }
        return Sanitizer.line(header.rigName) == run.comparability.rig
            && header.isVirtual == run.comparability.isVirtual && history.end != nil
    }
}
