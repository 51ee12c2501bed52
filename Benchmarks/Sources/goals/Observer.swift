import Foundation
import Glibc

extension Row {
    /// What judge and journal do to the latencies of the run that they look at.
    static var observer: Row {
        Row(
            name: "observer",
            goal: "what judge and journal add to p50 and p99 of polls, at a fixed rate of half the "
                + "capacity: 95 % interval of the median of pairs",
            must: "< 2 %", moonshot: "< 1 %"
        ) { bench in
            let wanted = try Bench.number("OBSERVER", usually: 12)
            bench.closeTargets()
            let server = try bench.serve()
            defer { server.stop() }
            // Half of what this machine carries today: queues would tell of the rate, not of who looks on.
            let usual = 270.0
            let first = try Arm(bench, perSecond: usual, isWatched: true)
            let rate = (usual * min(1, 50 / first.busy)).rounded()
            var pairs: [(watched: Arm, bare: Arm)] = []
            for round in 0..<wanted {
                // Each in turn first, so that what drifts favours neither.
                let isFirst = round.isMultiple(of: 2)
                let one = try Arm(bench, perSecond: rate, isWatched: isFirst)
                let other = try Arm(bench, perSecond: rate, isWatched: !isFirst)
                pairs.append(isFirst ? (one, other) : (other, one))
            }
            let half = Spread(pairs.map { $0.watched.p50 / $0.bare.p50 - 1 })
            let most = Spread(pairs.map { $0.watched.p99 / $0.bare.p99 - 1 })
            func text(_ spread: Spread) -> String {
                let (low, high) = spread.interval
                return "\(Spread.percent(spread.median)) (\(Spread.percent(low)) to "
                    + "\(Spread.percent(high)))"
            }
            func median(_ value: ((watched: Arm, bare: Arm)) -> Double) -> String {
                short(Bench.median(pairs.map(value)))
            }
            return Result(
                text: "**p50 \(text(half)), p99 \(text(most))** of \(pairs.count) pairs "
                    + "(\(median { $0.bare.p50 }) and \(median { $0.bare.p99 }) ms with aggregates "
                    + "only, \(short(rate)) households and "
                    + "\(median { $0.watched.perSecond }) requests a second, core "
                    + "\(median { $0.watched.busy }) % busy recorded and judged, "
                    + "\(median { $0.bare.busy }) % without)",
                grade: grade(of: half.interval).and(grade(of: most.interval)))
        }
    }

    /// An effect is below a mark when its whole interval is, and above it likewise; between, more rounds
    /// would have to tell.
    private static func grade(of interval: (low: Double, high: Double)) -> Grade {
        if interval.high < 0.01 { return .moonshot }
        if interval.high < 0.02 { return .met }
        return interval.low > 0.02 ? .missed : .undecided
    }
}

/// One run of `Benchmarks/rigs/observer.yaml`: every exchange recorded and judged, or neither.
private struct Arm {
    /// Of polls, from when they were due, in milliseconds: the median of the seconds of the run, so that a neighbour
    /// who takes the core for a tenth of a second decides one of them and not the whole.
    let p50: Double
    let p99: Double
    let perSecond: Double
    /// Processor time of the whole process, in percent of its core.
    let busy: Double

    /// Seconds in which households arrive.
    private static let lasting = 12

    /// `perSecond`: households that arrive.
    init(_ bench: Bench, perSecond households: Double, isWatched: Bool) throws {
        let arrivals = "[{ramp-to: \(Int(households))/s, over: 0s}, {hold: \(Self.lasting)s}]"
        let played = try bench.play(
            [
                "run", "\(bench.root)/Benchmarks/rigs/observer.yaml", "--lanes", "1", "--set",
                "load.arrivals=\(arrivals)", "--record",
            ]
                + (isWatched ? ["all"] : ["aggregates", "--no-check"]))
        let seconds = Self.polls(in: played.timeline)
        guard !seconds.isEmpty else { throw Trouble("run: no polls") }
        p50 = Bench.median(seconds.map(\.p50))
        p99 = Bench.median(seconds.map(\.p99))
        perSecond = played.perSecond
        busy = Calibration(values: played.summary)["rigHealth", "cpuPercent"]
    }

    /// The seconds of a `timeline.csv` in which as many households come as go.
    private static func polls(in timeline: String) -> [(p50: Double, p99: Double)] {
        let lines = timeline.split(whereSeparator: \.isNewline).map { $0.split(separator: ",") }
        guard let names = lines.first, let half = names.firstIndex(of: "p50_ms"),
            let most = names.firstIndex(of: "p99_ms")
        else { return [] }
        return lines.dropFirst().compactMap { fields in
            guard fields.count == names.count, fields[1] == "poll-token",
                let second = Int(fields[0]), (2..<lasting).contains(second),
                let p50 = Double(fields[half]), let p99 = Double(fields[most])
            else { return nil }
            return (p50, p99)
        }
    }
}
