internal import Checker
internal import Journal
internal import Rendering
internal import Vocabulary

/// The outcome of a run, in one word (docs/reports.md, summary.json).
public enum RunOutcome: String, Sendable, CaseIterable {
    case pass, fail, invalid, aborted
}

extension Summary {
    /// What a run means for whoever started it. The executable alone maps these to exit codes
    /// (README.md, Commands); where several hold, the first of this list does.
    public enum ExitStatus: Sendable, Hashable, CaseIterable {
        /// Not one exchange was ever answered, or the run could not go on. Exit code 3.
        case couldNotRun
        /// By Ctrl-C, SIGTERM or SIGHUP, or the record was cut short. Exit code 130.
        case interrupted
        /// Exit code 1.
        case violated
        /// The service stopped answering, the breaker stopped the run, or a threshold on counts
        /// (households, errors) was missed: lateness of the rig explains none of these. Exit code 1.
        case failed
        /// The rig itself was the bottleneck. Exit code 4.
        case untrusted
        /// Another threshold was missed. Exit code 1.
        case missed
        /// Exit code 0.
        case passed
    }
}

extension Summary {
    mutating func judge(
        failure: String, breaker: String = "", silence: Silence? = nil
    ) {
        let missed = thresholds.filter { !$0.met }
        stoppedEarly = breaker.isEmpty ? nil : Self.stopped(by: breaker)
        let breachFails = rigHealth.breachFails
        // Of times a rig that was late can say nothing, nor of who would have signed in after them.
        let isOverByLateness = breachFails && !rigHealth.valid && isEndedByTime(breaker)
        let bottleneck = rigHealth.valid ? nil : Self.bottleneckWarning(breachFails: breachFails)
        // Said beside a failure that stands however late the rig was.
        let timesWarning =
            bottleneck == nil || !breachFails
            ? "" : " Do not trust its latencies: the rig itself was the bottleneck."
        if !failure.isEmpty {
            settle(.aborted, .couldNotRun, "Stopped: \(failure).")
        } else if isUnanswered {
            settle(.aborted, .couldNotRun, unansweredSentence)
        } else if run.interrupted {
            let after = Figures.span(seconds: run.seconds)
            settle(.aborted, .interrupted, "Interrupted after \(after): \(progress).")
        } else if run.cutShort {
            let after = Figures.span(seconds: run.seconds)
            settle(
                .aborted, .interrupted,
                "Cut short: the record ends after \(after); \(progress).")
        } else if missed.contains(where: \.isAboutPromises) {
            settle(.fail, .violated, "Failed: \(brokenSentence); \(progress).\(timesWarning)")
        } else if let silence, silence.isOutage {
            // Before the rig's own state: however late it was, the service is gone.
            let what = stoppedEarly ?? "Failed: \(silence.sentence)"
            settle(.fail, .failed, "\(what); \(progress).\(timesWarning)")
        } else if let stoppedEarly, !isOverByLateness {
            // It ran, and the service failed it: as a missed threshold on errors does.
            settle(.fail, .failed, "\(stoppedEarly); \(progress).\(timesWarning)")
        } else if let noSignIn, !isOverByLateness {
            let also = missed.isEmpty ? "" : "; \(missedSentence(missed.count))"
            settle(
                .fail, .failed, "Failed: \(noSignIn)\(clockAside)\(also).\(timesWarning)")
        } else if missed.contains(where: \.isAboutCounts) {
            settle(
                .fail, .failed,
                "Failed: \(missedSentence(missed.count)); \(progress).\(timesWarning)")
        } else if shows.contains(where: { !$0.held }) {
            // What did not happen is not the rig's lateness: as with thresholds on counts.
            settle(.fail, .failed, "Failed: \(notShownSentence); \(progress).\(timesWarning)")
        } else if let worst = missed.first(where: \.isMissedByMost), rigHealth.isOnlyLate,
            mergeGaps.isEmpty, findings?.gapSentence == nil
        {
            settle(
                .fail, .missed,
                "Failed: \(missedSentence(missed.count)); \(progress). The rig was late, too, but \(worst.expression) was "
                    + "missed by more than half, and it sent most requests in time.")
        } else if let bottleneck, breachFails {
            let also =
                missed.isEmpty ? "" : " Also, \(missedSentence(missed.count)); \(progress)."
            settle(.invalid, .untrusted, bottleneck + also)
        } else if let first = mergeGaps.first {
            let also = missed.isEmpty ? "" : "; \(missedSentence(missed.count))"
            settle(.invalid, .untrusted, "Invalid: \(first)\(also); \(progress).")
        } else if let gap = findings?.gapSentence {
            // None found is no "none" where nobody looked.
            settle(.invalid, .untrusted, "Invalid: \(gap); \(progress).")
        } else if !missed.isEmpty {
            settle(.fail, .missed, "Failed: \(missedSentence(missed.count)); \(progress).")
        } else {
            settle(.pass, .passed, passedSentence)
        }
        explanations =
            mergeGaps.filter { !headline.contains($0) } + brokenPromises
            + (storedResponses.map { [$0] } ?? []) + observedPromises
        if outcome == .pass { explanations += untestedActions.map(\.sentence) }
        if outcome != .aborted {
            explanations += shows.filter { !$0.held }.map { "expected by 'shows': \($0.sentence)" }
        }
        tellDiversions()
        if let stoppedEarly, !headline.contains(breaker) {
            explanations.insert(stoppedEarly, at: 0)
        }
        if let bottleneck {
            explanations.insert(
                contentsOf: rigHealth.reasons.map { "the rig: \($0)" } + [
                    "what to do: \(Self.bottleneckRemedy)"
                ],
                at: 0)
            if outcome != .invalid, timesWarning.isEmpty { notes.insert(bottleneck, at: 0) }
        }
        if let noSignIn, outcome == .fail, !headline.contains(noSignIn) {
            explanations.insert(noSignIn, at: 0)
        } else if noSignIn == nil, let lossSentence {
            // Broken promises come first.
            explanations.insert(lossSentence, at: exitStatus == .violated ? explanations.count : 0)
        }
        explanations.insert(contentsOf: interruptions, at: 0)
        if let silence, !headline.contains(silence.sentence) {
            explanations.insert(silence.sentence, at: 0)
        }
        if gotNowhere || outcome != .pass, let firstFailure, !headline.contains(firstFailure) {
            let most = errors.first.map(\.sentence).flatMap { $0 == firstFailure ? nil : $0 }
            explanations.insert(
                "First error: \(firstFailure)" + (most.map { "; the most frequent: \($0)" } ?? ""),
                at: gotNowhere ? 0 : explanations.count)
        }
    }

    /// Whether the run was ended by a threshold that a late rig can miss: not one on counts or promises.
    private func isEndedByTime(_ breaker: String) -> Bool {
        thresholds.contains {
            !$0.isAboutCounts && !$0.isAboutPromises && breaker.contains("'\($0.expression)'")
        }
    }

    /// The breaker's reason, or that of a threshold with `abort: true`.
    private static func stopped(by reason: String) -> String {
        reason.hasPrefix("the threshold")
            ? "Ended early: \(reason)" : "Stopped by the breaker: \(reason)"
    }

    /// `, but 15 of 16 households signed in by code although ...`, where that is most of them.
    private var diversionAside: String {
        guard signOns.isMostlyDiverted, let sentence = signOns.diversionSentence else { return "" }
        return ", but \(sentence)"
    }

    /// Where the service's clock has jumped, nothing else is as likely to have kept sign-ins away.
    private var clockAside: String {
        let gaps = findings?.violations.filter { $0.invariant == .clockAgreement }.compactMap(\.gap)
        guard let gap = gaps?.max(), gap >= Self.jump else { return "" }
        // What is at least so long is rounded down, as it is shown: to a tenth below 10 s.
        let digit: Int64 = gap < 10_000_000_000 ? 100_000_000 : 1_000_000_000
        let least = Double(gap - gap % digit) / 1e9
        return "; the timestamps in the service's responses come from clocks at least "
            + "\(Figures.span(seconds: least)) apart (clock-agreement)"
    }

    /// In nanoseconds: nodes of one service differ by less.
    private static let jump: Int64 = 5_000_000_000

    /// Who left the path that the rig asks for is always told, and why: a run that signs in by code
    /// measures nothing of the platform.
    private mutating func tellDiversions() {
        guard let sentence = signOns.diversionSentence else { return }
        let isInHeadline = headline.contains(sentence)
        let told = (isInHeadline ? [] : [sentence]) + signOns.diversionReasons
        if signOns.isMostlyDiverted {
            explanations += told
        } else {
            notes += told
        }
    }

    /// `the service violated 2 promises in 12 households`.
    private var brokenSentence: String {
        let failing = findings?.violations.filter { $0.standing == .fails } ?? []
        let counted = (findings?.verdicts ?? []).filter { $0.violations > 0 }.map(\.invariant)
        let promises = Set(failing.map(\.invariant) + counted).sorted()
        // Beyond the list only violations are counted: each may be a household's.
        let unlisted = max(0, (findings?.failing ?? 0) - failing.count)
        let households = Set(failing.map(\.household)).count + unlisted
        let what =
            promises.count == 1
            ? "\(promises[0].name) (\(promises[0].line))"
            : "\(Figures.count(promises.count)) promises"
        // A rule of ours is not the protocol's.
        let sources = Set(failing.map(\.source))
        let source = unlisted == 0 && sources.count == 1 ? sources.first : nil
        // Why a rule of ours fails a run that goes by what is documented.
        let isSafety = source == .ours && promises.allSatisfy(\.isSafety)
        let whose =
            source.flatMap {
                $0 == .documented ? nil : ", \($0.words)\(isSafety ? " of safety" : ""),"
            } ?? ""
        return "the service violated \(what)\(whose) in \(Figures.counted(households, "household"))"
    }

    /// What the judge's counts are about: after an outage only part of the run was put to the test.
    var judgedScope: String { outage == nil ? "" : " up to the outage" }

    /// Whether breaches were seen that fail no run.
    var isObserved: Bool { outcome == .pass && !observations.isEmpty }

    /// The outcome as colours have it: a pass with observations is no plain pass.
    public var tone: String { isObserved ? "observed" : outcome.rawValue }

    private var passedSentence: String {
        guard let first = observations.first else {
            return
                "Passed\(diversionAside): \(progress)\(metSentence).\(throttledSentence)\(untestedSentence)"
        }
        let others = observations.dropFirst().map { "\($0.invariant.name) in \($0.count)" }
        let also = others.isEmpty ? "" : "; also observed: \(others.joined(separator: ", "))"
        let rest = "\(progress)\(metSentence).\(throttledSentence)\(untestedSentence)"
        return "Passed\(diversionAside), with observations: \(first.sentence)\(also). "
            + rest.prefix(1).uppercased() + rest.dropFirst()
    }

    /// ` 53 % of the requests were throttled (429), and 20 of 20 first sign-ins had to wait.`: a pass of such a run is that of a
    /// lower load; nothing where few were.
    private var throttledSentence: String {
        guard let throttling, throttling.requests * 20 >= exchanges.sent else { return "" }
        let waits =
            throttling.delayed == 0
            ? ""
            : ", and \(Figures.count(throttling.delayed)) of "
                + "\(Figures.counted(throttling.signIns, "first sign-in")) had to wait"
        return
            " \(Figures.percent(throttling.requests, of: exchanges.sent)) of the requests were throttled (429)\(waits)."
    }

    /// What fails no run: beside a failure the whole sentence, else an example of what the headline says.
    private var observedPromises: [String] {
        observations.flatMap { observation in
            (outcome == .pass && observation == observations.first
                ? [] : ["observed; does not fail the run: \(observation.sentence)"])
                + (observation.example.isEmpty
                    ? [] : ["\(observation.invariant.name), first example: \(observation.example)"])
        }
    }

    /// The first violation of each promise, those that fail the run first.
    private var brokenPromises: [String] {
        var told: Set<Invariant> = []
        let all = findings?.violations.filter { $0.standing == .fails } ?? []
        return all.filter { told.insert($0.invariant).inserted }.map {
            "\($0.invariant.name): \(Sanitizer.line($0.sentence, limit: 400))"
        }
    }

    private mutating func settle(_ outcome: RunOutcome, _ status: ExitStatus, _ headline: String) {
        self.outcome = outcome
        exitStatus = status
        self.headline = headline
    }

    /// An interruption before the first request, or the first answer, is no verdict about the service: that is 130.
    private var isUnanswered: Bool {
        let cutOff = operations.reduce(0) { $0 + $1.count(of: .cutOff) }
        return exchanges.completed == 0
            && !(exchanges.sent == cutOff && (run.interrupted || run.cutShort))
    }

    private var gotNowhere: Bool {
        households.started > 0 && households.signedIn == 0
    }

    /// A run that wanted sign-ins and had none is no success, whatever its thresholds say. It wanted some
    /// unless each viewer leaves by the rig's own draw, or `shows:` says that no household signs in.
    static func noSignIn(_ fold: RunFold, _ losses: [Loss]) -> String? {
        let tally = fold.population.all
        let isExpected = fold.shows.contains { $0.expectsNoSignIn && $0.held }
        guard tally.started > 0, tally.signedIn == 0, tally.wanted > 0, !isExpected else {
            return nil
        }
        let who =
            tally.started == 1
            ? "the only household did not sign in"
            : "none of \(Figures.count(tally.started)) households signed in"
        let known = losses.filter { $0.wantedSignIn && !$0.cause.isEmpty }
        guard let most = causes(of: known).first else { return who }
        let count =
            most.households == tally.started
            ? "" : " (\(Figures.count(most.households)) of \(Figures.count(tally.started)))"
        return "\(who): \(most.cause)\(count)"
    }

    /// How many households each cause stopped, of whatever kind and at whatever stage; the most frequent first.
    private static func causes(of losses: [Loss]) -> [(cause: String, households: Int)] {
        var causes: [(cause: String, households: Int)] = []
        for loss in losses {
            let common = HouseholdRecord.ofSeveralAccounts(loss.cause)
            func isSame(_ cause: String) -> Bool {
                guard let common, cause != loss.cause else { return cause == loss.cause }
                return cause == common || HouseholdRecord.ofSeveralAccounts(cause) == common
            }
            if let known = causes.firstIndex(where: { isSame($0.cause) }) {
                causes[known].households += loss.households
                if let common, causes[known].cause != loss.cause { causes[known].cause = common }
            } else {
                causes.append((loss.cause, loss.households))
            }
        }
        return causes.enumerated().sorted {
            ($1.element.households, $0.offset) < ($0.element.households, $1.offset)
        }.map(\.element)
    }

    /// `4 of 15 households failed: assertion answered 500 (3 of 4)`: what most of those came to who wanted a sign-in,
    /// or to go on after it; nil where all did, and beside a pass but for codes that were too short for their viewers.
    private var lossSentence: String? {
        let isTold = outcome == .fail || outcome == .invalid
        let lost = losses.filter {
            $0.wantedSignIn && $0.fate != HouseholdRecord.Fate.running.name && !$0.cause.isEmpty
                && (isTold || HouseholdRecord.isOfShortCode($0.cause))
        }
        let causes = Self.causes(of: lost)
        let sum = lost.reduce(0) { $0 + $1.households }
        guard let most = causes.first else { return nil }
        let failed = lost.filter { $0.fate == HouseholdRecord.Fate.failed.name }
            .reduce(0) { $0 + $1.households }
        let what =
            failed == sum ? "failed" : failed == 0 ? "were abandoned" : "failed or were abandoned"
        let who =
            "\(Figures.count(sum)) of \(Figures.counted(households.started, "household")) "
            + (sum == 1 ? what.replacing("were", with: "was") : what)
        let share =
            most.households == sum
            ? "" : " (\(Figures.count(most.households)) of these \(Figures.count(sum)))"
        return "\(who): \(Sanitizer.line(most.cause, limit: 400))\(share)"
    }

    private var unansweredSentence: String {
        if exchanges.sent == 0 {
            return "Could not run: no request was sent"
                + (firstFailure.map { "; \($0)." } ?? ".")
        }
        let count = Figures.count(exchanges.sent)
        let lead =
            exchanges.sent == 1
            ? "the only request got no response" : "none of \(count) requests got a response"
        return "Could not run: \(lead)" + (firstFailure.map { "; \($0)." } ?? ".")
    }

    /// `1,950 of 2,000 households signed in`; after an interruption `, 12 cut off`; of merged shards those that were lost;
    /// and those whose viewers left, which are no failures.
    private var progress: String {
        let cutOff = self.cutOff
        func count(_ cause: String) -> Int {
            losses.filter { $0.cause == cause }.reduce(0) { $0 + $1.households }
        }
        let (held, late) = (count(HouseholdRecord.delayed), count(HouseholdRecord.late))
        // Those that an interruption ended are said to be cut off.
        let unfinished =
            run.interrupted || run.cutShort ? 0 : households.abandonedByRun - held - late
        return (cutOff == 0 ? signIns : "\(signIns), \(Figures.count(cutOff)) cut off")
            + (lostSentence.map { ", \($0)" } ?? "") + neverBegan
            + (held == 0
                ? ""
                : ", the codes of \(Figures.count(held)) ended while a rate limit of the rig delayed the phone")
            + (late == 0
                ? "" : ", the codes of \(Figures.count(late)) ended while the rig itself was late")
            + (households.abandonedByViewer == 0
                ? "" : ", \(Figures.count(households.abandonedByViewer)) abandoned by the viewer")
            + (households.abandonedByService == 0
                ? ""
                : ", \(Figures.count(households.abandonedByService)) abandoned because of the service")
            + (unfinished <= 0
                ? "" : ", \(Figures.count(unfinished)) without a sign-in when the run ended")
    }

    /// `13 lost in shards 2 and 5 (98.6 % of the plan seen to its end)`: households whose process was killed, and that
    /// nobody runs again; nil where there are none. Where a part of the plan was not seen, the share is said there
    /// (`mergeGaps`).
    var lostSentence: String? {
        let losing = shards.filter { $0.lost > 0 }
        guard !losing.isEmpty else { return nil }
        let numbers = Set(losing.map(\.shard)).sorted()
        let names =
            switch numbers.count {
            case 1: "shard \(numbers[0])"
            case 2...Self.losingShardsShown:
                "shards \(numbers.dropLast().map(String.init).joined(separator: ", ")) and "
                    + "\(numbers[numbers.count - 1])"
            case let count: "\(Figures.count(count)) shards"
            }
        let lost = losing.reduce(0) { $0 + $1.lost }
        var share = ""
        if mergeGaps.isEmpty, let planned = households.planned, planned > 0 {
            // Rounded down: 100 % is all of it.
            let ended = max(0, min(households.started - households.running, planned - lost))
            let seen = (Double(ended) / Double(planned) * 1_000).rounded(.down) / 1_000
            share = " (\(Figures.percent(seen)) of the plan seen to its end)"
        }
        return "\(Figures.count(lost)) lost in \(names)\(share)"
    }

    private static let losingShardsShown = 4

    /// Households that were under way without a token when the run was ended from outside.
    private var cutOff: Int {
        guard run.interrupted || run.cutShort else { return 0 }
        return losses.filter {
            $0.fate == HouseholdRecord.Fate.running.name && !$0.hadSignedIn
                || $0.cause == HouseholdRecord.stopped
        }.reduce(0) { $0 + $1.households }
    }

    /// `, 24 of 72 never began`, where the run ended before its plan; a merge says it of its shards (`mergeGaps`).
    private var neverBegan: String {
        guard run.interrupted || run.cutShort || stoppedEarly != nil, shards.isEmpty,
            let planned = households.planned, planned > households.started
        else { return "" }
        return
            ", \(Figures.count(planned - households.started)) of \(Figures.count(planned)) never began"
    }

    private var signIns: String {
        let started = households.started
        guard started > 0 else { return "no household started" }
        let ready = households.preSignedIn
        let already =
            ready == 0
            ? "" : ", \(ready == started ? "all" : Figures.count(ready)) of them on arrival"
        let signedIn = households.signedIn
        if started == 1, ready == 0 {
            guard signedIn == 1 else { return "the only household did not sign in" }
            return "the only household signed in"
                + (households.failedLater == 1 ? ", and failed later" : "")
        }
        let all = signedIn == started ? "all " : "\(Figures.count(signedIn)) of "
        let later =
            households.failedLater == 0
            ? "" : ", \(Figures.count(households.failedLater)) of them failed later"
        let denied =
            households.notEntitled == 0
            ? "" : ", \(Figures.count(households.notEntitled)) were denied a resource"
        return "\(all)\(Figures.counted(started, "household")) signed in\(already)\(later)\(denied)"
    }

    private var metSentence: String {
        switch thresholds.count {
        case 0: ""
        case 1: ", and the only threshold was met"
        case let count: ", and all \(count) thresholds were met"
        }
    }

    private func missedSentence(_ missed: Int) -> String {
        if thresholds.count == 1 { return "the only threshold was missed" }
        return "\(missed) of \(thresholds.count) thresholds \(missed == 1 ? "was" : "were") missed"
    }

    /// `the run did not show 1 of 3 expected results (shows: media-token 200)`.
    private var notShownSentence: String {
        let missing = shows.filter { !$0.held }
        let what =
            shows.count == 1
            ? "the expected result"
            : "\(missing.count) of \(shows.count) expected results"
        let first = missing[0].expression + (missing.count > 1 ? ", ..." : "")
        return "the run did not show \(what) (shows: \(first))"
    }

    /// What `explain 4` says, too.
    static let bottleneckRemedy =
        "reduce the load (fewer arrivals, --max-rate), use a machine with more cores or without other "
        + "work, or run the stand-in on another machine; 'screenrig calibrate' measures what this "
        + "machine can do"

    private static func bottleneckWarning(breachFails: Bool) -> String {
        (breachFails ? "Invalid: the" : "The")
            + " rig itself was the bottleneck, so the latencies describe this machine rather than the "
            + "service."
    }
}
