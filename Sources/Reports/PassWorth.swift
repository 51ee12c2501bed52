internal import Checker
internal import Rendering
internal import Statistics
internal import Vocabulary

/// What it is worth that a promise held: in how many households it was tested, which share of violations
/// that does not rule out, and which windows the run would have seen (docs/worth.md).
struct PassWorth {
    var invariant: Invariant
    /// Households that could have violated it.
    var households: Int
    /// The share of households that violate it: below `high` with 95 %, one-sided where none did.
    var share: Interval
    /// Where it breaks in a window of time.
    var window: (words: PromiseWindow, exposure: WindowExposure)?

    /// The one that sentences name: the order of a replica's lag or of a cache's refill.
    static let usualWindow: Int64 = 30_000_000
    /// Those that reports list, in nanoseconds.
    static let windows: [Int64] = [
        1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000, 300_000_000, 1_000_000_000,
        3_000_000_000,
    ]
    /// Shares of the events that have such a window.
    static let shares = [1.0, 0.1, 0.01]
    static let confidence = 0.95

    /// `along`: households that violated it along with another promise.
    init?(_ verdict: Verdict, along: Int = 0) {
        guard verdict.checked > 0, verdict.households > 0 else { return nil }
        invariant = verdict.invariant
        households = verdict.households
        let violated = min(
            verdict.violations + verdict.observed + verdict.known + along, verdict.households)
        share =
            violated == 0
            ? Interval(low: 0, high: Interval.upperBound(of: 0, in: households))
            : .exactShare(of: violated, in: households)
        if let words = invariant.window, let exposure = verdict.exposure {
            window = (words, exposure)
        }
    }

    /// `violated in fewer than 0.15 % of households (95 %; 0 of 1,958)`.
    var bound: String {
        "violated in fewer than \(Figures.upperBound(share.high)) of households "
            + "(95 %; 0 of \(Figures.count(households)))"
    }

    /// `a 30 ms window after each sign-in would be seen with > 99.9 % (hit in 12 of 1,958 sign-ins); with
    /// 95 % from 8.20 ms on`. Nil where a rate says all.
    var windowSentence: String? {
        guard let (words, exposure) = window, exposure.events > 0 else { return nil }
        let events = Figures.counted(exposure.events, words.event)
        guard exposure.delays.count > 0 else {
            return "a window after each \(words.event) was not tested: \(words.look) never came "
                + "(0 of \(events))"
        }
        let hits = Figures.count(exposure.hits(within: Self.usualWindow))
        let seen = exposure.probability(ofSeeing: Self.usualWindow)
        let outcome = seen == 0 ? "missed" : "seen with \(Self.probability(seen))"
        let shortest =
            exposure.shortestWindow(seenWith: Self.confidence).map {
                "with 95 % from \(Self.time($0)) on"
            } ?? "none with 95 %"
        return
            "a 30 ms window after each \(words.event) would be \(outcome) (hit in \(hits) of \(events)); "
            + shortest
    }

    /// As a percentage. What chance decides is never certain, whatever rounding makes of it.
    static func probability(_ value: Double) -> String { Figures.percent(min(value, 0.999_99)) }

    static func time(_ nanoseconds: Int64) -> String {
        Figures.time(milliseconds: Double(nanoseconds) / 1e6)
    }
}

extension Findings {
    /// Nil where it was not tested, where all violations were attached to another promise's, or where not all are listed.
    func worth(of verdict: Verdict) -> PassWorth? {
        switch result(of: verdict.invariant) {
        case .kept: PassWorth(verdict)
        case .broken(with: nil), .observed(with: nil), .known(with: nil):
            householdsAlong(verdict.invariant).flatMap { PassWorth(verdict, along: $0) }
        default: nil
        }
    }

    /// Households in which a promise was violated along with another one only; nil where not all violations are listed.
    func householdsAlong(_ invariant: Invariant) -> Int? {
        let all = verdicts.reduce(0) { $0 + $1.violations + $1.observed + $1.known + $1.suspected }
        guard violations.count >= all else { return nil }
        let certain = violations.filter { $0.standing != .suspected }
        let along = certain.filter { $0.companions.contains(invariant) }.map(\.household)
        let own = certain.filter { $0.invariant == invariant }.map(\.household)
        return Set(along).subtracting(own).count
    }

    /// Of the promises that held, in the order of reports.
    var worth: [PassWorth] {
        verdicts.filter { result(of: $0.invariant) == .kept }.compactMap { PassWorth($0) }
    }

    /// Whether no response of the run put the promise to the test.
    func isUntested(_ invariant: Invariant) -> Bool {
        if case .notExercised = result(of: invariant) { true } else { false }
    }

    /// `logout-final, delete-final; no response named the user of a token: token-isolation`, those for which
    /// a reason is known after the others; nil where all promises were tested.
    var untestedNames: String? {
        var reasons: [String] = [""]
        var names: [String: [String]] = [:]
        for verdict in verdicts {
            guard case .notExercised(let why) = result(of: verdict.invariant) else { continue }
            if !reasons.contains(why) { reasons.append(why) }
            names[why, default: []].append(verdict.invariant.name)
        }
        let groups = reasons.compactMap { why in
            names[why].map {
                (why.isEmpty ? "" : "\(why): ") + $0.joined(separator: ", ")
            }
        }
        return groups.isEmpty ? nil : groups.joined(separator: "; ")
    }

    /// What the passes are worth in a few sentences: the bound that nearly all have, those with a weaker
    /// one, windows, and what was not tested.
    var worthSentences: [String] {
        let worth = worth
        var sentences: [String] = []
        let groups = Dictionary(grouping: worth, by: \.households).values
        if let usual = groups.max(by: {
            ($0.count, $0[0].households) < ($1.count, $1[0].households)
        }) {
            // Of more households the bound is the better; where they are clearly fewer it has to be said.
            let weaker = groups.filter { 10 * $0[0].households < 9 * usual[0].households }
                .sorted { $0[0].households > $1[0].households }
                .map { group in
                    "; \(Figures.percent(group[0].share.high)) (0 of \(Figures.count(group[0].households))): "
                        + group.map(\.invariant.name).joined(separator: ", ")
                }
            sentences.append("promises that held: \(usual[0].bound)\(weaker.joined())")
        }
        sentences += worth.compactMap { one in
            one.windowSentence.map { "\(one.invariant.name): \($0)" }
        }
        if worth.contains(where: { ($0.window?.exposure.events ?? 0) > 0 }) {
            sentences.append("for shorter windows use 'screenrig race'")
        }
        if let untestedNames { sentences.append("not tested by this run: \(untestedNames)") }
        return sentences
    }
}
