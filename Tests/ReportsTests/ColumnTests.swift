import Foundation
import Testing

@testable import Formats
@testable import Rendering
@testable import Reports

@Suite("Columns")
struct ColumnTests {
    @Test("docs/reports.md lists those of each CSV file (SCREENRIG_UPDATE_GOLDEN=1 writes them)")
    func documentation() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/reports.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        for (name, text) in ColumnTables.all {
            let heading = try #require(page.firstRange(of: "## \(name)\n"))
            let rest = heading.upperBound..<page.endIndex
            let start = try #require(page[rest].firstRange(of: "| column | what |\n")).lowerBound
            let end = try #require(page[start...].firstRange(of: "|\n\n")).lowerBound
            let table = start..<page.index(end, offsetBy: 2)
            if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] != nil {
                page.replaceSubrange(table, with: text)
            } else {
                #expect(page[table] == text)
            }
        }
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] != nil {
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
