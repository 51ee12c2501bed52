internal import Standin

/// The table of a page while it is being measured: rows come one by one, each is written at once, and
/// those of another time stay until they are measured again.
struct RaceTable {
    private let page: MarkedPage?
    private let mark: String
    private let exhibits: [RaceExhibit]
    private var lines: [String: String] = [:]

    static let controls = FaultKind.all.filter(\.isControl).map(\.name)

    /// With the rows that stand at that mark of the page already; without a page it keeps nothing.
    init(page: String?, mark: String, of exhibits: [RaceExhibit]) throws {
        self.exhibits = exhibits
        self.page = page.map { MarkedPage(path: $0) }
        self.mark = mark
        let present = try self.page?.lines(at: mark) ?? []
        for name in exhibits.map(\.text) + Self.controls {
            // A control's line begins `Control `name``, a fault's `| `name``.
            let starts = ["| `\(name)` ", "Control `\(name)`:"]
            lines[name] = present.first { line in starts.contains { line.hasPrefix($0) } }
        }
    }

    mutating func set(_ line: String, of name: String) throws {
        lines[name] = line
        let rows = exhibits.compactMap { lines[$0.text] }
        let controls = Self.controls.compactMap { lines[$0] }.flatMap { ["", $0] }
        let head = RaceTrialRow.head.split(separator: "\n").map(String.init)
        try page?.write(head + rows + controls, at: mark)
    }
}
