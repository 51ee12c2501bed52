package import Checker
internal import Foundation
internal import Journal
package import Rendering
package import Rigs

/// Every file of a run directory that is made from its history.
public enum Report {
    /// What came of writing a report.
    public struct Written: Sendable {
        public var summary: Summary
        /// Names of the files that are there now, in the order of README.md, What a run leaves.
        public var files: [String]
        /// One for each file that is not.
        public var errors: [ReportError]
    }

    /// Renders every file into `directory`, which is made if it is missing. A file that cannot be
    /// written does not keep the others from being written; only a history that cannot be read
    /// throws. `thresholds` are those of the rig, parsed; `activations` what the stand-in's faults did; `changes`
    /// what changed since the last comparable run, drawn; `earlier` that run; `cases` the names of those that are written to
    /// `cases/`, by the signature of their violation.
    package static func write(
        _ history: some Recorded, thresholds: [Threshold], findings: Findings? = nil,
        activations: FaultActivations? = nil, changes: HTML? = nil, earlier: EarlierRun? = nil,
        cases: [String: String] = [:],
        to directory: String
    ) throws(ReportError) -> Written {
        let fold: RunFold
        var table = HouseholdTable(findings)
        do {
            fold = try RunFold(history, findings) { table.add($0) }
        } catch {
            throw .unreadable(why: "\(error)")
        }
        var summary = Summary(fold, thresholds: thresholds)
        summary.add(activations)
        summary.changes = changes
        summary.earlier = earlier
        summary.cases = cases
        let folder = TraceFolder(history, findings: findings, cases: cases)
        let pages: [(household: Int, text: String)]
        do {
            pages = try folder.pages(of: summary.namedHouseholds)
        } catch {
            throw .unreadable(why: "\(error)")
        }
        summary.traces = Set(pages.map(\.household))
        var written = Written(summary: summary, files: [], errors: [])
        // The smallest and most telling first: a disk that fills up then loses the least.
        for (name, text) in files(summary, fold, households: table.text) {
            do {
                try save(text(), as: name, in: directory)
                written.files.append(name)
            } catch {
                written.summary.unwritten.insert(name)
                written.errors.append(error)
            }
        }
        for page in pages {
            do {
                try save(page.text, as: TraceFolder.file(page.household), in: directory)
            } catch {
                written.errors.append(error)
            }
        }
        return written
    }

    /// All files in memory, by name.
    static func texts(
        _ history: some Recorded, thresholds: [Threshold], findings: Findings?
    ) throws -> [(name: String, text: String)] {
        var table = HouseholdTable(findings)
        let fold = try RunFold(history, findings) { table.add($0) }
        let summary = Summary(fold, thresholds: thresholds)
        return files(summary, fold, households: table.text).map { ($0.0, $0.1()) }
    }

    private static func files(
        _ summary: Summary, _ fold: RunFold, households: String
    ) -> [(String, () -> String)] {
        let seconds = fold.timeline.rows.last?.second ?? 0
        let shards: [(String, () -> String)] =
            summary.shards.isEmpty
            ? [] : [("shards.csv", { MergedShard.columns.csv(summary.shards) })]
        return [
            ("summary.json", { SummaryJSON.text(summary) }),
            ("latencies.csv", { OperationRow.columns.csv(summary.operations) }),
            ("junit.xml", { JUnit.text(summary) }),
            ("summary.md", { MarkdownPage.text(summary) }),
            ("report.html", { ReportPage.text(summary) }),
            ("violations.csv", { ViolationLine.columns.csv(ViolationLine.all(summary)) }),
            (
                "timeline.csv",
                {
                    let waiting = fold.population.waiting(through: seconds)
                    return TimelineRow.columns.csv(
                        fold.timeline.rows.lazy.map { row in
                            var row = row
                            row.householdsWaiting =
                                waiting.indices.contains(row.second) ? waiting[row.second] : 0
                            return row
                        })
                }
            ),
            ("households.csv", { households }),
            ("providers.csv", { ProviderRow.columns.csv(summary.providers) }),
        ] + shards
    }

    /// Writes a file of a run directory, `name` within it.
    static func save(
        _ text: String, as name: String, in directory: String
    ) throws(ReportError) {
        let file = URL(filePath: directory, directoryHint: .isDirectory).appending(path: name)
        do {
            try PrivateFile.makeFolder(file.deletingLastPathComponent().path)
            try PrivateFile.write(Data(text.utf8), to: file.path)
        } catch {
            throw .unwritten(file: name, why: reason(error))
        }
    }

    /// The system's own word where there is one: `No space left on device`.
    static func reason(_ error: any Error) -> String {
        let cocoa = error as NSError
        let below = cocoa.userInfo[NSUnderlyingErrorKey] as? NSError
        let number = below?.domain == NSPOSIXErrorDomain ? below?.code : nil
        if let number { return String(cString: strerror(Int32(number))) }
        return cocoa.localizedDescription
    }
}

/// households.csv, as its households come.
struct HouseholdTable {
    private let columns = HouseholdRow.columns.ofCSV()
    private var violations: [Int: Int] = [:]
    private(set) var text: String

    init(_ findings: Findings?) {
        text = CSV.line(columns.map(\.csv))
        for violation in findings?.violations ?? [] where violation.standing == .fails {
            violations[violation.household, default: 0] += 1
        }
    }

    mutating func add(_ household: HouseholdRecord) {
        let row = HouseholdRow(
            household: household, violations: violations[household.household] ?? 0)
        text += CSV.line(columns.map { $0.value(row).csv })
    }
}
