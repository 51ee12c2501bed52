import Foundation

/// The table between two markers of a Markdown file, a line for each goal.
struct Table {
    var file: URL
    var screenrig: String

    /// Replaces the line of `row` and its page, and says on which machine it was measured.
    func write(_ row: Row, _ result: Row.Result) {
        replace("goals") { lines(with: row, result, among: $0) }
        guard !result.page.isEmpty else { return }
        replace(row.name) { _ in ["Measured on \(Self.today).", ""] + result.page }
    }

    private static var today: String { Date.now.formatted(.iso8601.year().month().day()) }

    /// Puts other lines between the markers of that name.
    private func replace(_ name: String, by lines: ([Substring]) -> [String]) {
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let begin = text.range(of: "<!-- \(name): begin -->\n"),
            let end = text.range(of: "<!-- \(name): end -->")
        else { return say("no markers of \(name) in \(file.path)") }
        let old = text[begin.upperBound..<end.lowerBound].split(separator: "\n")
        let new = lines(old).map { $0 + "\n" }.joined()
        let whole = text[..<begin.upperBound] + new + text[end.lowerBound...]
        try? String(whole).write(to: file, atomically: true, encoding: .utf8)
    }

    private func lines(with row: Row, _ result: Row.Result, among old: [Substring]) -> [String] {
        var kept: [String: String] = [:]
        for line in old {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if let goal = cells.first { kept[goal] = String(line) }
        }
        kept[row.goal] =
            "| \(row.goal) | \(row.must) | \(row.moonshot) | \(result.text) | \(result.grade.rawValue) | \(Self.today) |"
        let head = [
            machine, "", "| goal | must | moonshot | measured | reaches | on |",
            "|---|---:|---:|---|---|---|",
        ]
        return head + Row.all.compactMap { kept[$0.goal] }
    }

    private var machine: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        func version(_ arguments: [String]) -> String {
            let said = (try? Program.run(arguments).output) ?? ""
            let line = said.split(separator: "\n").first { $0.contains(where: \.isNumber) } ?? ""
            let words = line.split(whereSeparator: { " /,<".contains($0) })
            return words.first { word in
                word.contains(".") && word.drop { $0 == "v" }.first?.isNumber == true
            }.map(String.init) ?? "?"
        }
        func package(_ name: String) -> String {
            (try? Program.run(["dpkg-query", "-W", "-f=${Version}", name]).output) ?? "?"
        }
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: &system.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return
            "Machine: \(model ?? "?"), \(ProcessInfo.processInfo.processorCount) cores, Linux \(kernel); screenrig "
            + "\(version([screenrig, "--version"])), \(version(["swift", "--version"])) (Swift), libcurl "
            + "\(version(["curl", "--version"])), nginx \(package("nginx")), wrk \(package("wrk")), hey \(package("hey")), "
            + "h2load \(package("nghttp2-client")), ab \(package("apache2-utils")). Generators on core 0, targets on core 1; "
            + "medians of rounds that alternate with the peer."
    }
}
