import Synchronization

/// A clock that moves on by a second at each look.
final class Ticks: Sendable {
    private let seconds = Mutex(0)

    func next() -> Duration {
        .seconds(
            seconds.withLock {
                $0 += 1
                return $0
            })
    }
}
