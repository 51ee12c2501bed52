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
            let k6 = Bench.program("K6")
            let vegeta = Bench.program("VEGETA")
            let peers = [
                Player(name: watched) { try generators.recorded(url, seconds: 3) },
                Player(name: unwatched) {
                    try generators.ours(["--target", url, "--for", "3s"])
                },
                k6.map { k6 in Player(name: "k6") { try generators.k6(k6, url, seconds: 3) } },
                Player(name: "wrk") { try generators.wrk(url, seconds: 3) },
                Player(name: "h2load") { try generators.h2load(url, seconds: 3) },
                Player(name: "ab") { try generators.ab(url, seconds: 3) },
                Player(name: "hey") { try generators.hey(url, seconds: 3).speed },
                vegeta.map { vegeta in
                    Player(name: "vegeta") { try generators.vegeta(vegeta, url, seconds: 3) }
                },
            ].compactMap(\.self)
            let found = try peers.inTurn()
            let missing = [k6 == nil ? "K6" : nil, vegeta == nil ? "VEGETA" : nil].compactMap(
                \.self)
            let unnamed = missing.map { "\($0)=/path/to/\($0.lowercased())" }
            let ask =
                unnamed.isEmpty
                ? "" : "; not measured without `\(unnamed.joined(separator: " ")) make bench`"
            let ratio = k6 == nil ? Double.nan : found[0].perSecond / found[2].perSecond
            let speeds = zip(peers, found).map { "\($0.name) \(short($1.perSecond))" }
            let homes = try bench.households(k6)
            return Result(
                text: (ratio.isNaN ? "" : "**\(short(ratio))x**: ")
                    + speeds.joined(separator: ", ") + ask,
                grade: .of(ratio, must: 5, moonshot: 8),
                page: page(zip(peers, found)) + [""] + page(homes: zip(homes, try homes.inTurn())))
        }
    }

    fileprivate static let watched = "screenrig, every exchange recorded and judged"
    fileprivate static let unwatched = "screenrig, aggregates only, not judged"

    private static func page(_ found: some Sequence<(Player, Speed)>) -> [String] {
        [
            "| plain GETs, 100 connections or virtual users | req/s from one core | CPU us each |",
            "|---|---:|---:|",
        ]
            + found.map {
                "| \($0.name) | \(short($1.perSecond)) | \(short($1.microseconds)) |"
            }
    }

    private static func page(homes found: some Sequence<(Player, Speed)>) -> [String] {
        [
            "| whole V1 households, 250 arrive each second | CPU us an exchange "
                + "| households/s that a core has time for (20 exchanges) |", "|---|---:|---:|",
        ]
            + found.map {
                "| \($0.name) | \(short($1.microseconds)) | \(short(1e6 / $1.microseconds / 20)) |"
            }
    }
}

/// Somebody who is measured in turn with others.
private struct Player {
    let name: String
    let play: () throws -> Speed
}

extension [Player] {
    /// Medians of three rounds, each of which everybody plays.
    fileprivate func inTurn() throws -> [Speed] {
        let rounds = try (0..<3).map { _ in try map { try $0.play() } }
        return indices.map { place in
            Speed(
                perSecond: Bench.median(rounds.map { $0[place].perSecond }),
                microseconds: Bench.median(rounds.map { $0[place].microseconds }))
        }
    }
}

extension Bench {
    /// Whole households over sockets against `serve`, by us and by k6.
    fileprivate func households(_ k6: String?) throws -> [Player] {
        let run = ["run", "\(root)/Benchmarks/rigs/household.yaml", "--lanes", "1", "--record"]
        func ours(_ recording: [String]) throws -> Speed {
            let played = try served { try play(run + recording) }
            return Speed(perSecond: played.perSecond, microseconds: played.microseconds)
        }
        let us = [
            Player(name: Row.watched) { try ours(["all"]) },
            Player(name: Row.unwatched) { try ours(["aggregates", "--no-check"]) },
        ]
        guard let k6 else { return us }
        let statement = try StandIn.statement(
            generators.screenrig, rig: "\(root)/rigs/smoke.yaml")
        let environment = [
            "TARGET=http://127.0.0.1:18490", "STATEMENT=\(statement)", "RATE=250", "SECONDS=8",
        ]
        return us + [
            Player(name: "k6, the same requests (`peers/household.js`)") {
                try self.served {
                    try self.generators.k6(
                        k6, "\(self.root)/Benchmarks/peers/household.js", environment)
                }
            }
        ]
    }

    /// With a stand-in of its own, so that nobody meets what another left there.
    private func served<Found>(_ work: () throws -> Found) throws -> Found {
        closeTargets()
        let server = try serve()
        defer { server.stop() }
        return try work()
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
        return try k6(program, script, [])
    }

    /// A script with what it reads from its environment.
    func k6(_ program: String, _ script: String, _ environment: [String]) throws -> Speed {
        let ended = try Program.run(
            ["env", "GOMAXPROCS=1", program, "run", "--quiet", "--no-usage-report"]
                + environment.flatMap { ["-e", $0] } + [script], core: core)
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
