internal import Vocabulary

/// From a few hits to a window, the best offset and its rate.
extension RaceSearcher {
    /// `chosen`: the tracks that are looked into with it.
    func refine(
        _ track: Int, _ invariant: Invariant, among chosen: [Int]
    ) async -> RaceFinding? {
        let title = tracks[track].variant.title
        search.news(.phase("\(title): \(invariant) violated; locating the window"))
        await fill(track, invariant)
        if await isBlurred(track, invariant) {
            await goAlone(chosen, forgetting: invariant, because: "concurrent trials hide hits")
            await fill(track, invariant)
        }
        await fill(track, invariant, rounds: 10)
        tell(track, invariant, nil)
        await check(track, invariant)
        guard let plateau = Plateau(curve(track, invariant).points) else {
            noteAmbient(invariant)
            return nil
        }
        var place = await locate(plateau, track, invariant)
        // Two windows that a few hits between them joined: the trials in the middle take them apart.
        for _ in 0..<3 where !place.isThere {
            guard let next = Plateau(curve(track, invariant).points),
                !(next.first...next.last).contains(place.best),
                next.peak > place.rate.share, next.rate.chance(against: place.rate) < 0.01
            else { break }
            place = await locate(next, track, invariant)
        }
        let told = told(track, invariant)
        return RaceFinding(
            plan: tracks[track].variant.schedule.plan, invariant: invariant, source: told.source,
            schedule: tracks[track].variant.at(place.best), swept: tracks[track].variant.swept,
            window: place.isThere ? place.window : nil, best: place.best, rate: place.rate,
            achieved: RaceFinding.Quantiles(place.achieved),
            curve: curve(track, invariant).points, sentence: told.sentence,
            firstSeen: search.clock(),
            isSimultaneous: place.isThere && place.best.magnitude <= gateError,
            method: tracks[track].method, company: isAlone ? .nobody : .queue)
    }

    /// Where a promise breaks, and how often in the middle of it.
    private struct Place {
        var window: RaceFinding.Window?
        var best: Duration
        var rate: HitRate
        var achieved: [Duration]
        /// The trials in the middle bear the window out.
        var isThere: Bool
    }

    private func locate(
        _ plateau: Plateau, _ track: Int, _ invariant: Invariant
    ) async -> Place {
        let window = await window(plateau, track, invariant)
        let best = window?.middle ?? plateau.first + (plateau.last - plateau.first) / 2
        tell(track, invariant, window)
        let title = tracks[track].variant.title
        search.news(.phase("\(title): measuring the rate at \(Offsets.text(best))"))
        let (rate, achieved) = await measure(best, track, invariant)
        return Place(
            window: window, best: best, rate: rate, achieved: achieved,
            isThere: window.map { stands($0, rate, track, invariant) } ?? false)
    }

    /// Sweeps until there is a plateau to be seen: five rounds, three where trials go one at a time, and on
    /// to `rounds` where hits are a matter of luck. Not where two rounds show none.
    private func fill(_ track: Int, _ invariant: Invariant, rounds: Int = 5) async {
        while tracks[track].rounds < rounds, !isOver {
            let played = tracks[track].rounds
            guard played < 2 || Plateau(curve(track, invariant).points) != nil,
                played < (isAlone ? 3 : 5) || isLuck(track, invariant)
            else { return }
            await sweepOnce(track)
        }
    }

    /// Tries what within a plateau may be bad luck, or the gap between two windows, until it is clear which.
    private func check(_ track: Int, _ invariant: Invariant) async {
        for _ in 0..<2 where !isOver {
            let doubtful = Plateau(curve(track, invariant).points)?.doubtful ?? []
            guard !doubtful.isEmpty else { return }
            let aims = doubtful.flatMap { Array(repeating: (track: track, offset: $0), count: 12) }
            await play(aims, in: .queue)
        }
    }

    private func isLuck(_ track: Int, _ invariant: Invariant) -> Bool {
        Plateau(curve(track, invariant).points)?.isLuck ?? false
    }

    /// Hits that are a matter of luck among many trials, and come more often or hardly ever where a
    /// trial has the service to itself: the others have a hand in it (a cache that mixes up devices also
    /// hides from one trial what it shows to the next).
    private func isBlurred(_ track: Int, _ invariant: Invariant) async -> Bool {
        guard !isAlone, !isOver, !arena.isolatesTrials,
            let plateau = Plateau(curve(track, invariant).points), plateau.isLuck
        else { return false }
        search.news(
            .phase(
                "\(tracks[track].variant.title): checking for chance and for "
                    + "interference by other trials"))
        let crowded = await rate(at: plateau.middle, times: 16, in: .crowd, track, invariant)
        let alone = await rate(at: plateau.middle, times: 16, in: .nobody, track, invariant)
        return alone.chance(against: crowded) < 0.01
    }

    /// How often a promise breaks at one offset, of the trials that can tell.
    func rate(
        at offset: Duration, times: Int, in company: Isolation, _ track: Int,
        _ invariant: Invariant
    ) async -> HitRate {
        let seen = await play(Array(repeating: (track, offset), count: times), in: company)
        let pattern = pattern(track, invariant)
        var rate = HitRate()
        for sample in seen.compactMap({ $0 }) {
            let reading = pattern.reading(of: sample)
            if reading != .blind { rate.add(reading == .hit) }
        }
        return rate
    }

    func tell(_ track: Int, _ invariant: Invariant, _ window: RaceFinding.Window?) {
        search.news(
            .curve(
                plan: tracks[track].variant.title, invariant: invariant,
                curve(track, invariant).points, window))
    }

    /// Whether the trials in the middle, made for nothing else, bear a window out: hits that come by
    /// chance can lie close together, and the edges around them are then of nothing.
    private func stands(
        _ window: RaceFinding.Window, _ rate: HitRate, _ track: Int, _ invariant: Invariant
    ) -> Bool {
        // Cut short: what was seen within must do.
        let samples = curve(track, invariant).samples.filter { $0.reading != .blind }
        func share(_ samples: [Curve.CurveSample]) -> HitRate {
            HitRate(hits: samples.count { $0.reading == .hit }, trials: samples.count)
        }
        let range = window.low...window.high
        let inside = rate.trials > 4 ? rate : share(samples.filter { range ~= $0.offset })
        guard inside.hits > 0 else { return false }
        if inside.share >= RaceFinding.rare { return true }
        return inside.chance(against: share(samples.filter { !(range ~= $0.offset) })) < 0.01
    }

    // MARK: The rate

    /// A number of trials that was fixed before.
    private func measure(
        _ best: Duration, _ track: Int, _ invariant: Invariant
    ) async -> (HitRate, [Duration]) {
        var rate = HitRate()
        var achieved: [Duration] = []
        let seen = await play(
            Array(repeating: (track, best), count: search.rateTrials), in: .queue)
        for sample in seen.compactMap({ $0 }) {
            rate.add(sample.breaches.contains { $0.invariant == invariant })
            achieved.append(sample.offset)
        }
        return (rate, achieved)
    }
}
