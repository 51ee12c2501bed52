internal import Dispatch
package import Foundation

/// Waits for the end of a process. `Process` notices that of the last one that holds a socket which this one inherited:
/// what this one has started does, and now and then one that was started at the same moment. So the kernel is asked as
/// well.
package struct ProcessWatch {
    package enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)
    }

    private let process: Process
    private let noticed = DispatchSemaphore(value: 0)
    /// Seconds.
    private static let lookEvery = 0.1
    /// Seconds that a process gets to end by itself once it is told to.
    private static let grace = 1.0

    /// Of a process that has not been started yet.
    package init(_ process: Process) {
        self.process = process
        process.terminationHandler = { [noticed] _ in noticed.signal() }
    }

    /// Blocks until it has ended. To be asked no more once it has told an end.
    package func ending() -> Ending {
        while true {
            if let ending = ending(within: 60) { return ending }
        }
    }

    /// Ends it with all that it has started: Foundation makes each process the leader of a group. What does not end by
    /// SIGTERM within a second ends by SIGKILL.
    package func end() {
        kill(-process.processIdentifier, SIGTERM)
        _ = ending(within: Self.grace)
        kill(-process.processIdentifier, SIGKILL)
    }

    /// The same for no longer than `limit`, in seconds; `nil`: it still runs.
    package func ending(within limit: Double) -> Ending? {
        let deadline = DispatchTime.now() + limit
        while DispatchTime.now() < deadline {
            if noticed.wait(timeout: min(deadline, .now() + Self.lookEvery)) == .success {
                return process.terminationReason == .exit
                    ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
            }
            var state = siginfo_t()
            let pid = id_t(process.processIdentifier)
            // Without taking the end from `Process`.
            guard waitid(P_PID, pid, &state, WEXITED | WNOHANG | WNOWAIT) == 0,
                state._sifields._sigchld.si_pid == process.processIdentifier
            else { continue }
            let status = state._sifields._sigchld.si_status
            return state.si_code == Int32(CLD_EXITED) ? .exit(status) : .signal(status)
        }
        return nil
    }
}
