internal import Rendering

/// A digest as plain text, for the terminal and for mail.
public enum DigestText {
    /// Findings by their sort, in the order in which they are told.
    static let headings: [(kinds: [Digest.Finding.Kind], title: String)] = [
        ([.failed], "Failed last night"), ([.worse], "Got worse"), ([.stillWorse], "Still worse"),
        ([.unusual], "Unusual last night"), ([.observed], "Observed"),
        ([.noValues, .missing, .rigChanged], "Not measured"), ([.better], "Better"),
    ]

    /// Lines of at most `width` characters; `link` is where to read on.
    public static func text(_ digest: Digest, link: String, width: Int = 78) -> String {
        var lines = Wrapping.lines(digest.subject, width: width, hanging: 2)
        lines += Wrapping.lines(digest.headline, width: width, hanging: 2)
        for (kinds, title) in headings {
            let found = digest.findings.filter { kinds.contains($0.kind) }
            guard !found.isEmpty else { continue }
            lines += ["", title]
            for finding in found {
                lines += Wrapping.lines("- \(finding.text)", width: width, hanging: 2)
                if let since = finding.since {
                    lines += Wrapping.lines("  \(since.text)", width: width, hanging: 2)
                }
            }
        }
        if !digest.notes.isEmpty {
            lines += ["", "Also"]
            lines += digest.notes.flatMap { Wrapping.lines("- \($0)", width: width, hanging: 2) }
        }
        let table = table(digest)
        if !table.isEmpty { lines += [""] + table }
        lines += [""] + Wrapping.lines("\(digest.counts).", width: width, hanging: 0)
        // Never wrapped: it is there to be opened.
        return (lines + ["Read on: \(link)"]).joined(separator: "\n") + "\n"
    }

    /// Tonight's values beside their levels.
    private static func table(_ digest: Digest) -> [String] {
        guard !digest.view.series.isEmpty else { return [] }
        let rows =
            [["Series", "last night", "level"]]
            + digest.view.series.map { [$0.name, $0.newestText, digest.view.levelText(of: $0)] }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row[0].padded(to: widths[0]) + "  " + row[1].padded(to: widths[1], right: true) + "  "
                + row[2].padded(to: widths[2], right: true)
        }
    }
}
