internal import Checker
internal import Journal
internal import Rendering
internal import Rigs

/// A line of `shows:` held against a run.
public struct HistoryCheckResult: Sendable, Hashable {
    /// As the rig wrote it.
    public var expression: String
    /// How often the history holds it; nil where this version cannot read the line, or nobody judged.
    public var count: Int?
    public var held: Bool
    /// It says that no household at all signs in.
    var expectsNoSignIn = false

    /// What was counted, in words.
    public var actual: String {
        count.map(Figures.count) ?? (held ? "not checked" : "this version cannot read the line")
    }

    /// `event status VSA203: 0 found`.
    public var sentence: String {
        "\(expression): \(actual)" + (count == nil ? "" : " found")
    }
}

/// Counts what `shows:` asks for. Operations, statuses, outcomes and households come from the sums
/// of the fold; events and the service's words for errors from single records, of which there is no
/// pass unless a line asks for one.
struct HistoryCheckCounter {
    private let lines: [(text: String, check: HistoryCheck?)]
    private var counts: [Int]
    private let isJudged: Bool

    init(_ history: some Recorded, _ fold: RunFold) throws {
        lines = history.header.shows.map { ($0, HistoryCheck(text: $0)) }
        counts = lines.map { _ in 0 }
        isJudged = fold.findings != nil
        for position in lines.indices {
            guard let check = lines[position].check else { continue }
            counts[position] = Self.sum(check, fold)
        }
        try countEvents(history)
        try countReasons(history)
    }

    var results: [HistoryCheckResult] {
        zip(lines, counts).map { line, count in
            let isUnjudged = !isJudged && line.check?.isAboutJudge == true
            return HistoryCheckResult(
                expression: Sanitizer.line(line.text),
                count: line.check == nil || isUnjudged ? nil : count,
                held: isUnjudged || line.check?.holds(for: count) ?? false,
                expectsNoSignIn: line.check?.expectsNoSignIn ?? false)
        }
    }

    private static func sum(_ check: HistoryCheck, _ fold: RunFold) -> Int {
        switch check.subject {
        case .exchange(let operation, let status, let outcome, nil):
            let cell = fold.sum(operation, kind: check.kind)
            return status.map { cell.statuses[$0] ?? 0 } ?? outcome.map { cell[$0] } ?? cell.ended
        case .households(let end):
            return fold.tally(kind: check.kind).count(end)
        case .violation(let invariant):
            let verdict = fold.findings?[invariant]
            return verdict.map { $0.violations + $0.observed + $0.known + $0.suspected } ?? 0
        case .exchange, .event: return 0
        }
    }

    private mutating func countEvents(_ history: some Recorded) throws {
        let asked = lines.indices.compactMap { position -> (Int, String?, String, String?)? in
            guard let check = lines[position].check,
                case .event(let name, let detail) = check.subject
            else { return nil }
            return (position, check.kind, name, detail)
        }
        guard !asked.isEmpty else { return }
        let kinds = try Self.kinds(history, where: asked.contains { $0.1 != nil })
        try history.events { event in
            for (position, kind, name, detail) in asked
            where event.name == name && detail.map(event.tells) ?? true
                && (kind == nil || kinds[event.device.household] == kind)
            { counts[position] += 1 }
        }
    }

    private mutating func countReasons(_ history: some Recorded) throws {
        let asked = lines.indices.filter { position in
            guard case .exchange(_, _, _, _?)? = lines[position].check?.subject else {
                return false
            }
            return true
        }
        guard !asked.isEmpty else { return }
        let kinds = try Self.kinds(
            history, where: asked.contains { lines[$0].check?.kind != nil })
        try history.exchanges { exchange in
            for position in asked {
                guard let check = lines[position].check,
                    case .exchange(let operation, let status, let outcome, let reason) =
                        check.subject,
                    exchange.operation == operation, exchange.reason == reason,
                    status == nil || exchange.delivery.status == status,
                    outcome == nil || exchange.outcome == outcome,
                    check.kind == nil
                        || kinds[exchange.device.household] == check.kind
                else { continue }
                counts[position] += 1
            }
        }
    }

    /// Kinds by household, where a line asks for one.
    private static func kinds(
        _ history: some Recorded, where isAsked: Bool
    ) throws -> [Int: String] {
        var kinds: [Int: String] = [:]
        guard isAsked else { return kinds }
        try history.households { kinds[$0.household] = $0.kind }
        return kinds
    }
}

extension DeviceEvent {
    /// Whether `word` is its detail or a word of it: `0 USER_NOT_AUTHENTICATED_ERROR` tells both.
    fileprivate func tells(_ word: String) -> Bool {
        detail == word
            || detail.split(whereSeparator: { " ,:".contains($0) }).contains { $0 == word }
    }
}

extension Population.PopulationTally {
    /// Households that ended so or got so far, by a word of `HistoryCheck.ends`.
    fileprivate func count(_ end: String) -> Int {
        if end == "diverted" { return diverted }
        // As the headline counts: who signed in and failed later has signed in.
        if end == HouseholdRecord.Fate.signedIn.name { return signedIn }
        if let fate = HouseholdRecord.Fate(name: end) { return self[fate] }
        guard let stage = Stage(name: end) else { return 0 }
        let counts = stage == .codeShown || stage == .codeTyped ? coded : stages
        return counts[Int(stage.rawValue)...].reduce(0, +)
    }
}

extension HistoryCheck {
    fileprivate var expectsNoSignIn: Bool {
        kind == nil && subject == .households(HouseholdRecord.Fate.signedIn.name)
            && holds(for: 0) && !holds(for: 1)
    }

    fileprivate var isAboutJudge: Bool {
        if case .violation = subject { true } else { false }
    }
}
