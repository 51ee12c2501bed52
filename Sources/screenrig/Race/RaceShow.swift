internal import Foundation
internal import Races
internal import Runner
internal import Synchronization

/// Shows a search while it goes on, and what came of it.
final class RaceShow: Sendable {
    private enum Form { case block, lines, json, nothing }
    private let form: Form
    private let width: Int
    private struct ShownRace {
        var phase = ""
        var trials = 0
        var discarded = 0
        var curve: [String] = []
        var lines: [String] = []
        var printer = LivePrinter()
        var said = ""
    }
    private let seen = Mutex(ShownRace())

    init(_ traffic: TrafficOptions) {
        form =
            traffic.play.json
            ? .json : traffic.play.quiet ? .nothing : Terminal.redraws ? .block : .lines
        width = min(80, Terminal.progressWidth)
    }

    func begin(_ stage: RaceStage, _ estimate: RaceEstimate) {
        guard form == .block || form == .lines else { return }
        let names = stage.armPlans.map(\.name) + stage.plans.map(\.name)
        let plans =
            names.count > 6 ? "\(names.count) plans" : names.joined(separator: ", ")
        Terminal.complain(inWords: "racing \(plans) → \(stage.venue.targetName)")
        Terminal.complain(inWords: estimate.line)
    }

    /// From the search's thread.
    func tell(_ news: RaceNews) {
        if form == .json {
            if let line = RaceText.json(news) { Terminal.print(line) }
            return
        }
        guard form != .nothing else { return }
        seen.withLock { seen in
            switch news {
            case .phase(let phase): seen.phase = phase
            case .trials(let trials, let discarded):
                seen.trials = trials
                seen.discarded = discarded
            case .curve(let plan, let invariant, let points, let window):
                seen.curve = RaceText.curve(
                    plan: plan, invariant: invariant, points, window, width: width)
            case .found, .compared: seen.curve = []
            }
            draw(&seen)
        }
    }

    private func draw(_ seen: inout ShownRace) {
        let line = "\(seen.trials) trials, \(seen.discarded) discarded · \(seen.phase)"
        guard form == .block else {
            // A log gets each phase once.
            if seen.phase != seen.said { Terminal.complain(line) }
            seen.said = seen.phase
            return
        }
        seen.lines = [String(line.prefix(Terminal.progressWidth))] + seen.curve
        // What has left the screen at its top cannot be drawn over.
        seen.lines = Array(seen.lines.prefix(Terminal.progressHeight))
        seen.printer.draw(seen.lines)
    }

    /// A sentence that stays, above the progress.
    func say(_ sentence: String) {
        guard form == .block else {
            if form != .nothing { Terminal.complain(inWords: sentence) }
            return
        }
        seen.withLock { $0.printer.say(sentence, above: $0.lines) }
    }

    /// Takes the progress away: what is said next stands in its place.
    func clear() {
        seen.withLock { seen in
            seen.lines = []
            seen.printer.clear()
        }
    }

    func end(_ outcome: RaceOutcome, cases: [String?], _ stage: RaceStage, page: String?) {
        defer {
            if form != .json, let page { Terminal.print("report: \(page)") }
        }
        guard form != .json else {
            return Terminal.print(RaceText.json(outcome, cases: cases))
        }
        Terminal.print(
            RaceText.report(
                outcome, cases: cases, width: min(100, max(60, Terminal.width))))
    }
}
