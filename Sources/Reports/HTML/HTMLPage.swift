/// report.html.
enum HTMLPage {
    static func text(_ summary: Summary) -> String { Markup.escaped(summary.headline) }
}
