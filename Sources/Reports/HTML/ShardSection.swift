internal import Journal
internal import Rendering

/// The shards of a merged run: where each ran, how evenly they started, what was lost.
enum ShardSection {
    /// Rows on the page; those with something to say come first.
    private static let shown = 200

    static func html(_ summary: Summary) -> HTML? {
        let all = summary.shards
        guard !all.isEmpty else { return nil }
        let rows =
            all.count <= shown
            ? all : Array((all.filter(\.isNotable) + all.filter { !$0.isNotable }).prefix(shown))
        let more: HTML =
            rows.count == all.count
            ? .none
            : "<p class=\"empty\">and \(Figures.count(all.count - rows.count)) more, in shards.csv</p>"
        let gaps: HTML =
            summary.mergeGaps.isEmpty
            ? .none
            : "<ul>\(summary.mergeGaps.map { "<li class=\"bad\">\($0)</li>" as HTML })</ul>"
        let first = StartSkew.sentence(summary)
        return """
            <p class="lead">\(first.prefix(1).uppercased() + first.dropFirst()). Counts and histograms of the shards are \
            added; their times are counted from the start of the first.</p>\(gaps)
            \(MergedShard.columns.page("Shards", rows, isCards: true))
            \(more)
            """
    }
}
