import Foundation
import Glibc

extension Row {
    /// What the judge does to the latencies of the run that it judges.
    static var observer: Row {
        Row(
            name: "observer",
            goal:
                "what the judge moves p50 and p99 of polls by, at a fixed rate of half the capacity",
            must: "< 2 %", moonshot: "< 1 %"
        ) { bench in
            bench.closeTargets()
            let server = try Program(
                [bench.generators.screenrig, "serve", "--port", "18490", "--no-throttle"],
                core: Bench.targetCore)
            defer {
                server.send(SIGINT)
                _ = try? server.ended()
            }
            for _ in 0..<100 where !server.output.contains("\n") { usleep(50_000) }
            var pairs: [(judged: Arm, bare: Arm)] = []
            for round in 0..<12 {
                // Each in turn first, so that what drifts favours neither.
                let isFirst = round.isMultiple(of: 2)
                let one = try Arm(bench, isJudged: isFirst, number: 2 * round + 1)
                let other = try Arm(bench, isJudged: !isFirst, number: 2 * round + 2)
                pairs.append(isFirst ? (one, other) : (other, one))
            }
            let half = Spread(pairs.map { $0.judged.p50 / $0.bare.p50 - 1 })
            let most = Spread(pairs.map { $0.judged.p99 / $0.bare.p99 - 1 })
            let worse = max(abs(half.median), abs(most.median))
            return Result(
                text: "**p50 \(half.percent(half.median)), p99 \(most.percent(most.median))** "
                    + "(medians of \(pairs.count) pairs; quartiles \(half.quartiles) and "
                    + "\(most.quartiles); \(short(Bench.median(pairs.map { $0.bare.p50 }))) and "
                    + "\(short(Bench.median(pairs.map { $0.bare.p99 }))) ms without it, "
                    + "\(short(Bench.median(pairs.map { $0.judged.perSecond }))) req/s, core "
                    + "\(short(Bench.median(pairs.map { $0.judged.busy }))) % busy with it and "
                    + "\(short(Bench.median(pairs.map { $0.bare.busy }))) % without)",
                grade: .of(worse, must: 0.02, moonshot: 0.01, isLess: true))
        }
    }
}

/// One run of `Benchmarks/rigs/observer.yaml`, with the judge or without.
private struct Arm {
    /// Of polls, from when they were due, in milliseconds.
    let p50: Double
    let p99: Double
    let perSecond: Double
    /// Processor time of the whole process, in percent of its core.
    let busy: Double

    /// Devices are named after their run's directory: each arm has its own.
    init(_ bench: Bench, isJudged: Bool, number: Int) throws {
        let out = NSTemporaryDirectory() + "/goals-observer-\(getpid())-\(number)"
        defer { try? FileManager.default.removeItem(atPath: out) }
        let ended = try Program.run(
            [
                bench.generators.screenrig, "run", "\(bench.root)/Benchmarks/rigs/observer.yaml",
                "--lanes", "1", "--quiet", "--out", out,
            ] + (isJudged ? [] : ["--no-check"]), core: bench.generators.core)
        guard ended.code == 0,
            let data = FileManager.default.contents(atPath: out + "/summary.json"),
            let read = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let operations = read["operations"] as? [[String: Any]],
            let polls = operations.first(where: { $0["name"] as? String == "poll-token" })
        else { throw Trouble("run: \(ended.output)") }
        let latency = Calibration(values: polls)
        p50 = latency["latencyMs", "p50"]
        p99 = latency["latencyMs", "p99"]
        let all = Calibration(values: read)
        perSecond = all["exchanges", "perSecond"]
        busy = all["rigHealth", "cpuPercent"]
    }
}

/// Differences of pairs, as shares.
private struct Spread {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    /// Between the two in the middle where their number is even.
    var median: Double { (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2 }

    var quartiles: String {
        "\(percent(sorted[sorted.count / 4])) to \(percent(sorted[sorted.count * 3 / 4]))"
    }

    func percent(_ share: Double) -> String {
        "\(share < 0 ? "-" : "+")\(short(abs(share) * 100)) %"
    }
}
