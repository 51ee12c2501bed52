/// Looks for the rate at which a service begins to miss a threshold, from steps of which each says only "held" or
/// "missed" at its rate. Pure: whoever uses it plays the steps (docs/scale.md, Planning).
///
/// ```text
/// P(held)  1 ───────╮            ramp       2  4  8  16  32  64 (missed)
///                    ╲           then       where the answer says most, step after step: while steps agree the stretch
///          ½ - - - - -╳                     halves, where they do not the rates near the limit are repeated
///                      ╲
///          0            ╰────────  rate
///                      limit
/// ```
///
/// A step is a sample: near the limit the same rate holds once and misses the next time. So the limit is the rate at
/// which half of the steps hold, and a step's answer is evidence, never proof. What is kept is a probability for each
/// possible limit and steepness (a grid), multiplied by the likelihood of each answer, and a step goes where its answer
/// will leave least uncertainty about the limit: the psi method (Kontsevich, Tyler, Vision Research 39, 1999) with the
/// steepness as a nuisance (Prins, Journal of Vision 13(7), 2013). Kin are QUEST (Watson, Pelli, Perception and
/// Psychophysics 33, 1983) and probabilistic bisection (Waeber, Frazier, Henderson, SIAM J. Control Optim. 51, 2013).
/// An answer may be wrong altogether (a pause of the machine): `lapse`.
public struct LimitSearch: Sendable {
    /// Where the search goes, and when it has found enough.
    public struct Terms: Sendable, Hashable {
        /// Rates per second, the lowest and the highest that may be tried.
        public var from: Double
        public var to: Double
        /// The interval is narrow enough when its high end is at most so much above its low end: 0.1 for 10 %.
        public var resolution: Double
        public var stepsAtMost: Int

        public init(from: Double, to: Double, resolution: Double = 0.1, stepsAtMost: Int = 30) {
            precondition(
                from > 0 && to >= from && resolution > 0 && stepsAtMost > 0,
                "a search needs rates above zero in order, a resolution and steps")
            self.from = from
            self.to = to
            self.resolution = resolution
            self.stepsAtMost = stepsAtMost
        }
    }

    /// One step that was played.
    public struct Step: Sendable, Hashable {
        public var rate: Double
        public var held: Bool
    }

    /// Why no further step is needed.
    public enum Ending: Sendable, Hashable {
        /// The interval is as narrow as was asked for.
        case found
        /// The limit lies above `Terms.to`.
        case holdsThrough
        /// The limit lies below `Terms.from`.
        case missesFrom
        /// As many steps were played as there may be.
        case stepsUsed
    }

    public let terms: Terms
    public private(set) var steps: [Step] = []
    /// Logarithms of the possible limits, a hundredth apart or less.
    private let limits: [Double]
    /// By steepness, then by limit; sums to 1.
    private var weights: [[Double]]

    /// The widths of the stretch in which both answers occur, as scale of the logistic curve over the logarithm of
    /// the rate: from practically a step to one that needs a third more load from "mostly held" to "mostly missed".
    private static let scales: [Double] = [0.003, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32]
    /// How likely each is before the first step: most services turn within a few percent.
    private static let priors: [Double] = [0.25, 0.2, 0.2, 0.15, 0.1, 0.06, 0.04]
    /// Where the next step may be, as shares of what is still possible.
    private static let candidates = stride(from: 0.02, through: 0.981, by: 0.06).map { $0 }
    private static let negligible = 1e-6
    /// Share of steps whose answer has nothing to do with their rate.
    private static let lapse = 0.02
    /// The interval has this probability by the model. It is called a 95 % interval: the rest pays for stopping as
    /// soon as it is narrow, which favours answers that happen to agree (`LimitSearchTests` measures what is left).
    private static let credibility = 0.975
    /// Beyond both ends, so that the limit may lie outside.
    private static let margin = 2.0
    private static let rampFactor = 2.0

    public init(_ terms: Terms) {
        self.terms = terms
        let low = Elementary.logarithm(terms.from) - Self.margin
        let high = Elementary.logarithm(terms.to) + Self.margin
        let spacing = min(0.02, Elementary.logarithm(1 + terms.resolution) / 7)
        let count = Int(((high - low) / spacing).rounded(.up))
        limits = (0...count).map { low + (high - low) * Double($0) / Double(count) }
        weights = Self.priors.map { Array(repeating: $0 / Double(count + 1), count: count + 1) }
    }

    /// A step at this rate held, or missed, its threshold.
    public mutating func note(rate: Double, held: Bool) {
        steps.append(Step(rate: rate, held: held))
        let at = Elementary.logarithm(rate)
        var sum = 0.0
        for row in weights.indices {
            for column in limits.indices {
                let holds = chance(ofHoldingAt: at, row, column)
                weights[row][column] *= held ? holds : 1 - holds
                sum += weights[row][column]
            }
        }
        for row in weights.indices {
            for column in limits.indices { weights[row][column] /= sum }
        }
    }

    /// The rate to try next; nil once the search has ended.
    public var next: Double? {
        guard ending == nil else { return nil }
        guard steps.contains(where: { !$0.held }) else {
            guard let last = steps.last else { return terms.from }
            return min(Self.rounded(last.rate * Self.rampFactor), terms.to)
        }
        // Answers that contradict each other are no reason to leave what was tried behind.
        let highest = steps.lazy.filter(\.held).map(\.rate).max() ?? terms.from
        return min(mostTelling, max(Self.rounded(highest * Self.rampFactor), terms.from))
    }

    /// Of rates spread over what is still possible, the one whose answer will leave least uncertainty about the limit,
    /// on average over both answers.
    private var mostTelling: Double {
        var best = (rate: limit, uncertainty: Double.infinity)
        for share in Self.candidates {
            let rate = min(max(Self.rounded(rate(atShare: share)), terms.from), terms.to)
            let uncertainty = uncertainty(after: rate)
            if uncertainty < best.uncertainty { best = (rate, uncertainty) }
        }
        return best.rate
    }

    /// Expected entropy of the limit, whatever the steepness, once a step at `rate` has answered.
    private func uncertainty(after rate: Double) -> Double {
        let at = Elementary.logarithm(rate)
        var (held, missed) = ((sum: 0.0, spread: 0.0), (sum: 0.0, spread: 0.0))
        for column in limits.indices {
            var (here, lost) = (0.0, 0.0)
            // What is all but ruled out decides nothing, and is most of the grid.
            guard weights.contains(where: { $0[column] > Self.negligible }) else { continue }
            for row in weights.indices {
                let weight = weights[row][column]
                let part = weight * chance(ofHoldingAt: at, row, column)
                here += part
                lost += weight - part
            }
            held.sum += here
            missed.sum += lost
            // x ln x is 0 at 0.
            if here > 1e-300 { held.spread += here * Elementary.logarithm(here) }
            if lost > 1e-300 { missed.spread += lost * Elementary.logarithm(lost) }
        }
        func part(_ answer: (sum: Double, spread: Double)) -> Double {
            answer.sum > 1e-300 ? answer.sum * Elementary.logarithm(answer.sum) - answer.spread : 0
        }
        return part(held) + part(missed)
    }

    private func chance(ofHoldingAt at: Double, _ row: Int, _ column: Int) -> Double {
        let curve = Self.logistic((limits[column] - at) / Self.scales[row])
        return Self.lapse / 2 + (1 - Self.lapse) * curve
    }

    /// Nil while another step is needed.
    public var ending: Ending? {
        guard !steps.isEmpty else { return nil }
        let isSure = 1 - (1 - Self.credibility) / 2
        if share(above: terms.to) >= isSure { return .holdsThrough }
        if 1 - share(above: terms.from) >= isSure { return .missesFrom }
        // One answer on each side is a bracket, and no more than that.
        let interval = interval
        if isBracketed, interval.high <= interval.low * (1 + terms.resolution),
            interval.low >= terms.from, interval.high <= terms.to
        {
            return .found
        }
        return steps.count >= terms.stepsAtMost ? .stepsUsed : nil
    }

    /// The median of what is still possible.
    public var limit: Double { rate(atShare: 0.5) }

    /// Where the limit lies with 95 % confidence.
    public var interval: Interval {
        let tail = (1 - Self.credibility) / 2
        return Interval(low: rate(atShare: tail), high: rate(atShare: 1 - tail))
    }

    /// Whether a step held and another missed.
    public var isBracketed: Bool {
        steps.contains(where: \.held) && steps.contains { !$0.held }
    }

    /// Probability that the limit lies above `rate`.
    private func share(above rate: Double) -> Double {
        let at = Elementary.logarithm(rate)
        return weights.reduce(0) { sum, row in
            zip(limits, row).reduce(sum) { $1.0 > at ? $0 + $1.1 : $0 }
        }
    }

    /// The rate below which the limit lies with this probability.
    private func rate(atShare share: Double) -> Double {
        var sum = 0.0
        for column in limits.indices {
            let here = weights.reduce(0) { $0 + $1[column] }
            if sum + here >= share {
                let part = here > 0 ? (share - sum) / here : 0
                let spacing = limits[1] - limits[0]
                return Elementary.exponential(limits[column] + (part - 0.5) * spacing)
            }
            sum += here
        }
        return Elementary.exponential(limits[limits.count - 1])
    }

    /// 1 / (1 + e^-x).
    private static func logistic(_ x: Double) -> Double {
        if x > 40 { return 1 }
        if x < -40 { return 0 }
        return 1 / (1 + Elementary.exponential(-x))
    }

    /// Three digits: a rate that somebody can type again.
    static func rounded(_ rate: Double) -> Double {
        var unit = 1.0
        while rate / unit >= 1000 { unit *= 10 }
        while rate / unit < 100 { unit /= 10 }
        // Divided by a whole number where it is one, so that 0.1 stays 0.1.
        return unit >= 1
            ? (rate / unit).rounded() * unit : (rate / unit).rounded() / (1 / unit).rounded()
    }
}
