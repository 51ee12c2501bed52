internal import Checker
internal import Rigs
internal import Statistics

/// From a few hits to a window, the best offset and its rate.
extension Hunt {
    func refine(_ track: Int, _ invariant: Invariant) async -> RaceFinding? {
        let title = tracks[track].variant.title
        search.news(.phase("\(title): \(invariant) broken; where?"))
        await fill(track, invariant)
        tell(track, invariant, nil)
        guard let plateau = Plateau(curve(track, invariant).points) else {
            noteAmbient(invariant)
            return nil
        }
        let window = await window(plateau, track, invariant)
        let best = window?.middle ?? plateau.first + (plateau.last - plateau.first) / 2
        tell(track, invariant, window)
        search.news(.phase("\(title): the rate at \(Offsets.text(best))"))
        let (rate, achieved) = await measure(best, track, invariant)
        return RaceFinding(
            plan: tracks[track].variant.schedule.plan, invariant: invariant,
            schedule: tracks[track].variant.at(best), swept: tracks[track].variant.swept,
            window: window, best: best, rate: rate, achieved: RaceFinding.Spread(achieved),
            curve: curve(track, invariant).points, sentence: sentence(track, invariant),
            firstSeen: search.clock(),
            isSimultaneous: best.magnitude <= gateError,
            method: tracks[track].method, company: isAlone ? .nobody : .queue)
    }

    /// Sweeps until there is a plateau to be seen: five rounds where everything within it hits, twice
    /// as many where hits are a matter of luck.
    private func fill(_ track: Int, _ invariant: Invariant) async {
        for _ in 0..<10 where !isOver {
            if tracks[track].rounds >= 5 {
                guard let plateau = Plateau(curve(track, invariant).points) else { return }
                if plateau.peak > 0.9 { return }
            }
            await sweepOnce(track)
        }
    }

    func tell(_ track: Int, _ invariant: Invariant, _ window: RaceFinding.Window?) {
        search.news(
            .curve(
                plan: tracks[track].variant.title, invariant: invariant,
                curve(track, invariant).points, window))
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
        for sighting in seen.compactMap({ $0 }) {
            rate.add(sighting.breaches.contains { $0.invariant == invariant })
            achieved.append(sighting.offset)
        }
        return (rate, achieved)
    }
}
