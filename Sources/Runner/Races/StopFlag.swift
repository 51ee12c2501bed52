internal import Synchronization

/// Raised once, from any thread.
package final class StopFlag: Sendable {
    private let raised = Atomic(false)
    package var isRaised: Bool { raised.load(ordering: .acquiring) }
    package init() {}
    package func raise() { raised.store(true, ordering: .releasing) }
}
