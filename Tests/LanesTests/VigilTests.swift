import Testing

@testable import Lanes

/// A wait as a live loop has it, on a clock of its own: sleeping overshoots, watching takes a moment
/// for each look.
private struct Wait {
    var now: Int64 = 0
    var awake: Int64 = 0
    var sleeps = 0

    /// Nil when it would sleep for ever.
    mutating func until(_ due: Int64?, isPrecise: Bool, overshoot: Int64) -> Int64? {
        var vigil = Vigil(isPrecise: isPrecise)
        while true {
            switch vigil.step(at: now, until: due) {
            case .sleep(nil): return nil
            case .sleep(let nanoseconds?):
                sleeps += 1
                now += nanoseconds + overshoot
                if !isPrecise { return now }
            case .watch:
                now += 400
                awake += 400
            case .go: return now
            }
        }
    }
}

@Suite("How a live lane waits")
struct VigilTests {
    @Test("an ordinary lane sleeps until it is due, and is as late as the kernel")
    func ordinary() {
        var wait = Wait()
        #expect(wait.until(5_000_000, isPrecise: false, overshoot: 60_000) == 5_060_000)
        #expect(wait.awake == 0 && wait.sleeps == 1)
    }

    @Test(
        "a precise lane is on time whatever the kernel does, and awake for 100 us at most",
        arguments: [
            (due: 5_000_000, overshoot: 0), (due: 5_000_000, overshoot: 60_000),
            (due: 100_000, overshoot: 30_000), (due: 100_001, overshoot: 30_000),
            (due: 99_000, overshoot: 0), (due: 1, overshoot: 0),
            (due: 60_000_000_000, overshoot: 99_000),
        ] as [(due: Int64, overshoot: Int64)])
    func precise(due: Int64, overshoot: Int64) {
        var wait = Wait()
        let woke = wait.until(due, isPrecise: true, overshoot: overshoot)!
        #expect(woke >= due && woke - due <= 400)
        #expect(wait.awake <= Vigil.longest + 400)
        #expect(wait.sleeps <= 1)
    }

    @Test("a sleep that overshoots the 100 us makes it late by the rest, without a spin")
    func late() {
        var wait = Wait()
        let woke = wait.until(1_000_000, isPrecise: true, overshoot: 250_000)!
        #expect(woke == 1_150_000 && wait.awake == 0)
    }

    @Test("a clock that stands still does not keep it awake for ever, nor does one that runs back")
    func strangeClock() {
        var vigil = Vigil(isPrecise: true)
        #expect(vigil.step(at: 0, until: 90_000) == .watch)
        #expect(vigil.step(at: 50_000, until: 90_000) == .watch)
        // The timer was put off meanwhile, in effect: 100 us are 100 us.
        #expect(vigil.step(at: 100_000, until: 190_000) == .go)
    }

    @Test("without a timer it sleeps until something happens", arguments: [true, false])
    func forever(isPrecise: Bool) {
        var wait = Wait()
        #expect(wait.until(nil, isPrecise: isPrecise, overshoot: 0) == nil)
    }

    @Test("what is due or overdue is not waited for", arguments: [true, false])
    func overdue(isPrecise: Bool) {
        for due in [0, -1, Int64.min / 2] as [Int64] {
            var vigil = Vigil(isPrecise: isPrecise)
            #expect(vigil.step(at: 0, until: due) == .go)
        }
    }
}
