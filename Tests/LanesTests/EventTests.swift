import Journal
import TestSupport
import Testing

@testable import Lanes

/// What a lane counts.
struct EventTests {
    private static func lane() -> Lane {
        let exchangeBuilder = ExchangeBuilder(
            run: "test", fingerprinter: Fingerprinter(key: 1))
        return Lane(
            index: 0, loop: VirtualLoop(), exchangeBuilder: exchangeBuilder, sink: Collected())
    }

    @Test("an event is what came due: an action, or the waking of a sleeper")
    func events() {
        let lane = Self.lane()
        for second in 0..<5 { lane.at(.start + .seconds(second)) {} }
        lane.start {
            for _ in 0..<11 { try? await lane.sleep(for: .seconds(1)) }
        }
        lane.run { true }
        #expect(lane.events == 16)
    }
}
