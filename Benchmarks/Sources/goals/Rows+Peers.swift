import Foundation

extension Row {
    /// What a user can drive from one core, by us and by others.
    static var peers: Row {
        Row(
            name: "peers",
            goal:
                "what a user can drive from one core (req/s, plain GET, 100 connections or virtual "
                + "users): ours recorded and judged, against k6",
            must: ">= 5x", moonshot: ">= 8x"
        ) { bench in
            let url = try bench.nginx().plain
            let generators = bench.generators
            var peers: [(name: String, measure: () throws -> Speed)] = [
                ("ours, aggregates", { try generators.ours(["--target", url, "--for", "3s"]) }),
                ("wrk", { try generators.wrk(url, seconds: 3) }),
                ("h2load", { try generators.h2load(url, seconds: 3) }),
                ("ab", { try generators.ab(url, seconds: 3) }),
                ("hey", { try generators.hey(url, seconds: 3).speed }),
            ]
            var missing: [String] = []
            if let k6 = Bench.program("K6") {
                peers.append(("k6", { try generators.k6(k6, url, seconds: 3) }))
            } else {
                missing.append("K6")
            }
            if let vegeta = Bench.program("VEGETA") {
                peers.append(("vegeta", { try generators.vegeta(vegeta, url, seconds: 3) }))
            } else {
                missing.append("VEGETA")
            }
            var ours: [Speed] = []
            var theirs: [[Speed]] = peers.map { _ in [] }
            for _ in 0..<3 {
                ours.append(try generators.recorded(url, seconds: 3))
                for place in peers.indices { theirs[place].append(try peers[place].measure()) }
            }
            func text(_ speeds: [Speed]) -> String {
                "\(short(Bench.median(speeds.map(\.perSecond)))) "
                    + "(\(short(Bench.median(speeds.map(\.microseconds)))) us)"
            }
            let others = zip(peers, theirs).map { "\($0.name) \(text($1))" }
            let unnamed = missing.map { "\($0)=/path/to/\($0.lowercased())" }
            let ask =
                unnamed.isEmpty
                ? "" : "; not measured without `\(unnamed.joined(separator: " ")) make bench`"
            let k6 = peers.firstIndex { $0.name == "k6" }
            let ratio = k6.map { place in
                Bench.median(zip(ours, theirs[place]).map { $0.perSecond / $1.perSecond })
            }
            return Result(
                text: (ratio.map { "**\(short($0))x**: " } ?? "")
                    + "**ours, recorded and judged, \(text(ours))**, "
                    + others.joined(separator: ", ") + ask,
                grade: .of(ratio ?? .nan, must: 5, moonshot: 8))
        }
    }
}

extension Generators {
    /// A script that does nothing but get; bodies are thrown away.
    func k6(_ program: String, _ url: String, seconds: Int, users: Int = 100) throws -> Speed {
        let script = "\(NSTemporaryDirectory())/goals-k6-\(UUID().uuidString).js"
        defer { try? FileManager.default.removeItem(atPath: script) }
        try """
        import http from 'k6/http';
        export const options = { vus: \(users), duration: '\(seconds)s', discardResponseBodies: true };
        export default function () { http.get('\(url)'); }
        """.write(toFile: script, atomically: true, encoding: .utf8)
        let ended = try Program.run(
            [program, "run", "--quiet", "--no-usage-report", script], core: core)
        // http_reqs......................: 54321  18107.12/s
        guard
            let line = ended.output.split(separator: "\n").first(where: { $0.contains("http_reqs") }
            ),
            let rate = line.split(separator: " ").last, rate.hasSuffix("/s"),
            let perSecond = Double(rate.dropLast(2))
        else { throw Trouble("k6: \(ended.output.suffix(400))") }
        return Speed(
            perSecond: perSecond,
            microseconds: ended.processor * 1e6 / (try Program.number(after: ":", in: String(line)))
        )
    }

    /// As fast as it goes: `-rate 0`. Reading its results takes another process, and is not counted.
    func vegeta(_ program: String, _ url: String, seconds: Int, workers: Int = 100) throws -> Speed
    {
        let folder = "\(NSTemporaryDirectory())/goals-vegeta-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "GET \(url)\n".write(
            toFile: folder + "/targets", atomically: true, encoding: .utf8)
        let attack = try Program.run(
            [
                program, "attack", "-targets=\(folder)/targets", "-output=\(folder)/results",
                "-rate=0", "-max-workers=\(workers)", "-connections=\(workers)",
                "-duration=\(seconds)s", "-max-body=0",
            ], core: core)
        let report = try Program.run([program, "report", folder + "/results"]).output
        // Requests      [total, rate, throughput]         54321, 18107.12, 18101.44
        guard attack.code == 0,
            let line = report.split(separator: "\n").first(where: { $0.hasPrefix("Requests") }),
            let end = line.lastIndex(of: "]")
        else { throw Trouble("vegeta: \(attack.output.suffix(400)) \(report.suffix(400))") }
        let numbers = line[line.index(after: end)...].split { " ,".contains($0) }
            .compactMap { Double($0) }
        guard numbers.count == 3 else { throw Trouble("vegeta: \(line)") }
        return Speed(perSecond: numbers[2], microseconds: attack.processor * 1e6 / numbers[0])
    }
}

extension Bench {
    /// A program that the user names by a variable of the environment.
    static func program(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A number that the user may set by a variable of the environment.
    static func number(_ variable: String, usually number: Int) throws -> Int {
        guard let text = program(variable) else { return number }
        guard let given = Int(text.filter { !",_".contains($0) }), given > 0 else {
            throw Trouble("\(variable) is '\(text)'; it must be a number")
        }
        return given
    }
}
