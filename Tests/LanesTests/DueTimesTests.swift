import Journal
import Testing

@testable import Lanes

private func at(_ milliseconds: Int) -> Instant { Instant(.milliseconds(milliseconds)) }

@Suite("What a request goes on from, and so when it was due")
struct DueTimesTests {
    private var times = DueTimes()

    init() { times.beginTurn(at: at(50)) }

    private func timer(due: Instant, isDue: Bool = true) -> Timer {
        Timer(due: due.nanoseconds, order: 1, action: .call({}, isDue: isDue))
    }

    @Test("after a timer the first request was due with it, and the second when it is sent")
    func firstAfterTimer() {
        var times = times
        times.begin(timer(due: at(40)))
        let first = times.planned(nil, at: at(51))
        #expect(first == at(40))
        let second = times.planned(nil, at: at(52))
        #expect(second == at(52))
    }

    @Test(
        "what a transport's own timer begins, or what follows the last timer of a turn, was due when it is sent"
    )
    func noTimer() {
        var times = times
        times.begin(timer(due: at(40)))
        times.begin(timer(due: at(41), isDue: false))
        let first = times.planned(nil, at: at(51))
        #expect(first == at(51))
        times.begin(timer(due: at(42)))
        times.endJob()
        times.endTimers()
        let second = times.planned(nil, at: at(53))
        #expect(second == at(53))
    }

    @Test(
        "a response that waited until the lane woke makes what follows it late by that wait, to the end of its job"
    )
    func response() {
        var times = times
        times.read(responseOf: at(45))
        let first = times.planned(nil, at: at(60))
        #expect(first == at(55))
        let second = times.planned(nil, at: at(61))
        #expect(second == at(56))
        times.endTimers()
        let third = times.planned(nil, at: at(62))
        #expect(third == at(57))
        times.endJob()
        let fourth = times.planned(nil, at: at(63))
        #expect(fourth == at(63))
    }

    @Test("a response that arrived while the lane was awake leaves nothing to be late by")
    func responseInTime() {
        var times = times
        times.read(responseOf: at(55))
        let first = times.planned(nil, at: at(60))
        #expect(first == at(60))
    }

    @Test("the instant that a flow names stands")
    func named() {
        var times = times
        let first = times.planned(at(30), at: at(60))
        #expect(first == at(30))
        times.read(responseOf: at(45))
        let second = times.planned(at(31), at: at(60))
        #expect(second == at(31))
        times.begin(timer(due: at(40)))
        let third = times.planned(at(32), at: at(60))
        #expect(third == at(32))
    }
}
