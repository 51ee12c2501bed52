import Dispatch
import Synchronization
import Testing

/// Runs tests on a thread of their own: they wait for processes, and the tests that compute keep
/// the threads of the common pool busy for longer than a process may be waited for. One thread is
/// enough, since whoever waits gives it away.
final class OwnThread: TaskExecutor {
    static let shared = OwnThread()
    private let queue = DispatchQueue(label: "command tests", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Not `Task.sleep`: its timers wait for the common pool as well.
    func pause() async {
        await withCheckedContinuation { waiting in
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { waiting.resume() }
        }
    }
}

/// So many tests run processes at a time; others wait for their turn, and their time begins with it. With all suites at
/// once, dozens of processes share a few cores, and none is punctual.
private final class Turns: Sendable {
    static let shared = Turns()
    private static let most = 6
    private let state = Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>((most, []))

    func take() async {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(turn)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

/// `@Suite(.ownThread)`.
struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread.shared) {
            // A suite has no case, and waits for none.
            guard testCase != nil else { return try await function() }
            await Turns.shared.take()
            defer { Turns.shared.giveBack() }
            try await function()
        }
    }
}

extension Trait where Self == OwnThreadTrait {
    static var ownThread: Self { OwnThreadTrait() }
}
