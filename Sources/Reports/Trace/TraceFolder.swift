package import Checker
internal import Foundation
package import Journal
internal import Rigs

/// The pages of a run's households: `households/N.html`.
package struct TraceFolder {
    private let history: any Recorded
    private let findings: Findings?
    private let cases: [String: String]
    private let rig: Rig?
    private let links: ExchangeLinks
    private let nonce: String

    /// The folder within a run directory.
    static let name = "households"
    /// At most this many pages are part of a report, and this many bytes of them.
    static let limit = 80
    private static let bytes = 40_000_000

    /// `cases`: names of those in `cases/`, by the signature of their violation.
    package init(
        _ history: some Recorded, findings: Findings?, cases: [String: String] = [:]
    ) {
        self.history = history
        self.findings = findings
        self.cases = cases
        let header = history.header
        rig = LoadStage.rig(of: header)
        links = ExchangeLinks(header, rig)
        nonce = ReportPage.nonce(history.end?.historyHash ?? "")
    }

    /// The page of one household. `isAlone`: it will not lie in the run directory, so that it links to no other
    /// file of the run.
    package func page(of record: HouseholdRecord, isAlone: Bool = false) throws -> String {
        var trace = try trace(of: record)
        trace.isAlone = isAlone
        return TracePage.text(trace, nonce: nonce)
    }

    private func trace(of record: HouseholdRecord) throws -> Trace {
        try Trace(
            history, record, findings: findings, cases: cases, other: Trace.other(of: record, rig),
            links: links)
    }

    /// The pages of those that a report names, by household: of as many as get one and have anything to show.
    func pages(of named: [Int]) throws -> [(household: Int, text: String)] {
        var seen: Set<Int> = []
        let numbers = named.filter { seen.insert($0).inserted }.prefix(Self.limit)
        var records: [Int: HouseholdRecord] = [:]
        if !numbers.isEmpty {
            let wanted = Set(numbers)
            try history.households {
                if wanted.contains($0.household) { records[$0.household] = $0 }
            }
        }
        var left = Self.bytes
        var pages: [(household: Int, text: String)] = []
        for number in numbers {
            guard let record = records[number] else { continue }
            let trace = try trace(of: record)
            guard trace.hasExchanges else { continue }
            let text = TracePage.text(trace, nonce: nonce)
            // One that is too big keeps no other from being made.
            guard text.utf8.count <= left else { continue }
            left -= text.utf8.count
            pages.append((number, text))
        }
        return pages
    }

    /// Of a page, within the run directory.
    package static func file(_ household: Int) -> String { "\(name)/\(household).html" }
}
