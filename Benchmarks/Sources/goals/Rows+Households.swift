import Foundation
import Glibc

/// Whole households: over sockets, in virtual time, in races.
extension Row {
    static var household: Row {
        Row(
            name: "household",
            goal: "a whole V1 household (20 exchanges), over sockets, recorded and judged: CPU per "
                + "exchange against wrk's per request",
            must: "<= 4x", moonshot: "<= 2.5x"
        ) { bench in
            let url = try bench.nginx().plain
            let server = try bench.serve()
            defer { server.stop() }
            var rounds: [(ours: Played, wrk: Speed)] = []
            for _ in 0..<3 {
                let ours = try bench.play(
                    ["run", "\(bench.root)/Benchmarks/rigs/household.yaml", "--lanes", "1"])
                rounds.append((ours, try bench.generators.wrk(url, seconds: 3)))
            }
            func median(_ value: ((ours: Played, wrk: Speed)) -> Double) -> Double {
                Bench.median(rounds.map(value))
            }
            let ratio = median { $0.ours.microseconds / $0.wrk.microseconds }
            return Result(
                text: "**\(short(ratio))x** (\(short(median { $0.ours.microseconds })) against "
                    + "\(short(median { $0.wrk.microseconds })) us, of ours "
                    + "\(short(median { $0.ours.kernelMicroseconds })) the kernel's, alone "
                    + "\(short(median { $0.ours.kernelMicroseconds / $0.wrk.microseconds }))x; "
                    + "without starting and writing reports \(short(median { $0.ours.microsecondsPlaying })); "
                    + "\(short(median { $0.ours.exchanges / $0.ours.households })) exchanges a "
                    + "household, \(short(median { $0.ours.perSecond }))/s)",
                grade: .of(ratio, must: 4, moonshot: 2.5, isLess: true))
        }
    }

    static var virtual: Row {
        Row(
            name: "virtual",
            goal:
                "virtual time, whole households, stand-in, journal and judge: events/s on one core",
            must: ">= 0.5 M", moonshot: ">= 1.5 M"
        ) { bench in
            bench.closeTargets()
            let steady = try (0..<3).map { _ in
                try bench.simulate(bench.steadyEvening, on: "0")
            }
            let crowd = try bench.simulate(
                bench.steadyEvening + [
                    "--set", "load.arrivals=[{ramp-to: 10000/s, over: 0s}, {hold: 1s}]",
                ], on: "0")
            let found = Bench.median(steady.map(\.perSecond))
            return Result(
                text: "**\(short(found / 1e6)) M** (2,000 households, "
                    + "\(short(Bench.median(steady.map(\.perProcessorSecond)) / 1e6)) M for each "
                    + "second of processor time, reports included; 10,000 households at once "
                    + "\(short(crowd.perSecond / 1e6)) M)",
                grade: .of(found / 1e6, must: 0.5, moonshot: 1.5))
        }
    }

    static var twoLanes: Row {
        Row(
            name: "two-lanes",
            goal: "virtual time with two lanes on two cores, against one lane on one core",
            must: ">= 1.8x", moonshot: ">= 1.95x"
        ) { bench in
            bench.closeTargets()
            let common = bench.steadyEvening + ["--lanes"]
            var ratios: [Double] = []
            for _ in 0..<3 {
                let two = try bench.simulate(common + ["2"], on: "0,1")
                let one = try bench.simulate(common + ["1"], on: "0")
                ratios.append(two.perSecond / one.perSecond)
            }
            let ratio = Bench.median(ratios)
            return Result(
                text: "**\(short(ratio))x** (\(ratios.count) rounds)",
                grade: .of(ratio, must: 1.8, moonshot: 1.95))
        }
    }

    static var schedules: Row {
        Row(
            name: "schedules", goal: "virtual race schedules/s, on one core",
            must: ">= 5,000", moonshot: ">= 20,000"
        ) { bench in
            bench.closeTargets()
            func perSecond(on cores: String) throws -> Double {
                let out = "\(NSTemporaryDirectory())/goals-race-\(UUID().uuidString)"
                defer { try? FileManager.default.removeItem(atPath: out) }
                let ended = try Program.run([
                    "taskset", "-c", cores, bench.generators.screenrig, "race",
                    "\(bench.root)/rigs/races/poll-authenticate.yaml", "--virtual", "--trials",
                    "5000", "--quiet", "--out", out,
                ])
                guard let end = ended.output.range(of: " schedules/s"),
                    let number = ended.output[..<end.lowerBound].split(
                        whereSeparator: { " \n".contains($0) }
                    ).last, let perSecond = Double(number.filter { $0 != "," })
                else { throw Trouble("race: \(ended.output)") }
                return perSecond
            }
            let rounds = try (0..<3).map { _ in
                (one: try perSecond(on: "0"), two: try perSecond(on: "0,1"))
            }
            let median = Bench.median(rounds.map(\.one))
            let both = Bench.median(rounds.map(\.two))
            return Result(
                text: "**\(short(median))** (5,000 trials of poll-authenticate; "
                    + "\(short(both)) on two cores, in turn)",
                grade: .of(median, must: 5_000, moonshot: 20_000))
        }
    }
}

/// What came of a run of a rig.
struct Played {
    var exchanges: Double
    var households: Double
    var perSecond: Double
    /// Processor time of the whole process for each exchange.
    var microseconds: Double
    /// Of it, what the kernel has.
    var kernelMicroseconds: Double
    /// The same as `microseconds` from the first arrival to the last end.
    var microsecondsPlaying: Double
    var summary: [String: Any]
    /// The text of `timeline.csv`.
    var timeline: String
}

/// What came of a simulation.
struct Simulated {
    /// Events, for each second of the clock.
    var perSecond: Double
    /// The same for each second of processor time, of the whole process.
    var perProcessorSecond: Double
}

extension Bench {
    /// The main rig: 2,000 households at 50 arrivals/s, every exchange recorded and judged.
    var steadyEvening: [String] { ["\(root)/rigs/second-screen.yaml", "--record", "all"] }

    /// Runs `screenrig` with a run directory that is thrown away, on core 0.
    func play(_ arguments: [String]) throws -> Played {
        let (ended, summary, timeline) = try summary(
            arguments + ["--quiet"], on: String(generators.core))
        let read = Calibration(values: summary)
        let exchanges = read["exchanges", "completed"]
        let perSecond = read["exchanges", "perSecond"]
        return Played(
            exchanges: exchanges, households: read["households", "started"],
            perSecond: perSecond, microseconds: ended.processor * 1e6 / exchanges,
            kernelMicroseconds: ended.processor * ended.kernelShare * 1e6 / exchanges,
            microsecondsPlaying: read["rigHealth", "cpuPercent"] * 1e4 / perSecond,
            summary: summary, timeline: timeline)
    }

    /// Plays a rig in virtual time, on some cores: `0`, `0,1`.
    func simulate(_ arguments: [String], on cores: String) throws -> Simulated {
        let (ended, _, _) = try summary(["simulate"] + arguments, on: cores)
        guard
            let line = ended.output.split(separator: "\n").first(where: {
                $0.contains("events/s")
            }), let start = line.range(of: " s: ")
        else { throw Trouble("simulate: \(ended.output)") }
        // 55.1 s of virtual time in 0.821 s: 95000 events, 116000 events/s
        let events = try Program.number(after: " s: ", in: String(line[start.lowerBound...]))
        return Simulated(
            perSecond: try Program.number(after: "events,", in: String(line)),
            perProcessorSecond: events / ended.processor)
    }

    private func summary(_ arguments: [String], on cores: String) throws -> (
        ended: Ended, summary: [String: Any], timeline: String
    ) {
        let out = "\(NSTemporaryDirectory())/goals-run-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: out) }
        let ended = try Program.run(
            ["taskset", "-c", cores, generators.screenrig] + arguments + ["--out", out])
        guard let data = FileManager.default.contents(atPath: out + "/summary.json"),
            let summary = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw Trouble("\(arguments[0]): \(ended.output)") }
        guard ended.code == 0 else {
            throw Trouble("\(arguments[0]): \(summary["headline"] ?? ended.output)")
        }
        let timeline = FileManager.default.contents(atPath: out + "/timeline.csv") ?? Data()
        return (ended, summary, String(decoding: timeline, as: UTF8.self))
    }
}
