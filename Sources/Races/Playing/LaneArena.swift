public import Checker
public import Devices
internal import Dispatch
public import Journal
public import Lanes
public import Rigs
internal import Synchronization

/// Executes schedules on lanes: over sockets several at once, in virtual time one after another on
/// each, for there waiting costs nothing. Each virtual lane has a service of its own, and schedules are
/// dealt out to them in turn, so that a seed repeats however fast each of them is. A third of the work of
/// a virtual trial would be clients that register: there all devices of a lane have one app between
/// them, while device, code and account are new for every trial.
public final class LaneArena: Arena {
    public struct Settings: Sendable {
        /// How long all but the last bytes of a request are given to arrive.
        public var ripening: Duration
        /// For how long a request may stand at the gate before its last byte: the service waits for it, and `target.timeout` runs.
        public var patience: Duration
        /// Trials at a time on each lane.
        public var atOnce: Int
        /// Trials that are set up together where their races go one at a time.
        public var batch: Int
        /// Between two such races, where one is not to show in the other.
        public var gap: Duration
        /// Between two such races otherwise.
        public var pause: Duration
        /// Before each trial, so that what the one before has left behind is forgotten.
        public var rest: Duration

        public init(
            ripening: Duration = .milliseconds(10), patience: Duration = .seconds(10),
            atOnce: Int = 24, batch: Int = 24,
            gap: Duration = .milliseconds(60), pause: Duration = .milliseconds(3),
            rest: Duration = .zero
        ) {
            self.ripening = ripening
            self.patience = patience
            self.atOnce = atOnce
            self.batch = batch
            self.gap = gap
            self.pause = pause
            self.rest = rest
        }

        /// Nothing takes time, and nothing disturbs anything.
        public static let virtual = Settings(
            ripening: .zero, patience: .seconds(3600), atOnce: 1, batch: 1, gap: .zero,
            pause: .zero, rest: .seconds(1))
    }

    private let lanes: [Lane]
    private let grounds: [DrivenGround]
    private let collectors: [OnLane<Collector>]
    private let plan: Plan
    private let judge: TrialJudge
    private let settings: Settings
    private let isVirtual: Bool
    /// One for each lane, where they are virtual.
    private let virtualQueues: [DispatchQueue]
    private let households = Atomic(0)
    private let isClosed = Atomic(false)
    private let isStopped = Atomic(false)
    private let running = DispatchGroup()

    /// The lanes belong to it from here on; live ones run until `close`. `plan` gives households
    /// without end (`Rig.racing`); `rules` are what trials are judged by.
    public init(
        _ lanes: [Lane], plan: Plan, terms: RunConfiguration, rules: Rules, isVirtual: Bool,
        settings: Settings = Settings()
    ) {
        self.lanes = lanes
        self.plan = plan
        self.settings = settings
        self.isVirtual = isVirtual
        virtualQueues = (isVirtual ? lanes : []).map { lane in
            DispatchQueue(
                label: "screenrig.race.virtual.\(lane.index)", qos: .userInteractive)
        }
        judge = TrialJudge(rules: rules)
        grounds = lanes.map { lane in
            DrivenGround(plan, terms: terms, lane: lane, sharesApp: isVirtual)
        }
        collectors = lanes.map { Collector.watch($0) }
        guard !isVirtual else { return }
        for (position, lane) in lanes.enumerated() {
            DispatchQueue(label: "screenrig.race.\(position)", qos: .userInteractive)
                .async(group: running) { [self] in
                    lane.run { isClosed.load(ordering: .acquiring) }
                }
        }
    }

    public func play(_ schedules: [Schedule]) async -> [TrialResult] {
        await play(schedules, in: .crowd)
    }

    public func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
        guard company != .crowd, !isVirtual else {
            return await perform(schedules, on: lanes.indices, atOnce: settings.atOnce)
        }
        let gap = company == .nobody ? settings.gap : settings.pause
        var results: [TrialResult] = []
        var rest = schedules[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(settings.batch))
            rest = rest.dropFirst(batch.count)
            let lane = lanes[0]
            let trialSerializer = OnLane(
                TrialSerializer(lane, expected: batch.count, gap: gap), lane)
            let turns = company == .nobody ? OnLane(Turns(lane, gap: gap), lane) : nil
            results += await perform(
                batch, on: 0..<1, atOnce: batch.count, trialSerializer, turns)
        }
        return results
    }

    public var isolatesTrials: Bool { isVirtual }

    /// Ends what is under way, and everything that is asked for from here on. From any thread.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        for lane in lanes { lane.stop(at: .start) }
    }

    /// What each lane is at. From any thread.
    public var turns: [LaneTurn] { lanes.map(\.turn) }

    /// Ends the lanes, once nothing is under way.
    public func close() async {
        isClosed.store(true, ordering: .releasing)
        for lane in lanes { lane.post {} }
        guard !isVirtual else { return }
        await withCheckedContinuation { done in
            running.notify(queue: .global()) { done.resume() }
        }
    }

    // MARK: Performing

    private func perform(
        _ schedules: [Schedule], on chosen: Range<Int>, atOnce: Int,
        _ trialSerializer: OnLane<TrialSerializer>? = nil, _ turns: OnLane<Turns>? = nil
    ) async -> [TrialResult] {
        guard !schedules.isEmpty else { return [] }
        if isStopped.load(ordering: .acquiring) {
            return schedules.map { TrialResult(schedule: $0, discarded: .stopped) }
        }
        let job = TrialJob(
            schedules, firstHousehold: takeHouseholds(schedules),
            shares: isVirtual ? lanes.count : 1)
        for number in chosen {
            let lane = lanes[number]
            let begin: @Sendable () -> Void = { [self] in
                for _ in 0..<min(atOnce, schedules.count) {
                    lane.start { await self.work(job, number, trialSerializer, turns) }
                }
            }
            isVirtual ? begin() : lane.post(begin)
        }
        if isVirtual {
            // In virtual time one trial is over before the next begins: none has namesakes.
            await runVirtually()
            return job.results.map { $0.0 }
        }
        await job.wait()
        // Judging would make a lane late that others race on.
        let results = job.results
        let sharedCodes = SharedCodes(results.map { $0.1.map(\.exchange) }).others
        return results.enumerated().map { number, played in
            judged(played.0, played.1, besides: sharedCodes[number] ?? [])
        }
    }

    /// The first of as many numbers as the schedules have living rooms: none is used twice.
    private func takeHouseholds(_ schedules: [Schedule]) -> Int {
        let wanted = schedules.reduce(0) { $0 + $1.rooms }
        return households.add(wanted, ordering: .relaxed).oldValue
    }

    /// Blocks threads, so none of the concurrency pool.
    private func runVirtually() async {
        let all = DispatchGroup()
        for (lane, queue) in zip(lanes, virtualQueues) {
            queue.async(group: all) { lane.run { true } }
        }
        await withCheckedContinuation { done in
            all.notify(queue: .global(qos: .userInteractive)) { done.resume() }
        }
    }

    /// One of those on a lane that play what is left to play.
    private func work(
        _ job: TrialJob, _ number: Int, _ trialSerializer: OnLane<TrialSerializer>?,
        _ turns: OnLane<Turns>?
    ) async {
        while let (position, first) = job.take(isVirtual ? number : 0) {
            let schedule = job.schedules[position]
            func trial(from first: Int, mayRehearse: Bool = false) -> TrialRun {
                let plans = (first..<first + schedule.rooms).compactMap { plan.household($0) }
                return TrialRun(
                    schedule, job.outlines[position], plans: plans, on: grounds[number],
                    ripening: settings.ripening, patience: settings.patience, rest: settings.rest,
                    visibility: judge.rules.policies.visibility,
                    trialSerializer: trialSerializer, turns: turns, mayRehearse: mayRehearse)
            }
            let performance = trial(from: first, mayRehearse: true)
            var result = await performance.play()
            if await performance.isRehearsal {
                _ = collectors[number].value.take(result.households)
                result = await trial(from: takeHouseholds([schedule])).play()
            }
            let sent = collectors[number].value.take(result.households)
            if isVirtual {
                job.put(judged(result, sent, besides: []), [], at: position)
            } else {
                job.put(result, sent, at: position)
            }
        }
    }

    private func judged(
        _ result: TrialResult, _ sent: [Collector.Sent], besides others: [Exchange] = []
    ) -> TrialResult {
        var result = result
        result.exchanges = sent.map(\.exchange)
        if result.discarded == nil {
            (result.breaches, result.deviations) = judge.judge(
                result.exchanges, of: result, besides: others)
            if result.breaches.isEmpty { result.discarded = result.unread ?? result.failure }
        }
        if !result.breaches.isEmpty { result.requests = sent.map(\.request) }
        return result
    }
}

/// Trials that are to be played, and what became of them. From any thread.
private final class TrialJob: Sendable {
    private struct TrialProgress {
        /// Rounds of which each share has had its schedule.
        var rounds: [Int]
        var results: [(TrialResult, [Collector.Sent])?]
        var left: Int
    }
    let schedules: [Schedule]
    let outlines: [TrialOutline]
    private let shares: Int
    /// The number of each one's first living room.
    private let households: [Int]
    private let progress: Mutex<TrialProgress>
    private let group = DispatchGroup()

    /// `shares`: each round deals one schedule to each of so many, and begins with the next of them: variants of a plan
    /// alternate, and no share may get all of the slowest. With one share, whoever asks has the next.
    ///
    /// ```text
    /// share 0   0  7 10 13     four variants, of which 0 4 8 12 are one
    /// share 1   1  4 11 14
    /// share 2   2  5  8 15
    /// share 3   3  6  9 12
    /// ```
    init(_ schedules: [Schedule], firstHousehold: Int, shares: Int) {
        self.schedules = schedules
        outlines = TrialOutline.outlines(of: schedules)
        self.shares = shares
        var households: [Int] = []
        var next = firstHousehold
        for schedule in schedules {
            households.append(next)
            next += schedule.rooms
        }
        self.households = households
        progress = Mutex(
            TrialProgress(
                rounds: Array(repeating: 0, count: shares),
                results: Array(repeating: nil, count: schedules.count),
                left: schedules.count))
        group.enter()
    }

    func take(_ share: Int) -> (position: Int, firstHousehold: Int)? {
        let round = progress.withLock { progress in
            defer { progress.rounds[share] += 1 }
            return progress.rounds[share]
        }
        let turn = (share - round % shares + shares) % shares
        let position = round * shares + turn
        return position < schedules.count ? (position, households[position]) : nil
    }

    func put(_ result: TrialResult, _ sent: [Collector.Sent], at position: Int) {
        let isLast = progress.withLock { progress in
            progress.results[position] = (result, sent)
            progress.left -= 1
            return progress.left == 0
        }
        if isLast { group.leave() }
    }

    func wait() async {
        await withCheckedContinuation { done in
            group.notify(queue: .global()) { done.resume() }
        }
    }

    var results: [(TrialResult, [Collector.Sent])] {
        progress.withLock { $0.results.compactMap { $0 } }
    }
}

extension Schedule {
    /// Living rooms that it takes.
    var rooms: Int { (actors.map(\.household).max() ?? -1) + 1 }
}
