import Dispatch
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

/// `@Suite(.ownThread)`.
struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    static var ownThread: Self { OwnThreadTrait() }
}
