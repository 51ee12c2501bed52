import Foundation
import Journal
import Statistics
import Synchronization
import Testing

@testable import Lanes

@Suite("Virtual lanes stay together")
struct ConvoyTests {
    /// How many of its instants each of four lanes has passed.
    private final class Passed: Sendable {
        let counts = Mutex([0, 0, 0, 0])
    }

    @Test(
        "none goes on before the others have done what lies a window back",
        arguments: Seed.samples(8))
    func window(seed: Seed) async {
        var dice = seed.generator()
        let window = Duration.nanoseconds(Int64(dice.below(500)))
        let instants = (0..<4).map { lane in
            (0..<200).map { _ in Int64(dice.below(lane == 3 ? 200 : 5_000)) }.sorted()
        }
        let convoy = Convoy(lanes: 4, window: window)
        let passed = Passed()
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { done in
                        Thread.detachNewThread {
                            Self.drive(lane, instants, convoy, window, passed)
                            done.resume()
                        }
                    }
                }
            }
        }
        #expect(passed.counts.withLock { $0 } == [200, 200, 200, 200])
    }

    private static func drive(
        _ lane: Int, _ instants: [[Int64]], _ convoy: Convoy, _ window: Duration, _ passed: Passed
    ) {
        let loop = VirtualLoop(lane, of: convoy)
        for instant in instants[lane] {
            loop.wait(until: Instant(nanoseconds: instant))
            loop.keepTogether()
            let need = instant - Instant(window).nanoseconds
            let counts = passed.counts.withLock { $0 }
            for other in 0..<4 where other != lane {
                let due = instants[other].count { $0 < need }
                #expect(counts[other] >= due, "lane \(lane) at \(instant)")
            }
            passed.counts.withLock { $0[lane] += 1 }
        }
        loop.leave()
    }
}
