internal import Rigs
internal import Vocabulary

/// What is reported of breaches whose windows were not located: because a limit came first, because only trials among others
/// showed them, or because their window is everywhere.
extension RaceSearcher {
    /// Trials that raced beside others, and what came of them.
    struct Forgotten {
        /// Nil: no isolated trials of it follow.
        var track: Int?
        var finding: RaceFinding
        var example: TrialResult?
        /// Trials that had the service to themselves did not show it.
        var isRefuted: Bool
    }

    /// Keeps what is forgotten, should nothing else come of it: it was broken all the same.
    func keep(
        _ track: Int, _ promise: Promise, isRefuted: Bool, goesOn: Bool = true
    ) {
        forgotten.append(
            Forgotten(
                track: goesOn ? track : nil, finding: unrefined(track, promise),
                example: tracks[track].examples[promise], isRefuted: isRefuted))
    }

    /// What trials so far show, of which no window was looked for.
    func unrefined(_ track: Int, _ promise: Promise) -> RaceFinding {
        unrefined(
            tracks[track].variant, promise, curve(track, promise), sentence(track, promise),
            method: "sweep with concurrent trials")
    }

    private func unrefined(
        _ variant: RacePlan.Variant, _ promise: Promise, _ curve: Curve, _ sentence: String,
        method: String
    ) -> RaceFinding {
        let points = curve.points
        let best = points.max { $0.rate.share < $1.rate.share }?.offset ?? .zero
        return RaceFinding(
            plan: variant.schedule.plan, invariant: promise.invariant, source: promise.source,
            schedule: variant.at(best), swept: variant.swept, best: best, rate: points.total,
            curve: points, sentence: sentence, firstSeen: firstSeen(promise),
            isUnrefined: true, method: method)
    }

    private static let isolatedOnly =
        "sweep with isolated trials; the limit came before its window was located"

    /// Each promise once, where it broke most: by isolated trials, where these showed it and the limit came before they were
    /// looked into, and else by those that raced beside others.
    func reportForgotten() {
        let isNothingElse = outcome.findings.isEmpty
        let order = forgotten.indices.sorted {
            forgotten[$0].finding.total.hits > forgotten[$1].finding.total.hits
        }
        for number in order {
            let promise = forgotten[number].finding.promise
            guard !outcome.findings.contains(where: { $0.promise == promise }) else { continue }
            let track = forgotten[number].track
            let alone = track.map { curve($0, promise).points.total } ?? HitRate()
            var finding = forgotten[number].finding
            var example = forgotten[number].example
            if let track, alone.hits > 0 {
                finding = unrefined(track, promise)
                finding.method = Self.isolatedOnly
                example = tracks[track].examples[promise] ?? example
            } else if !isNothingElse {
                // Hits caused by other trials are reported only if the search found nothing else.
                if alone.trials == 0, !forgotten[number].isRefuted, !ambient.contains(promise) {
                    outcome.unfollowed.insert(RaceBaseline.Known(finding.plan, promise))
                }
                continue
            } else if alone.trials > 0 {
                finding.method += "; not in \(alone.trials) isolated trials"
            } else {
                finding.method +=
                    forgotten[number].isRefuted
                    ? "; not in isolated trials" : "; the limit came before isolated trials"
            }
            outcome.findings.append(finding)
            outcome.examples.append(example)
            search.news(.found(finding))
        }
    }

    /// What had broken before anything was raced, each promise once: no offset decides it, so none is looked for. A plan that
    /// races it tells more.
    func reportSetup(_ chosen: some Sequence<Int>) async {
        for track in chosen {
            for promise in tracks[track].examples.keys.sorted()
            where !ambient.contains(promise) && !tracks[track].hasRaced(promise) {
                let plan = tracks[track].variant.schedule.plan
                guard !outcome.findings.contains(where: { $0.promise == promise }) else {
                    noteAlso(plan, promise)
                    continue
                }
                guard !tracks.contains(where: { $0.hasRaced(promise) }) else { continue }
                switch await confirmation(track, promise) {
                case .shown: break
                case .refuted:
                    keep(track, promise, isRefuted: true, goesOn: false)
                    continue
                case .open:
                    outcome.unfollowed.insert(RaceBaseline.Known(plan, promise))
                    continue
                }
                var finding = unrefined(track, promise)
                (finding.isOfSetup, finding.method) = (true, tracks[track].method)
                outcome.findings.append(finding)
                outcome.examples.append(tracks[track].examples[promise])
                search.news(.found(finding))
            }
        }
    }

    /// A breach that the limit kept from being looked into, each promise once: a finding where trials that had the service to
    /// themselves show it, the work of other trials where they speak against it, and else a doubt (`RaceOutcome.unfollowed`).
    func reportUnfollowed() async {
        guard outcome.end != .complete else { return }
        confirming = (
            outcome.trials + (search.terms.trialLimit ?? Self.confirmingTrials * 10) / 10,
            search.terms.timeLimit.map { search.clock() + $0 / 10 }
        )
        let seen = tracks.indices.flatMap { track in
            tracks[track].examples.keys.sorted().map { Suspicion(track: track, promise: $0) }
        }
        // Where it was raced before where it broke in setup.
        let isRaced = { [tracks] (one: Suspicion) in tracks[one.track].hasRaced(one.promise) }
        for suspicion in seen.filter(isRaced) + seen.filter({ !isRaced($0) })
        where !ambient.contains(suspicion.promise) {
            let (track, promise) = (suspicion.track, suspicion.promise)
            let plan = tracks[track].variant.schedule.plan
            guard !outcome.findings.contains(where: { $0.promise == promise }) else {
                noteAlso(plan, promise)
                continue
            }
            switch await confirmation(track, promise) {
            case .refuted: keep(track, promise, isRefuted: true, goesOn: false)
            case .open:
                outcome.unfollowed.insert(RaceBaseline.Known(plan, promise))
            case .shown:
                var finding = unrefined(track, promise)
                finding.method =
                    isAlone && tracks[track].samples.allSatisfy(\.isQuiet)
                    ? Self.isolatedOnly
                    : "\(tracks[track].method); the search ended before it was looked into"
                outcome.findings.append(finding)
                outcome.examples.append(tracks[track].examples[promise])
                search.news(.found(finding))
            }
        }
    }

    /// Where the search had no limit of trials.
    private static let confirmingTrials = 200

    private enum Confirmation { case shown, refuted, open }

    /// What trials that have the service to themselves say of a breach, with up to eight more of them.
    private func confirmation(_ track: Int, _ promise: Promise) async -> Confirmation {
        func isHit(_ sample: TrialSample) -> Bool {
            sample.breaches.contains { $0.promise == promise }
        }
        let isShown = tracks[track].samples.contains {
            ($0.isQuiet || arena.isolatesTrials) && isHit($0)
        }
        if isShown { return .shown }
        guard !isOver else { return .open }
        let points = curve(track, promise).points
        guard let most = points.max(by: { $0.rate.hits < $1.rate.hits }) else { return .open }
        let alone = await rate(at: most.offset, times: 8, in: .nobody, track, promise)
        if alone.hits > 0 { return .shown }
        let crowd = Plateau(points)?.rate ?? most.rate
        return alone.trials > 1 && alone.chance(against: crowd) < 0.05 ? .refuted : .open
    }

    // MARK: Deviations

    /// Broken by an answer that the protocol's pages do not allow.
    static let conformance = Promise(.conforms, .documented)

    /// Answers that the protocol's pages do not allow are reported with the offsets at which they came. Their window is not
    /// located: most come at any offset.
    func reportDeviations() {
        let promise = Self.conformance
        for track in tracks {
            guard let sentence = track.deviation else { continue }
            let plan = track.variant.schedule.plan
            guard !outcome.findings.contains(where: { $0.promise == promise }) else {
                noteAlso(plan, promise)
                continue
            }
            let finding = unrefined(
                track.variant, promise, track.deviations, sentence, method: track.method)
            outcome.findings.append(finding)
            outcome.examples.append(nil)
            search.news(.found(finding))
        }
    }
}
