internal import Dispatch
internal import Foundation
internal import Races
internal import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed, an SSH connection that broke): the first ends
/// the run gracefully, the second at once. They are handled for as long as this lives; then they end
/// the program. A program started by `nohup` ignores SIGHUP, and goes on doing so.
///
/// Safe because the sources are made in `init` and only cancelled in `deinit`; the count is in a
/// `Mutex`.
final class Interrupts: @unchecked Sendable {
    private let numbers: [Int32]
    private let sources: [any DispatchSourceSignal]
    private let count = Mutex(0)

    /// `onInterrupt` is called on a queue of its own with 1, 2, ...
    init(_ onInterrupt: @escaping @Sendable (Int) -> Void) {
        let queue = DispatchQueue(label: "screenrig.signals")
        numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for source in sources {
            source.setEventHandler { [unowned self] in
                onInterrupt(
                    count.withLock { count in
                        count += 1
                        return count
                    })
            }
            source.activate()
        }
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

    deinit {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    var hasInterrupted: Bool { count.withLock { $0 > 0 } }
}
