internal import Formats
internal import Rendering

/// What a move changes, in sentences: the first that an owner reads.
extension Comparison {
    /// The most important first; empty where both runs speak one protocol.
    public var moveLines: [String] {
        guard let protocols else { return [] }
        return [
            protocols.signInSentence, protocols.afterwardsSentence, protocols.stepsSentence,
            timeSentence("sign-in-service", "the service's part of a sign-in"),
            timeSentence("token-visibility", "the time until the TV sees its sign-in"),
            errorSentence, promiseSentence,
        ].compactMap { $0 }.map { $0.capitalizedFirst + "." }
    }

    /// `the service's part of a sign-in has p95 1.2 s instead of 1.4 s (better)`.
    private func timeSentence(_ subject: String, _ what: String) -> String? {
        let own = rows.filter { $0.subject == subject && $0.unit == .milliseconds }
        // Of the percentiles that stand on enough values, the one that people feel.
        guard
            let row = own.last(where: { $0.statistic == "p95" && $0.verdict != .tooFew })
                ?? own.first(where: { $0.verdict != .tooFew })
        else { return nil }
        let verdict: String =
            switch row.verdict {
            case .better, .worse: "\(row.verdict.rawValue), \(row.relativeText ?? "")"
            case .noise where row.isOnGrid: "within one interval of polls on both sides"
            case .noise: "no more than chance"
            case .tooFew: "too few"
            }
        return
            "\(what) is \(row.text(row.run)) instead of \(row.text(row.base)) at \(row.statistic) "
            + "(\(verdict))"
    }

    private var errorSentence: String {
        guard let row = rows.first(where: { $0.subject == "all" && $0.statistic == "errors" })
        else { return "no request ended in an error on either side" }
        return "errors: \(row.text(row.run)) of all requests instead of \(row.text(row.base))"
    }

    private var promiseSentence: String? {
        guard let promises else {
            return "promises are not compared: one of the two was not checked"
        }
        func told(_ count: (Promise) -> Int) -> String {
            let broken = promises.filter { count($0) > 0 }
            let total = broken.reduce(0) { $0 + count($1) }
            return broken.isEmpty
                ? "none"
                : "\(Figures.count(total)) (\(broken.map(\.name).joined(separator: ", ")))"
        }
        return "violations: \(told(\.run.failing)) instead of \(told(\.base.failing))"
    }
}

extension ProtocolComparison {
    /// `a sign-in costs 14.2 requests instead of 15.9 (−11 %); 5.1 of them are polls, instead of 5`.
    var signInSentence: String {
        let (all, polls) = (signIn, polls)
        let without = (all.base - polls.base, all.run - polls.run)
        return "a sign-in costs \(Self.number(all.run)) requests instead of "
            + "\(Self.number(all.base))\(Self.change(all)); without the TV's polls, which follow the "
            + "viewer's pace, \(Self.number(without.1)) instead of \(Self.number(without.0))"
    }

    var afterwardsSentence: String? {
        let rest = afterwards
        guard rest.base + rest.run > 0 else { return nil }
        return "what follows it costs \(Self.number(rest.run)) requests instead of "
            + "\(Self.number(rest.base))\(Self.change(rest))"
    }

    /// Which steps only one side has.
    var stepsSentence: String? {
        let gone = steps.filter { $0.base > 0 && $0.run == 0 }.map(\.name)
        let new = steps.filter { $0.base == 0 && $0.run > 0 }.map(\.name)
        let parts = [("no longer asked", gone), ("new", new)].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? nil : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
    }

    /// Requests per sign-in: `14.2`, `1`.
    static func number(_ count: Double) -> String {
        DecimalText.trimmed(count, count < 10 ? 2 : 1)
    }

    private static func change(_ pair: (base: Double, run: Double)) -> String {
        pair.base > 0 ? " (\(Comparison.Row.signed(pair.run / pair.base - 1)))" : ""
    }

    /// `registration-code → create-session`; one name where both sides share it.
    static func operations(_ step: Step) -> String {
        let (base, run) = (step.baseOperations, step.runOperations)
        func told(_ names: [String]) -> String {
            names.isEmpty ? "–" : names.joined(separator: ", ")
        }
        return base == run ? told(base) : "\(told(base)) → \(told(run))"
    }

    /// The rows of its table, with sums.
    struct Line {
        var name: String
        var operations: String
        var base: Double
        var run: Double
        var isSum = false

        var difference: String {
            let delta = run - base
            guard delta.magnitude >= 0.005 else { return "0" }
            return (delta > 0 ? "+" : "−") + ProtocolComparison.number(delta.magnitude)
        }
    }

    var lines: [Line] {
        func lines(_ isSignIn: Bool) -> [Line] {
            steps.filter { $0.isSignIn == isSignIn }.map {
                Line(
                    name: $0.name, operations: Self.operations($0), base: $0.base, run: $0.run)
            }
        }
        func sum(_ name: String, _ pair: (base: Double, run: Double)) -> Line {
            Line(name: name, operations: "", base: pair.base, run: pair.run, isSum: true)
        }
        let after = lines(false)
        return lines(true) + [sum("up to the sign-in", signIn)]
            + (after.isEmpty ? [] : after + [sum("in all", all)])
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
