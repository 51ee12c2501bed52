internal import Foundation
internal import Glibc
internal import Synchronization

/// Temporary files and the running fetch command of a merge, to clean up when it stops early.
package final class MergeLeftovers: Sendable {
    private struct State {
        /// Files and folders.
        var paths: Set<String> = []
        /// Process number of the command that fetches.
        var fetching: Int32?
        var merged: String?
    }
    private let state = Mutex(State())

    package init() {}

    func add(_ path: String) { state.withLock { _ = $0.paths.insert(path) } }

    /// The file at `path` is complete.
    func release(_ path: String) { state.withLock { _ = $0.paths.remove(path) } }

    /// The merged history, at `path`, is complete.
    func keep(_ path: String) {
        state.withLock { state in
            state.paths.remove(path)
            state.merged = path
        }
    }

    /// Starts the command of `--fetch`. An interruption waits until its process is known here, and can be ended.
    func start(_ command: Process) throws {
        try state.withLock { state in
            try command.run()
            state.fetching = command.processIdentifier
        }
    }

    /// The command of `--fetch` has ended.
    func fetched() { state.withLock { $0.fetching = nil } }

    /// Ends the command and removes the files, then calls `end` with the path of the merged history, if it is complete.
    /// The lock is held until `end` returns: where it ends the process, a merge in another thread waits here and adds
    /// no file and no exit code of its own.
    package func remove(then end: (_ merged: String?) -> Void = { _ in }) {
        state.withLock { state in
            // The command ignores the signals that this process ignores; its group includes what it started.
            if let process = state.fetching { kill(-process, SIGKILL) }
            for path in state.paths {
                // A database has files beside it.
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            (state.paths, state.fetching) = ([], nil)
            end(state.merged)
        }
    }
}
