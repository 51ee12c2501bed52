import Foundation
import TestSupport
import Testing

@testable import Formats
@testable import Journal
@testable import Rendering
@testable import Reports

@Suite("Columns")
struct ColumnTests {
    /// Of docs/reports.md, by the heading above each.
    private static let tables = [
        ("latencies.csv", OperationRow.columns.documentation()),
        ("timeline.csv", TimelineRow.columns.documentation()),
        ("households.csv", HouseholdRow.columns.documentation()),
        ("providers.csv", ProviderRow.columns.documentation()),
        ("violations.csv", ViolationLine.columns.documentation()),
        ("shards.csv", MergedShard.columns.documentation()),
    ]

    @Test("docs/reports.md lists those of each CSV file (SCREENRIG_UPDATE_GOLDEN=1 writes them)")
    func documentation() throws {
        let file = Repository.root.appending(path: "docs/reports.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        for (name, text) in Self.tables {
            let heading = try #require(page.firstRange(of: "## \(name)\n"))
            let rest = heading.upperBound..<page.endIndex
            let start = try #require(page[rest].firstRange(of: "| column | what |\n")).lowerBound
            let end = try #require(page[start...].firstRange(of: "|\n\n")).lowerBound
            let table = start..<page.index(end, offsetBy: 2)
            if Golden.isUpdating {
                page.replaceSubrange(table, with: text)
            } else {
                #expect(page[table] == text)
            }
        }
        if Golden.isUpdating {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    @Test("new columns of a CSV file go to its end, wherever they are declared")
    func order() {
        let columns: [Column<Int>] = [
            Column("a", json: "first") { .count($0) },
            Column("b", added: 1, page: "B") { .number(Double($0) / 3) },
            Column("c", json: "third") { .figure(Double($0), "\($0) s") },
        ]
        #expect(columns.csv([1]) == "a,c,b\r\n1,1,0.333\r\n")
        #expect(columns.json(1).text(.compact) == #"{"first":1,"third":1}"#)
    }
}
