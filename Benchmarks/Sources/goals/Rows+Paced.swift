import Foundation
import Glibc

/// Load at a rate, which is what users run.
extension Row {
    static var paced: Row {
        Row(
            name: "paced",
            goal: "paced capacity (highest rate with p99 late below 10 ms, recorded and judged, "
                + "1,000 kept connections) against the closed loop of the same build",
            must: ">= 0.70", moonshot: ">= 0.90"
        ) { bench in
            let rounds = try bench.capacities()
            let ratio = Bench.median(rounds.map { $0.rate / $0.closed })
            return Result(
                text: "**\(short(ratio))** (\(short(Bench.median(rounds.map(\.rate))))/s against "
                    + "\(short(Bench.median(rounds.map(\.closed))))/s; CPU "
                    + "\(short(Bench.median(rounds.map(\.microseconds)))) us at that rate; "
                    + "\(rounds.count) rounds: "
                    + rounds.map { short($0.rate / $0.closed) }.joined(separator: ", ")
                    + "; against the closed loop over as many connections, "
                    + "\(short(Bench.median(rounds.map(\.closedOverAll))))/s, "
                    + "\(short(Bench.median(rounds.map { $0.rate / $0.closedOverAll }))))",
                grade: .of(ratio, must: 0.7, moonshot: 0.9))
        }
    }

    static var beyond: Row {
        Row(
            name: "beyond",
            goal: "beyond capacity (twice that rate, pooled, 50,000 devices): CPU per request "
                + "against that at capacity; requests still sent",
            must: "<= 1.2; all that fit", moonshot: "<= 1.1; all that fit"
        ) { bench in
            let rounds = try bench.capacities()
            let capacity = Bench.median(rounds.map(\.rate))
            let cost = Bench.median(rounds.map(\.microseconds))
            let url = try bench.nginx().plain
            func pooled(_ rate: Double) throws -> Speed {
                try bench.generators.ours([
                    "--target", url, "--pooled", "--connections", "50000", "--rate",
                    "\(Int(rate))/s", "--for", "4s", "--record", "all",
                ])
            }
            let found = try bench.alternate(
                { try pooled(2 * capacity) }, { try pooled(capacity) })
            let ratio = found.ours.microseconds / cost
            let sent = found.ours.perSecond / capacity
            return Result(
                text: "**\(short(ratio)); \(short(sent)) of the capacity** "
                    + "(\(short(found.ours.microseconds)) against \(short(cost)) us from 1,000 kept "
                    + "connections and \(short(found.peer.microseconds)) us from the same devices at "
                    + "\(short(capacity))/s; \(short(found.ours.perSecond))/s sent of "
                    + "\(short(2 * capacity))/s, where the closed loop has "
                    + "\(short(Bench.median(rounds.map(\.closed))))/s)",
                grade: Grade.of(ratio, must: 1.2, moonshot: 1.1, isLess: true)
                    .and(.of(sent, must: 0.95, moonshot: 1)))
        }
    }

    static var cpu: Row {
        Row(
            name: "cpu",
            goal: "CPU per request at 2,000/s from 1,000 connections, recorded and judged, against "
                + "h2load at that rate",
            must: "<= 2x", moonshot: "<= 1.2x"
        ) { bench in
            let url = try bench.nginx().plain
            func ours(_ record: String) throws -> Speed {
                try bench.generators.ours([
                    "--target", url, "--for", "4s", "--rate", "2000/s", "--connections", "1000",
                    "--record", record,
                ])
            }
            let rounds = try (0..<3).map { _ in
                let (watched, bare) = (try ours("all"), try ours("aggregates"))
                return (
                    ours: watched.microseconds, aggregates: bare.microseconds,
                    kernel: watched.kernelMicroseconds,
                    same: try bench.generators.h2load(url, connections: 1000, perSecond: 2000),
                    few: try bench.generators.h2load(url, connections: 100, perSecond: 2000)
                )
            }
            let hey = try bench.generators.hey(url, perSecond: 2000).speed
            let ratio = Bench.median(rounds.map { $0.ours / $0.same })
            let fewer = Bench.median(rounds.map { $0.ours / $0.few })
            func median(
                _ value: KeyPath<
                    (ours: Double, aggregates: Double, kernel: Double, same: Double, few: Double),
                    Double
                >
            ) -> String {
                short(Bench.median(rounds.map { $0[keyPath: value] }))
            }
            return Result(
                text: "**\(short(ratio))x** (\(median(\.ours)) against \(median(\.same)) us, "
                    + "of ours \(median(\.kernel)) the kernel's; aggregates "
                    + "\(median(\.aggregates)); h2load from 100 connections, which sends "
                    + "in bursts, \(median(\.few)): \(short(fewer))x; hey from 100 "
                    + "\(short(hey.microseconds)))",
                grade: .of(ratio, must: 2, moonshot: 1.2, isLess: true))
        }
    }

    static var lateness: Row {
        Row(
            name: "lateness",
            goal: "50,000 devices, a poll every 5 s, one core: lateness p50 / p99",
            must: "0.1 / 1.0 ms", moonshot: "0.05 / 0.3 ms"
        ) { bench in
            let url = try bench.nginx().plain
            let rate = 10_000
            let rounds = try (0..<3).map { _ in
                let ours = try bench.generators.calibrate([
                    "--target", url, "--pooled", "--connections", "50000", "--rate", "\(rate)/s",
                    "--for", "10s", "--record", "all",
                ])
                let floor = try Floor(
                    rate: rate, microseconds: ours["cpuMicrosecondsPerRequest"], seconds: 10,
                    core: bench.generators.core)
                return (ours: ours, floor: floor)
            }
            func median(_ value: ((ours: Calibration, floor: Floor)) -> Double) -> Double {
                Bench.median(rounds.map(value))
            }
            let half = median { $0.ours["latenessMs", "p50"] }
            let most = median { $0.ours["latenessMs", "p99"] }
            return Result(
                text: "**\(short(half)) / \(short(most)) ms** (p99.9 "
                    + "\(short(median { $0.ours["latenessMs", "p99.9"] })), "
                    + "\(Int(median { $0.ours["connections"] })) connections, CPU "
                    + "\(short(median { $0.ours["cpuMicrosecondsPerRequest"] })) us a poll, recorded "
                    + "and judged; a bare loop that counts for as long at each due time and does "
                    + "nothing else, in turn: \(short(median { $0.floor.p50 })) / "
                    + "\(short(median { $0.floor.p99 })) ms, p99.9 \(short(median { $0.floor.p999 })); "
                    + "medians of \(rounds.count))",
                grade: Grade.of(half, must: 0.1, moonshot: 0.05, isLess: true)
                    .and(.of(most, must: 1, moonshot: 0.3, isLess: true)))
        }
    }

    static var stall: Row {
        Row(
            name: "stall",
            goal: "server frozen for 1.0 s in a 6 s window at 2,000/s (truth p90 400, p99 940 ms): "
                + "reported p90, p99",
            must: "within 5 %", moonshot: "within 2 %"
        ) { bench in
            let nginx = try bench.nginx()
            func freeze() {
                usleep(2_500_000)
                let worker = nginx.worker
                kill(worker, SIGSTOP)
                usleep(1_000_000)
                kill(worker, SIGCONT)
            }
            let generators = bench.generators
            let ours = try Program(
                [
                    generators.screenrig, "calibrate", "--json", "--lanes", "1", "--target",
                    nginx.plain, "--rate", "2000/s", "--connections", "2000", "--for", "6s",
                    "--record", "all",
                ], core: generators.core)
            freeze()
            let found = try Generators.calibration(ours.ended())
            let (p90, p99) = (found["latencyMs", "p90"], found["latencyMs", "p99"])
            let other = try Program(
                ["hey", "-cpus", "1", "-c", "100", "-q", "20", "-z", "6s", nginx.plain],
                core: generators.core)
            freeze()
            let hey = try other.ended().output
            let theirs = try ["90% in", "99% in"].map {
                try Program.number(after: $0, in: hey) * 1000
            }
            let off = max(abs(p90 - 400) / 400, abs(p99 - 940) / 940)
            return Result(
                text: "**\(short(p90)) / \(short(p99)) ms**, off by \(short(off * 100)) % "
                    + "(service time says \(short(found["serviceMs", "p90"])) / \(short(found["serviceMs", "p99"])); "
                    + "hey with 100 connections \(short(theirs[0])) / \(short(theirs[1])))",
                grade: .of(off, must: 0.05, moonshot: 0.02, isLess: true))
        }
    }

    static var gate: Row {
        Row(
            name: "gate",
            goal: "race gate, two connections: spread of the last bytes p50 / p99",
            must: "10 / 30 us (wanted)", moonshot: "6 / 10 us"
        ) { bench in
            let url = try bench.nginx().plain
            let found = try (0..<5).map { _ in
                try bench.generators.calibrate(["--target", url, "--for", "200ms"])
            }
            let half = Bench.median(found.map { $0["gateSpreadUs", "p50"] })
            let most = Bench.median(found.map { $0["gateSpreadUs", "p99"] })
            return Result(
                text: "**\(short(half)) / \(short(most)) us** (medians of \(found.count) runs)",
                grade: Grade.of(half, must: 10, moonshot: 6, isLess: true)
                    .and(.of(most, must: 30, moonshot: 10, isLess: true)))
        }
    }
}
