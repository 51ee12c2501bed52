internal import Dialects
internal import Statistics

extension Scalar<Distribution> {
    /// `10s`, `fixed 10s`, `uniform(1s, 3s)`, `exponential(mean 5s)`,
    /// `lognormal(median 8s, p95 30s)`.
    static var distribution: Scalar<Distribution> {
        Scalar(
            name: "distribution",
            wanted: "a time: 20s, fixed 20s, uniform(1s, 3s), exponential(mean 5s) or "
                + "lognormal(median 8s, p95 30s)",
            pattern:
                "(fixed +)?\(Spelling.timePattern)|uniform\\( *\(Spelling.timePattern) *, *\(Spelling.timePattern) *\\)"
                + "|exponential\\( *mean +\(Spelling.timePattern) *\\)"
                + "|lognormal\\( *median +\(Spelling.timePattern) *, *p95 +\(Spelling.timePattern) *\\)",
            hasUnit: true, spelled: { spelled($0).map(Spelling.quotedWhereNeeded) },
            parse: { text throws(Refusal) in try Spelling.spread(text) })
    }

    private static func spelled(_ distribution: Distribution) -> String? {
        func time(_ time: Duration) -> String { Spelling.spelled(time) ?? "" }
        return switch distribution {
        case .fixed(let value): time(value)
        case .uniform(let low, let high): "uniform(\(time(low)), \(time(high)))"
        case .exponential(let mean): "exponential(mean \(time(mean)))"
        case .lognormal(let median, let p95):
            "lognormal(median \(time(median)), p95 \(time(p95)))"
        }
    }
}

extension Spelling {
    /// A distribution as it is written.
    static func spread(_ text: String) throws(Refusal) -> Distribution {
        guard let open = text.firstIndex(of: "(") else {
            let time = text.hasPrefix("fixed ") ? text.dropFirst(6).trimmingSpaces() : text
            return .fixed(try self.time(time))
        }
        guard text.hasSuffix(")") else { throw Refusal(remark: "which lacks a closing bracket") }
        let inside = text[text.index(after: open)...].dropLast()
        let parts = inside.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingSpaces() }
        switch (text[..<open], parts.count) {
        case ("uniform", 2):
            let (low, high) = (try time(parts[0]), try time(parts[1]))
            guard low <= high else { throw Refusal(remark: "whose first time is above its second") }
            return .uniform(low, high)
        case ("exponential", 1):
            let mean = try time(parts[0], after: "mean")
            guard mean > .zero else { throw Refusal(remark: "whose mean is zero") }
            return .exponential(mean: mean)
        case ("lognormal", 2):
            let median = try time(parts[0], after: "median")
            let p95 = try time(parts[1], after: "p95")
            guard median > .zero else { throw Refusal(remark: "whose median is zero") }
            guard p95 > median else { throw Refusal(remark: "whose p95 is not above its median") }
            return .lognormal(median: median, p95: p95)
        default: throw Refusal(remark: nil)
        }
    }

    /// The time in `median 8s`.
    private static func time(_ text: String, after word: String) throws(Refusal) -> Duration {
        guard text.hasPrefix(word + " ") else { throw Refusal(remark: nil) }
        return try time(text.dropFirst(word.count).trimmingSpaces())
    }
}
