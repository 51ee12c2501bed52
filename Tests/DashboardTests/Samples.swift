import Dialects
import Journal
import Reports
import Statistics

@testable import Dashboard

/// A run in full swing, with what could upset a reader of its pages.
enum Samples {
    static let subject = ShownRun(
        rig: "a \"rig\"\\ with\na line", run: "a-rig-20261121T070000Z",
        target: "http://127.0.0.1:8080", version: "1.2.3")

    /// The same as a search for races.
    static var search: LiveState {
        var state = state
        var search = LiveSearch()
        (search.trials, search.discarded, search.phase) = (420, 3, "poll-authenticate: sweep")
        search.found = [
            .init(
                plan: "poll-authenticate", invariant: "sign-in-visible", rate: "27 of 30",
                sentence: "<script>alert(1)</script>the poll saw nothing")
        ]
        search.curve = .init(
            plan: "poll-logout", invariant: "logout-final",
            points: [
                .init(offsetMs: -0.5, hits: 0, trials: 6), .init(offsetMs: 12, hits: 5, trials: 6),
            ])
        (state.search, state.findings) = (search, nil)
        return state
    }

    static var state: LiveState {
        var progress = Progress()
        progress.elapsed = Instant(.seconds(65))
        (progress.households.started, progress.households.signedIn) = (20, 9)
        (progress.households.failed, progress.households.abandoned) = (3, 1)
        progress.households.runningAt[Int(Stage.codeShown.rawValue)] = 7
        (progress.sent, progress.completed, progress.errors) = (130, 127, 4)
        progress.heldBack = 5
        var poll = Progress.Work(.pollToken)
        (poll.sent, poll.completed, poll.errors) = (101, 100, 1)
        poll.outcomes[Int(Outcome.ok.rawValue)] = 40
        poll.outcomes[Int(Outcome.pending.rawValue)] = 60
        poll.outcomes[Int(Outcome.timeout.rawValue)] = 1
        for step in 1...100 { poll.latency.record(.milliseconds(step)) }
        var logout = Progress.Work(.logout)
        (logout.sent, logout.completed) = (29, 27)
        logout.outcomes[Int(Outcome.ok.rawValue)] = 27
        logout.latency.record(.seconds(31))
        progress.works = [poll, logout]
        progress.signIn.record(.seconds(12))
        progress.lateness.record(.microseconds(40))
        var findings = LiveFindings()
        (findings.judged, findings.checked) = (127, 400)
        findings.counts = [.init(.signInVisible, violations: 2)]
        findings.latest = [
            .init(
                .signInVisible, household: 7, seconds: 12.5, standing: "fails",
                sentence: "<script>alert(1)</script>\u{2028}household 7 waited 31 ms")
        ]
        return LiveState(
            title: "sample → http://127.0.0.1:8080", progress: progress, planned: .seconds(150),
            plannedHouseholds: 20, phase: .viewers(3), findings: findings)
    }
}
