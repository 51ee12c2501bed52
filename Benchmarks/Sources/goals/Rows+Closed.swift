/// Closed loops: each connection sends its next request when the last one is answered.
extension Row {
    static var closed: Row {
        Row(
            name: "closed",
            goal: "closed loop, HTTP/1.1 keep-alive, 100 connections: req/s against wrk, "
                + "aggregates only",
            must: ">= 0.90 (wanted)", moonshot: ">= 1.0"
        ) { bench in
            let url = try bench.nginx().plain
            let found = try bench.alternate(
                { try bench.generators.ours(["--target", url, "--for", "4s"]) },
                { try bench.generators.wrk(url) })
            let ab = try bench.generators.ab(url)
            let h2load = try bench.generators.h2load(url)
            return Result(
                text: "**\(short(found.ratio))** (\(found.rates); \(found.costs); "
                    + "ab \(short(ab.perSecond)), h2load \(short(h2load.perSecond)))",
                grade: .of(found.ratio, must: 0.9, moonshot: 1))
        }
    }

    static var recorded: Row {
        Row(
            name: "recorded",
            goal: "the closed loop with every exchange recorded and judged, against wrk",
            must: ">= 0.60", moonshot: ">= 0.75"
        ) { bench in
            let url = try bench.nginx().plain
            let found = try bench.alternate(
                { try bench.generators.recorded(url, seconds: 4) },
                { try bench.generators.wrk(url) })
            return Result(
                text:
                    "**\(short(found.ratio))** (\(found.rates); \(found.costs), lane, journal and "
                    + "judge on the same core)",
                grade: .of(found.ratio, must: 0.6, moonshot: 0.75))
        }
    }

    static var tls: Row {
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
                text: "**\(short(found.ratio))** (\(found.rates); \(found.costs))",
                grade: .of(found.ratio, must: 0.7, moonshot: 1))
        }
    }

    static var handshakes: Row {
        Row(
            name: "handshakes", goal: "new TLS connections per second against wrk",
            must: ">= 0.95 (wanted)", moonshot: ">= 1.1"
        ) { bench in
            let nginx = try bench.nginx()
            let found = try bench.alternate(
                {
                    try bench.generators.ours([
                        "--target", nginx.secure, "--ca", nginx.certificate, "--for", "3s",
                        "--fresh", "--source-addresses", "127.1.0.0/16",
                    ])
                },
                {
                    try bench.generators.wrk(
                        nginx.secure, seconds: 3, headers: ["Connection: close"])
                })
            return Result(
                text: "**\(short(found.ratio))** (\(found.rates); \(found.costs); "
                    + "we verify the certificate)",
                grade: .of(found.ratio, must: 0.95, moonshot: 1.1))
        }
    }

    static var devices: Row {
        Row(
            name: "devices",
            goal: "10,000 devices, each with its own connection and source address: req/s against "
                + "own figure at 100",
            must: ">= 0.5", moonshot: ">= 0.65"
        ) { bench in
            let url = try bench.nginx().plain
            let common = ["--target", url, "--for", "4s", "--source-addresses", "127.1.0.0/16"]
            let found = try bench.alternate(
                rounds: 2, { try bench.generators.ours(common + ["--connections", "10000"]) },
                { try bench.generators.ours(common) })
            return Result(
                text: "**\(short(found.ratio))** (\(found.rates))",
                grade: .of(found.ratio, must: 0.5, moonshot: 0.65))
        }
    }
}
