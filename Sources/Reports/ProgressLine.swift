internal import Journal
internal import Rendering
internal import Statistics

/// A line every few seconds while a run goes on: plain text, so that a log keeps it readable.
public enum ProgressLine {
    /// `1:05 of 2:30 · 642 households: 310 signed in, 329 in progress (120 code shown), 3 failed · 205/s · p50 4.2 ms,
    /// p99 61 ms · 0 errors`, and the thresholds that are missed so far.
    public static func text(_ state: LiveState) -> String {
        let (progress, planned) = (state.progress, state.planned)
        var parts = [clock(progress.elapsed, of: planned), households(progress.households)]
        parts.append(Figures.rate(progress.answerRate))
        if let p50 = progress.latencyP50, let p99 = progress.latencyP99 {
            parts.append("p50 \(time(p50)), p99 \(time(p99))")
        }
        parts.append(errors(progress))
        if state.phase == .paused { parts.append("arrivals are paused") }
        if progress.heldNow > 0 { parts.append("\(Figures.count(progress.heldNow)) held back") }
        if progress.throttled > 0 { parts.append("\(Figures.count(progress.throttled)) throttled") }
        // Lateness below a millisecond is of no interest to anyone who watches a run.
        if let late = progress.latenessP99, late >= .milliseconds(1) {
            parts.append("rig late p99 \(time(late))")
        }
        if progress.waitingBatches > 20 {
            parts.append(
                "disk is behind by \(Figures.counted(progress.waitingBatches, "batch", plural: "batches"))"
            )
        }
        let missed = state.thresholds.filter { !$0.met }
        if !missed.isEmpty {
            parts.append(
                "\(Figures.counted(missed.count, "threshold")) missed so far "
                    + "(\(missed[0].sentence))")
        }
        if let invalidity = state.invalidity { parts.append("INVALID: \(invalidity)") }
        return parts.joined(separator: " · ")
    }

    static func clock(_ elapsed: Instant, of planned: Duration?) -> String {
        let now = minutes(elapsed.nanoseconds / 1_000_000_000)
        guard let planned else { return now }
        return "\(now) of \(minutes(planned.components.seconds))"
    }

    /// `1:05`, `1:05:00`.
    private static func minutes(_ seconds: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, rest) = seconds.quotientAndRemainder(dividingBy: 3600)
        return hours > 0
            ? "\(hours):\(two(rest / 60)):\(two(rest % 60))" : "\(rest / 60):\(two(rest % 60))"
    }

    private static func households(_ households: Progress.HouseholdCounts) -> String {
        var states = ["\(Figures.count(households.signedIn)) signed in"]
        if households.preSignedIn > 0 {
            states.append("\(Figures.count(households.preSignedIn)) of them on arrival")
        }
        if households.waiting > 0 {
            states.append("\(Figures.count(households.waiting)) in progress\(stages(households))")
        }
        if households.failed > 0 { states.append("\(Figures.count(households.failed)) failed") }
        if households.abandoned > 0 {
            states.append("\(Figures.count(households.abandoned)) abandoned")
        }
        return
            "\(Figures.counted(households.started, "household")): \(states.joined(separator: ", "))"
    }

    /// The stage that most of them are at.
    private static func stages(_ households: Progress.HouseholdCounts) -> String {
        let waiting = households.runningAt[..<Int(Stage.signedIn.rawValue)]
        let most = waiting.enumerated().max {
            ($0.element, $1.offset) < ($1.element, $0.offset)
        }
        guard let most, most.element > 0, let stage = Stage(rawValue: UInt8(most.offset)) else {
            return ""
        }
        return " (\(Figures.count(most.element)) \(stage.name))"
    }

    private static func errors(_ progress: Progress) -> String {
        let count = Figures.counted(progress.errors, "error")
        guard let worst = progress.worstError else { return count }
        return "\(count), most \(name(worst)) (\(Figures.count(worst.count)))"
    }

    /// `30 authenticate 503 overloaded`.
    static func cause(_ error: Progress.WorstError) -> String {
        "\(Figures.count(error.count)) \(name(error))"
    }

    private static func name(_ error: Progress.WorstError) -> String {
        let word = Sanitizer.line(
            error.reason.isEmpty ? error.outcome.name : error.reason, limit: 60)
        let isStatus = word == "status \(error.status)" || error.status == 0
        let what = isStatus ? word : "\(error.status) \(word)"
        return "\(error.operation.name) \(what)"
    }

    static func time(_ duration: Duration) -> String {
        Figures.time(milliseconds: duration.milliseconds)
    }
}
