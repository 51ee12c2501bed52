public import Checker
internal import Dialects
internal import Formats
public import Journal
package import Rendering
public import Rigs
internal import Statistics
internal import Vocabulary

/// All numbers and texts that a renderer needs: renderers print, they compute nothing.
public struct Summary: Sendable, Hashable {
    public var run: Run
    public var outcome: RunOutcome
    public var exitStatus: ExitStatus
    /// The verdict in a sentence that needs no knowledge of the rig.
    public var headline: String
    /// What the headline rests on, the most important first, in words for a user.
    public var explanations: [String]
    public var households: Households
    public var exchanges: Exchanges
    /// Operations that occurred, in the order of `screenrig list`.
    public var operations: [OperationRow]
    /// Code shown → token seen by the TV.
    public var signIn: Spread?
    /// The same less the viewer's own time.
    public var signInService: Spread?
    /// The sign-in's last response at the phone → first poll that saw the token.
    public var tokenVisibility: Spread?
    public var signInBins: Bins?
    /// By which paths households signed in.
    public var signOns: SignOns
    /// All households first, then by kind where there are several.
    public var funnels: [Funnel]
    public var losses: [Loss]
    /// Households by kind, in the rig's order.
    public var kinds: [KindRow]
    /// Households by provider; none where nobody names one.
    public var providers: [ProviderRow]
    /// What the service throttled; nil in histories from before it was kept.
    public var throttling: ThrottlingSummary?
    /// What the service had to bear at worst; nil where nothing was sent.
    public var serviceLoad: ServiceLoad?
    /// What happened before the load; nil where nothing did.
    public var preparation: PreparationSummary?
    /// What happened to the service or the load meanwhile.
    public var events: [EventRow]
    public var course: Course
    /// Latency of all requests over time.
    public var heat: HeatMap?
    /// Seconds for each value of a row's `trend`.
    public var trendWidth: Int
    /// The load as the rig wrote it.
    public var stages: [LoadStage]
    /// The households whose sign-in cost the service most time; none where no single exchanges were
    /// kept.
    public var slowest: [Waterfall]
    public var errors: [ErrorRow]
    public var rigHealth: RigHealth
    /// `the service stopped responding at second 4: ...`; nil where it did not, for good.
    public var outage: String?
    public var thresholds: [ThresholdResult]
    /// What the rig says that its runs show, and whether this one did.
    public var shows: [HistoryCheckResult]
    /// `register-client answered 400 invalid_software_statement in 20 of 20`: the first thing that
    /// went wrong; nil when nothing did.
    public var firstFailure: String?
    /// When the service did not answer, as sentences.
    public var interruptions: [String]
    /// That contradicting responses share a request id, as a sentence; nil where they do not.
    var storedResponses: String?
    /// Promises about what only `clean-up` did in this run.
    var cleanUpOnly: Set<Invariant>
    /// What the judge found; nil where nothing was judged.
    public var findings: Findings?
    /// Breaches that fail no run, because nobody promised it.
    public var observations: [ObservedPromise] { findings?.observations ?? [] }
    /// The first violations with what helps to find them in the service's logs.
    public var violations: [ViolationRow]
    /// Names of cases in `cases/`, by the signature of their violation; nil where the reports stand
    /// alone, without a run directory around them.
    public var cases: [String: String]?
    /// Files of this report that could not be written.
    public var unwritten: Set<String> = []
    /// Households that have a page in `households/`; nil where the reports stand alone.
    public var traces: Set<Int>?
    /// `none of 3 households signed in: ...`; nil where one did, or where none was meant to.
    public var noSignIn: String?
    /// Steps that most signed-in households did not reach, and why, for the end of a headline; nil where most did.
    var unreached: String?
    /// Why the run ended before its plan, where the breaker or a threshold with `abort: true` ended it.
    package var stoppedEarly: String?
    /// What changed since the last comparable run, as a section of the page; nil where there is none.
    package var changes: HTML?
    /// The last comparable run, for charts to show beside this one; nil where there is none.
    public var earlier: EarlierRun?
    /// The shards that were merged, by number and attempt; none for a single process.
    public var shards: [MergedShard]
    /// How evenly they started; nil where there are none.
    public var startSkew: StartSkew?
    /// What of the plan a merge did not see, or saw twice, a sentence each.
    public var mergeGaps: [String]
    /// What a reader must know about the record: cut short, sampled, lost.
    public var notes: [String]
    /// Of these, what the rig or its accounts file may have wrong: ends of logins that nothing confirmed, users of the file
    /// that are not those of the service.
    var rigNotes: [String]

    /// The facts about a run that no measurement changes.
    public struct Run: Sendable, Hashable {
        /// The name of its directory.
        public var id: String
        /// `RunID`: what `X-Screenrig` begins with. Empty in histories from before it was kept.
        public var runID: String
        public var rig: String
        /// The rig file as resolved, without secrets.
        public var source: String
        public var seed: UInt64
        /// UTC, ISO 8601.
        public var started: String
        public var seconds: Double
        public var target: String
        /// `adobe-pass-v1`; of several `adobe-pass-v1+adobe-pass-v2`.
        public var protocolName: String
        /// The same, one by one.
        public var protocols: [String]
        public var interrupted: Bool
        /// The record ends without a word of how the run ended.
        public var cutShort: Bool
        public var isVirtual: Bool
        public var lanes: Int
        public var load: String
        /// What the service was held to, a line each: `code-reuse: single`.
        public var policies: [String]
        public var version: String
        public var historyHash: String
        /// Which part of the plan it was; nil where it was not split.
        public var shard: ShardRow?
    }

    /// How many households came how far.
    public struct Households: Sendable, Hashable {
        /// Nil when it depends on how fast households live.
        public var planned: Int?
        public var started: Int
        /// Whose TV saw a token of their own sign-in, or was signed in on arrival, whatever came after.
        public var signedIn: Int
        /// Signed in on arrival: counted under both.
        public var preSignedIn: Int
        public var failed: Int
        /// Failed, and had signed in: counted under both.
        public var failedLater: Int
        /// Told at least once that the account may not watch what it asked for; no failure.
        public var notEntitled: Int
        public var abandoned: Int
        /// Of those, the ones that the rig did not draw and that no end of the run cut off.
        public var abandonedByService: Int
        /// Of those, the ones that their people left, as the rig drew it.
        public var abandonedByViewer: Int
        /// Of those, the ones that were under way when the run ended.
        public var abandonedByRun: Int
        /// Still under way when the record ended.
        public var running: Int
        /// Of those, the ones that had signed in: counted under both.
        public var runningSignedIn: Int
    }

    /// All exchanges together.
    public struct Exchanges: Sendable, Hashable {
        public var sent: Int
        public var completed: Int
        public var errors: Int
        /// Answers per second of the whole run.
        public var perSecond: Double
    }

    /// Folds a history; `thresholds` are those of its rig, parsed.
    public init(
        _ history: some Recorded, thresholds: [Threshold], findings: Findings? = nil
    ) throws {
        self.init(try RunFold(history, findings), thresholds: thresholds)
    }

    package init(_ fold: RunFold, thresholds: [Threshold]) {
        findings = fold.findings
        violations = fold.violations
        run = Run(fold)
        households = Households(fold)
        exchanges = Exchanges(fold)
        operations = fold.operations.map { OperationRow($0, fold) }
        let all = fold.population.all
        signIn = Spread(all.signIn)
        signInService = Spread(all.signInService)
        tokenVisibility = Spread(all.tokenVisibility)
        signInBins = Bins(all.signIn)
        signOns = fold.population.signOns.result
        funnels = fold.population.funnels(kinds: fold.header.kinds)
        losses = fold.population.losses(kinds: fold.header.kinds)
        kinds = KindRow.rows(fold)
        providers = fold.population.providers
        throttling = fold.population.throttling.result(judging: fold.header.judging)
        serviceLoad = ServiceLoad(fold)
        preparation = fold.preparation
        events = fold.runEvents
        course = Course(fold)
        let (columns, width) = fold.timeline.latencies(limit: 120, through: fold.seconds)
        heat = HeatMap(columns, width: width)
        trendWidth = fold.timeline.trendWidth
        stages = LoadStage.stages(of: fold.header)
        slowest = fold.slowest
        let whole = fold.sum()
        let rows = fold.errors.enumerated().map { position, group in
            ErrorRow(
                group, of: fold.sum(group.operation), beside: whole, utc: fold.utc,
                talk: fold.talks[position],
                links: fold.errorLinks[position] ?? [])
        }
        errors = rows
        rigHealth = RigHealth(fold)
        outage = fold.silence.flatMap { $0.isOutage ? $0.sentence : nil }
        self.thresholds = thresholds.map { ThresholdResult($0, fold) }
        if !fold.header.isVirtual {
            rigHealth.add(
                LateThresholds(thresholds, self.thresholds, lateness: fold.sum().lateness))
        }
        shows = fold.shows
        firstFailure = fold.errors.indices.min {
            (fold.errors[$0].first, fold.errors[$0].operation)
                < (fold.errors[$1].first, fold.errors[$1].operation)
        }.map { rows[$0].sentence }
        interruptions = Interruption.sentences(fold)
        cleanUpOnly = fold.rig?.cleanUpOnly ?? []
        storedResponses = Self.storedResponses(fold.violations)
        shards = fold.shards
        startSkew = StartSkew(fold.shards)
        mergeGaps = (fold.merge?.gaps ?? []).map { Sanitizer.line($0, limit: 400) }
        rigNotes =
            Self.olderHTTP(fold.versions) + Self.freshConnections(fold)
            + fold.openEnds.notes(pagesInFront: Set(rows.map(\.pageTitle)))
            + (findings?.columnNote.map { [$0] } ?? [])
        notes =
            (run.shard?.notes ?? [])
            + (fold.merge?.notes ?? []).map { Sanitizer.line($0, limit: 600) } + fold.gaps
            + Self.throttling(fold.header.throttledBy)
            + Self.slowings(fold.sum(), throttling) + Self.resent(fold.sum())
            + Self.unanswered(operations, isStopped: fold.wasStopped)
            + Self.secondCopies(fold) + Self.holds(fold.restraint)
            + Self.preSignIns(households, fold.preparation, atHome: fold.signedInAtHome)
            + Self.mix(operations, households) + rigNotes
        noSignIn = Self.noSignIn(fold, losses)
        unreached = Self.unreached(fold.population)
        (outcome, exitStatus, headline, explanations) = (.pass, .passed, "", [])
        if rigHealth.isLateInSilence, let silence = fold.silence {
            notes.append(
                "the rig was late only after the outage at second \(Figures.count(silence.second)); "
                    + "that is ignored, the outage decides the verdict")
        }
        judge(
            failure: Sanitizer.line(fold.end?.failure ?? "", limit: 600),
            breaker: Sanitizer.line(fold.end?.breaker ?? "", limit: 600), silence: fold.silence)
        if let shard = run.shard { headline = "\(shard.sentence): \(headline)" }
        // Each host once, first of all: nothing else can be mended while it may not be reached.
        explanations.insert(
            contentsOf: fold.restraint.refusals.map {
                "not allowed: \(Sanitizer.line($0, limit: 300))"
            },
            at: 0)
    }
}

extension Summary {
    /// Somebody changed its arrivals while it went on: its load is not that of its rig.
    package var isPacedByHand: Bool { events.contains { $0.origin == .control } }

    private static func storedResponses(_ rows: [ViolationRow]) -> String? {
        let ids = ViolationRow.repeatedIDs(rows)
        guard let id = ids.first else { return nil }
        let more = ids.count == 1 ? "" : " (and \(Figures.count(ids.count - 1)) more are shared)"
        return
            "responses that violations name share request id \(id)\(more): a cache in front of the service may have repeated a "
            + "stored response"
    }
}

extension Rig {
    /// Promises about what its households do in `clean-up` alone.
    fileprivate var cleanUpOnly: Set<Invariant> {
        guard cleansUp else { return [] }
        let logsOut = afterSignIn.contains {
            switch $0 {
            case .logout, .again: true
            default: false
            }
        }
        return Set((code.deletesAfter ? [] : [.deleteFinal]) + (logsOut ? [] : [.logoutFinal]))
    }
}

extension Summary.Run {
    init(_ fold: RunFold) {
        let header = fold.header
        id = Sanitizer.line(header.run)
        runID = header.runID?.description ?? ""
        rig = Sanitizer.line(header.rigName)
        source = Sanitizer.lines(header.rigSource)
        seed = header.seed
        started = UTCTime(microseconds: header.startedMicroseconds).rfc3339
        seconds = fold.seconds
        target = Sanitizer.line(header.target)
        protocols = ProtocolName.names(joined: Sanitizer.line(header.protocolName))
        protocolName = protocols.joined(separator: "+")
        interrupted = fold.end?.interrupted ?? false
        cutShort = fold.end == nil
        isVirtual = header.isVirtual
        lanes = header.lanes
        load = Sanitizer.line(header.load)
        policies = header.policies.map { Sanitizer.line($0, limit: 200) }
        version = Sanitizer.line(header.version)
        historyHash = fold.end?.historyHash ?? ""
        shard = ShardRow(header)
    }
}

extension Summary.Households {
    init(_ fold: RunFold) {
        let all = fold.population.all
        planned = fold.header.plannedHouseholds
        started = all.started
        signedIn = all.signedIn
        preSignedIn = all[.preSignedIn]
        failed = all[.failed]
        failedLater = all.failedLater
        notEntitled = all.notEntitled
        abandoned = all[.abandoned]
        abandonedByService = all.abandonedByService
        abandonedByViewer = all.abandonedByViewer
        abandonedByRun = all.abandonedByRun
        running = all[.running]
        runningSignedIn = all.runningSignedIn
    }
}

extension Summary.Exchanges {
    init(_ fold: RunFold) {
        let sum = fold.sum()
        sent = sum.sent
        completed = sum.completed
        errors = sum.errors
        perSecond = fold.loadSeconds > 0 ? Double(sum.completed) / fold.loadSeconds : 0
    }
}
