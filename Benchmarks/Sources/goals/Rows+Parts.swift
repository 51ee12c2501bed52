import Foundation

/// The judge and the stand-in by themselves, and what more cores give.
extension Row {
    static var checker: Row {
        Row(
            name: "checker",
            goal: "the judge: operations/s on one core, and bytes for each household that lives",
            must: "2 M / 2 KB", moonshot: "4 M / 1 KB"
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
                    "**\(short(few.rate / 1e6)) M / \(short(few.bytes / 1024)) KB** with 8 polls a "
                    + "household, **\(short(many.rate / 1e6)) M / \(short(many.bytes / 1024)) KB** "
                    + "with 60",
                grade: Grade.of(rate / 1e6, must: 2, moonshot: 4)
                    .and(.of(bytes / 1024, must: 2, moonshot: 1, isLess: true)))
        }
    }

    static var standin: Row {
        Row(
            name: "standin",
            goal: "stand-in over sockets, pending polls/s on one core, against nginx",
            must: ">= 0.60", moonshot: ">= 0.85"
        ) { bench in
            let url = try bench.nginx().plain
            let standin = try StandIn(
                bench.generators.screenrig, core: Bench.targetCore,
                rig: "\(bench.root)/rigs/smoke.yaml")
            let found = try bench.alternate(
                { try bench.generators.wrk(standin.polled, headers: standin.headers) },
                { try bench.generators.wrk(url) })
            return Result(
                text: "**\(short(found.ratio))** (\(found.rates))",
                grade: .of(found.ratio, must: 0.6, moonshot: 0.85))
        }
    }

    static var cores: Row {
        Row(
            name: "cores", goal: "scaling with cores (where there are more than two)",
            must: "lanes share nothing", moonshot: ""
        ) { bench in
            let cores = ProcessInfo.processInfo.processorCount
            guard cores > 2 else {
                return Result(
                    text: "\(cores) cores: one for the lane, one for the target", grade: .unmeasured
                )
            }
            func perSecond(_ lanes: Int) throws -> Double {
                try Generators.calibration(
                    Program.run([
                        bench.generators.screenrig, "calibrate", "--json", "--for", "3s",
                        "--lanes", String(lanes), "--connections", String(100 * lanes),
                    ]))["requestsPerSecond"]
            }
            let lanes = (cores - 1) / 2 + 1
            let (one, many) = (try perSecond(1), try perSecond(lanes))
            return Result(
                text: "\(lanes) lanes: **\(short(many / one))x** of one", grade: .unmeasured)
        }
    }
}
