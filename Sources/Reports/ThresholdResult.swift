internal import Checker
internal import Dialects
internal import Journal
internal import Rendering
internal import Rigs
internal import Statistics
internal import Vocabulary

/// A threshold held against a run.
public struct ThresholdResult: Sendable, Hashable {
    /// As the rig wrote it.
    public var expression: String
    /// What was measured, with its unit.
    public var actual: String
    public var met: Bool
    /// It is about broken promises: where it is missed, the run found one.
    public var isAboutPromises = false
    /// It is about households, errors or throttled requests: a rig that is late measures times wrong, but
    /// counts right (README.md, exit code 4).
    public var isAboutCounts = false
    /// Missed, and met without the rig's lateness: then the value. Only its own lateness misses it.
    public private(set) var punctual: String?
    /// Missed by more than half of the requests or sign-ins, although the rig sent most requests in time: no lateness explains that.
    public private(set) var isMissedByMost = false
    /// Where a chart draws it; nil where none does.
    public var mark: ChartMark?

    /// A place in a chart.
    public struct ChartMark: Sendable, Hashable {
        public enum Chart: Sendable, Hashable {
            case answered, errors, signIn
            case operation(String)
        }

        public var chart: Chart
        /// Milliseconds, per second, or percent, as the chart has it.
        public var value: Double
    }

    /// `poll-token p99 < 250ms: it was 312 ms`.
    public var sentence: String {
        "\(expression): \(actual == Self.nothing ? "nothing was measured" : "it was \(actual)")"
    }

    /// The same without what the value is made of.
    var brief: String {
        guard let note = actual.firstRange(of: " (") else { return sentence }
        return "\(expression): it was \(actual[..<note.lowerBound])"
    }

    static let nothing = "nothing measured"

    init(_ threshold: Threshold, _ measurements: some Measurements) {
        expression = Sanitizer.line(threshold.text)
        mark = ChartMark(threshold)
        switch threshold.subject {
        case .violations, .invariant: isAboutPromises = true
        case .householdsFailed, .householdsAbandoned, .householdsNotEntitled, .householdsDiverted:
            isAboutCounts = true
        default: isAboutCounts = threshold.measure == .errors || threshold.measure == .throttled
        }
        let reading = ThresholdReading(threshold, measurements)
        guard let value = reading.value else {
            actual = reading.text(nil)
            met = reading.isVacuous && threshold.holds(for: 0)
            return
        }
        met = threshold.holds(for: value)
        actual = reading.text(value)
        // `250 ms` beside `< 250ms` explains nothing when it was 250.3: then show more digits.
        let nearness = abs(value - threshold.bound)
        if nearness > 0, nearness < 0.01 * abs(threshold.bound) {
            actual = reading.text(value, extra: 2)
        }
        let inTime = Punctual(measurements)
        guard !met, let times = inTime.times(threshold) else { return }
        let without = ThresholdReading(threshold, inTime)
        if let value = without.value, threshold.holds(for: value) { punctual = without.text(value) }
        isMissedByMost =
            punctual == nil
            && (threshold.comparison == .below || threshold.comparison == .atMost)
            && 2 * times.values.count(above: Int64(threshold.bound)) > times.values.count
            && Double(times.lateness.count(above: Self.late))
                <= Self.mostLate * Double(times.lateness.count)
    }

    /// Of what most requests miss, the rig may have sent that share at most later than that many nanoseconds.
    private static let (mostLate, late): (Double, Int64) = (0.2, 10_000_000)
}

extension ThresholdResult.ChartMark {
    init?(_ threshold: Threshold) {
        let isLatency: Bool =
            switch threshold.measure {
            case .percentile(_, .latency), .min(.latency), .mean(.latency), .max(.latency): true
            default: false
            }
        // No chart shows one kind of household alone.
        guard threshold.kind == nil else { return nil }
        switch (threshold.subject, threshold.measure) {
        case (.operation(let name), _) where isLatency:
            self.init(chart: .operation(name.name), value: threshold.bound / 1e6)
        case (.signIn, _) where isLatency:
            self.init(chart: .signIn, value: threshold.bound / 1e6)
        case (.everything, .errors):
            self.init(chart: .errors, value: threshold.bound * 100)
        case (.everything, .rate):
            self.init(chart: .answered, value: threshold.bound)
        default: return nil
        }
    }
}

extension [ThresholdResult] {
    /// Those that a chart draws.
    func drawn(in chart: ThresholdResult.ChartMark.Chart) -> [ThresholdResult] {
        filter { $0.mark?.chart == chart }
    }
}

extension Threshold {
    /// The value in the unit of its bound, nil when nothing was measured; for shares also the number of requests,
    /// households or checks that it is a share of, for percentiles that of the values.
    package func measured(_ fold: RunFold) -> (value: Double?, whole: Int?) {
        let reading = ThresholdReading(self, fold)
        return (reading.value, reading.whole)
    }

    func value(of measurements: some Measurements) -> Double? {
        ThresholdReading(self, measurements).value
    }

    fileprivate var time: Time? {
        switch measure {
        case .percentile(_, let time), .min(let time), .mean(let time), .max(let time): time
        default: nil
        }
    }

    func holds(for value: Double) -> Bool {
        switch comparison {
        case .below: value < bound
        case .atMost: value <= bound
        case .above: value > bound
        case .atLeast: value >= bound
        case .equal: value == bound
        }
    }
}

/// The same with latencies and sign-ins without the rig's lateness.
private struct Punctual<Measured: Measurements>: Measurements {
    private let measured: Measured
    var loadSeconds: Double { measured.loadSeconds }
    var verdicts: [Verdict]? { measured.verdicts }

    init(_ measured: Measured) { self.measured = measured }

    func sum(_ operation: OperationName?, kind: String?) -> Cell {
        var sum = measured.sum(operation, kind: kind)
        sum.latency = sum.punctual
        return sum
    }

    func tally(kind: String?) -> Population.PopulationTally {
        var tally = measured.tally(kind: kind)
        tally.signIn = tally.punctual.signIn
        tally.tokenVisibility = tally.punctual.tokenVisibility
        tally.platformSignIn = tally.punctual.platformSignIn
        return tally
    }

    func recoveries(from event: String) -> [EventRow.Recovery] { measured.recoveries(from: event) }

    /// The times that a threshold limits, and how late the rig was with requests of theirs; nil where it limits something
    /// else.
    func times(_ threshold: Threshold) -> (values: Histogram, lateness: Histogram)? {
        guard let time = threshold.time, time != .lateness else { return nil }
        var operation: OperationName?
        if case .operation(let name) = threshold.subject { operation = name }
        let cell = sum(operation, kind: threshold.kind)
        let tally = tally(kind: threshold.kind)
        let values: Histogram? =
            switch threshold.subject {
            case .everything, .operation: time == .service ? cell.service : cell.latency
            case .signIn: tally.signIn
            case .signInService: tally.signInService
            case .tokenVisibility: tally.tokenVisibility
            case .platformSignIn: tally.platformSignIn
            default: nil
            }
        return values.map { ($0, cell.lateness) }
    }
}

/// What a threshold is read off: a run that is over, or one that goes on.
protocol Measurements {
    /// How long its load lasted so far.
    var loadSeconds: Double { get }
    /// Of all invariants; nil where nothing is judged.
    var verdicts: [Verdict]? { get }
    /// The sum of one operation, or of all requests, over one kind of household, or over all.
    func sum(_ operation: OperationName?, kind: String?) -> Cell
    /// Households of one kind, or all.
    func tally(kind: String?) -> Population.PopulationTally
    /// What became of the events of this name; none while a run goes on.
    func recoveries(from event: String) -> [EventRow.Recovery]
}

extension Measurements {
    func recoveries(from event: String) -> [EventRow.Recovery] { [] }
}

extension RunFold: Measurements {
    var verdicts: [Verdict]? { findings?.verdicts }

    func recoveries(from event: String) -> [EventRow.Recovery] {
        runEvents.filter { $0.name == event }.map(\.recovery)
    }
}

/// What a threshold asks for, read off a run.
private struct ThresholdReading {
    private enum Unit {
        case time, share, rate
        case number(of: Int?)
    }

    /// In the unit of `Threshold.bound`; nil when nothing was measured.
    private(set) var value: Double?
    /// Whether none of nothing counts as none: no request, no error.
    private(set) var isVacuous = false
    /// Of how many the value is a share, or a percentile.
    private(set) var whole: Int?
    private var unit = Unit.time
    private var note = ""
    /// Seconds after which a recovery was still awaited.
    private var unfinished: Double?

    init(_ threshold: Threshold, _ fold: some Measurements) {
        switch threshold.subject {
        case .operation(let name):
            read(fold.sum(name, kind: threshold.kind), threshold.measure, fold.loadSeconds)
        case .everything:
            read(fold.sum(nil, kind: threshold.kind), threshold.measure, fold.loadSeconds)
        case .signIn:
            read(fold.tally(kind: threshold.kind).signIn, threshold.measure)
        case .signInService:
            read(fold.tally(kind: threshold.kind).signInService, threshold.measure)
        case .tokenVisibility:
            read(fold.tally(kind: threshold.kind).tokenVisibility, threshold.measure)
        case .platformSignIn:
            read(fold.tally(kind: threshold.kind).platformSignIn, threshold.measure)
        case .householdsDiverted:
            let tally = fold.tally(kind: threshold.kind)
            read(tally.diverted, of: tally.started, threshold.measure)
        case .householdsFailed:
            let tally = fold.tally(kind: threshold.kind)
            read(tally[.failed], of: tally.started, threshold.measure)
        case .householdsAbandoned:
            let tally = fold.tally(kind: threshold.kind)
            read(tally.abandonedByService, of: tally.started, threshold.measure)
        case .householdsNotEntitled:
            let tally = fold.tally(kind: threshold.kind)
            read(tally.notEntitled, of: tally.started, threshold.measure)
        case .recovery(let event):
            // The slowest, where there were several.
            let all = fold.recoveries(from: event)
            let worst = all.max { ($0.seconds ?? -1) < ($1.seconds ?? -1) }
            value = worst?.seconds.map { $0 * 1e9 }
            if value == nil { note = worst?.text ?? "no event of that name" }
            if case .notWithin(let seconds, _)? = worst {
                (value, unfinished) = (.infinity, seconds)
            }
        case .violations, .undecided, .invariant:
            guard let verdicts = fold.verdicts else {
                (unit, note) = (.number(of: nil), "not checked")
                if case .invariant = threshold.subject { return }
                // None found is all that can be said, and is said.
                (value, note) = (0, " (not checked)")
                return
            }
            read(threshold, verdicts)
        }
    }

    /// Broken promises that fail the run, or what could not be decided.
    private mutating func read(_ threshold: Threshold, _ verdicts: [Verdict]) {
        let of =
            if case .invariant(let invariant) = threshold.subject {
                verdicts.filter { $0.invariant == invariant }
            } else { verdicts }
        let isUndecided = threshold.subject == .undecided
        let counts = (
            part: of.reduce(0) { $0 + (isUndecided ? $1.undecided : $1.violations) },
            whole: of.reduce(0) { $0 + $1.checked }
        )
        guard case .share = threshold.measure else {
            (value, unit) = (Double(counts.part), .number(of: nil))
            return
        }
        (unit, isVacuous, whole) = (.share, true, counts.whole)
        note = " (\(Figures.count(counts.part)) of \(Figures.count(counts.whole)))"
        value = counts.whole == 0 ? nil : Double(counts.part) / Double(counts.whole)
    }

    private mutating func read(_ cell: Cell, _ measure: Threshold.Measure, _ seconds: Double) {
        let ended = cell.ended
        switch measure {
        case .errors:
            (unit, isVacuous, whole) = (.share, true, ended)
            value = ended == 0 ? nil : Double(cell.errors) / Double(ended)
        case .throttled:
            (unit, isVacuous, whole) = (.share, true, ended)
            value = ended == 0 ? nil : Double(cell[.throttled]) / Double(ended)
        case .rate:
            unit = .rate
            value = seconds > 0 ? Double(cell.completed) / seconds : nil
        case .percentile(_, .service), .min(.service), .mean(.service), .max(.service):
            read(cell.service, measure)
        case _ where measure.isOfLateness: read(cell.lateness, measure)
        default:
            read(cell.latency, measure)
        }
        guard case .time = unit, !measure.isOfLateness else { return }
        let (lost, refused) = (cell[.timeout], cell[.throttled] + cell[.serverError])
        let notes = [
            lost == 0
                ? nil
                : "\(Figures.count(lost)) of \(Figures.count(ended)) got no answer, and count as long as they were "
                    + "waited for",
            // A refusal is quick.
            refused < Self.fewestRefused || Double(refused) < Self.noteworthy * Double(ended)
                ? nil
                : "\(Figures.count(refused)) of \(Figures.count(ended)) were refused with 429 or 5xx, and count as "
                    + "fast as they were",
        ].compactMap(\.self)
        if !notes.isEmpty { note = " (\(notes.joined(separator: "; ")))" }
    }

    /// So many requests, and such a share of all, make a time that of refusals.
    private static let fewestRefused = 10
    private static let noteworthy = 0.05

    private mutating func read(_ histogram: Histogram, _ measure: Threshold.Measure) {
        guard histogram.count > 0 else { return }
        switch measure {
        case .percentile(let share, _):
            value = histogram.value(atShare: share).map(Double.init)
            whole = histogram.count
        case .min: value = Double(histogram.smallest)
        case .mean: value = histogram.mean
        case .max: value = Double(histogram.largest)
        case .errors, .throttled, .rate, .count, .share, .time:
            note = "a duration has no such measure"
        }
    }

    private mutating func read(_ count: Int, of started: Int, _ measure: Threshold.Measure) {
        isVacuous = true
        if case .share = measure {
            (unit, whole) = (.share, started)
            note = " (\(Figures.count(count)) of \(Figures.count(started)))"
            value = started == 0 ? nil : Double(count) / Double(started)
        } else {
            unit = .number(of: started)
            value = started == 0 ? nil : Double(count)
        }
    }

    func text(_ value: Double?, extra: Int = 0) -> String {
        guard let value else {
            return note.hasPrefix(" ") || note.isEmpty ? ThresholdResult.nothing : note
        }
        if let unfinished { return "more than \(Figures.span(seconds: unfinished))" }
        switch unit {
        case .time: return Figures.time(milliseconds: value / 1e6, extra: extra) + note
        case .share: return Figures.percent(value, extra: extra) + note
        case .rate: return Figures.rate(value, extra: extra)
        case .number(let whole):
            let number = Figures.count(Int(value))
            return (whole.map { "\(number) of \(Figures.count($0))" } ?? number) + note
        }
    }
}

extension Threshold.Measure {
    var isOfLateness: Bool {
        switch self {
        case .percentile(_, .lateness), .min(.lateness), .mean(.lateness), .max(.lateness): true
        default: false
        }
    }
}

extension Cell {
    subscript(outcome: Outcome) -> Int { outcomes[Int(outcome.rawValue)] }
}
