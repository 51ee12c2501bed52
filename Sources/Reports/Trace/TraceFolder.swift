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
    /// So many pages a report makes of itself, and so many bytes of them.
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
        rig = ExchangeLinks.rig(of: header)
        links = ExchangeLinks(header, rig)
        nonce = ReportPage.nonce(history.end?.historyHash ?? "")
    }

    /// The page of one household.
    package func page(of record: HouseholdRecord) throws -> String {
        let trace = try Trace(
            history, record, findings: findings, cases: cases, other: Trace.other(of: record, rig),
            links: links)
        return TracePage.text(trace, nonce: nonce)
    }

    /// Which of those that a report names have anything to show, as many as get a page.
    func pages(of named: [Int]) throws -> [Int] {
        var seen: Set<Int> = []
        let first = named.filter { seen.insert($0).inserted }.prefix(Self.limit)
        return try first.filter { try !history.exchanges(household: $0).isEmpty }
    }

    /// Writes the pages of these households into a run directory; a page that cannot be written is an error
    /// and keeps no other from being written.
    func write(_ numbers: [Int], into directory: String) throws -> [ReportError] {
        let wanted = Set(numbers)
        var records: [Int: HouseholdRecord] = [:]
        if !wanted.isEmpty {
            try history.households {
                if wanted.contains($0.household) { records[$0.household] = $0 }
            }
        }
        var errors: [ReportError] = []
        var left = Self.bytes
        for number in numbers {
            guard let record = records[number], left > 0 else { continue }
            let text = try page(of: record)
            left -= text.utf8.count
            do {
                try Report.save(text, as: Self.file(number), in: directory)
            } catch {
                errors.append(error)
            }
        }
        return errors
    }

    /// Of a page, within the run directory.
    package static func file(_ household: Int) -> String { "\(name)/\(household).html" }
}
