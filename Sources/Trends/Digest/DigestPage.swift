internal import Formats
internal import Rendering

/// A digest as HTML for mail programs and browsers: one file with its pictures inline, no script, nothing from the network.
/// Mail programs know neither variables nor SVG, and some no `style` at all: without it the page still reads from top
/// to bottom.
public enum DigestPage {
    /// `link` is a web address, or a path on this machine.
    public static func text(_ digest: Digest, link: String) -> String {
        let sheet = HTML(
            stringLiteral: String(decoding: PackageResources.digest_css, as: UTF8.self))
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
            <title>\(digest.subject)</title>
            <style>
            \(sheet)</style>
            </head>
            <body>
            <div class="digest">
            <div class="top \(digest.colour.box)">
            <h1>\(digest.subject)</h1>
            <p>\(digest.headline)</p>
            </div>
            \(DigestText.headings.map { section($0.title, digest.findings, $0.kinds) })\
            \(notes(digest))\
            \(table(digest))\
            <p class="more"><a href="\(address(link))">Read on</a></p>
            <p class="faint">\(digest.counts). Made by screenrig.</p>
            </div>
            </body>
            </html>

            """
        return page.text
    }

    private static func section(
        _ title: String, _ findings: [Digest.Finding], _ kinds: [Digest.Finding.Kind]
    ) -> HTML {
        let found = findings.filter { kinds.contains($0.kind) }
        guard let first = found.first else { return .none }
        let items = found.map { finding -> HTML in
            let since: HTML =
                finding.since.map { "<br/><span class=\"faint\">\($0.text)</span>" } ?? .none
            return "<li>\(finding.text)\(since)</li>\n"
        }
        return """
            <h2 class="\(first.colour.word)">\(title)</h2>
            <ul>
            \(items)</ul>

            """
    }

    private static func notes(_ digest: Digest) -> HTML {
        guard !digest.notes.isEmpty else { return .none }
        return """
            <h2>Also</h2>
            <ul>
            \(digest.notes.map { "<li>\($0)</li>\n" as HTML })</ul>

            """
    }

    private static func table(_ digest: Digest) -> HTML {
        let rows = digest.view.series.map { series -> HTML in
            let picture = DigestPicture(series, in: digest.view)
            let image: HTML =
                picture.png.map { png in
                    """
                    <img src="data:image/png;base64,\(Base64.encode(png))" width="\(DigestPicture.width)" \
                    height="\(DigestPicture.height)" alt="\(picture.description)"/>
                    """
                } ?? .none
            return """
                <tr><th scope="row">\(series.name)</th><td>\(series.newestText)</td><td>\(digest.view.levelText(of: series))</td></tr>
                <tr><td class="picture" colspan="3">\(image)</td></tr>

                """
        }
        guard !rows.isEmpty else { return .none }
        return """
            <h2>Series</h2>
            <table>
            <thead><tr><th scope="col">Series</th><th scope="col">Last night</th><th scope="col">Level</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table>

            """
    }

    /// A path as a browser takes it.
    private static func address(_ link: String) -> String {
        link.hasPrefix("/") ? NightsFiles.address(link) : link
    }
}
