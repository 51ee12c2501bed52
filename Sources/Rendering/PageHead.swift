/// The head of every page of ours: what the page may load, who made it, its title, its looks.
package struct PageHead: Sendable {
    /// What may run in the page. Nothing of it ever comes from elsewhere.
    package enum Scripts: Sendable {
        case none
        /// Only those that carry this number, which no text that stands in the page can know.
        case marked(nonce: String)
        /// The server that sends the page says it, in a header.
        case asServed
    }

    package var title: String
    /// The version that made it; nil where the page says it elsewhere.
    package var version: String?
    package var scripts: Scripts
    /// What these pages have and report.html has not: added to the sheet that all share.
    package var sheet: String?

    package init(title: String, version: String? = nil, scripts: Scripts, sheet: String? = nil) {
        self.title = title
        self.version = version
        self.scripts = scripts
        self.sheet = sheet
    }

    /// From the document's type to the end of the head; the page goes on with its body.
    package var text: String { html.text }

    package var html: HTML {
        let maker: HTML =
            version.map { "<meta name=\"generator\" content=\"screenrig \($0)\"/>\n" } ?? .none
        let own: HTML = sheet.map { HTML(stringLiteral: $0) } ?? .none
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            \(policy)
            \(maker)<title>\(title)</title>
            <style>
            \(HTML(stringLiteral: Self.shared))\(own)</style>
            </head>
            """
    }

    /// System fonts, one accent, colours as variables for light and dark, and a version for paper.
    private static let shared = String(decoding: PackageResources.page_css, as: UTF8.self)

    private var policy: HTML {
        let scripts: HTML
        switch self.scripts {
        case .none: scripts = .none
        case .marked(let nonce): scripts = "; script-src 'nonce-\(nonce)'"
        // A served page is asked for its icon: it has none.
        case .asServed: return "<link rel=\"icon\" href=\"data:,\"/>"
        }
        return """
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'\(scripts)"/>
            """
    }
}
