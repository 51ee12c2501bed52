internal import Rendering

/// index.html of a folder: what needs a look, each rig with its newest run, each history of nights, all runs. One file, no
/// network, no script.
enum RunIndexPage {
    /// Runs that the table shows; all count.
    static let shown = 500
    /// Runs of a rig in its strip.
    private static let strip = 24

    static func text(_ index: RunIndex, title: String) -> String {
        let attention = attention(index)
        let head = PageHead(
            title:
                "\(attention.isEmpty ? "" : "\(attention.count) to look at: ")\(title) · screenrig",
            scripts: .none)
        let page: HTML = """
            \(head.html)
            <body>
            <a class="skip" href="#rigs">Skip to the rigs</a>
            <header>
            <p class="over">screenrig · all runs in a folder\(newest(index))</p>
            <h1>\(title)</h1>
            \(attention.isEmpty ? calm(index) : "\(attention)")
            </header>
            <main>
            \(HTML.section("rigs", "Rigs", rigs(index)))
            \(index.books.isEmpty ? .none : HTML.section("nights", "Nights", nights(index)))
            \(HTML.section("runs", "Runs", runs(index)))
            \(troubles(index))
            </main>
            <footer>Made by screenrig index from what lies in this folder. nightly and nights keep it up to date; after
            other runs make it again.</footer>
            </body>
            </html>

            """
        return page.text
    }

    private static func newest(_ index: RunIndex) -> HTML {
        index.entries.first.map { " · newest run \(Moments.minute($0.started))" } ?? .none
    }

    private static func calm(_ index: RunIndex) -> HTML {
        guard !index.entries.isEmpty || !index.books.isEmpty else {
            return "<p class=\"empty\">No run in this folder yet: screenrig run RIG makes one.</p>"
        }
        return """
            <div class="verdict pass" role="status"><p>Nothing needs a look: no series of nights is worse, and the \
            newest run of every other rig passed.</p></div>
            """
    }

    /// A box for each rig whose newest run did not pass, or whose nights are worse or unusual.
    private static func attention(_ index: RunIndex) -> [HTML] {
        let ofNights = index.books.flatMap { book in
            book.views.compactMap { view -> (Digest.Colour, HTML)? in
                let digest = Digest(view, now: index.now?.rfc3339)
                guard digest.colour > .green else { return nil }
                let items = digest.findings.filter { $0.colour > .green }.prefix(4).map {
                    "<li>\($0.text)\($0.since.map { " <span class=\"soft\">\($0.text)</span>" as HTML } ?? .none)</li>"
                        as HTML
                }
                return (
                    digest.colour,
                    """
                    <div class="verdict \(digest.colour.box)" role="status"><p><a href="\(address(page(of: book)))">\
                    \(digest.subject)</a></p><ul>\(items)</ul></div>
                    """
                )
            }
        }
        let told = Set(index.books.flatMap { $0.views.map(\.rig) })
        let ofRuns = groups(index).compactMap { group -> (Digest.Colour, HTML)? in
            guard let entry = group.first(where: { !$0.isUnderWay }), entry.outcome != "pass",
                entry.kind != .run || !told.contains(entry.rig)
            else { return nil }
            let colour = entry.outcome == "fail" ? Digest.Colour.red : .amber
            return (
                colour,
                """
                <div class="verdict \(colour.box)" role="status"><p>\
                \(link(entry, "\(name(entry)), \(Moments.minute(entry.started))"))</p>\
                <ul><li>\(words(entry))</li></ul></div>
                """
            )
        }
        return (ofNights + ofRuns).enumerated().sorted {
            ($1.element.0, $0.offset) < ($0.element.0, $1.offset)
        }.map(\.element.1)
    }

    /// Runs by rig, races apart, the one with the newest run first.
    private static func groups(_ index: RunIndex) -> [[RunIndex.Entry]] {
        var order: [String] = []
        var groups: [String: [RunIndex.Entry]] = [:]
        for entry in index.entries {
            let key = name(entry)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(entry)
        }
        return order.compactMap { groups[$0] }
    }

    private static func rigs(_ index: RunIndex) -> HTML {
        let groups = groups(index)
        guard !groups.isEmpty else { return "<p class=\"empty\">No run.</p>" }
        return """
            <p class="lead">Each sign is a run and links to its report, the newest on the right: ✓ passed, ✗ failed, \
            ! not to be trusted, interrupted, or could not run.</p>
            \(Table(
                caption: "Rigs",
                columns: [
                    .text("Rig"), .text("Newest run"), .text("Verdict"), .number("Runs"), .text("Last runs"),
                ],
                rows: groups.map { group in
                    [
                        "<span class=\"name\">\(name(group[0]))</span>",
                        link(group[0], Moments.minute(group[0].started)), verdict(group[0]),
                        "\(group.count)",
                        "\(group.prefix(strip).reversed().map { "\(sign($0)) " as HTML })",
                    ]
                }
            ).html)
            """
    }

    private static func nights(_ index: RunIndex) -> HTML {
        let rows = index.books.flatMap { book in
            book.views.map { view -> [HTML] in
                let digest = Digest(view, now: index.now?.rfc3339)
                return [
                    "<a href=\"\(address(page(of: book)))\">\(view.rig)</a>",
                    "\(view.nights.count)",
                    "<span class=\"name\">\(view.nights.last?.name ?? "–")</span>",
                    "<span class=\"\(digest.colour.word)\">\(sign(digest.colour))</span> <span class=\"wrap\">\(digest.subject)</span>",
                ]
            }
        }
        return Table(
            caption: "Series of nights",
            columns: [.text("Rig"), .number("Nights"), .text("Newest night"), .text("Digest")],
            rows: rows
        ).html
    }

    private static func sign(_ colour: Digest.Colour) -> String {
        colour == .red ? "✗" : colour == .amber ? "!" : "✓"
    }

    private static func runs(_ index: RunIndex) -> HTML {
        let left = index.entries.count - shown
        let more: HTML =
            left > 0
            ? "<p class=\"empty\">\(Figures.counted(left, "older run")) not shown.</p>" : .none
        guard !index.entries.isEmpty else { return "<p class=\"empty\">No run.</p>" }
        return """
            \(Table(
                caption: "Runs, newest first",
                columns: [
                    .text("Run"), .text("Rig"), .text("Verdict"), .number("Signed in"),
                    .number("Sign-in, p95"), .number("Errors"), .text("Violated promises"),
                ],
                rows: index.entries.prefix(shown).map { entry in
                    [
                        link(entry, Moments.minute(entry.started).replacing(" UTC", with: "")),
                        "<span class=\"name\">\(name(entry))</span>", verdict(entry),
                        entry.signedIn.map { "\(Figures.count($0.0)) of \(Figures.count($0.of))" } ?? "–",
                        entry.signInP95.map { "\(Figures.time(milliseconds: $0))" } ?? "–",
                        entry.errors.map { "\(Figures.percent($0.0, of: $0.of))" } ?? "–",
                        "<span class=\"soft wrap\">\(entry.violated.joined(separator: ", "))</span>",
                    ]
                }
            ).html)\(more)
            """
    }

    private static func troubles(_ index: RunIndex) -> HTML {
        guard !index.troubles.isEmpty else { return .none }
        let list = index.troubles.map { "<li>\($0)</li>" as HTML }
        return HTML.section("troubles", "Not read", "<ul>\(list)</ul>")
    }

    private static func name(_ entry: RunIndex.Entry) -> String {
        switch entry.kind {
        case .run: entry.rig
        case .race: "race \(entry.rig)"
        case .limit: "find-limit \(entry.rig)"
        }
    }

    private static func words(_ entry: RunIndex.Entry) -> String {
        entry.outcome.isEmpty
            ? "The run ended without a report: 'screenrig report \(entry.path)' makes one."
            : entry.headline
    }

    private static func verdict(_ entry: RunIndex.Entry) -> HTML {
        switch entry.outcome {
        case "pass": "<span class=\"good\">✓ passed</span>"
        case "fail": "<span class=\"bad\">✗ failed</span>"
        case "invalid": "<span class=\"warn\">! not to be trusted</span>"
        case "" where entry.isUnderWay: "<span class=\"soft\">… may go on</span>"
        case "": "<span class=\"warn\">! no report</span>"
        default:
            entry.wasInterrupted
                ? "<span class=\"warn\">! interrupted</span>"
                : "<span class=\"warn\">! could not run</span>"
        }
    }

    private static func sign(_ entry: RunIndex.Entry) -> HTML {
        let (look, sign) =
            entry.isUnderWay
            ? ("soft", "…")
            : entry.outcome == "pass"
                ? ("good", "✓") : entry.outcome == "fail" ? ("bad", "✗") : ("warn", "!")
        let text: HTML = "<span class=\"\(look)\">\(sign)</span>"
        guard let page = entry.page else { return text }
        return """
            <a href="\(address("\(entry.path)/\(page)"))" title="\(Moments.minute(entry.started)): \(entry.headline)">\
            \(text)</a>
            """
    }

    private static func link(_ entry: RunIndex.Entry, _ text: String) -> HTML {
        entry.page.map {
            "<a class=\"name\" href=\"\(address("\(entry.path)/\($0)"))\">\(text)</a>"
        } ?? "<span class=\"name\">\(text)</span>"
    }

    private static func page(of book: RunIndex.Book) -> String { NightsFiles.page(of: book.path) }

    private static func address(_ path: String) -> String { NightsFiles.address(path) }
}
