import Journal
import TestSupport
import Testing

@testable import Reports

@Suite("What a terminal shows")
struct TerminalTests {
    @Test("the last words of a run are as they were reviewed", arguments: [80, 120, 200])
    func golden(width: Int) throws {
        let summary = try FilesTests.evening.get().written.summary
        let text = TerminalReport.text(summary, width: width, color: false, path: "reports/evening")
        try Golden.expect(text, is: "terminal/evening-\(width).txt")
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
    }

    @Test("a run against a closed port is as it was reviewed")
    func closedPort() throws {
        let summary = try Summary(Silent(), thresholds: Thresholds.sample)
        let text = TerminalReport.text(summary, width: 80, color: false, path: "reports/x")
        try Golden.expect(text, is: "terminal/closed-port.txt")
    }

    @Test("colour changes no word")
    func color() throws {
        let summary = try FilesTests.evening.get().written.summary
        let plain = TerminalReport.text(summary, width: 100, color: false)
        let colored = TerminalReport.text(summary, width: 100, color: true)
        #expect(colored != plain)
        #expect(colored.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") == plain)
    }

    @Test("progress is one line that says how far, how fast and what is wrong")
    func progress() {
        var progress = Progress()
        func text(planned: Duration? = nil) -> String {
            ProgressLine.text(LiveState(title: "", progress: progress, planned: planned))
        }
        #expect(text() == "0:00 · 0 households: 0 signed in · 0/s · 0 errors")
        progress.elapsed = Instant(.seconds(65))
        (progress.households.started, progress.households.signedIn) = (642, 310)
        (progress.households.failed, progress.households.abandoned) = (3, 1)
        progress.households.runningAt[Int(Stage.codeShown.rawValue)] = 208
        progress.households.runningAt[Int(Stage.codeTyped.rawValue)] = 120
        (progress.perSecond, progress.completed, progress.throttled) = (205.4, 12_345, 7)
        progress.latencyP50 = .microseconds(4210)
        progress.latencyP99 = .milliseconds(61)
        #expect(
            text(planned: .seconds(150))
                == "1:05 of 2:30 · 642 households: 310 signed in, 328 in progress (208 code-shown), "
                + "3 failed, 1 abandoned · 205/s · p50 4.21 ms, p99 61.0 ms · 0 errors · 7 throttled"
        )
    }

    @Test("the rate of a first interval of milliseconds is not more than all answers so far")
    func firstMoment() {
        var progress = Progress()
        progress.elapsed = Instant(.milliseconds(10))
        (progress.perSecond, progress.sent, progress.completed) = (500, 5, 5)
        var polls = Progress.Work(.pollToken)
        (polls.sent, polls.completed) = (5, 5)
        progress.works = [polls]
        let state = LiveState(title: "", progress: progress)
        #expect(ProgressLine.text(state).contains(" · 5.00/s · "))
        #expect(ProgressJSON.progress(state).contains("\"perSecond\":5}"))
        #expect(LiveBoard(state).json.contains("\"errors\":0,\"perSecond\":5,"))
        let block = LiveBlock.lines(state, width: 80, color: false)
        #expect(block.contains { $0.hasPrefix("answers     5.00/s") }, "\(block)")
    }

    @Test("a late rig and a slow disk show in the line of progress")
    func trouble() {
        var progress = Progress()
        progress.elapsed = Instant(.seconds(3725))
        progress.latenessP99 = .milliseconds(14)
        progress.waitingBatches = 40
        let text = ProgressLine.text(LiveState(title: "", progress: progress))
        #expect(text.hasPrefix("1:02:05 · "))
        #expect(text.hasSuffix("rig late p99 14.0 ms · disk is behind by 40 batches"))
    }
}
