internal import Checker
internal import Foundation
package import Journal
internal import Synchronization

/// What a judge that lags did not hear, on disk until the run is over: a history of its own beside
/// the run's, made when it is first needed and removed after.
package final class SpillFile: Sendable {
    private let path: String
    private let header: HistoryHeader
    private let waits: Bool
    private let writer = Mutex(Writing.unneeded)

    private enum Writing {
        case unneeded
        case open(HistoryWriter)
        case failed
    }

    /// `path` must not exist yet. `waits` as in `HistoryWriter`.
    package init(path: String, header: HistoryHeader, waits: Bool) {
        self.path = path
        self.header = header
        self.waits = waits
    }

    /// Called on a lane's thread.
    func append(_ batch: Batch) {
        let open = writer.withLock { writing -> HistoryWriter? in
            switch writing {
            case .open(let writer): return writer
            case .failed: return nil
            case .unneeded:
                guard
                    let made = try? HistoryWriter(
                        path: path, header: header, recording: .all, waits: waits)
                else {
                    writing = .failed
                    return nil
                }
                writing = .open(made)
                return made
            }
        }
        open?.append(batch)
    }

    /// Brings the judge everything that was spilled, and removes the file. False where not all of it
    /// is there: the disk was full, or slower than the load.
    func replay(to judge: Judge) -> Bool {
        guard case .open(let writer) = writer.withLock({ $0 }) else { return false }
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        _ = writer.finish(
            HistoryEnd(
                ended: .start, interrupted: false, failure: "", cpuPercent: 0, historyHash: ""))
        guard writer.failure == nil, let history = try? History(path: path),
            history.kept.isComplete
        else { return false }
        do {
            try history.events { judge.take($0) }
            try judge.take(recorded: history)
        } catch {
            return false
        }
        return true
    }
}
