internal import Formats
internal import Journal
internal import Rendering
internal import Statistics
public import Vocabulary

/// What a search says, as text and as lines of JSON.
public enum RaceText {
    /// Hits over the offset, one row for each bin, in `width` columns; bins without a hit that have none
    /// beside them either share a row.
    public static func curve(
        plan: String, invariant: Invariant, _ points: [RaceFinding.CurvePoint],
        _ window: RaceFinding.Window?, isCoarse: Bool = false, width: Int = 80
    ) -> [String] {
        var lines = ["\(plan): violations of \(invariant), by offset in ms"]
        // Offset, space, bar, space, count.
        let room = max(10, width - 26)
        for stretch in stretches(points) {
            let trials = stretch.reduce(0) { $0 + $1.rate.trials }
            let point = stretch[stretch.startIndex]
            let middle =
                if let last = stretch.last, stretch.count > 1 {
                    " to \(Offsets.milliseconds(last.offset))"
                } else { bar(point, window, room) }
            lines.append(
                padded(Offsets.milliseconds(point.offset), 10)
                    + middle + String(repeating: " ", count: max(0, room + 3 - middle.count))
                    + padded("\(point.rate.hits)/\(trials)", 9))
        }
        if let window {
            let isOpen = window.isLowOpen || window.isHighOpen
            let range = (isCoarse ? "roughly " : "") + text(window)
            lines.append(
                isOpen
                    ? "window: offsets of \(range); the search found no other end"
                    : "window \(range)")
            let besides = points.besides(window)
            if !besides.isEmpty { lines.append("outside it: \(besides.joined(separator: "; "))") }
        }
        return lines
    }

    private static func bar(
        _ point: RaceFinding.CurvePoint, _ window: RaceFinding.Window?, _ room: Int
    ) -> String {
        let bars = Int((point.rate.share * Double(room)).rounded())
        let isInside = window.map { $0.low <= point.offset && point.offset <= $0.high }
        return (isInside == true ? " ▏" : "  ") + String(repeating: "█", count: bars)
    }

    /// Each bin by itself, but those that tell nothing: with no hit in it, before it or after it.
    private static func stretches(
        _ points: [RaceFinding.CurvePoint]
    ) -> [ArraySlice<RaceFinding.CurvePoint>] {
        func isDull(_ position: Int) -> Bool {
            (position - 1...position + 1).allSatisfy {
                !points.indices.contains($0) || points[$0].rate.hits == 0
            }
        }
        var stretches: [ArraySlice<RaceFinding.CurvePoint>] = []
        for position in points.indices {
            if let last = stretches.last, isDull(position), isDull(last.startIndex) {
                stretches[stretches.count - 1] = points[last.startIndex...position]
            } else {
                stretches.append(points[position...position])
            }
        }
        return stretches
    }

    /// `+0.98 ms to +29.91 ms`.
    static func text(_ window: RaceFinding.Window) -> String {
        switch (window.isLowOpen, window.isHighOpen) {
        case (false, false):
            "\(Offsets.text(window.low)) to \(Offsets.text(window.high))"
        case (true, false): "\(Offsets.text(window.high)) or less"
        case (false, true): "\(Offsets.text(window.low)) or more"
        case (true, true): "any offset"
        }
    }

    /// `41 of 50 (95 %: 69-92 %)`.
    public static func text(_ rate: HitRate) -> String {
        guard rate.trials > 0 else { return "rate not measured: the search ended first" }
        let interval = Interval.exactShare(of: rate.hits, in: rate.trials)
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))" }
        return
            "\(rate.hits) of \(rate.trials) (95 %: \(percent(interval.low))-\(percent(interval.high)) %)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    // MARK: The end

    /// Everything that a search found; `cases` are paths, in the order of the findings.
    public static func report(
        _ outcome: RaceOutcome, cases: [String?], width: Int = 80
    ) -> String {
        var lines: [String] = []
        for (number, finding) in outcome.findings.enumerated() {
            let path = cases.indices.contains(number) ? cases[number] : nil
            lines += found(finding, path, outcome, width)
            lines.append("")
        }
        for also in outcome.alsoIn {
            let isNew = outcome.baseline != nil && !outcome.isKnown(also.promise, in: also.plan)
            lines.append(
                isNew
                    ? "FOUND  \(also.promise) is violated in \(also.plan) as well"
                    : "\(also.promise) is also violated in \(also.plan)")
        }
        for comparison in outcome.comparisons {
            lines += Self.lines(comparison, outcome) + [""]
        }
        if outcome.found.isEmpty {
            lines.append("no violation found" + (outcome.variants > 0 ? ": \(tried(outcome))" : ""))
        } else if outcome.variants > 0 {
            lines.append(tried(outcome))
        }
        lines += small(outcome)
        lines += outcome.gone.map {
            "\($0.invariant) in \($0.plan) was not found again: if it is fixed, take it out of the baseline"
        }
        return lines.flatMap { wrapped($0, width) }.joined(separator: "\n")
    }

    private static func found(
        _ finding: RaceFinding, _ path: String?, _ outcome: RaceOutcome, _ width: Int
    ) -> [String] {
        let isKnown = outcome.isKnown(finding.promise, in: finding.plan)
        var lines = [
            "\(isKnown ? "KNOWN" : "FOUND")  \(finding.invariant) violated in \(finding.plan)"
        ]
        if isKnown { lines.append("  known from the baseline; does not fail this race") }
        lines.append("  source: \(finding.source.words)")
        lines.append("  \(outcome.promises.meaning(of: finding.invariant, from: finding.source))")
        lines.append("  \(whenText(finding))")
        if finding.isRare || finding.isUnrefined {
            lines.append("  at all offsets: \(text(finding.total))")
        }
        var rate = "  at \(Offsets.text(finding.best)): \(text(finding.rate))"
        if let achieved = finding.achieved {
            rate +=
                "; achieved \(Offsets.text(achieved.p10)) / \(Offsets.text(achieved.p50)) / "
                + "\(Offsets.text(achieved.p90)) (p10/p50/p90)"
        }
        if !finding.isUnrefined { lines.append(rate) }
        lines.append("  \(finding.sentence)")
        if finding.method != "sweep" { lines.append("  found by: \(finding.method)") }
        lines += curve(
            plan: finding.plan, invariant: finding.invariant, finding.curve, finding.window,
            isCoarse: finding.isCoarse, width: min(width, 80)
        ).map { "  " + $0 }
        if finding.isTwoSided {
            lines.append(
                "  seen with either request first: in between, a violation may show in no response")
        }
        if let path {
            lines.append("  case: \(path)")
            lines.append("  replay: screenrig replay \(path)\(outcome.replayOption)")
        }
        return lines
    }

    /// For a finding whose window was not located.
    private static func seenText(_ finding: RaceFinding) -> String {
        let hits = finding.curve.filter { $0.rate.hits > 0 }.map(\.offset)
        guard let low = hits.min(), let high = hits.max() else {
            return "its window was not located"
        }
        let range =
            low == high
            ? "seen at \(Offsets.text(low))"
            : "seen at offsets from \(Offsets.text(low)) to \(Offsets.text(high))"
        return finding.invariant == .conforms
            ? range : "\(range); its window was not located"
    }

    /// When it breaks, in the words of the schedule.
    static func whenText(_ finding: RaceFinding) -> String {
        guard let op = finding.schedule[op: finding.swept], let anchor = op.anchor else {
            return "when these requests are sent simultaneously"
        }
        let other = finding.schedule[op: anchor.op]
        let event =
            anchor.event == .firstReplyByte
            ? "the response to \(other?.step.rawValue ?? anchor.op)"
            : "\(other?.step.rawValue ?? anchor.op)"
        // One phone may send one request twice.
        let isRepeated = op.step == other?.step && op.actor == other?.actor
        let moved = "\(isRepeated ? "the repeated " : "")\(op.step.rawValue) (\(op.actor))"
        let against = "\(event) (\(other?.actor ?? ""))"
        if finding.isOfSetup {
            return "in setup, before \(moved) is sent: its offset does not matter"
        }
        if finding.isUnrefined { return seenText(finding) }
        if finding.isRare {
            return "rare, without a window: "
                + (finding.curve.seenText() ?? "occasionally, at any offset")
        }
        if finding.isSimultaneous {
            return "when \(moved) and \(against) are simultaneous, within the aiming accuracy"
        }
        guard let window = finding.window else {
            return finding.curve.seenText(isSure: true).map { "without a window: \($0)" }
                ?? "at any offset of \(moved), before or after \(against)"
        }
        let about = finding.isCoarse ? "roughly " : ""
        return "when \(moved) is sent \(about)\(text(window)) after \(against)"
    }

    /// What the numbers of a report rest on.
    static func basis(_ outcome: RaceOutcome) -> [(name: String, value: String)] {
        ([tried(outcome)] + small(outcome)).enumerated().map { number, line in
            (number == 0 ? "Search" : "Note \(number)", line)
        }
    }

    private static func tried(_ outcome: RaceOutcome) -> String {
        let seconds = (outcome.elapsed / .milliseconds(100)).rounded() / 10
        let kept = outcome.isShortened ? ", of which a quarter is kept for cases" : ""
        let end =
            switch outcome.end {
            case .complete: "search exhausted"
            case .trials: "stopped at the limit of trials\(kept)"
            case .time: "stopped at the time limit\(kept)"
            case .interrupted: "interrupted"
            case .noAnswer: "stopped because the service no longer answers"
            }
        return
            "\(outcome.trials) trials in \(seconds) s, \(outcome.sweptWhole) of "
            + "\(outcome.variants) sweeps complete; \(end)"
            + (outcome.pace.map { "; \($0) schedules/s in virtual time" } ?? "")
    }

    private static func small(_ outcome: RaceOutcome) -> [String] {
        var lines: [String] = []
        if let faults = outcome.faults { lines.append(faults) }
        lines += outcome.events.map { Self.text($0, outcome) }
        if let gate = outcome.gate {
            lines.append(
                "gate: aimed and achieved offsets differ by \(Offsets.text(gate.p10)) / "
                    + "\(Offsets.text(gate.p50)) / \(Offsets.text(gate.p90)) (p10/p50/p90)")
        }
        for discard in outcome.discarded {
            lines.append("discarded: \(discard.count) trials; first reason: \(discard.reason)")
        }
        if outcome.isAccusing {
            // Its reason is one of those above.
            let lost =
                outcome.discarded.isEmpty ? outcome.whyMostWereLost : outcome.mostLost?.what
            lines += [lost, outcome.whyUndecided].compactMap(\.self)
        }
        if let cut = cutShort(outcome) { lines.append(cut) }
        var aside: [(lack: String, titles: [String])] = []
        for sweep in outcome.sweeps where !sweep.obstacle.isEmpty {
            if let known = aside.firstIndex(where: { $0.lack == sweep.lack }) {
                aside[known].titles.append(sweep.title)
            } else {
                aside.append((sweep.lack, [sweep.title]))
            }
        }
        lines += aside.map { "\($0.titles.joined(separator: "; ")) \($0.lack)" }
        if let limit = outcome.concurrencyLimit { lines.append(limit) }
        if let nameless = outcome.users.whyNameless { lines.append(nameless) }
        if outcome.isAlone {
            lines.append(
                "trials ran one at a time, because households close in time may have disturbed each other"
            )
        }
        return lines
    }

    /// `swept in part: logout-media, 1 round of 31 trials; ...`; nil where each way had all its rounds.
    private static func cutShort(_ outcome: RaceOutcome) -> String? {
        let left = outcome.sweeps.filter { $0.obstacle.isEmpty && !$0.isWhole }
        guard outcome.variants > 1, !left.isEmpty else { return nil }
        let told = left.prefix(4).map { sweep in
            let trials = Figures.counted(sweep.trials - sweep.discarded, "trial")
            return "\(sweep.title) (\(Figures.counted(sweep.rounds, "round")), \(trials))"
        }
        let others = left.count > 4 ? ", and \(left.count - 4) more" : ""
        return "not swept whole: \(told.joined(separator: ", "))\(others)"
    }

    /// When it was, what came of its command, and what was found first after it began.
    private static func text(_ event: RunEvent, _ outcome: RaceOutcome) -> String {
        func seconds(_ instant: Instant) -> String {
            DecimalText.trimmed(((instant - .start) / .milliseconds(100)).rounded() / 10) + " s"
        }
        var text = "event \(event.name) at \(seconds(event.began))"
        if let ended = event.ended { text += " to \(seconds(ended))" }
        if !event.command.isEmpty {
            text +=
                event.status.map { ", its command ended with status \($0)" }
                ?? ", its command did not end by itself"
        }
        let since = outcome.findings.filter { .start + $0.firstSeen >= event.began }
        let first = since.map {
            "\($0.invariant) in \($0.plan) at \(seconds(.start + $0.firstSeen))"
        }
        return text
            + (first.isEmpty ? "" : "; first seen after it began: \(first.joined(separator: ", "))")
    }

    /// Breaks at spaces; what follows the first line is indented as it and by two more.
    private static func wrapped(_ line: String, _ width: Int) -> [String] {
        guard line.count > width, !line.contains("█") else { return [line] }
        return Wrapping.lines(line, width: width, hanging: line.prefix { $0 == " " }.count + 2)
    }
}
