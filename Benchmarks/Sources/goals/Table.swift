import Foundation

/// The table between two markers of a Markdown file, a line for each goal.
struct Table {
    var file: URL
    var screenrig: String

    private static let begin = "<!-- goals: begin -->"
    private static let end = "<!-- goals: end -->"

    /// Replaces the line of `row`, and says on which machine it was measured.
    func write(_ row: Row, _ result: Row.Result) {
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let begin = text.range(of: Self.begin), let end = text.range(of: Self.end)
        else { return say("no markers in \(file.path)") }
        var kept: [String: String] = [:]
        for line in text[begin.upperBound..<end.lowerBound].split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if let goal = cells.first { kept[goal] = String(line) }
        }
        let date = Date.now.formatted(.iso8601.year().month().day())
        kept[row.goal] =
            "| \(row.goal) | \(row.must) | \(row.moonshot) | \(result.text) | \(result.grade.rawValue) | \(date) |"
        let lines = Row.all.compactMap { kept[$0.goal] }
        let table = """
            \(Self.begin)
            \(machine)

            | goal | must | moonshot | measured | reaches | on |
            |---|---:|---:|---|---|---|
            \(lines.joined(separator: "\n"))
            \(Self.end)
            """
        let whole = text[..<begin.lowerBound] + table + text[end.upperBound...]
        try? String(whole).write(to: file, atomically: true, encoding: .utf8)
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
