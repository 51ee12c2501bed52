internal import Journal
internal import Rendering

/// What is said about the heads of tables comes from the declarations of their columns.
extension Explanation {
    private static let ofTables = [
        terms(OperationRow.columns + OperationRow.details), terms(ErrorRow.columns),
        terms(ProviderRow.columns), terms(KindRow.columns), terms(MergedShard.columns),
        terms(SignOns.Path.columns), terms(SignOns.DiversionCount.columns),
        terms(SignOns.Walk.columns), terms(SignOns.SignOnCode.columns),
    ]

    /// Heads that are terms of their own.
    static let columns: [Explanation] = ofTables.flatMap(\.own)

    /// The term that explains a head, by the head as `plain` has it.
    static let likeColumns = ofTables.reduce(into: [String: String]()) { all, table in
        all.merge(table.like) { first, _ in first }
    }

    private static func terms<Row>(
        _ columns: [Column<Row>]
    ) -> (own: [Explanation], like: [String: String]) {
        var own: [Explanation] = []
        var like: [String: String] = [:]
        for column in columns {
            for head in [column.terminal, column.summary, column.page] where !head.isEmpty {
                let isKnown = own.contains { plain($0.name) == plain(head) }
                switch column.explained {
                case .like(let term): like[plain(head)] = term
                case _ where isKnown: break
                case .own(let line, let meaning):
                    own.append(Explanation(.word, head, line, meaning, harmless: "", send: ""))
                case .byAbout:
                    own.append(Explanation(.word, head, column.about, "", harmless: "", send: ""))
                }
            }
        }
        return (own, like)
    }
}
