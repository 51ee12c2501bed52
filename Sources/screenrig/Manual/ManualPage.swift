internal import Foundation

/// screenrig.1 (man-pages(7), groff_man(7)), made of the help of all commands: what `--help` says, the
/// page says. The argument parser's plugin makes a page for each command without exit codes, files
/// and environment, and needs a build of its own.
struct ManualPage {
    private let root: Command
    private let version: String
    private let exitCodes: [(name: String, line: String)]

    /// `dump`: what the argument parser tells of itself, as JSON. Nil when it cannot be read.
    init?(dump: String, version: String, exitCodes: [(name: String, line: String)]) {
        guard
            let tool = try? JSONDecoder().decode(Tool.self, from: Data(dump.utf8))
        else { return nil }
        root = tool.command
        self.version = version
        self.exitCodes = exitCodes
    }

    private struct Tool: Decodable {
        var command: Command
    }

    private struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var shouldDisplay: Bool?
        var arguments: [Argument]?
        var subcommands: [Command]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            var name: String
        }

        var kind: String
        var valueName: String?
        var preferredName: Name?
        var abstract: String?
        var defaultValue: String?
        var isOptional: Bool
        var isRepeating: Bool
        var shouldDisplay: Bool?
    }

    var text: String {
        var page = Roff()
        page.macro("TH SCREENRIG 1 \"\" \"screenrig \(version)\" \"User Commands\"")
        page.section("NAME")
        page.line("screenrig \\- \(Roff.escaped(Self.lowered(root.abstract ?? "")))", isRaw: true)
        page.section("SYNOPSIS")
        for command in commands { synopsis(command, &page) }
        page.section("DESCRIPTION")
        page.prose(root.discussion ?? "")
        page.section("COMMANDS")
        for command in commands { describe(command, &page) }
        page.section("EXIT STATUS")
        for code in exitCodes { page.item("\\fB\(code.name)\\fR", code.line) }
        page.section("ENVIRONMENT")
        for (name, line) in Self.environment { page.item("\\fB\(name)\\fR", line) }
        page.section("FILES")
        for (name, line) in Self.files { page.item("\\fI\(Roff.escaped(name))\\fR", line) }
        page.section("SEE ALSO")
        page.line("sqlite3(1), curl(1)")
        return page.text
    }

    /// Those that help lists, in its order.
    private var commands: [Command] {
        (root.subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    private func synopsis(_ command: Command, _ page: inout Roff) {
        let values = arguments(of: command).filter { $0.kind == "positional" }.map { argument in
            let name = "\\fI\(Roff.escaped(argument.valueName ?? ""))\\fR"
            let more = argument.isRepeating ? name + " ..." : name
            return argument.isOptional ? "[\(more)]" : more
        }
        page.line(
            "\\fBscreenrig \(command.commandName)\\fR [\\fIoptions\\fR] "
                + values.joined(separator: " "), isRaw: true)
        page.macro("br")
    }

    private func describe(_ command: Command, _ page: inout Roff) {
        page.macro("SS screenrig \(command.commandName)")
        page.prose(command.abstract ?? "")
        page.macro("PP")
        page.prose(command.discussion ?? "")
        for argument in arguments(of: command) where argument.kind != "positional" {
            page.item(label(argument), detail(argument))
        }
    }

    /// What every command has, such as `--help`, is left out.
    private func arguments(of command: Command) -> [Argument] {
        (command.arguments ?? []).filter {
            $0.shouldDisplay != false
                && !["help", "version"].contains($0.preferredName?.name ?? "")
        }
    }

    private func label(_ argument: Argument) -> String {
        let name = argument.preferredName?.name ?? ""
        let label = "\\fB\\-\\-\(Roff.escaped(name))\\fR"
        guard argument.kind == "option", let value = argument.valueName else { return label }
        return "\(label) \\fI\(Roff.escaped(value))\\fR"
    }

    private func detail(_ argument: Argument) -> String {
        let text = argument.abstract ?? ""
        guard let fallback = argument.defaultValue, !fallback.isEmpty else { return text }
        return "\(text) Default: \(fallback)."
    }

    private static func lowered(_ text: String) -> String {
        let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    private static let environment = [
        ("NO_COLOR", "If not empty: no colour (no-color.org)."),
        ("COLUMNS", "Width of texts without a terminal; default: 100."),
        (
            "GITHUB_STEP_SUMMARY",
            "A file, set by the CI job, that summary.md is appended to."
        ),
        (
            "http_proxy, https_proxy, no_proxy",
            "Used only if the rig has 'proxy: environment'."
        ),
        ("XDG_STATE_HOME", "Where 'calibrate' stores its results."),
        (
            "SCREENRIG_SUBJECT, SCREENRIG_COLOUR, SCREENRIG_TEXT, SCREENRIG_HTML",
            "Set for the command of --notify: the digest's subject, green, amber or red, and the paths of its text and "
                + "its HTML."
        ),
    ]

    private static let files = [
        ("reports/<rig>-<UTC start>/", "The run directories; reports/latest is the newest."),
        ("reports/nights.sqlite, nights.html", "The series of nights, and their page."),
        ("reports/digests/<rig>.txt, .html, .json", "The digest of the newest night of each rig."),
        (
            "reports/index.html",
            "All rigs, runs and nights of the folder, if 'index' was run there once."
        ),
        (
            "share/screenrig/rigs/",
            "The rigs that can be run by name, and screenrig.schema.json, the JSON Schema of rig files for "
                + "editors; next to bin/, where screenrig is."
        ),
        ("share/screenrig/ci/", "Templates for CI jobs: see docs/ci.md."),
    ]
}

/// The few of roff's macros that a page of ours needs (groff_man(7)).
struct Roff {
    private(set) var text = ""

    mutating func macro(_ words: String) { text += ".\(words)\n" }

    mutating func section(_ name: String) { macro("SH \(name)") }

    /// A line of text; with `isRaw` its escapes are roff's.
    mutating func line(_ words: String, isRaw: Bool = false) {
        let line = isRaw ? words : Self.escaped(words)
        // A dot or an apostrophe in front would be a command.
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }

    /// A paragraph with a label hanging out.
    mutating func item(_ label: String, _ words: String) {
        macro("TP")
        line(label, isRaw: true)
        line(words)
    }

    /// Paragraphs apart at empty lines; what is indented by four stays as it is.
    mutating func prose(_ words: String) {
        var isExample = false
        for row in words.split(separator: "\n", omittingEmptySubsequences: false) {
            let indented = row.hasPrefix("    ")
            if indented != isExample {
                macro(indented ? "PP\n.nf\n.RS" : "RE\n.fi\n.PP")
                isExample = indented
            }
            if row.isEmpty {
                macro("PP")
            } else {
                line(indented ? String(row.dropFirst(4)) : String(row))
            }
        }
        if isExample { macro("RE\n.fi") }
    }

    /// Backslashes, and hyphens that are to be typed as they are.
    static func escaped(_ words: String) -> String {
        words.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .replacing("…", with: "...").replacing("→", with: "\\->")
    }
}
