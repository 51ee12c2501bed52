internal import Checker
internal import Rendering

extension Summary {
    /// Households that a report names, the most telling first: of each finding the first, slow ones, examples of
    /// errors and of households without a sign-in, then more of each finding.
    var namedHouseholds: [Int] {
        let groups =
            findings.map { FindingGroup.ranked($0.violations).prefix(FindingGroup.shown) } ?? []
        let several = groups.map { $0.named.map(\.household) }
        let rest = several.flatMap { $0.dropFirst() }
        return several.compactMap(\.first) + slowest.map(\.household)
            + errors.prefix(ErrorSection.shown).compactMap { $0.example?.household }
            + losses.prefix(HouseholdSections.lossesShown).map(\.example) + rest
    }

    /// `household 17` as a link to its page; where it has none, with the command that makes one. Plain where the
    /// report stands alone, without a run directory around it.
    func household(_ number: Int, capital: Bool = false) -> HTML {
        let name: HTML = "\(capital ? "Household" : "household") \(number)"
        guard let traces else { return name }
        if traces.contains(number) {
            return "<a href=\"\(TraceFolder.file(number))\">\(name)</a>"
        }
        return "\(name) (<code>screenrig show . --household \(number)</code>)"
    }

    /// A sentence in which households that have a page are links.
    func linked(_ sentence: String) -> HTML {
        guard let traces, !traces.isEmpty else { return "\(sentence)" }
        var html = HTML.none
        var rest = sentence[...]
        while let found = rest.firstMatch(of: #/\b(?i:household) (\d{1,9})\b/#) {
            let before = String(rest[..<found.range.lowerBound])
            let name = String(rest[found.range])
            html = "\(html)\(before)"
            if let number = Int(found.output.1), traces.contains(number) {
                html = "\(html)<a href=\"\(TraceFolder.file(number))\">\(name)</a>"
            } else {
                html = "\(html)\(name)"
            }
            rest = rest[found.range.upperBound...]
        }
        return "\(html)\(String(rest))"
    }
}
