public import Foundation

extension Process {
    /// How it ended, as the kernel says; nil while it runs, and for the moment in which `Process` takes that from the
    /// kernel. `isRunning` and `waitUntilExit` notice the end of the last process that holds a socket which this
    /// one inherited. Where tests start processes side by side, one in some thousands inherits the socket of another.
    public var ending: (status: Int32, wasSignalled: Bool)? {
        guard isRunning else { return (terminationStatus, terminationReason == .uncaughtSignal) }
        var state = siginfo_t()
        let pid = id_t(processIdentifier)
        guard waitid(P_PID, pid, &state, WEXITED | WNOHANG | WNOWAIT) == 0,
            state._sifields._sigchld.si_pid == processIdentifier
        else { return nil }
        return (state._sifields._sigchld.si_status, state.si_code != Int32(CLD_EXITED))
    }

    /// Blocks until it has ended, without a run loop of this thread, and gives how.
    @discardableResult
    public func waitForEnd() -> (status: Int32, wasSignalled: Bool) {
        while true {
            if let ending { return ending }
            usleep(5_000)
        }
    }
}
