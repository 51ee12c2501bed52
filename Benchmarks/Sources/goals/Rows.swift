import Foundation
import Glibc

extension Row {
    /// The goals, in the order of the table.
    static var all: [Row] {
        [
            Row(
                name: "closed",
                goal:
                    "closed loop, HTTP/1.1 keep-alive, 100 connections: req/s against wrk, aggregates only",
                must: ">= 0.70", moonshot: ">= 0.95"
            ) { bench in
                let url = try bench.nginx().plain
                let found = try bench.alternate(
                    { try bench.generators.ours(["--target", url, "--for", "4s"]) },
                    { try bench.generators.wrk(url) })
                let ab = try bench.generators.ab(url)
                let h2load = try bench.generators.h2load(url)
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) against \(short(found.peer.perSecond)); "
                        + "CPU \(short(found.ours.microseconds)) against \(short(found.peer.microseconds)) us; "
                        + "ab \(short(ab.perSecond)), h2load \(short(h2load.perSecond)))",
                    grade: .of(found.ratio, must: 0.7, moonshot: 0.95))
            },
            Row(
                name: "recorded", goal: "the same with every exchange recorded", must: ">= 0.45",
                moonshot: ">= 0.70"
            ) { bench in
                let url = try bench.nginx().plain
                let found = try bench.alternate(
                    {
                        try bench.generators.ours([
                            "--target", url, "--for", "4s", "--record", "all",
                        ])
                    },
                    { try bench.generators.wrk(url) })
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) against \(short(found.peer.perSecond)); "
                        + "CPU \(short(found.ours.microseconds)) us with the writer, on the same core)",
                    grade: .of(found.ratio, must: 0.45, moonshot: 0.7))
            },
            Row(
                name: "k6", goal: "the same, against k6 doing a plain GET", must: ">= 5x",
                moonshot: ">= 8x"
            ) { bench in
                let url = try bench.nginx().plain
                let found = try bench.alternate(
                    {
                        try bench.generators.ours([
                            "--target", url, "--for", "3s", "--record", "all",
                        ])
                    },
                    { try bench.generators.hey(url, seconds: 3).speed })
                return Result(
                    text: "k6 is in no package manager here; against hey \(short(found.ratio))x "
                        + "(\(short(found.ours.perSecond)) against \(short(found.peer.perSecond))), and hey did 2.6 times k6's in "
                        + "the prototypes' runs", grade: .unmeasured)
            },
            Row(
                name: "cpu",
                goal: "CPU per request, polling devices at 2,000/s, every exchange recorded",
                must: "<= 40 us", moonshot: "<= 25 us"
            ) { bench in
                let url = try bench.nginx().plain
                let ours = try (0..<3).map { _ in
                    try bench.generators.ours([
                        "--target", url, "--for", "4s", "--rate", "2000/s", "--connections", "1000",
                        "--record", "all",
                    ]).microseconds
                }
                let bare = try bench.generators.ours([
                    "--target", url, "--for", "4s", "--rate", "2000/s", "--connections", "1000",
                ]).microseconds
                let h2load = try bench.generators.h2load(url, perSecond: 2000)
                let hey = try bench.generators.hey(url, perSecond: 2000).speed
                let median = Bench.median(ours)
                return Result(
                    text:
                        "**\(short(median)) us** (aggregates \(short(bare)), h2load \(short(h2load.microseconds)), "
                        + "hey \(short(hey.microseconds)))",
                    grade: .of(median, must: 40, moonshot: 25, isLess: true))
            },
            Row(
                name: "tls", goal: "TLS 1.3 keep-alive against wrk", must: ">= 0.70",
                moonshot: ">= 1.0"
            ) { bench in
                let nginx = try bench.nginx()
                let found = try bench.alternate(
                    {
                        try bench.generators.ours([
                            "--target", nginx.secure, "--ca", nginx.certificate, "--for", "4s",
                        ])
                    }, { try bench.generators.wrk(nginx.secure) })
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) against \(short(found.peer.perSecond)); "
                        + "CPU \(short(found.ours.microseconds)) against \(short(found.peer.microseconds)) us)",
                    grade: .of(found.ratio, must: 0.7, moonshot: 1))
            },
            Row(
                name: "handshakes", goal: "new TLS connections per second against wrk",
                must: ">= 0.85",
                moonshot: ">= 1.0"
            ) { bench in
                let nginx = try bench.nginx()
                let found = try bench.alternate(
                    {
                        try bench.generators.ours([
                            "--target", nginx.secure, "--ca", nginx.certificate, "--for", "3s",
                            "--fresh",
                            "--source-addresses", "127.1.0.0/16",
                        ])
                    },
                    {
                        try bench.generators.wrk(
                            nginx.secure, seconds: 3, headers: ["Connection: close"])
                    })
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) against \(short(found.peer.perSecond)); "
                        + "CPU \(short(found.ours.microseconds)) against \(short(found.peer.microseconds)) us; we verify the certificate)",
                    grade: .of(found.ratio, must: 0.85, moonshot: 1))
            },
            Row(
                name: "memory",
                goal: "memory for each idle device: flow only / own http / own https connection",
                must: "3 / 16 / 60 KB", moonshot: "1.8 / 12 / 46 KB"
            ) { bench in
                let nginx = try bench.nginx()
                func kilobytes(_ few: Int, _ many: Int, _ arguments: [String]) throws -> Double {
                    let peaks = try [few, many].map { count in
                        try bench.generators.calibrate(
                            arguments + [
                                "--connections", String(count), "--rate", "100/s", "--for", "1s",
                            ])["peakMemoryMB"]
                    }
                    return (peaks[1] - peaks[0]) * 1024 / Double(many - few)
                }
                let flow = try kilobytes(
                    1_000, 50_000, ["--target", nginx.plain, "--pooled", "--record", "all"])
                let http = try kilobytes(
                    1_000, 9_000, ["--target", nginx.plain, "--record", "all"])
                let https = try kilobytes(
                    200, 2_200,
                    ["--target", nginx.secure, "--ca", nginx.certificate, "--record", "all"])
                return Result(
                    text:
                        "**\(short(flow)) / \(short(http)) / \(short(https)) KB** (a flow and its device are part of each)",
                    grade: Grade.of(flow, must: 3, moonshot: 1.8, isLess: true)
                        .and(.of(http, must: 16, moonshot: 12, isLess: true))
                        .and(.of(https, must: 60, moonshot: 46, isLess: true)))
            },
            Row(
                name: "devices",
                goal:
                    "10,000 devices, each with its own connection and source address: req/s against own figure at 100",
                must: ">= 0.5", moonshot: ">= 0.65"
            ) { bench in
                let url = try bench.nginx().plain
                let common = ["--target", url, "--for", "4s", "--source-addresses", "127.1.0.0/16"]
                let found = try bench.alternate(
                    rounds: 2, { try bench.generators.ours(common + ["--connections", "10000"]) },
                    { try bench.generators.ours(common) })
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) against \(short(found.peer.perSecond)))",
                    grade: .of(found.ratio, must: 0.5, moonshot: 0.65))
            },
            Row(
                name: "lateness",
                goal: "50,000 devices polling every 5 s on one core: lateness p50 / p99",
                must: "0.2 / 2 ms", moonshot: "0.1 / 0.3 ms"
            ) { bench in
                let found = try bench.generators.calibrate([
                    "--target", try bench.nginx().plain, "--pooled", "--connections", "50000",
                    "--rate",
                    "10000/s", "--for", "10s", "--record", "all",
                ])
                let (half, most) = (found["latenessMs", "p50"], found["latenessMs", "p99"])
                return Result(
                    text:
                        "**\(short(half)) / \(short(most)) ms** (p99.9 \(short(found["latenessMs", "p99.9"])), "
                        + "\(Int(found["connections"])) connections, CPU \(short(found["cpuMicrosecondsPerRequest"])) us a poll)",
                    grade: Grade.of(half, must: 0.2, moonshot: 0.1, isLess: true)
                        .and(.of(most, must: 2, moonshot: 0.3, isLess: true)))
            },
            Row(
                name: "stall",
                goal:
                    "server frozen for 1.0 s in a 6 s window at 2,000/s (truth p90 400, p99 940 ms): reported p90, p99",
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
            },
            Row(
                name: "growth", goal: "memory growth over 1,000,000 exchanges at a constant rate",
                must: "0",
                moonshot: "0"
            ) { bench in
                let url = try bench.nginx().plain
                func peak(_ seconds: Int) throws -> Double {
                    try bench.generators.calibrate([
                        "--target", url, "--rate", "25000/s", "--for", "\(seconds)s", "--record",
                        "all",
                    ])["peakMemoryMB"]
                }
                let (short4, long40) = (try peak(4), try peak(40))
                let perExchange = (long40 - short4) * 1e6 / 900_000
                return Result(
                    text:
                        "peak \(short(short4)) MB after 100,000, \(short(long40)) MB after 1,000,000: "
                        + "**\(short(perExchange)) bytes an exchange**",
                    grade: .of(perExchange, must: 2, moonshot: 2, isLess: true))
            },
            Row(
                name: "gate",
                goal: "race gate, two connections: spread of the last bytes p50 / p99",
                must: "15 / 30 us", moonshot: "6 / 10 us"
            ) { bench in
                let url = try bench.nginx().plain
                let found = try (0..<3).map { _ in
                    try bench.generators.calibrate(["--target", url, "--for", "200ms"])
                }
                let half = Bench.median(found.map { $0["gateSpreadUs", "p50"] })
                let most = Bench.median(found.map { $0["gateSpreadUs", "p99"] })
                return Result(
                    text:
                        "**\(short(half)) / \(short(most)) us** (two whole requests released in one turn)",
                    grade: Grade.of(half, must: 15, moonshot: 6, isLess: true)
                        .and(.of(most, must: 30, moonshot: 10, isLess: true)))
            },
            Row(
                name: "virtual",
                goal:
                    "virtual time: events/s at 1 k / 100 k devices, whole household flows with stand-in and checker",
                must: "0.3 M / 0.2 M", moonshot: "1.5 M / 1 M"
            ) { bench in
                bench.closeTargets()
                func eventsPerSecond(_ households: Int) throws -> Double {
                    let out = "\(NSTemporaryDirectory())/goals-run-\(UUID().uuidString)"
                    defer { try? FileManager.default.removeItem(atPath: out) }
                    let ended = try Program.run([
                        bench.generators.screenrig, "simulate",
                        "\(bench.root)/rigs/second-screen.yaml",
                        "--out", out, "--record", "aggregates", "--set",
                        "load.arrivals=[{ramp-to: \(households)/s, over: 0s}, {hold: 1s}]",
                    ])
                    guard
                        let line = ended.output.split(separator: "\n").first(where: {
                            $0.contains("events/s")
                        })
                    else { throw Trouble("simulate: \(ended.output)") }
                    return try Program.number(
                        after: "events,", in: String(line))
                }
                let few = Bench.median(try (0..<3).map { _ in try eventsPerSecond(500) })
                let many = try eventsPerSecond(50_000)
                return Result(
                    text:
                        "**\(short(few / 1e6)) M / \(short(many / 1e6)) M** (500 and 50,000 households of two devices at once; aggregates)",
                    grade: Grade.of(few / 1e6, must: 0.3, moonshot: 1.5)
                        .and(.of(many / 1e6, must: 0.2, moonshot: 1)))
            },
            Row(
                name: "checker",
                goal:
                    "the judge: operations/s on one core, and bytes for each household that lives",
                must: "1 M / 4 KB", moonshot: "2 M / 3 KB"
            ) { bench in
                bench.closeTargets()
                let program = "\(bench.root)/Benchmarks/.build/release/checker"
                /// Operations a second and bytes a household, medians of three.
                func costs(_ polls: String) throws -> (rate: Double, bytes: Double) {
                    let lines = try (0..<3).map { _ in
                        try Program.run([program, "2000", polls], core: 0).output
                    }
                    return (
                        Bench.median(
                            try lines.map { try Program.number(after: "a household:", in: $0) }),
                        Bench.median(try lines.map { try Program.number(after: "each;", in: $0) })
                    )
                }
                let (few, many) = (try costs("8"), try costs("60"))
                let rate = min(few.rate, many.rate)
                let bytes = max(few.bytes, many.bytes)
                return Result(
                    text:
                        "**\(short(few.rate / 1e6)) M / \(short(few.bytes / 1024)) KB** with 8 polls a household, "
                        + "**\(short(many.rate / 1e6)) M / \(short(many.bytes / 1024)) KB** with 60",
                    grade: Grade.of(rate / 1e6, must: 1, moonshot: 2)
                        .and(.of(bytes / 1024, must: 4, moonshot: 3, isLess: true)))
            },
            .observer,
            Row(
                name: "standin", goal: "stand-in over sockets, polls/s on one core against nginx",
                must: ">= 0.45", moonshot: ">= 0.8"
            ) { bench in
                let url = try bench.nginx().plain
                let standin = try StandIn(
                    bench.generators.screenrig, core: Bench.targetCore,
                    rig: "\(bench.root)/rigs/smoke.yaml")
                let found = try bench.alternate(
                    { try bench.generators.wrk(standin.polled, headers: standin.headers) },
                    { try bench.generators.wrk(url) })
                return Result(
                    text:
                        "**\(short(found.ratio))** (\(short(found.ours.perSecond)) pending polls/s against \(short(found.peer.perSecond)))",
                    grade: .of(found.ratio, must: 0.45, moonshot: 0.8))
            },
            Row(
                name: "cores", goal: "scaling with cores (where there are more than two)",
                must: "lanes share nothing", moonshot: ""
            ) { bench in
                let cores = ProcessInfo.processInfo.processorCount
                guard cores > 2 else {
                    return Result(
                        text: "\(cores) cores: one for the lane, one for the target",
                        grade: .unmeasured
                    )
                }
                func perSecond(_ lanes: Int) throws -> Double {
                    try Generators.calibration(
                        Program.run([
                            bench.generators.screenrig, "calibrate", "--json", "--for", "3s",
                            "--lanes",
                            String(lanes), "--connections", String(100 * lanes),
                        ]))["requestsPerSecond"]
                }
                let lanes = (cores - 1) / 2 + 1
                let (one, many) = (try perSecond(1), try perSecond(lanes))
                return Result(
                    text: "\(lanes) lanes: **\(short(many / one))x** of one", grade: .unmeasured)
            },
        ]
    }
}
