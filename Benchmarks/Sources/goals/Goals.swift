import Foundation

/// Measures the goals and writes them down: `goals [NAME ...]`, all of them by default. Rewrites the
/// lines of the table in Benchmarks/README.md (or in the file `TABLE`) that it measured, and leaves the
/// others.
@main
struct Goals {
    static func main() {
        if CommandLine.arguments.dropFirst().first == Floor.word {
            return Floor.run(Array(CommandLine.arguments.dropFirst(2)))
        }
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let root = package.deletingLastPathComponent().path
        let screenrig =
            ProcessInfo.processInfo.environment["SCREENRIG"] ?? "\(root)/.build/release/screenrig"
        let wanted = CommandLine.arguments.dropFirst()
        let names = Row.all.map(\.name)
        for name in wanted where !names.contains(name) {
            say("no row '\(name)'; there are \(names.joined(separator: ", "))")
            exit(2)
        }
        guard FileManager.default.isExecutableFile(atPath: screenrig) else {
            say("\(screenrig) is not built: make release")
            exit(3)
        }
        let bench = Bench(screenrig: screenrig, root: root)
        let file = Bench.program("TABLE").map { URL(filePath: $0) }
        let table = Table(
            file: file ?? package.appending(path: "README.md"), screenrig: screenrig)
        for row in Row.all where wanted.isEmpty || wanted.contains(row.name) {
            let result: Row.Result
            do { result = try row.measure(bench) } catch {
                say("\(row.name): \(error)")
                continue
            }
            say(
                "\(row.name): \(result.text) [\(row.must); \(row.moonshot)] \(result.grade.rawValue)"
            )
            table.write(row, result)
        }
        bench.closeTargets()
    }
}

/// A line, at once, whoever reads.
func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}
