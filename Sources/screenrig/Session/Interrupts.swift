internal import Dispatch
internal import Foundation
internal import Races
internal import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed, an SSH connection that broke): the first ends
/// the run gracefully, the second at once. They are handled for as long as this lives; then they end
/// the program. Of several the newest hears them. A program started by `nohup` ignores SIGHUP, and goes on doing so.
final class Interrupts: Sendable {
    private let place: Int
    private let count: Count

    private final class Count: Sendable {
        private let number = Mutex(0)
        var current: Int { number.withLock { $0 } }
        func next() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// `onInterrupt` is called on a queue of its own with 1, 2, ...
    init(_ onInterrupt: @escaping @Sendable (Int) -> Void) {
        let count = Count()
        self.count = count
        place = SignalDesk.shared.enter { onInterrupt(count.next()) }
    }

    /// For what has no journal to report from: the first stops `arena`; after the second the process ends
    /// within 3 s, and says what a lane was at that did not come to rest.
    convenience init(stopping arena: LaneArena, _ first: @escaping @Sendable () -> Void = {}) {
        self.init { number in
            first()
            arena.stop()
            switch number {
            case 1: return
            case 2:
                DispatchQueue.global().asyncAfter(deadline: .now() + 3) {
                    let busy = arena.turns.filter { $0.phase != .waiting }
                    for turn in busy {
                        Terminal.complain("stopped without a report: \(turn.sentence)")
                    }
                    _exit(ExitCode.interrupted.rawValue)
                }
            default: _exit(ExitCode.interrupted.rawValue)
            }
        }
    }

    deinit { SignalDesk.shared.leave(place) }

    var hasInterrupted: Bool { count.current > 0 }
}

/// The signals of this process, and who hears them. Dispatch takes a signal once for the life of a process: a source
/// that is made after another was cancelled, and the signal's handler changed, hears nothing. So these stay.
///
/// Safe because the sources are made in `init`; the listeners are in a `Mutex`.
private final class SignalDesk: @unchecked Sendable {
    static let shared = SignalDesk()
    private let sources: [any DispatchSourceSignal]
    private let listeners = Mutex<(next: Int, heard: [(place: Int, call: @Sendable () -> Void)])>(
        (0, []))

    /// Comes back when the sources hear: Dispatch registers them on a thread of its own, and a signal that came in
    /// between would do what its default is, or nothing.
    private init() {
        let queue = DispatchQueue(label: "screenrig.signals")
        let numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        sources = numbers.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        let registrations = DispatchGroup()
        for source in sources {
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.setEventHandler { [unowned self] in hear() }
            source.activate()
        }
        registrations.wait()
    }

    func enter(_ call: @escaping @Sendable () -> Void) -> Int {
        listeners.withLock { listeners in
            listeners.next += 1
            listeners.heard.append((listeners.next, call))
            return listeners.next
        }
    }

    func leave(_ place: Int) {
        listeners.withLock { $0.heard.removeAll { $0.place == place } }
    }

    private func hear() {
        if let call = listeners.withLock({ $0.heard.last?.call }) { return call() }
        // Nobody ends the program in an orderly way. The signal itself could not: Dispatch keeps it from all threads.
        _exit(ExitCode.interrupted.rawValue)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
