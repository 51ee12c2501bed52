internal import Checker
internal import Rigs
internal import Statistics

/// From a few hits to a window, the best offset and its rate.
extension Hunt {
    func refine(_ track: Int, _ invariant: Invariant) async -> RaceFinding? {
        let title = tracks[track].variant.title
        search.news(.phase("\(title): \(invariant) broken; where?"))
        if isNearlyAnywhere(track, invariant), !isAlone { goAlone(track) }
        await fill(track, invariant)
        tell(track, invariant, nil)
        var (curve, isOfSwept) = curve(track, invariant)
        guard let plateau = Plateau(curve.points) else {
            noteAmbient(invariant)
            return nil
        }
        let window = await edges(plateau, track, invariant, isOfSwept)
        let best = window?.middle ?? plateau.first + (plateau.last - plateau.first) / 2
        tell(track, invariant, window)
        search.news(.phase("\(title): the rate at \(best.inMilliseconds) ms"))
        let (rate, achieved) = await measure(best, track, invariant)
        (curve, _) = self.curve(track, invariant)
        return RaceFinding(
            plan: tracks[track].variant.schedule.plan, invariant: invariant,
            schedule: tracks[track].variant.at(best), swept: tracks[track].variant.swept,
            window: window, best: best, rate: rate, achieved: RaceFinding.Spread(achieved),
            curve: curve.points, sentence: sentence(track, invariant),
            firstSeen: search.clock(),
            isSimultaneous: (best < .zero ? .zero - best : best) <= gateError,
            method: tracks[track].method)
    }

    /// Sweeps until there is a plateau to be seen: twice where everything within it hits, more often
    /// where hits are a matter of luck.
    private func fill(_ track: Int, _ invariant: Invariant) async {
        let range = search.terms.offsets
        let grids = [Curve.grid(range), Curve.grid(range, isShifted: true)]
        for round in 0..<10 where !isOver {
            if round >= 4, let plateau = Plateau(curve(track, invariant).curve.points),
                plateau.peak > 0.9
            {
                return
            }
            await play(grids[round % 2].map { (track, $0) })
        }
    }

    private func tell(_ track: Int, _ invariant: Invariant, _ window: RaceFinding.Window?) {
        search.news(
            .curve(
                plan: tracks[track].variant.title, invariant: invariant,
                curve(track, invariant).curve.points, window))
    }

    /// Hits at the outermost offsets: it makes no difference when, or other trials are the cause.
    private func isNearlyAnywhere(_ track: Int, _ invariant: Invariant) -> Bool {
        let points = curve(track, invariant).curve.points
        guard points.count > 4 else { return false }
        return (points.prefix(2) + points.suffix(2)).contains { $0.rate.hits > 0 }
    }

    // MARK: Edges

    /// One edge of a window, between a point outside and one inside.
    private struct Edge {
        var outside: Duration
        var inside: Duration
        var width: Duration {
            let width = outside - inside
            return width < .zero ? .zero - width : width
        }
        var middle: Duration { inside + (outside - inside) / 2 }
    }

    /// Nil where the plateau is everywhere.
    private func edges(
        _ plateau: Plateau, _ track: Int, _ invariant: Invariant, _ isOfSwept: Bool
    ) async -> RaceFinding.Window? {
        guard !plateau.isEverywhere else { return nil }
        var found: [Edge?] = [
            plateau.before.map { Edge(outside: $0, inside: plateau.first) },
            plateau.after.map { Edge(outside: $0, inside: plateau.last) },
        ]
        var steps = 0
        while !isOver, steps < 12 {
            let tolerance = max(
                .microseconds(50), gateError * 2, (plateau.last - plateau.first) / 60)
            let open = found.indices.filter { found[$0].map { $0.width > tolerance } ?? false }
            guard !open.isEmpty else { break }
            steps += 1
            search.news(
                .phase(
                    "\(tracks[track].variant.title): edges, \(steps): "
                        + found.compactMap { $0?.middle.inMilliseconds }.joined(separator: " and ")
                        + " ms"))
            let narrowed = await narrow(
                open.compactMap { found[$0] }, peak: plateau.peak, track, invariant, isOfSwept)
            for (position, edge) in zip(open, narrowed) { found[position] = edge }
            tell(track, invariant, window(found, plateau))
        }
        return window(found, plateau)
    }

    private func window(_ edges: [Edge?], _ plateau: Plateau) -> RaceFinding.Window {
        let low = edges[0]?.middle ?? plateau.first
        let high = edges[1]?.middle ?? plateau.last
        return RaceFinding.Window(
            low: min(low, high), high: max(low, high), isLowOpen: edges[0] == nil,
            isHighOpen: edges[1] == nil)
    }

    private struct Probe {
        var edge: Int
        var aim: Duration
        var test: SequentialTest
        var achieved: [Duration] = []
        var at: Duration {
            achieved.isEmpty ? aim : achieved.sorted()[achieved.count / 2]
        }
    }

    /// Three probes within each edge, each tried until it is clear what it is.
    private func narrow(
        _ edges: [Edge], peak: Double, _ track: Int, _ invariant: Invariant, _ isOfSwept: Bool
    ) async -> [Edge] {
        var probes: [Probe] = []
        for (number, edge) in edges.enumerated() {
            for part in 1...3 {
                let aim = edge.outside + (edge.inside - edge.outside) * part / 4
                probes.append(Probe(edge: number, aim: aim, test: SequentialTest(peak: peak)))
            }
        }
        for _ in 0..<6 {
            let open = probes.indices.filter { probes[$0].test.decision == nil }
            guard !open.isEmpty, !isOver else { break }
            let numbers = open.flatMap { [$0, $0] }
            let seen = await play(numbers.map { (track, probes[$0].aim) }, in: .queue)
            for (number, sighting) in zip(numbers, seen) {
                guard let sighting else { continue }
                probes[number].achieved.append(sighting.offset)
                probes[number].test.add(sighting.hits(invariant, isOfSwept: isOfSwept))
            }
        }
        return edges.enumerated().map { number, edge in
            var narrowed = edge
            // From the inside out: the first that is rare is the new outside.
            for probe in probes.filter({ $0.edge == number }).reversed() {
                if (probe.test.decision ?? probe.test.leaning) == .low {
                    narrowed.outside = probe.at
                    break
                }
                narrowed.inside = probe.at
            }
            return narrowed
        }
    }

    // MARK: The rate

    /// A number of trials that was fixed before (correctness.md § 4.4).
    private func measure(
        _ best: Duration, _ track: Int, _ invariant: Invariant
    ) async -> (HitRate, [Duration]) {
        var rate = HitRate()
        var achieved: [Duration] = []
        let seen = await play(
            Array(repeating: (track, best), count: search.rateTrials), in: .queue)
        for sighting in seen.compactMap({ $0 }) {
            rate.add(sighting.hits(invariant, isOfSwept: false))
            achieved.append(sighting.offset)
        }
        return (rate, achieved)
    }
}

extension Duration {
    /// `+12.35`, `-0.05`.
    var inMilliseconds: String {
        let hundredths = (self / .microseconds(10)).rounded()
        let magnitude = Int(hundredths.magnitude)
        let cents = magnitude % 100
        return (hundredths < 0 ? "-" : "+") + "\(magnitude / 100)." + (cents < 10 ? "0" : "")
            + "\(cents)"
    }
}
