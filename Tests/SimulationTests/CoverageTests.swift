import Foundation
import TestSupport
import Testing

/// docs/coverage.md: what of the specification is run by which rig or test. It is written from the
/// lists in docs/coverage/ by `make coverage`; here it is held against what there is.
@Suite("The coverage table")
struct CoverageTests {
    static let pages = ["rest-v1", "rest-v2", "rfc8628", "apple-sso", "access-enabler-sdk"]

    @Test(
        "no row is empty, each test that it names is there, and each rig is held to what it shows",
        arguments: pages)
    func rows(page: String) throws {
        let list = try CoverageList(Repository.root, page)
        let tests = try Self.testNames()
        #expect(tests.count > 500)
        #expect(list.rows.count > 30)
        for row in list.rows {
            #expect(!row.item.isEmpty && !row.evidence.isEmpty, "\(row.item)")
            for evidence in row.evidence {
                switch evidence {
                case .test(let name): #expect(tests.contains(name), "\(row.item): \(name)")
                case .rig(let name, let line):
                    #expect(RigFiles.names.contains(name), "\(row.item): \(name)")
                    // `ShowsTests` holds each of its lines against a run.
                    let shows = try RigFiles.read(name).shows.map(\.text)
                    #expect(shows.contains(line), "\(row.item): rigs/\(name) does not show \(line)")
                case .unknown(let text): Issue.record("\(row.item): what is '\(text)'?")
                }
            }
        }
        let items = list.rows.map { "\($0.section)\($0.item)" }
        #expect(Set(items).count == items.count)
    }

    @Test("the page is written from the lists (make coverage)")
    func page() throws {
        let lists = try Self.pages.map { try CoverageList(Repository.root, $0) }
        let text = CoverageList.head + lists.map(\.markdown).joined(separator: "\n")
        try Golden.expect(text, matches: Repository.root.appending(path: "docs/coverage.md"))
    }

    /// The sentences of all tests.
    private static func testNames() throws -> Set<String> {
        let folder = Repository.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "@Test(").dropFirst() {
                let rest = part.drop(while: \.isWhitespace)
                guard rest.first == "\"" else { continue }
                names.insert(sentence(rest.dropFirst()))
            }
        }
        return names
    }

    /// Up to the closing quote, without its escapes.
    private static func sentence(_ text: Substring) -> String {
        var sentence = ""
        var isEscaped = false
        for character in text {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else if character == "\"", !isEscaped {
                return sentence
            } else {
                sentence.append(character)
                isEscaped = false
            }
        }
        return sentence
    }
}

/// One list: `item | "test sentence"; rig NAME.yaml: LINE OF SHOWS; Alias`, under `## section`; `Alias = "sentence"`.
struct CoverageList {
    enum Evidence {
        case test(String)
        /// With the line of its `shows` that is about this row.
        case rig(String, shows: String)
        case unknown(String)
    }

    struct Row {
        var section: String
        var item: String
        var evidence: [Evidence]
    }

    static let head = """
        # Coverage

        Each step, branch, error code and logout rule of the specification, and what runs it: tests by their
        sentence, rigs by their file and the line of `shows:` that each run of them must hold. Written by `make
        coverage` from the lists beside it; tests check that what is named exists, that each rig has the line, that
        a run of it shows it, and that no row is empty.


        """

    let page: String
    private(set) var title = ""
    private(set) var rows: [Row] = []
    private var aliases: [String: String] = [:]

    init(_ root: URL, _ page: String) throws {
        self.page = page
        let file = root.appending(path: "docs/coverage/\(page).txt")
        var section = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            } else if line.hasPrefix("# ") {
                title = String(line.dropFirst(2))
            } else if let split = line.firstRange(of: " | ") {
                let evidence = Self.split(line[split.upperBound...]).map(read)
                rows.append(
                    Row(
                        section: section, item: String(line[..<split.lowerBound]),
                        evidence: evidence))
            } else if let split = line.firstRange(of: " = \"") {
                aliases[String(line[..<split.lowerBound])] =
                    String(line[split.upperBound...].dropLast())
            } else {
                rows.append(Row(section: section, item: String(line), evidence: []))
            }
        }
    }

    /// At semicolons outside quotes: sentences have some of their own.
    private static func split(_ text: Substring) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ";", !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func read(_ text: String) -> Evidence {
        if let sentence = aliases[text] ?? Self.shared[text] { return .test(sentence) }
        if text.hasPrefix("rig "), let colon = text.firstRange(of: ": ") {
            return .rig(
                String(text[..<colon.lowerBound].dropFirst(4)),
                shows: String(text[colon.upperBound...]))
        }
        guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else {
            return .unknown(text)
        }
        return .test(String(text.dropFirst().dropLast()))
    }

    /// Short names that all lists know.
    private static let shared = ["Sockets": "over sockets"]

    var markdown: String {
        var lines = ["## \(title)"]
        var section = ""
        for row in rows {
            if row.section != section {
                section = row.section
                lines += ["", "### \(section)", "", "| what | run by |", "|---|---|"]
            }
            let evidence = row.evidence.map { evidence in
                switch evidence {
                case .test(let name): Self.escaped(name)
                case .rig(let name, let line): "[\(name)](../rigs/\(name)): `\(line)`"
                case .unknown(let text): text
                }
            }
            lines.append("| \(Self.escaped(row.item)) | \(evidence.joined(separator: "<br>")) |")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
            .replacing("_", with: "\\_")
    }
}
