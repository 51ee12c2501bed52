internal import Journal
internal import Rendering

/// The block that a terminal shows while a run goes on, redrawn in place: pure text, a line each, none
/// longer than the terminal is wide.
///
/// ```
/// premiere → https://auth.staging.example
/// [===========>                    ]  1:05 of 2:30
/// households  642 of 2,000 · 310 signed in · 329 under way · 3 failed
/// stages      209 code-shown · 120 code-typed
/// answers     205/s · p50 4.2 ms · p99 61 ms · 12,345 in all
/// errors      37 · 30 authenticate 503 overloaded · 7 poll-token timeout
/// promises    none broken in 45,210 checks
/// thresholds  3 of 4 met so far · MISSED poll-token p99 < 250ms: it was 312 ms
/// rig         late p99 0.21 ms · 12 requests held back
/// waits for   389 viewers
/// ```
public enum LiveBlock {
    /// Lines of at most `width` columns, always as many: a block that jumps is hard to read.
    public static func lines(_ state: LiveState, width: Int, color: Bool) -> [String] {
        let ink = Ink(isOn: color)
        let width = max(20, width)
        let rows: [Row] = [
            Row("households", households(state)),
            Row("stages", stages(state.progress)),
            Row("answers", answers(state.progress)),
            Row("errors", errors(state.progress)),
            Row("promises", promises(state.findings)),
            Row("thresholds", thresholds(state)),
            Row("rig", rig(state)),
            Row("waiting for", [BlockPart(state.wait)]),
        ]
        var lines = [BlockPart(state.title), BlockPart(bar(state, width: width))].map {
            cut($0.text, to: width)
        }
        lines[0] = ink(lines[0], .dim)
        for row in rows { lines.append(row.line(width: width, ink)) }
        if let graph = graph(state, beside: rows[2], width: width) { lines[4] += ink(graph, .dim) }
        return lines
    }

    /// A part of a row that stays whole.
    private struct BlockPart {
        var text: String
        var paint: Ink.Paint?

        init(_ text: String, _ paint: Ink.Paint? = nil) {
            self.text = text
            self.paint = paint
        }
    }

    private struct Row {
        static let labelWidth = 12
        var label: String
        var items: [BlockPart]

        init(_ label: String, _ items: [BlockPart]) {
            self.label = label
            self.items = items
        }

        var length: Int {
            items.reduce(Self.labelWidth - 3) { $0 + $1.text.count + 3 }
        }

        /// As many items as there is room for; the first is cut rather than left out.
        func line(width: Int, _ ink: Ink) -> String {
            var line = ink(label.padded(to: Self.labelWidth), .dim)
            var used = Self.labelWidth
            for (position, item) in items.enumerated() {
                let gap = position == 0 ? "" : " · "
                let room = width - used - gap.count
                let isLast = position == items.count - 1
                // Room for the sign that something was left out.
                guard position == 0 || item.text.count <= room - (isLast ? 0 : 4) else {
                    return used + 4 <= width ? line + " · …" : line
                }
                let text = cut(item.text, to: room)
                line += gap + (item.paint.map { ink(text, $0) } ?? text)
                used += gap.count + text.count
            }
            return line
        }
    }

    // MARK: Rows

    private static func bar(_ state: LiveState, width: Int) -> String {
        let elapsed = state.progress.elapsed
        let clock = ProgressLine.clock(elapsed, of: state.planned)
        guard let planned = state.planned, planned > .zero else { return clock }
        let room = min(100, width - clock.count - 4)
        guard room >= 10 else { return clock }
        let share = min(1, Double(elapsed.nanoseconds) / Double(Instant(planned).nanoseconds))
        let full = Int(share * Double(room))
        let head = full < room ? ">" : ""
        let body = String(repeating: "=", count: full) + head
        return "[\(body.padded(to: room))]  \(clock)"
    }

    private static func households(_ state: LiveState) -> [BlockPart] {
        let households = state.progress.households
        let planned = state.plannedHouseholds.map { " of \(Figures.count($0))" } ?? ""
        var items = [
            BlockPart("\(Figures.count(households.started))\(planned)"),
            BlockPart("\(Figures.count(households.signedIn)) signed in"),
        ]
        func add(_ count: Int, _ what: String, _ paint: Ink.Paint? = nil) {
            if count > 0 { items.append(BlockPart("\(Figures.count(count)) \(what)", paint)) }
        }
        add(households.failed, "failed", .red)
        add(households.waiting, "in progress")
        add(households.abandoned, "abandoned")
        add(households.preSignedIn, "already signed in", .yellow)
        return items
    }

    private static func stages(_ progress: Progress) -> [BlockPart] {
        let items = Stage.allCases.compactMap { stage -> BlockPart? in
            let count = progress.households.runningAt[Int(stage.rawValue)]
            return count > 0 ? BlockPart("\(Figures.count(count)) \(stage.name)") : nil
        }
        return items.isEmpty ? [BlockPart("none in progress")] : items
    }

    private static func answers(_ progress: Progress) -> [BlockPart] {
        var items = [BlockPart(Figures.rate(progress.answerRate))]
        if let p50 = progress.latencyP50, let p99 = progress.latencyP99 {
            items.append(BlockPart("p50 \(ProgressLine.time(p50))"))
            items.append(BlockPart("p99 \(ProgressLine.time(p99))"))
        }
        items.append(BlockPart("\(Figures.count(progress.completed)) in total"))
        if progress.throttled > 0 {
            items.append(BlockPart("\(Figures.count(progress.throttled)) throttled", .yellow))
        }
        return items
    }

    private static func errors(_ progress: Progress) -> [BlockPart] {
        guard progress.errors > 0 else { return [BlockPart("none")] }
        return [BlockPart(Figures.count(progress.errors), .red)]
            + progress.worstErrors.map { BlockPart(ProgressLine.cause($0)) }
    }

    private static func promises(_ findings: LiveFindings?) -> [BlockPart] {
        guard let findings else { return [BlockPart("not checked during the run")] }
        guard findings.failing > 0 else {
            return [BlockPart("no violation in \(Figures.counted(findings.checked, "check"))")]
        }
        return [BlockPart("\(Figures.counted(findings.failing, "violation"))", .red)]
            + findings.counts.map {
                BlockPart("\(Figures.count($0.violations)) \($0.invariant.name)")
            }
    }

    private static func thresholds(_ state: LiveState) -> [BlockPart] {
        let missed = state.thresholds.filter { !$0.met }
        var items: [BlockPart] = []
        if !state.thresholds.isEmpty {
            items.append(
                BlockPart(
                    "\(state.thresholds.count - missed.count) of \(state.thresholds.count) met so far",
                    missed.isEmpty ? nil : .red))
        }
        items += missed.map { BlockPart("MISSED \($0.brief)", .red) }
        if state.undecidedThresholds > 0 {
            items.append(BlockPart("\(state.undecidedThresholds) not decided yet"))
        }
        return items.isEmpty ? [BlockPart("none")] : items
    }

    private static func rig(_ state: LiveState) -> [BlockPart] {
        let progress = state.progress
        var items: [BlockPart] = []
        if let invalidity = state.invalidity {
            items.append(BlockPart("INVALID: \(invalidity)", .yellow))
        }
        if let late = progress.latenessP99 {
            items.append(BlockPart("late p99 \(ProgressLine.time(late))"))
        }
        if progress.heldNow > 0 {
            items.append(
                BlockPart("\(Figures.counted(progress.heldNow, "request")) held back now", .yellow))
        }
        if progress.heldBack > 0 {
            items.append(BlockPart("\(Figures.count(progress.heldBack)) held back so far"))
        }
        if progress.waitingBatches > 20 {
            let batches = Figures.counted(progress.waitingBatches, "batch", plural: "batches")
            items.append(BlockPart("disk is behind by \(batches)", .yellow))
        }
        guard items.isEmpty else { return items }
        return [BlockPart(progress.sent > 0 ? "nothing sent just now" : "nothing measured yet")]
    }

    // MARK: Room to spare

    private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Where the terminal is wide: the rates of the last minutes, from 0 to the highest of them.
    private static func graph(_ state: LiveState, beside row: Row, width: Int) -> String? {
        let room = min(80, width - row.length - 3)
        let rates = state.recentRates.suffix(max(0, room))
        guard room >= 20, rates.count > 1, let top = rates.max(), top > 0 else { return nil }
        return "   "
            + String(rates.map { steps[min(7, max(0, Int($0 / top * 8)))] })
    }

    private static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }
}
