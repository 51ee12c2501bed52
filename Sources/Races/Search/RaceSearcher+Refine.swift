internal import Vocabulary

/// From a few hits to a window, the best offset and its rate.
extension RaceSearcher {
    /// `chosen`: the tracks that are looked into with it.
    func refine(
        _ track: Int, _ promise: Promise, among chosen: [Int]
    ) async -> RaceFinding? {
        let title = tracks[track].variant.title
        search.news(.phase("\(title): \(promise) violated; locating the window"))
        await fill(track, promise)
        if await isBlurred(track, promise) {
            await goAlone(chosen, forgetting: promise, because: "concurrent trials hide hits")
            await fill(track, promise)
        }
        await fill(track, promise, rounds: 10)
        tell(track, promise, nil)
        await check(track, promise)
        guard let plateau = Plateau(curve(track, promise).points) else {
            noteAmbient(promise)
            return nil
        }
        var place = await locate(plateau, track, promise)
        // Two windows that a few hits between them joined: the trials in the middle take them apart.
        for _ in 0..<3 where !place.isThere {
            guard let next = Plateau(curve(track, promise).points),
                !(next.first...next.last).contains(place.best),
                next.peak > place.rate.share, next.rate.chance(against: place.rate) < 0.01
            else { break }
            place = await locate(next, track, promise)
        }
        // Hits lie densely elsewhere, and seldom in the middle.
        if !place.isThere, place.rate.trials > 0,
            let dense = curve(track, promise).points.max(by: { $0.rate.surely < $1.rate.surely }),
            Curve.bin(of: dense.offset) != Curve.bin(of: place.best),
            dense.rate.chance(against: place.rate) < 0.01
        {
            let (rate, achieved) = await measure(dense.offset, track, promise)
            if rate.share > place.rate.share {
                (place.best, place.rate, place.achieved) = (dense.offset, rate, achieved)
            }
        }
        // The search goes on, and no trial in the middle was conclusive: edges would be those that the sweep happened to see.
        if place.rate.trials == 0, !isOver {
            var finding = unrefined(track, promise)
            finding.method += "; trials to locate its window could not be completed"
            return finding
        }
        let isCoarse = place.isThere && place.isCut
        return RaceFinding(
            plan: tracks[track].variant.schedule.plan, invariant: promise.invariant,
            source: promise.source,
            schedule: tracks[track].variant.at(place.best), swept: tracks[track].variant.swept,
            window: place.isThere ? place.window : nil, best: place.best, rate: place.rate,
            achieved: RaceFinding.Quantiles(place.achieved),
            curve: curve(track, promise).points, sentence: sentence(track, promise),
            firstSeen: firstSeen(promise),
            isSimultaneous: place.isThere && isAimedAt(place.window),
            isCoarse: isCoarse,
            method: tracks[track].method
                + (isCoarse ? "; the search ended before the edges were measured" : ""),
            company: isAlone ? .nobody : .queue)
    }

    /// Where a promise breaks, and how often in the middle of it.
    private struct Place {
        var window: RaceFinding.Window?
        var best: Duration
        var rate: HitRate
        var achieved: [Duration]
        /// The trials in the middle bear the window out.
        var isThere: Bool
        /// The search ended before its edges were known.
        var isCut: Bool
    }

    private func locate(
        _ plateau: Plateau, _ track: Int, _ promise: Promise
    ) async -> Place {
        let (window, isCut) = await window(plateau, track, promise)
        let best = window?.middle ?? plateau.first + (plateau.last - plateau.first) / 2
        tell(track, promise, window)
        let title = tracks[track].variant.title
        search.news(.phase("\(title): measuring the rate at \(Offsets.text(best))"))
        let (rate, achieved) = await measure(best, track, promise)
        return Place(
            window: window, best: best, rate: rate, achieved: achieved,
            isThere: window.map { stands($0, rate, track, promise) } ?? false, isCut: isCut)
    }

    /// Sweeps until there is a plateau to be seen: five rounds, three where trials go one at a time, and on
    /// to `rounds` where hits are a matter of luck. Not where two rounds show none.
    private func fill(_ track: Int, _ promise: Promise, rounds: Int = 5) async {
        while tracks[track].rounds < rounds, !isOver {
            let played = tracks[track].rounds
            guard played < 2 || Plateau(curve(track, promise).points) != nil,
                played < (isAlone ? 3 : 5) || isLuck(track, promise)
            else { return }
            await sweepOnce(track)
        }
    }

    /// Tries what within a plateau may be bad luck, or the gap between two windows, until it is clear which.
    private func check(_ track: Int, _ promise: Promise) async {
        for _ in 0..<2 where !isOver {
            let doubtful = Plateau(curve(track, promise).points)?.doubtful ?? []
            guard !doubtful.isEmpty else { return }
            let aims = doubtful.flatMap { Array(repeating: (track: track, offset: $0), count: 12) }
            await play(aims, in: .queue)
        }
    }

    private func isLuck(_ track: Int, _ promise: Promise) -> Bool {
        Plateau(curve(track, promise).points)?.isLuck ?? false
    }

    /// Hits that are a matter of luck among many trials, and come more often or hardly ever where a
    /// trial has the service to itself: the others have a hand in it (a cache that mixes up devices also
    /// hides from one trial what it shows to the next).
    private func isBlurred(_ track: Int, _ promise: Promise) async -> Bool {
        guard !isAlone, !isOver, !arena.isolatesTrials,
            let plateau = Plateau(curve(track, promise).points), plateau.isLuck
        else { return false }
        search.news(
            .phase(
                "\(tracks[track].variant.title): checking for chance and for "
                    + "interference by other trials"))
        let crowded = await rate(at: plateau.middle, times: 16, in: .crowd, track, promise)
        let alone = await rate(at: plateau.middle, times: 16, in: .nobody, track, promise)
        return alone.chance(against: crowded) < 0.01
    }

    /// How often a promise breaks at one offset, of the trials that can tell.
    func rate(
        at offset: Duration, times: Int, in company: Isolation, _ track: Int,
        _ promise: Promise
    ) async -> HitRate {
        let seen = await play(Array(repeating: (track, offset), count: times), in: company)
        let pattern = pattern(track, promise)
        var rate = HitRate()
        for sample in seen.compactMap({ $0 }) {
            let reading = pattern.reading(of: sample)
            if reading.tells { rate.add(reading == .hit) }
        }
        return rate
    }

    func tell(_ track: Int, _ promise: Promise, _ window: RaceFinding.Window?) {
        search.news(
            .curve(
                plan: tracks[track].variant.title, invariant: promise.invariant,
                curve(track, promise).points, window))
    }

    /// Whether the trials in the middle, made for nothing else, bear a window out: hits that come by
    /// chance can lie close together, and the edges around them are then of nothing.
    private func stands(
        _ window: RaceFinding.Window, _ rate: HitRate, _ track: Int, _ promise: Promise
    ) -> Bool {
        // Cut short: what was seen within must do.
        let samples = curve(track, promise).samples.filter(\.reading.tells)
        func share(_ samples: [Curve.CurveSample]) -> HitRate {
            HitRate(hits: samples.count { $0.reading == .hit }, trials: samples.count)
        }
        let range = window.low...window.high
        let inside = rate.trials > 4 ? rate : share(samples.filter { range ~= $0.offset })
        guard inside.hits > 0 else { return false }
        if inside.share >= RaceFinding.rare { return true }
        return inside.chance(against: share(samples.filter { !(range ~= $0.offset) })) < 0.01
    }

    /// Whether a window is no wider to either side than what can be aimed at.
    private func isAimedAt(_ window: RaceFinding.Window?) -> Bool {
        let reach = max(gateError * 2, Curve.step)
        return window.map { $0.low >= Duration.zero - reach && $0.high <= reach } ?? false
    }

    // MARK: The rate

    /// A number of trials that was fixed before.
    private func measure(
        _ best: Duration, _ track: Int, _ promise: Promise
    ) async -> (HitRate, [Duration]) {
        var rate = HitRate()
        var achieved: [Duration] = []
        let seen = await play(
            Array(repeating: (track, best), count: search.rateTrials), in: .queue)
        for sample in seen.compactMap({ $0 }) {
            rate.add(sample.breaches.contains { $0.promise.covers(promise) })
            achieved.append(sample.offset)
        }
        return (rate, achieved)
    }
}
