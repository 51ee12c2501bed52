internal import Rendering

/// Which exchanges a row of violations.csv is about.
public struct ViolationReference: Sendable, Hashable {
    public var household: Int
    /// Numbers of the exchanges within the household.
    public var exchanges: [Int]

    /// Reads row `number`, counted from 1, of the text of a violations.csv; nil where it has none.
    public init?(row number: Int, of text: String) {
        let rows = CSV.rows(text)
        guard number > 0, rows.indices.contains(number), let header = rows.first,
            let place = header.firstIndex(of: "household"),
            let ids = header.firstIndex(of: "exchange_ids"),
            rows[number].count == header.count, let household = Int(rows[number][place])
        else { return nil }
        self.household = household
        exchanges = rows[number][ids].split(separator: " ").compactMap { id in
            id.split(separator: "/").last.flatMap { Int($0) }
        }
    }
}
