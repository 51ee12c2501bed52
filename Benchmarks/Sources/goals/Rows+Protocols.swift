/// One protocol against the other: the same homes, viewers and load.
extension Row {
    static var householdOfV2: Row {
        Row(
            name: "household-v2",
            goal:
                "a V2 household against a V1 household, over sockets, recorded and judged: CPU per "
                + "exchange",
            must: "<= 1.0x", moonshot: "<= 0.9x"
        ) { bench in
            let server = try bench.serve()
            defer { server.stop() }
            return try bench.compareProtocols { rig in
                let played = try bench.play(["run", rig, "--lanes", "1"])
                return Cost(
                    microseconds: played.microseconds,
                    exchanges: played.exchanges / played.households)
            }
        }
    }

    static var virtualOfV2: Row {
        Row(
            name: "virtual-v2",
            goal:
                "a V2 household against a V1 household, in virtual time, with stand-in, journal and "
                + "judge: CPU per exchange",
            must: "<= 1.0x", moonshot: "<= 0.9x"
        ) { bench in
            bench.closeTargets()
            return try bench.compareProtocols { rig in
                let played = try bench.play(["simulate", rig])
                return Cost(
                    microseconds: played.microseconds,
                    exchanges: played.exchanges / played.households)
            }
        }
    }
}

/// What one household costs.
private struct Cost {
    /// Processor time of the whole process for each exchange.
    var microseconds: Double
    /// Of each household.
    var exchanges: Double
}

extension Bench {
    /// Both protocols in turn, so that both meet the same neighbours: the median of the ratios.
    fileprivate func compareProtocols(_ play: (String) throws -> Cost) throws -> Row.Result {
        let rigs = ["household", "household-v2"].map { "\(root)/Benchmarks/rigs/\($0).yaml" }
        var rounds: [(first: Cost, second: Cost)] = []
        for round in 0..<5 {
            if round.isMultiple(of: 2) {
                let first = try play(rigs[0])
                rounds.append((first, try play(rigs[1])))
            } else {
                let second = try play(rigs[1])
                rounds.append((try play(rigs[0]), second))
            }
        }
        func median(_ value: ((first: Cost, second: Cost)) -> Double) -> Double {
            Bench.median(rounds.map(value))
        }
        let ratio = median { $0.second.microseconds / $0.first.microseconds }
        let whole = median {
            $0.second.microseconds * $0.second.exchanges
                / ($0.first.microseconds * $0.first.exchanges)
        }
        return Row.Result(
            text: "**\(short(ratio))x** (\(short(median { $0.second.microseconds })) against "
                + "\(short(median { $0.first.microseconds })) us; "
                + "\(short(median { $0.second.exchanges })) against "
                + "\(short(median { $0.first.exchanges })) exchanges a household, so that a whole "
                + "one costs \(short(whole))x; medians of \(rounds.count) rounds)",
            grade: .of(ratio, must: 1, moonshot: 0.9, isLess: true))
    }
}
