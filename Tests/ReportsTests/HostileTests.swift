import Foundation
import FoundationXML
import Testing

@testable import Reports

/// What a server or a rig says is material, never markup, code or a terminal's command.
@Suite("Hostile texts")
struct HostileTests {
    static let script =
        "</title><script>alert(1)</script><img src=x onerror=alert(2)>&\"'`|,\u{1b}[31m\u{202e}\r\nX"

    static let files = Result {
        var shape = Shape(households: 8, kinds: [script, "trial"], trouble: 0...40)
        shape.rigName = "rig \(script)"
        shape.source = "rig: x\n# \(script)\n"
        shape.refusal = "reason \(script)"
        return try Rendered(Sample(shape))
    }

    @Test("report.html has no element that we did not write")
    func html() throws {
        let page = try Self.files.get()["report.html"]
        // The page's own two: what it shows in tooltips, and what shows it.
        #expect(page.matches(of: #/<script/#).count == 2)
        #expect(!page.contains("<img"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(!page.unicodeScalars.contains("\u{1b}"))
        #expect(!page.unicodeScalars.contains("\u{202e}"))
        let elements = try Elements.read(page)
        let known: Set = [
            "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "div", "ul",
            "li", "dl", "dt", "dd", "small", "nav", "main", "section", "h2", "h3", "table",
            "caption", "thead", "tbody", "tr", "th", "td", "span", "code", "pre", "figure",
            "figcaption", "svg", "desc", "line", "path", "rect", "circle", "text", "i", "details",
            "summary", "footer", "script", "fieldset", "legend", "label", "input", "button",
            "output", "b", "h4", "data", "tspan", "g",
        ]
        #expect(Set(elements.names).subtracting(known).isEmpty)
        #expect(elements.attributes.allSatisfy { !$0.lowercased().hasPrefix("on") })
    }

    @Test("report.html asks nothing of the network, and runs nothing but its own script")
    func selfContained() throws {
        let page = try FilesTests.evening.get()["report.html"]
        let elements = try Elements.read(page)
        #expect(elements.attributes.allSatisfy { $0 != "src" && $0 != "xlink:href" })
        #expect(
            elements.links.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("households/") })
        #expect(!page.contains("url("))
        #expect(!page.contains("@import"))
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("script-src 'nonce-r00c0ffee00c0ffee'"))
        #expect(!page.contains("unsafe-eval") && !page.contains("script-src 'unsafe-inline'"))
    }

    @Test("every link of the page leads to a place in it, and every id is there once")
    func anchors() throws {
        let elements = try Elements.read(try FilesTests.evening.get()["report.html"])
        #expect(Set(elements.ids).count == elements.ids.count)
        for link in elements.links where link.hasPrefix("#") {
            #expect(elements.ids.contains(String(link.dropFirst())))
        }
        for label in elements.labels { #expect(elements.ids.contains(label)) }
    }

    @Test("junit.xml stays XML")
    func junit() throws {
        let elements = try Elements.read(try Self.files.get()["junit.xml"])
        #expect(Set(elements.names) == ["testsuites", "testsuite", "testcase", "failure"])
    }

    @Test("the tables stay tables", arguments: ["households.csv", "latencies.csv", "timeline.csv"])
    func tables(name: String) throws {
        let rows = try Table.read(try Self.files.get()[name])
        #expect(rows.count > 5)
        #expect(Set(rows.map(\.count)).count == 1)
    }

    @Test("summary.json stays JSON and gives the text back")
    func json() throws {
        let text = try Self.files.get()["summary.json"]
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let run = try #require(object?["run"] as? [String: Any])
        #expect((run["rig"] as? String)?.contains("<script>alert(1)</script>") == true)
    }

    @Test("summary.md has no HTML, and its tables keep their columns")
    func markdown() throws {
        let page = try Self.files.get()["summary.md"]
        #expect(!page.contains("<script"))
        #expect(!page.contains("<img"))
        for line in page.split(separator: "\n") where line.hasPrefix("| `poll-token`") {
            let bars = line.replacing("\\|", with: "").filter { $0 == "|" }.count
            #expect(bars == 8 || bars == 6)
        }
    }

    @Test("a terminal gets no control characters but line ends")
    func terminal() throws {
        let summary = try Self.files.get().written.summary
        let text = TerminalReport.text(summary, width: 100, color: false, path: "reports/x")
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7f })
    }
}

/// What a well-formed document is made of; an error when it is not well-formed.
final class Elements: NSObject, XMLParserDelegate {
    private(set) var names: [String] = []
    private(set) var attributes: [String] = []
    private(set) var ids: [String] = []
    private(set) var links: [String] = []
    private(set) var labels: [String] = []

    static func read(_ text: String) throws -> Elements {
        let elements = Elements()
        let body = text.replacing("<!doctype html>\n", with: "")
        let parser = XMLParser(data: Data(body.utf8))
        parser.delegate = elements
        guard parser.parse() else {
            throw parser.parserError ?? CocoaError(.coderReadCorrupt)
        }
        return elements
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes values: [String: String]
    ) {
        names.append(name)
        attributes += values.keys
        if let id = values["id"] { ids.append(id) }
        if name == "a", let link = values["href"] { links.append(link) }
        labels += (values["aria-labelledby"] ?? "").split(separator: " ").map(String.init)
    }
}
