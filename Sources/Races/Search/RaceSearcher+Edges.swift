internal import Statistics
internal import Vocabulary

/// The edges of a window, from the coarse sweep's idea of them to where they really are.
extension RaceSearcher {
    /// Nil where it makes no difference when. `isCut`: the search ended before its edges were known any better than the sweep
    /// knew them.
    func window(
        _ plateau: Plateau, _ track: Int, _ promise: Promise
    ) async -> (window: RaceFinding.Window?, isCut: Bool) {
        guard !plateau.isEverywhere else { return (nil, false) }
        var edges = [Edge(of: plateau, isUpper: false), Edge(of: plateau, isUpper: true)]
        await foothold(&edges, plateau, track, promise)
        await narrow(&edges, plateau, track, promise)
        if plateau.isLuck {
            // Hits that are a matter of luck can send a search by halves the wrong way.
            let quiet = quietSamples(track, promise)
            let astray = edges.indices.filter { edges[$0].comeBack(quiet) }
            if !astray.isEmpty { await narrow(&edges, plateau, track, promise) }
        }
        let all = quietSamples(track, promise)
        for number in edges.indices { edges[number].fit(all) }
        let coarsest = tolerance(plateau) * 4
        var window = Self.window(edges)
        let isCut = isOver && edges.contains { !$0.isOpen && $0.width > coarsest }
        if isCut {
            // Half-way through, an edge may stand within what the sweep has shown.
            window.low = min(window.low, plateau.first)
            window.high = max(window.high, plateau.last)
            // Nor beyond the first offsets at which nothing was seen.
            let points = curve(track, promise).points
            let hits = points.indices.filter { points[$0].rate.hits > 0 }
            if let first = hits.first, let last = hits.last {
                window.low = max(window.low, points[max(0, first - 1)].offset)
                window.high = min(
                    window.high, points[min(points.count - 1, last + 1)].offset)
            }
        }
        return (window, isCut)
    }

    /// How finely an edge is located.
    private func tolerance(_ plateau: Plateau) -> Duration {
        max(.microseconds(50), resolution * 2, (plateau.last - plateau.first) / 60)
    }

    /// What trials showed that raced alone.
    private func quietSamples(_ track: Int, _ promise: Promise) -> [Curve.CurveSample] {
        let pattern = pattern(track, promise)
        return tracks[track].samples.filter(\.isQuiet).map {
            Curve.CurveSample(offset: $0.offset, reading: pattern.reading(of: $0))
        }
    }

    /// Until each edge is known as well as it can be told.
    private func narrow(
        _ edges: inout [Edge], _ plateau: Plateau, _ track: Int, _ promise: Promise
    ) async {
        for step in 1...12 where !isOver {
            let tolerance = tolerance(plateau)
            let open = edges.indices.filter { !edges[$0].isOpen && edges[$0].width > tolerance }
            guard !open.isEmpty else { return }
            let middles = open.map { Offsets.text(edges[$0].middle) }
            search.news(
                .phase(
                    "\(tracks[track].variant.title): measuring the edges, \(step): "
                        + middles.joined(separator: " and ")))
            let aims = open.map { edges[$0].thirds }
            let seen = await probe(aims, plateau.peak, track, promise)
            // Probes that were cut short are no news.
            guard !isOver else { return }
            for (edge, probes) in zip(open, seen) { edges[edge].narrow(probes) }
            tell(track, promise, Self.window(edges))
        }
    }

    private static func window(_ edges: [Edge]) -> RaceFinding.Window {
        let (low, high) = (edges[0].estimate, edges[1].estimate)
        return RaceFinding.Window(
            low: min(low, high), high: max(low, high), isLowOpen: edges[0].isOpen,
            isHighOpen: edges[1].isOpen)
    }

    /// The coarse sweep plays many trials at a time, which makes answers slow: its edges are tried
    /// again where nothing is in the way, and moved until one end hits and the other does not.
    private func foothold(
        _ edges: inout [Edge], _ plateau: Plateau, _ track: Int, _ promise: Promise
    ) async {
        var unsure = edges.indices.filter { !edges[$0].isOpen }
        for _ in 0..<4 where !unsure.isEmpty && !isOver {
            search.news(.phase("\(tracks[track].variant.title): re-measuring the edges"))
            let aims = unsure.map { edges[$0].footholds }
            let seen = await probe(aims, plateau.peak, track, promise)
            guard !isOver else { return }
            unsure = zip(unsure, seen).filter { !edges[$0.0].step($0.1) }.map(\.0)
        }
    }

    // MARK: Probes

    /// Offsets are tried, those of all edges together, each until it is clear what it is: as frequent
    /// as the peak, or rare. Where no trial can tell, nothing can be seen: that is rare too.
    private func probe(
        _ aims: [[Duration]], _ peak: Double, _ track: Int, _ promise: Promise
    ) async -> [[Edge.Probe]] {
        var probes = aims.enumerated().flatMap { edge, aims in
            aims.map { Edge.Probe(edge: edge, aim: $0, test: SequentialTest(peak: peak)) }
        }
        for _ in 0..<6 {
            let open = probes.indices.filter { !probes[$0].isOver }
            guard !open.isEmpty, !isOver else { break }
            let numbers = open.flatMap { [$0, $0] }
            let seen = await play(numbers.map { (track, probes[$0].aim) }, in: .queue)
            let pattern = pattern(track, promise)
            for (number, sample) in zip(numbers, seen) {
                guard let sample else { continue }
                probes[number].take(sample.offset, pattern.reading(of: sample))
            }
        }
        return aims.indices.map { edge in probes.filter { $0.edge == edge } }
    }
}

/// One edge of a window: between an offset at which a promise is not broken and one at which it is.
struct Edge {
    /// From far outside to the middle of the plateau.
    private let ladder: [Duration]
    /// The first of the ladder that is inside, as far as known.
    private var rung: Int
    private(set) var outside: Duration
    private(set) var inside: Duration
    /// The likeliest place, once everything has been seen.
    private var likeliest: Duration?
    /// Beyond it another window lies.
    private let gap: Duration?
    /// The two ends when they were sure; what was seen between them counts.
    private var sure: (outside: Duration, inside: Duration)?

    init(of plateau: Plateau, isUpper: Bool) {
        let offsets = plateau.points.map(\.offset)
        let middle = plateau.middlePlace
        gap = plateau.gap(isUpper: isUpper)
        ladder = isUpper ? offsets[middle...].reversed() : Array(offsets[...middle])
        rung =
            isUpper
            ? offsets.count - plateau.places.upperBound : plateau.places.lowerBound
        inside = isUpper ? plateau.last : plateau.first
        outside = rung > 0 ? ladder[rung - 1] : inside
    }

    /// The search went no further out.
    var isOpen: Bool { rung == 0 }

    var width: Duration { (outside - inside).magnitude }
    var middle: Duration { inside + (outside - inside) / 2 }
    var estimate: Duration { likeliest ?? (isOpen ? inside : middle) }

    // MARK: Narrowing

    /// One offset that is tried.
    struct Probe {
        var edge: Int
        var aim: Duration
        var test: SequentialTest
        private var achieved: [Duration] = []
        private var blind = 0

        init(edge: Int, aim: Duration, test: SequentialTest) {
            self.edge = edge
            self.aim = aim
            self.test = test
        }

        mutating func take(_ offset: Duration, _ reading: BreachPattern.PatternReading) {
            achieved.append(offset)
            if reading.tells { test.add(reading == .hit) } else { blind += 1 }
        }

        /// Four that cannot tell, and none that can, are enough.
        var isOver: Bool { test.decision != nil || test.trials == 0 && blind >= 4 }
        var isHigh: Bool { (test.decision ?? test.leaning) == .high }
        var at: Duration {
            achieved.isEmpty ? aim : achieved.sorted()[achieved.count / 2]
        }
    }

    /// Three within, from the outside in.
    var thirds: [Duration] { (1...3).map { outside + (inside - outside) * $0 / 4 } }

    /// From the inside out: the first that is rare is the new outside.
    mutating func narrow(_ probes: [Probe]) {
        for probe in probes.reversed() {
            guard probe.isHigh else {
                outside = probe.at
                return
            }
            inside = probe.at
        }
    }

    // MARK: The foothold

    /// Rungs that are tried: the two that the edge lies between, and one more on either side.
    private var tried: [Int] { (rung - 2...rung + 1).filter(ladder.indices.contains) }
    var footholds: [Duration] { tried.map { ladder[$0] } }

    /// Takes what was seen at the footholds; whether the edge lies between two of them. If not, it has
    /// moved in or out by as much as is known.
    mutating func step(_ probes: [Probe]) -> Bool {
        let tried = tried
        guard let last = probes.last, last.isHigh else {
            // Rare as far in as was tried: at the innermost rung it is what it was taken for.
            guard let inmost = tried.last, inmost + 1 < ladder.count else { return true }
            rung = inmost + 1
            stand()
            return false
        }
        if let rare = probes.lastIndex(where: { !$0.isHigh }) {
            rung = tried[rare + 1]
            (outside, inside) = (probes[rare].at, probes[rare + 1].at)
            sure = (outside, inside)
            return true
        }
        rung = tried[0]
        stand()
        return isOpen
    }

    private mutating func stand() {
        inside = ladder[rung]
        outside = rung > 0 ? ladder[rung - 1] : inside
    }

    // MARK: The estimate

    /// The place that explains best what was seen between the two ends when they were sure: see
    /// `likeliest`. One trial that went wrong then moves the
    /// edge less than it would move a search by halves.
    mutating func fit(_ samples: [Curve.CurveSample]) {
        guard let (outside, inside) = sure, outside != inside else { return }
        let place = Self.likeliest(samples, from: inside, to: outside)
        likeliest = place.inside + (place.outside - place.inside) / 2
    }

    /// Where all that was seen on this side of the middle says that the edge lies somewhere else, it is
    /// looked for there; whether that is so.
    mutating func comeBack(_ samples: [Curve.CurveSample]) -> Bool {
        guard !isOpen, let middle = ladder.last, let end = ladder.first, middle != end else {
            return false
        }
        // On the other side of zero another window may lie.
        let isAcross = middle > .zero ? end < .zero : middle < .zero && end > .zero
        let place = Self.likeliest(samples, from: middle, to: gap ?? (isAcross ? .zero : end))
        let ends = sure ?? (outside, inside)
        let known = min(ends.inside, ends.outside)...max(ends.inside, ends.outside)
        guard !known.contains(place.inside), !known.contains(place.outside) else { return false }
        (outside, inside) = (place.outside, place.inside)
        sure = (outside, inside)
        return true
    }

    /// Between which two offsets that were tried the edge is likeliest, on the way out from `inside`: up
    /// to it a trial hits as often as they did, outside hardly ever.
    private static func likeliest(
        _ samples: [Curve.CurveSample], from inside: Duration, to outside: Duration
    ) -> (inside: Duration, outside: Duration) {
        let isUpper = outside > inside
        let range = isUpper ? inside...outside : outside...inside
        let telling = samples.filter { $0.reading.tells && range.contains($0.offset) }
            .sorted { isUpper ? $0.offset < $1.offset : $0.offset > $1.offset }
        let all = HitRate(hits: telling.count { $0.reading == .hit }, trials: telling.count)
        var within = HitRate()
        var best = (
            score: weight(all, rare), from: inside, to: telling.first?.offset ?? outside
        )
        for (number, sample) in telling.enumerated() {
            within.add(sample.reading == .hit)
            // Trials at one offset are on one side.
            if number + 1 < telling.count, telling[number + 1].offset == sample.offset { continue }
            let rest = HitRate(
                hits: all.hits - within.hits, trials: all.trials - within.trials)
            let score =
                weight(within, min(max(within.share, 0.1), 1 - rare)) + weight(rest, rare)
            let next = number + 1 < telling.count ? telling[number + 1].offset : outside
            if score > best.score + 1e-9 { best = (score, sample.offset, next) }
        }
        return (best.from, best.to)
    }

    /// How often a trial hits that has no reason to.
    private static let rare = 0.03

    /// The logarithm of how likely it is.
    private static func weight(_ seen: HitRate, _ rate: Double) -> Double {
        Double(seen.hits) * Elementary.logarithm(rate)
            + Double(seen.trials - seen.hits) * Elementary.logarithm(1 - rate)
    }
}
