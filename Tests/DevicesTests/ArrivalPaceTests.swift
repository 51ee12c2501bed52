import Journal
import Testing

@testable import Devices

@Suite("When the next household arrives") struct ArrivalPaceTests {
    private func at(_ milliseconds: Int) -> Instant { Instant(.milliseconds(milliseconds)) }

    @Test("as planned, also where a late lane comes to it after others that are due")
    func planned() {
        var pace = ArrivalPace()
        pace.plan(at(500))
        #expect(pace.due == at(500))
        pace.arrived(at: at(500))
        pace.plan(at(600))
        #expect(pace.due == at(600))
    }

    @Test("a pause puts the plan off by its length; a second one within changes nothing")
    func paused() {
        var pace = ArrivalPace()
        pace.plan(at(500))
        pace.pause(at: at(200))
        pace.pause(at: at(300))
        #expect(pace.due == nil)
        pace.resume(at: at(1200))
        #expect(pace.due == at(1500))
        pace.resume(at: at(1300))
        #expect(pace.due == at(1500))
    }

    @Test("a rate set by hand counts from then on, through a pause, whatever the plan has")
    func paced() {
        var pace = ArrivalPace()
        pace.plan(at(60_000))
        pace.setInterval(.milliseconds(100), at: at(1000), first: .milliseconds(100))
        #expect(pace.due == at(1100))
        pace.arrived(at: at(1100))
        #expect(pace.due == at(1200))
        pace.pause(at: at(1150))
        pace.resume(at: at(5000))
        #expect(pace.due == at(5050))
    }

    @Test("a rate that is set while arrivals are paused counts from the end of the pause")
    func setWhilePaused() {
        var pace = ArrivalPace()
        pace.pause(at: at(1000))
        pace.setInterval(.milliseconds(400), at: at(3000), first: .milliseconds(100))
        #expect(pace.due == nil)
        pace.resume(at: at(5000))
        #expect(pace.due == at(5100))
    }

    @Test("lanes that get a rate by hand at the same instant come one after another")
    func lanes() {
        let dues = (1...4).map { number in
            var pace = ArrivalPace()
            pace.setInterval(.milliseconds(400), at: at(1000), first: .milliseconds(100 * number))
            return pace.due
        }
        #expect(dues == [at(1100), at(1200), at(1300), at(1400)])
        let later = (1...4).map { number in
            var pace = ArrivalPace()
            pace.setInterval(.milliseconds(400), at: at(1000), first: .milliseconds(100 * number))
            pace.pause(at: at(1050))
            pace.resume(at: at(3050))
            return pace.due
        }
        #expect(later == [at(3100), at(3200), at(3300), at(3400)])
    }
}
