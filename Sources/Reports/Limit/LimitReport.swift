package import Formats
internal import Rendering
package import Rigs
package import Statistics

/// What `find-limit` found, and each step that it rests on: the one source of what the terminal, limit.json, steps.csv
/// and limit.html say.
package struct LimitReport: Sendable, Hashable {
    /// A threshold in the steady part of a step.
    package struct Reading: Sendable, Hashable {
        package var expression: String
        /// What was measured, with its unit.
        package var actual: String
        /// The same as a number, in nanoseconds, as a share or as it is; nil where nothing was measured.
        package var value: Double?
        package var met: Bool
    }

    /// One run at a steady rate.
    package struct Step: Sendable, Hashable {
        /// From 1.
        package var number: Int
        /// Households per second: as planned, or, of random arrivals, as they came in the steady part.
        package var rate: Double
        package var seed: UInt64
        /// Its run directory, within that of the search.
        package var run: String
        /// Households that arrived in the steady part.
        package var households: Int
        package var requestsPerSecond: Double
        package var errorShare: Double
        package var throttledShare: Double
        package var latenessP99Ms: Double?
        /// Violated promises, of the whole step.
        package var violations: Int
        package var readings: [Reading]
        /// Requests in flight, where they grew through the steady part: at this rate the service does not keep up.
        package var growth: BacklogTrend.Growth?
        /// Whether every threshold was met, and the service kept up.
        package var held: Bool
        /// What else decided it, such as the breaker; empty: nothing.
        package var remark: String
        /// That it is a second try, and why; empty: it is not.
        package var repeats = ""
        /// Both, for a reader.
        var notes: String { [remark, repeats].filter { !$0.isEmpty }.joined(separator: "; ") }

        package init(
            number: Int, rate: Double, seed: UInt64, run: String, _ part: SteadyPart,
            violations: Int, readings: [Reading], held: Bool, remark: String
        ) {
            self.number = number
            self.rate = rate
            self.seed = seed
            self.run = run
            households = part.households
            requestsPerSecond = part.requestsPerSecond
            errorShare = part.errorShare
            throttledShare = part.throttledShare
            growth = part.growth
            latenessP99Ms = part.latenessP99Ms
            self.violations = violations
            self.readings = readings
            self.held = held && growth == nil
            let waiting = growth.map {
                "more was due than the service answered: \($0.from) requests in flight in the first quarter of the steady "
                    + "part, \($0.to) in the last"
            }
            self.remark = remark.isEmpty ? waiting ?? "" : remark
        }

        /// All thresholds were met, and it is missed because of its growing backlog.
        var isOfGrowthAlone: Bool { growth != nil && readings.allSatisfy(\.met) }
    }

    /// How a search came out.
    package enum Ending: Sendable, Hashable {
        case found, holdsThrough, missesFrom, stepsUsed
        /// At this rate the rig itself could not keep up, or was not allowed to send so much.
        case rigWasLimit(rate: Double, reason: String)
        case interrupted
        case couldNotRun(String)

        package init(_ ending: LimitSearch.Ending) {
            self =
                switch ending {
                case .found: .found
                case .holdsThrough: .holdsThrough
                case .missesFrom: .missesFrom
                case .stepsUsed: .stepsUsed
                }
        }

        /// As limit.json has it.
        package var name: String {
            switch self {
            case .found: "found"
            case .holdsThrough: "holds-to"
            case .missesFrom: "misses-from"
            case .stepsUsed: "steps-used"
            case .rigWasLimit: "rig-was-limit"
            case .interrupted: "interrupted"
            case .couldNotRun: "could-not-run"
            }
        }
    }

    /// What was looked for, and where.
    package struct About: Sendable, Hashable {
        package var rig: String
        package var target: String
        package var version: String
        /// UTC, ISO 8601.
        package var started: String
        package var seed: UInt64
        package var isVirtual: Bool
        package var thresholds: [Threshold]
        package var stepSeconds: Int
        package var warmUpSeconds: Int

        package init(
            rig: String, target: String, version: String, started: String, seed: UInt64,
            isVirtual: Bool, thresholds: [Threshold], stepSeconds: Int, warmUpSeconds: Int
        ) {
            self.rig = Sanitizer.line(rig)
            self.target = Sanitizer.line(target)
            self.version = version
            self.started = started
            self.seed = seed
            self.isVirtual = isVirtual
            self.thresholds = thresholds
            self.stepSeconds = stepSeconds
            self.warmUpSeconds = warmUpSeconds
        }
    }

    package var about: About
    package var terms: LimitSearch.Terms
    package var steps: [Step]
    package var ending: Ending
    /// Households per second; nil unless a step held and another missed.
    package var limit: Double?
    /// 95 %; nil with `limit`.
    package var interval: Interval?

    package init(_ about: About, _ search: LimitSearch, steps: [Step], ending: Ending) {
        self.about = about
        terms = search.terms
        self.steps = steps
        self.ending = ending
        if search.isBracketed { (limit, interval) = (search.limit, search.interval) }
    }

    /// Requests per second at the limit: answered requests of a household in the steps that held at the highest rate, times
    /// the limit. Steps of fewer households have more of their requests in the steady part.
    package var requestsPerSecond: Double? { limit.flatMap { requestsPerSecond(at: $0) } }

    private func requestsPerSecond(at rate: Double) -> Double? {
        let held = steps.filter { $0.held && $0.rate == highestHeld }
        let (answered, arrived) = held.reduce((0.0, 0.0)) {
            ($0.0 + $1.requestsPerSecond, $0.1 + $1.rate)
        }
        return arrived > 0 ? answered / arrived * rate : nil
    }

    private var highestHeld: Double? { steps.filter(\.held).map(\.rate).max() }
    /// Of steps that a threshold, or the end of the service, decided.
    private var lowestMissed: Double? {
        steps.filter { !$0.held && !$0.isOfGrowthAlone }.map(\.rate).min()
    }
    private var lowestGrown: Double? { steps.filter(\.isOfGrowthAlone).map(\.rate).min() }

    /// Whether no step met every threshold.
    package var nothingHeld: Bool { !steps.contains(where: \.held) }

    /// The thresholds as they were written.
    package var expressions: [String] { about.thresholds.map { Sanitizer.line($0.text) } }

    // MARK: Words

    /// The result in a sentence or two.
    package var headline: String { result + throttledText }

    /// ` Up to 60 % of the requests were throttled (429) in steps that held: the throttle may set this limit.`
    private var throttledText: String {
        let most = steps.filter(\.held).map(\.throttledShare).max() ?? 0
        guard most >= 0.05 else { return "" }
        return
            " Up to \(Figures.percent(most)) of the requests were throttled (429) in steps that held: the throttle "
            + "may set this limit. Run with target.probe: on to check for a limit of each address."
    }

    private var result: String {
        switch ending {
        case .found: "Limit: \(limitText)."
        case .stepsUsed where limit != nil:
            "Limit: \(limitText). The interval is wider than the \(Figures.percent(terms.resolution)) "
                + "asked for: the search ended after \(Figures.counted(steps.count, "step")); raise --max-steps, or "
                + "--step-for where results near the limit differ."
        case .stepsUsed:
            "No limit found in \(Figures.counted(steps.count, "step")): \(seenText); "
                + (nothingHeld ? "lower --from, or raise --max-steps." : "raise --max-steps.")
        case .holdsThrough:
            "No limit up to \(Self.rate(terms.to))\(requestsText(at: terms.to)): \(thresholdsText) "
                + "held there; raise --to."
        case .missesFrom:
            "The limit is below \(Self.rate(terms.from)): \(missedText) already there; lower --from."
        case .rigWasLimit(let rate, let reason):
            "The rig, not the service, was the limit at \(Self.rate(rate)): \(reason). "
                + "About the service: \(seenText)."
        case .interrupted:
            steps.isEmpty
                ? "Interrupted before a step that counts had ended."
                : "Interrupted after \(Figures.counted(steps.count, "step")): \(seenText)."
        case .couldNotRun(let reason):
            "Could not run: \(reason)." + (steps.isEmpty ? "" : " About the service: \(seenText).")
        }
    }

    /// `42.0 households/s (95 % interval 39.5 to 44.2), about 412 requests/s: ...`.
    private var limitText: String {
        guard let limit, let interval else { return "unknown" }
        return "\(Self.rate(limit)) (95 % interval \(Self.number(interval.low)) to "
            + "\(Self.number(interval.high)))\(requestsText(at: limit)); \(evidenceText)"
    }

    private func requestsText(at rate: Double) -> String {
        requestsPerSecond(at: rate).map { ", about \(Figures.significant($0)) requests/s" } ?? ""
    }

    /// Which rates held, and which did not.
    private var evidenceText: String {
        let held = highestHeld.map { "\(thresholdsText) held at rates up to \(Self.number($0))" }
        let missed = lowestMissed.map { "\(missedText) at rates from \(Self.number($0))" }
        let grown = lowestGrown.map {
            "more was due than the service answered at rates from \(Self.number($0)), so that its backlog grew"
        }
        return [held, grown, missed].compactMap(\.self).joined(separator: "; ")
    }

    /// What is known where no limit is.
    private var seenText: String {
        guard !steps.isEmpty else { return "no step has ended" }
        guard let interval else { return evidenceText }
        return "the service's limit lies between \(Self.number(interval.low)) and "
            + "\(Self.rate(interval.high)) with 95 % confidence; \(evidenceText)"
    }

    private var thresholdsText: String {
        switch expressions.count {
        case 1: expressions[0]
        case 2: "both thresholds"
        default: "all \(expressions.count) thresholds"
        }
    }

    /// Which thresholds were missed, the most frequent first.
    private var missedText: String {
        var counts: [(expression: String, count: Int)] = []
        for reading in steps.flatMap(\.readings) where !reading.met {
            if let place = counts.firstIndex(where: { $0.expression == reading.expression }) {
                counts[place].count += 1
            } else {
                counts.append((reading.expression, 1))
            }
        }
        guard let first = counts.max(by: { $0.count < $1.count }) else {
            if lowestGrown != nil { return "more was due than the service answered" }
            return steps.last { !$0.held }?.remark ?? "missed"
        }
        guard counts.count > 1 else { return "\(first.expression) was missed" }
        return "\(first.expression) and \(counts.count - 1) more were missed"
    }

    /// `42.0 households/s`.
    package static func rate(_ rate: Double) -> String { "\(number(rate)) households/s" }
    package static func number(_ rate: Double) -> String { Figures.significant(rate) }

    // MARK: Files

    /// All files beside the runs of the steps.
    package var files: [(name: String, text: String)] {
        [
            ("limit.json", json.text(.page) + "\n"), ("steps.csv", table),
            ("limit.html", LimitPage.text(self)),
        ]
    }

    /// Schema `screenrig/limit/1`.
    package var json: JSON {
        .members([
            ("schema", .string("screenrig/limit/1")),
            ("rig", .string(about.rig)), ("target", .string(about.target)),
            ("version", .string(about.version)), ("started", .string(about.started)),
            ("seed", .number(String(about.seed))), ("virtual", .bool(about.isVirtual)),
            ("thresholds", .array(expressions.map { .string($0) })),
            ("ending", .string(ending.name)), ("headline", .string(headline)),
            ("limitPerSecond", limit.map { .decimal($0, 4) } ?? .null),
            (
                "interval95",
                interval.map { .array([.decimal($0.low, 4), .decimal($0.high, 4)]) } ?? .null
            ),
            ("requestsPerSecond", requestsPerSecond.map { .decimal($0, 2) } ?? .null),
            ("fromPerSecond", .decimal(terms.from, 4)), ("toPerSecond", .decimal(terms.to, 4)),
            ("stepSeconds", .integer(about.stepSeconds)),
            ("warmUpSeconds", .integer(about.warmUpSeconds)),
            ("steps", .array(steps.map(Self.json))),
        ])
    }

    private static func json(_ step: Step) -> JSON {
        .members([
            ("number", .integer(step.number)), ("ratePerSecond", .decimal(step.rate, 4)),
            ("held", .bool(step.held)), ("remark", .string(step.notes)),
            ("run", .string(step.run)), ("seed", .number(String(step.seed))),
            ("households", .integer(step.households)),
            ("requestsPerSecond", .decimal(step.requestsPerSecond, 2)),
            ("errorShare", .decimal(step.errorShare, 5)),
            ("throttledShare", .decimal(step.throttledShare, 5)),
            ("latenessP99Ms", step.latenessP99Ms.map { .decimal($0) } ?? .null),
            ("violations", .integer(step.violations)),
            (
                "thresholds",
                .array(
                    step.readings.map {
                        .members([
                            ("expression", .string($0.expression)), ("actual", .string($0.actual)),
                            ("met", .bool($0.met)),
                        ])
                    })
            ),
        ])
    }

    private var table: String {
        let head = [
            "step", "rate_per_s", "held", "households", "requests_per_s", "errors", "throttled",
            "lateness_p99_ms", "violations", "run", "remark",
        ]
        return CSV.line(head + expressions)
            + steps.map { step in
                CSV.line(
                    [
                        String(step.number), DecimalText.trimmed(step.rate, 4),
                        step.held ? "true" : "false", String(step.households),
                        DecimalText.trimmed(step.requestsPerSecond, 2),
                        DecimalText.trimmed(step.errorShare, 5),
                        DecimalText.trimmed(step.throttledShare, 5),
                        step.latenessP99Ms.map { DecimalText.trimmed($0) } ?? "",
                        String(step.violations), step.run, Sanitizer.line(step.notes),
                    ] + step.readings.map(\.actual))
            }.joined()
    }

    /// `{"type":"step",...}`: a step, for those who read along.
    package static func line(_ step: Step) -> String {
        typed("step", json(step)).text(.compact)
    }

    /// `{"type":"result",...}`.
    package func result(exitCode: Int32, path: String) -> String {
        guard case .object(var members) = json else { return "" }
        members.removeAll { $0.name == "steps" }
        members.append(JSON.Member(name: "exitCode", value: .integer(Int(exitCode))))
        members.append(JSON.Member(name: "path", value: .string(path)))
        return Self.typed("result", .object(members)).text(.compact)
    }

    private static func typed(_ type: String, _ value: JSON) -> JSON {
        guard case .object(let members) = value else { return value }
        return .object([JSON.Member(name: "type", value: .string(type))] + members)
    }

    /// `step 4: 8.00 households/s held: poll-token p99 < 250ms: it was 12 ms`.
    package static func sentence(_ step: Step) -> String {
        // What was asked for comes last, behind what holds by default.
        let shown = step.held ? step.readings.suffix(1) : step.readings.filter { !$0.met }[...]
        let readings = shown.prefix(2).map { "\($0.expression): it was \($0.actual)" }
        let words = (step.notes.isEmpty ? [] : [step.notes]) + readings
        return "step \(step.number): \(rate(step.rate)) \(step.held ? "held" : "missed"): "
            + words.joined(separator: "; ")
    }
}
