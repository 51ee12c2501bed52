internal import Journal
internal import Rigs
internal import Vocabulary

/// A search under way.
final class RaceSearcher {
    let search: RaceSearch
    let arena: any Arena
    var outcome = RaceOutcome()
    /// What is swept: every variant of every plan, and what stress and orders add.
    var tracks: [Candidate]
    var isAlone = false
    private var gateErrors: [Duration] = []
    /// Of trials that raced alone: what edges are measured with.
    private var quietErrors: [Duration] = []
    /// What was seen among other trials, and by no trial alone.
    var forgotten: [Forgotten] = []
    /// Inconclusive trials since the last conclusive one.
    var lostInARow: [Lost] = []
    /// When the last request went without an answer.
    private var unanswered = Instant.start
    /// What isolated trials broke as well: the others are not the cause.
    private var cleared: Set<RaceBaseline.Known> = []
    /// The limits of what follows the search: promises not looked into are tried again, for a tenth of the search's own limits.
    var confirming: (trials: Int, time: Duration?)?
    /// Hits of these come from other trials near in time.
    var ambient: Set<Promise> = []

    /// A variant and everything that was seen of it.
    struct Candidate: Sendable {
        var variant: RacePlan.Variant
        var method = "sweep"
        var samples: [TrialSample] = []
        var rounds = 0
        /// Trials of it, and those that told nothing, with the reason of the first.
        var trials = 0
        var discarded = 0
        /// Rounds of which at least half of the trials were conclusive, and the counts before the current round.
        var conclusiveRounds = 0
        var trialsBefore = 0
        var discardedBefore = 0
        var reason = ""
        /// A trial showed that what was done took effect, or that something broke; or nothing is done that shows.
        var hasEffect = false
        /// What took no effect in the last trial of which that can be told.
        var withoutEffect = ""
        /// Of the discarded ones, those that the end of the search stopped.
        var stopped = 0
        /// The first trial that broke each promise, and when it was seen.
        var examples: [Promise: TrialResult] = [:]
        var seen: [Promise: Duration] = [:]
        /// Over the offset, trials with an answer that the protocol's pages do not allow, and what the first such was.
        var deviations = Curve()
        var deviation: String?

        mutating func note(_ result: TrialResult, _ sample: TrialSample?, at instant: Duration) {
            trials += 1
            guard let sample else {
                discarded += 1
                if result.discarded == .stopped { stopped += 1 }
                if reason.isEmpty { reason = result.reasonOfDiscard }
                return
            }
            samples.append(sample)
            if !hasEffect {
                withoutEffect = sample.breaches.isEmpty ? result.withoutEffect ?? "" : ""
                hasEffect = withoutEffect.isEmpty
            }
            let isDeviant = result.deviation != nil
            deviations.add(sample.offset, isDeviant ? .hit : .miss)
            if isDeviant, deviation == nil {
                deviation = result.deviation
                seen[RaceSearcher.conformance] = instant
            }
            for breach in result.breaches where examples[breach.promise] == nil {
                examples[breach.promise] = result
                seen[breach.promise] = seen[breach.promise] ?? instant
            }
        }

        /// A round counts only if at least half of its trials were conclusive: otherwise the service was down.
        mutating func endRound() {
            rounds += 1
            if 2 * (discarded - discardedBefore) <= trials - trialsBefore { conclusiveRounds += 1 }
            (trialsBefore, discardedBefore) = (trials, discarded)
        }

        /// Whether a trial broke it by what was raced, or after that.
        func hasRaced(_ promise: Promise) -> Bool {
            samples.contains {
                $0.breaches.contains { $0.promise == promise && !$0.isOfSetup }
            }
        }

        /// A whole round told nothing: the target has not what it needs.
        var isUnplayable: Bool { rounds > 0 && discarded == trials && trials > 4 }

        /// Why no trial of it says anything; empty where some do, or too few were played.
        var obstacle: String {
            if isUnplayable { return reason }
            guard !hasEffect, samples.count >= RaceOutcome.gone else { return "" }
            return "\(withoutEffect) in any of \(samples.count) trials"
        }
    }

    init(_ search: RaceSearch, _ arena: any Arena) {
        self.search = search
        self.arena = arena
        tracks = search.plans.flatMap(\.variants).map { Candidate(variant: $0) }
    }

    func run() async {
        for round in 0..<search.terms.perOffset where !isOver {
            await sweep(round)
        }
        outcome.sweeps = tracks.map { track in
            RaceOutcome.Sweep(track, isWhole: track.conclusiveRounds >= search.terms.perOffset)
        }
        if search.exploresOrders { await explore() }
        await reportSetup(tracks.indices)
        await reportUnfollowed()
        reportForgotten()
        outcome.unfollowed = outcome.unfollowed.filter { known in
            !outcome.found.contains { $0.invariant == known.invariant && $0.plan == known.plan }
        }
        outcome.cutShort = tracks.reduce(0) { $0 + $1.stopped }
        reportDeviations()
        putDocumentedFirst()
        outcome.seen = Set(
            tracks.flatMap { track in
                track.examples.keys.map { RaceBaseline.Known(track.variant.schedule.plan, $0) }
            } + forgotten.map { RaceBaseline.Known($0.finding.plan, $0.finding.promise) })
        // A plan that cannot be played here, or one offset at which the service fails, says nothing of the rest.
        let lost = lostInARow.filter { tracks[$0.track].discarded < tracks[$0.track].trials }
        if Set(lost.map(\.offset)).count > 1 {
            outcome.lostAtEnd = lost.last.map { (lost.count, $0.reason) }
        }
        outcome.elapsed = search.clock()
        outcome.gate = RaceFinding.Quantiles(gateErrors)
        outcome.isAlone = isAlone
    }

    // MARK: Playing

    /// Whether time or trials are used up, the service is gone, or somebody wants it to end.
    var isOver: Bool {
        if search.isInterrupted() {
            outcome.end = .interrupted
        } else if isSilent {
            outcome.end = .noAnswer
        } else if outcome.trials >= trialLimit {
            outcome.end = .trials
            outcome.isShortened = trialLimit < search.terms.trials ?? 0
        } else if let limit = timeLimit, search.clock() >= limit {
            outcome.end = .time
            outcome.isShortened = limit < search.terms.time ?? .zero
        } else {
            return false
        }
        return true
    }

    /// A service that is restarted may be back: of a long search a minute is waited for that.
    private var isSilent: Bool {
        let patience = max(
            .seconds(10), min(.seconds(60), (search.terms.timeLimit ?? .seconds(600)) / 10))
        return outcome.silentTrials >= RaceOutcome.gone
            && unanswered - outcome.lastAnswer >= patience
    }

    private func listen(to result: TrialResult) {
        guard result.discarded != .stopped else { return }
        var (answered, ended): (Instant?, Instant?)
        // The provider's pages may come from elsewhere.
        for exchange in result.exchanges where exchange.operation != .mvpdLogin {
            ended = max(ended ?? .start, exchange.ended)
            if exchange.delivery.status != nil {
                answered = max(answered ?? .start, exchange.ended)
            }
        }
        if let answered { outcome.lastAnswer = max(outcome.lastAnswer, answered) }
        if result.discarded == nil || answered != nil {
            outcome.silentTrials = 0
        } else {
            outcome.silentTrials += 1
            unanswered = max(unanswered, ended ?? unanswered)
        }
    }

    /// Of what was given, a quarter is kept for the case of what was found.
    var trialLimit: Int {
        if let confirming { return confirming.trials }
        guard let given = search.terms.trials else { return search.terms.trialLimit ?? .max }
        return outcome.findings.isEmpty ? given : given * 3 / 4
    }
    private var timeLimit: Duration? {
        if let confirming { return confirming.time }
        guard let given = search.terms.time else { return search.terms.timeLimit }
        return outcome.findings.isEmpty ? given : given * 3 / 4
    }

    /// Plays one track at several offsets and remembers what was seen; the samples, nil where a
    /// trial said nothing.
    @discardableResult
    func play(
        _ aims: [(track: Int, offset: Duration)], in company: Isolation = .crowd
    ) async -> [TrialSample?] {
        let schedules = aims.map { tracks[$0.track].variant.at($0.offset) }
        let left = max(0, trialLimit - outcome.trials)
        let results = await arena.play(
            Array(schedules.prefix(left)), in: isAlone ? .nobody : company)
        var seen: [TrialSample?] = []
        for (aim, result) in zip(aims, results) {
            outcome.trials += 1
            listen(to: result)
            outcome.users.add(result)
            let sample = take(result, aim, isQuiet: isAlone || company != .crowd)
            tracks[aim.track].note(result, sample, at: search.clock())
            if sample != nil { lostInARow = [] }
            if result.discarded?.isOfService ?? false {
                lostInARow.append(
                    Lost(
                        track: aim.track, offset: aim.offset, reason: result.reasonOfDiscard))
            }
            seen.append(sample)
        }
        search.news(.trials(outcome.trials, discarded: outcome.discards))
        return seen + Array(repeating: nil, count: aims.count - seen.count)
    }

    private func take(
        _ result: TrialResult, _ aim: (track: Int, offset: Duration), isQuiet: Bool
    ) -> TrialSample? {
        if result.discarded != nil {
            note(result.reasonOfDiscard)
            return nil
        }
        let swept = tracks[aim.track].variant.swept
        guard let offset = result[release: swept]?.offset else { return nil }
        let error = offset - aim.offset
        gateErrors.append(error.magnitude)
        if isQuiet, let error = gateErrors.last { quietErrors.append(error) }
        return TrialSample(result, swept: swept, offset: offset, isQuiet: isQuiet)
    }

    private func note(_ reason: String) {
        if let known = outcome.discarded.firstIndex(where: { $0.reason == reason }) {
            outcome.discarded[known].count += 1
        } else {
            outcome.discarded.append((reason, 1))
        }
    }

    /// The ninetieth percentile of what the gate was off by, or what was measured before.
    var gateError: Duration {
        max(search.gateError, RaceFinding.Quantiles(gateErrors)?.p90 ?? .zero)
    }

    /// How finely edges can be told: every trial's offset is known, so that the usual error counts and
    /// not the worst.
    var resolution: Duration {
        max(search.gateError, RaceFinding.Quantiles(quietErrors)?.p50 ?? .zero)
    }

    // MARK: The coarse sweep

    /// How many tracks are swept at a time: enough to keep an arena busy.
    private static let together = 3

    private func sweep(_ round: Int) async {
        let grid = Curve.grid(search.terms.offsets, isShifted: round % 2 == 1)
        var waiting = tracks.indices.filter { !tracks[$0].isUnplayable }[...]
        while !waiting.isEmpty, !isOver {
            let chosen = Array(waiting.prefix(Self.together))
            waiting = waiting.dropFirst(chosen.count)
            let names = chosen.map { tracks[$0].variant.title }.joined(separator: "; ")
            search.news(
                .phase("\(names): sweep, round \(round + 1) of \(search.terms.perOffset)"))
            let aims = chosen.flatMap { track in grid.map { (track, $0) } }
            let before = outcome.trials
            let stopped = chosen.reduce(0) { $0 + tracks[$1].stopped }
            await play(aims)
            // A round that a limit cut short does not count: its trials are no evidence about the target.
            guard outcome.trials - before == aims.count,
                chosen.reduce(0, { $0 + tracks[$1].stopped }) == stopped
            else { break }
            for track in chosen { tracks[track].endRound() }
        }
        await lookInto(Array(tracks.indices), isLast: round + 1 == search.terms.perOffset)
    }

    /// Follows up what was seen: each broken promise where it shows most, for others show less of the
    /// same.
    func lookInto(_ chosen: [Int], isLast: Bool) async {
        var tried: Set<Suspicion> = []
        while !isOver, let suspicion = suspicion(chosen, besides: tried, isLast: isLast) {
            let isFamiliar = outcome.findings.contains { $0.promise == suspicion.promise }
            if !isFamiliar, let track = documentedOnce(chosen, before: suspicion.promise) {
                await sweepOnce(track)
                continue
            }
            if !isFamiliar || isNearlyAnywhere(suspicion.track, suspicion.promise),
                await isOthersDoing(suspicion)
            {
                await goAlone(
                    chosen, forgetting: suspicion.promise,
                    because: "hits do not occur in isolated trials")
                continue
            }
            if isFamiliar {
                tried.insert(suspicion)
                noteAlso(
                    tracks[suspicion.track].variant.schedule.plan, suspicion.promise)
                continue
            }
            tried.insert(suspicion)
            if let finding = await refine(
                suspicion.track, suspicion.promise, among: chosen)
            {
                outcome.findings.append(finding)
                outcome.examples.append(tracks[suspicion.track].examples[suspicion.promise])
                search.news(.found(finding))
            }
        }
        if isLast { await reportSetup(chosen) }
    }

    /// A trial that is inconclusive because of the service, or the network on the way to it.
    struct Lost {
        var track: Int
        var offset: Duration
        var reason: String
    }

    struct Suspicion: Hashable {
        var track: Int
        var promise: Promise
    }

    /// The promise broken over the widest range of offsets, and where, if that is no accident yet to be
    /// waited for; what is documented before what is not. On a log grid a hit stands for a stretch as long as
    /// it is far out: by their number a promise that breaks within a millisecond of zero would outweigh one
    /// that breaks for thirty.
    private func suspicion(
        _ chosen: [Int], besides tried: Set<Suspicion>, isLast: Bool
    ) -> Suspicion? {
        var best: (suspicion: Suspicion, weight: (Int, Duration))?
        for track in chosen {
            var seen: [Promise: (hits: Int, range: Duration)] = [:]
            for sample in tracks[track].samples {
                for breach in sample.breaches where !breach.isOfSetup {
                    seen[breach.promise, default: (0, .zero)].hits += 1
                    seen[breach.promise]?.range += max(
                        sample.offset.magnitude, Curve.step)
                }
            }
            for (promise, shown) in seen.sorted(by: { $0.key < $1.key }) {
                let suspicion = Suspicion(track: track, promise: promise)
                guard !tried.contains(suspicion), !ambient.contains(promise) || isAlone,
                    shown.hits >= 2 || isLast
                else { continue }
                let weight = (-promise.source.rank, shown.range)
                if weight > best?.weight ?? (-1, .zero) { best = (suspicion, weight) }
            }
        }
        return best?.suspicion
    }

    /// A track that one trial has shown to break what is documented, where it may be swept again: before what is not is
    /// looked into, which may take all the time there is.
    private func documentedOnce(_ chosen: [Int], before promise: Promise) -> Int? {
        guard promise.source != .documented else { return nil }
        return chosen.first { track in
            tracks[track].rounds < search.terms.perOffset && !tracks[track].isUnplayable
                && tracks[track].examples.keys.contains { known in
                    known.source == .documented && tracks[track].hasRaced(known)
                        && (isAlone || !ambient.contains(known))
                        && !outcome.findings.contains { $0.promise == known }
                }
        }
    }

    func noteAlso(_ plan: String, _ promise: Promise) {
        let isKnown =
            outcome.findings.contains { $0.plan == plan && $0.promise == promise }
            || outcome.alsoIn.contains { $0.plan == plan && $0.promise == promise }
        if !isKnown { outcome.alsoIn.append((plan, promise)) }
    }

    // MARK: Curves

    /// Hits of a promise over the offset, among the trials that can tell (`BreachPattern`).
    func curve(_ track: Int, _ promise: Promise) -> Curve {
        let pattern = pattern(track, promise)
        var curve = Curve()
        for sample in tracks[track].samples {
            curve.add(sample.offset, pattern.reading(of: sample))
        }
        return curve
    }

    /// What a breach of a promise looks like in a track, by what has been seen so far.
    func pattern(_ track: Int, _ promise: Promise) -> BreachPattern {
        BreachPattern(promise, in: tracks[track].samples)
    }

    /// What the judge says of the first breach.
    func sentence(_ track: Int, _ promise: Promise) -> String {
        tracks[track].samples.lazy.flatMap(\.breaches).first { $0.promise == promise }?.sentence
            ?? ""
    }

    /// Hits at an outermost offset, and far out on the other side as well: it makes no difference when,
    /// or other trials are the cause. A window that is merely open keeps to its side.
    private func isNearlyAnywhere(_ track: Int, _ promise: Promise) -> Bool {
        let points = curve(track, promise).points
        guard points.count > 4 else { return false }
        func hits(_ points: some Sequence<RaceFinding.CurvePoint>) -> Bool {
            points.contains { $0.rate.hits > 0 }
        }
        let third = points.count / 3
        return hits(points.prefix(2)) && hits(points.suffix(third))
            || hits(points.suffix(2)) && hits(points.prefix(third))
    }

    /// Hits that are the doing of other trials are gone when a trial has the service to itself. Where they come at
    /// an end of the offsets, or at both, isolated trials must show them at each: a window that is open there does, and so does what
    /// breaks whenever it is tried. Elsewhere they are tried for in the middle of where they came, more often, for
    /// they may be luck.
    private func isOthersDoing(_ suspicion: Suspicion) async -> Bool {
        let points = curve(suspicion.track, suspicion.promise).points
        let known = RaceBaseline.Known(
            tracks[suspicion.track].variant.schedule.plan, suspicion.promise)
        guard !isAlone, !arena.isolatesTrials, !cleared.contains(known), points.count > 4,
            let plateau = Plateau(points)
        else { return false }
        func alone(at offset: Duration, times: Int) async -> HitRate {
            await rate(
                at: offset, times: times, in: .nobody, suspicion.track, suspicion.promise)
        }
        let ends = [points.prefix(2), points.suffix(2)].compactMap { end in
            end.first { $0.rate.hits > 0 }
        }
        for end in ends {
            let seen = await alone(at: end.offset, times: 4)
            if seen.trials > 1, seen.hits == 0 { return true }
        }
        if ends.isEmpty {
            let seen = await alone(at: plateau.middle, times: 8)
            if seen.trials > 1, seen.hits == 0, seen.chance(against: plateau.rate) < 0.05 {
                return true
            }
        }
        cleared.insert(known)
        return false
    }

    /// From here on one trial at a time. All that was seen of tracks that broke `promise`, or hit nearly
    /// anywhere, is forgotten, and they are swept again: which promise it is may have been of the others'
    /// making as well.
    func goAlone(
        _ chosen: [Int], forgetting promise: Promise, because reason: String
    ) async {
        isAlone = true
        search.news(
            .phase(
                "\(reason): trials now run one at a time, so that they do not disturb each "
                    + "other"))
        let blurred = chosen.filter { track in
            let promises = Set(tracks[track].samples.flatMap(\.breaches).map(\.promise))
            return promises.contains(promise)
                || promises.contains { isNearlyAnywhere(track, $0) }
        }
        // Also where the limit leaves no time for new ones.
        for track in blurred {
            let promises = Set(tracks[track].samples.flatMap(\.breaches).map(\.promise))
            for own in promises.sorted() { keep(track, own, isRefuted: own == promise) }
            tracks[track].samples = []
            tracks[track].examples = [:]
            (tracks[track].rounds, tracks[track].conclusiveRounds) = (0, 0)
        }
        for track in blurred {
            for _ in 0..<2 where !isOver { await sweepOnce(track) }
        }
    }

    /// Tracks from this one on are about to be removed.
    func removeTracks(from first: Int) {
        tracks.removeLast(tracks.count - first)
        lostInARow.removeAll { $0.track >= first }
        for number in forgotten.indices where forgotten[number].track ?? 0 >= first {
            forgotten[number].track = nil
        }
    }

    /// When a trial, of whatever track, first broke it.
    func firstSeen(_ promise: Promise) -> Duration {
        tracks.compactMap { $0.seen[promise] }.min() ?? search.clock()
    }

    /// What fails most runs leads the report.
    private func putDocumentedFirst() {
        let order = outcome.findings.indices.sorted {
            (outcome.findings[$0].source.rank, $0) < (outcome.findings[$1].source.rank, $1)
        }
        outcome.findings = order.map { outcome.findings[$0] }
        outcome.examples = order.map { outcome.examples[$0] }
    }

    /// One round over one track's offsets, every other one half a step further out.
    func sweepOnce(_ track: Int) async {
        let grid = Curve.grid(search.terms.offsets, isShifted: tracks[track].rounds % 2 == 1)
        let before = outcome.trials
        await play(grid.map { (track, $0) })
        if outcome.trials - before == grid.count { tracks[track].endRound() }
    }

    func noteAmbient(_ promise: Promise) { ambient.insert(promise) }
}
