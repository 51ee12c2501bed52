import Calibration
import Dialects
import Foundation
import Journal
import Lanes
import Reports
import TestSupport
import Testing

/// A lane whose time passes only as it waits, and as its requests cost it: how busy it is and how late
/// is known to the nanosecond.
private final class CostlyLoop: LaneLoop {
    private(set) var now: Instant = .start
    let canBeWoken = false

    func spend(_ duration: Duration) { now = now + duration }

    func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant {
        now = max(now, deadline ?? now)
        woken()
        return now
    }

    func wake() {}
}

/// Each request takes so much of the lane's own time; the service answers a millisecond later.
private final class Costly: Transport {
    private unowned let lane: Lane
    private let loop: CostlyLoop
    private let cost: Duration

    init(lane: Lane, loop: CostlyLoop, cost: Duration) {
        (self.lane, self.loop, self.cost) = (lane, loop, cost)
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        loop.spend(cost)
        let sent = lane.now
        lane.at(sent + .milliseconds(1)) { [lane] in
            completion(
                Transfer(
                    sent: sent, firstByte: lane.now, ended: lane.now,
                    result: .answered(Reply(status: 200))))
        }
    }

    func retire(_ device: Device) {}
    func abort() {}
}

@Suite("A rig that is the bottleneck")
struct BottleneckTests {
    /// Ten seconds of 100 requests/s, of which each takes `cost` of the lane.
    private static func report(cost: Duration, breachFails: Bool, to folder: URL) throws -> Summary
    {
        let path = folder.appending(path: "history.sqlite").path
        let header = HistoryHeader(
            run: "bottleneck", rigName: "bottleneck", rigSource: "", seed: 1,
            startedMicroseconds: 1_767_225_600_000_000, target: "nowhere",
            protocolName: "adobe-pass-v1", version: "0", isVirtual: false, lanes: 1,
            kinds: ["connection"], plannedHouseholds: nil, load: "100/s", thresholds: [],
            validLatenessNanoseconds: 10_000_000, validBusy: 0.9, breachFails: breachFails)
        let writer = try HistoryWriter(path: path, header: header)
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: 80)
        let loop = CostlyLoop()
        let lane = Lane(
            index: 0, loop: loop,
            exchangeBuilder: ExchangeBuilder(
                run: "bottleneck", fingerprinter: Fingerprinter(key: 1)), sink: writer)
        let transport = Costly(lane: lane, loop: loop, cost: cost)
        lane.use(transport)
        let load = PlainLoad(
            PlainLoad.LoadSettings(
                call: Call(.checkAuthentication, .get, WebAddress(origin: origin, target: "/")),
                callers: 100, pace: .rate(perSecond: 100), lasting: .seconds(10), keeping: .all,
                isHeldBack: true, processor: { 0 }), on: lane, over: transport)
        load.begin()
        lane.run { load.isOver }
        _ = writer.finish(
            HistoryEnd(
                ended: lane.now, interrupted: false, failure: "", cpuPercent: 0, historyHash: ""))
        let history = try History(path: folder.path)
        return try Report.write(history, thresholds: [], to: folder.path).summary
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var cost: Duration
        var reasons: [String]
    }

    @Test(
        "is found out, and says so first",
        arguments: [
            Case(testDescription: "at half its power", cost: .milliseconds(5), reasons: []),
            Case(
                testDescription: "busy, and not yet late", cost: .microseconds(9_500),
                reasons: ["validity.busy"]),
            Case(
                testDescription: "overloaded by half", cost: .milliseconds(15),
                reasons: ["validity.lateness-p99", "validity.busy"]),
        ], [true, false])
    func verdict(row: Case, breachFails: Bool) throws {
        let folder = TestFolder()
        let summary = try Self.report(cost: row.cost, breachFails: breachFails, to: folder.url)

        let health = summary.rigHealth
        #expect(health.valid == row.reasons.isEmpty)
        #expect(health.reasons.count == row.reasons.count, "\(health.reasons)")
        for (reason, key) in zip(health.reasons, row.reasons) {
            #expect(reason.contains("(\(key))"), "\(reason)")
        }
        let fails = !row.reasons.isEmpty && breachFails
        #expect(summary.exitStatus == (fails ? .untrusted : .passed))
        #expect(summary.outcome == (fails ? .invalid : .pass))

        let words = "rig itself was the bottleneck"
        let terminal = TerminalReport.text(summary, width: 100, color: false)
        let html = try folder.read("report.html")
        let json = try folder.read("summary.json")
        #expect(terminal.hasPrefix("Invalid: the \(words)") == fails)
        #expect(terminal.contains(words) == !row.reasons.isEmpty)
        #expect(html.contains(words) == !row.reasons.isEmpty)
        if fails {
            let place = try #require(html.range(of: words)).lowerBound
            #expect(place < (html.range(of: "<table")?.lowerBound ?? html.endIndex))
        }
        #expect(json.contains("\"outcome\": \"\(fails ? "invalid" : "pass")\""))
        for key in row.reasons { #expect(json.contains("(\(key))")) }
        // What was said of it is what it was: 100 requests a second of that length.
        let share = min(1, row.cost / .milliseconds(10))
        #expect(abs((health.busiestLane ?? 0) - share) < 0.02, "\(health.busiestLane ?? -1)")
    }
}
