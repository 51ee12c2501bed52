internal import Rendering
internal import Reports

/// Reads the findings of a digest off the nights of a rig.
struct DigestReader {
    private let view: NightsView
    /// The same as of the night before.
    private let previous: NightsView
    private var nights: [Night] { view.nights }
    private var newest: Int { nights.count - 1 }
    /// Whether the newest night has values.
    private var isMeasured: Bool { nights.last.map { !$0.isGap } ?? false }
    /// The newest night before it that has values.
    private let before: Int?

    init(_ view: NightsView) {
        self.view = view
        previous = view.before
        before = view.nights.dropLast().lastIndex { !$0.isGap }
    }

    var findings: [Digest.Finding] {
        guard !nights.isEmpty else { return [] }
        return failures + regressions + jumps + observations + gap + change + recoveries
    }

    // MARK: Since when

    /// The night on which something was first seen, with what was new about that night. Only what the nights say:
    /// a mark is named as the cause of nothing.
    func since(_ first: Int, fact: String = "Since") -> Digest.Since {
        let night = nights[first]
        let earlier = nights[..<first].last { !$0.isGap }
        let known = Set((earlier?.facts ?? []).filter { $0.kind == .event }.map(\.name))
        let events = night.facts.filter { $0.kind == .event && !known.contains($0.name) }
            .map(\.name)
        let mark = night.mark
        let markBefore = earlier?.mark ?? ""
        var text = "\(fact) \(first == newest ? "last night" : "the night of \(night.day)")"
        text += words(ofMark: mark, after: markBefore, on: first)
        if !events.isEmpty {
            text +=
                "; new in that night's run: \(events.count == 1 ? "event" : "events") "
                + events.joined(separator: ", ")
        }
        if let earlier, earlier.version != night.version {
            text +=
                "; screenrig itself changed from \(earlier.version) to \(night.version) with that night"
        }
        return Digest.Since(
            night: night.started, mark: mark, markBefore: markBefore, events: events,
            text: text + ".")
    }

    /// A night's mark beside that of the last night with values; empty where it has none.
    private func words(ofMark mark: String, after before: String, on night: Int) -> String {
        if mark.isEmpty { return "" }
        if mark == before { return ", with the same mark as the night before (\(mark))" }
        if before.isEmpty { return ", with mark \(mark) (the night before had none)" }
        return isNewInGap(night)
            ? ", with mark \(mark); the last night with values had \(before)"
            : ", when the mark changed from \(before) to \(mark)"
    }

    /// Whether the night before, which has no values, had the mark of that night already.
    private func isNewInGap(_ night: Int) -> Bool {
        night > 0 && nights[night - 1].isGap && nights[night - 1].mark == nights[night].mark
    }

    /// The first night of the unbroken row of measured nights up to `last` of which `holds` is true.
    private func first(of last: Int, where holds: (Night) -> Bool) -> Int {
        var found = last
        for index in nights[..<last].indices.reversed() where !nights[index].isGap {
            guard holds(nights[index]) else { break }
            found = index
        }
        return found
    }

    // MARK: Promises and thresholds

    private func fact(_ kind: NightFact.Kind, _ name: String, on night: Int) -> NightFact? {
        nights[night].facts.first { $0.kind == kind && $0.name == name }
    }

    private var failures: [Digest.Finding] {
        let night = nights[newest]
        // Stopped early for what the service did, a run has no values to compare and failed all the same.
        guard isMeasured || night.outcome == RunOutcome.fail.rawValue || night.isUnanswered
        else { return [] }
        let failing = night.facts.filter(\.fails)
        // That violations were counted is what the promises say, with their names.
        let hasPromises = failing.contains { $0.kind == .promise }
        let told = failing.filter {
            night.isUnanswered
                ? $0.kind == .service : !hasPromises || !$0.name.hasPrefix("violations ")
        }
        guard !told.isEmpty || night.outcome == RunOutcome.fail.rawValue else { return [] }
        if told.isEmpty {
            return [
                Digest.Finding(
                    kind: .failed, colour: .red, name: "", text: night.headline,
                    short: "the run failed")
            ]
        }
        return told.map { fact in
            let first =
                fact.kind == .service
                ? nights.count - nights.reversed().prefix(while: \.isUnanswered).count
                : first(of: newest) { night in
                    fact.kind == .promise
                        ? isViolated(fact.name, on: night, as: fact)
                        : night.facts.contains {
                            $0.kind == fact.kind && $0.name == fact.name && $0.fails
                        }
                }
            let short =
                switch fact.kind {
                case .promise: "\(fact.name) violated"
                case .threshold: "threshold '\(fact.name)' missed"
                case .service: "the service did not answer"
                case .known, .shows, .error, .event: "'\(fact.name)' not found"
                }
            let text =
                switch fact.kind {
                case .promise: "The service violated \(fact.text)."
                case .service: "The service did not answer: \(fact.text)."
                default: Self.sentence(fact.text)
                }
            return Digest.Finding(
                kind: .failed, colour: .red, name: fact.name, text: text,
                short: short + (first == newest ? "" : " since \(nights[first].name)"),
                since: since(first))
        }
    }

    /// Whether a promise was violated, whatever came of it for the run; with `found`, by what may be the same.
    private func isViolated(
        _ promise: String, on night: Night, as found: NightFact? = nil
    ) -> Bool {
        night.facts.contains {
            ($0.kind == .promise || $0.kind == .known) && $0.name == promise && $0.count > 0
                && found?.isSame(as: $0) ?? true
        }
    }

    /// Promises that were violated without failing the run: news, the first time.
    private var observations: [Digest.Finding] {
        observed.filter(\.isNew).map { seen in
            Digest.Finding(
                kind: .observed, colour: .amber, name: seen.fact.name,
                text: "Observed, does not fail the run: \(seen.fact.text).",
                short: "\(seen.fact.name) observed", since: since(newest))
        }
    }

    private var observed: [(fact: NightFact, isNew: Bool)] {
        guard isMeasured else { return [] }
        return nights[newest].facts.filter { $0.kind == .promise && !$0.fails && $0.count > 0 }
            .map { fact in
                let earlier = before.flatMap { self.fact(.promise, fact.name, on: $0) }
                let isOlder = earlier.map { $0.count > 0 && fact.isSame(as: $0) } ?? false
                return (fact, !isOlder)
            }
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    // MARK: Series

    private var regressions: [Digest.Finding] {
        let alarms = view.newAlarms
        return alarms.map { regression($0.series, $0.change, now: nil) }
            + view.standing.filter { standing in
                !alarms.contains { $0.series.name == standing.series.name }
            }.map { standing in
                regression(
                    standing.series, standing.regression.change, now: standing.regression.now)
            }
    }

    /// `now`: the level since an earlier change; nil where it is detected tonight.
    private func regression(
        _ series: NightSeries, _ change: NightSeries.Change, now: Double?
    ) -> Digest.Finding {
        let isNew = now == nil
        if let rise = view.rise(of: series) {
            let (from, size) = (nights[rise.first], series.shortSize(rise.change))
            return Digest.Finding(
                kind: isNew ? .worse : .stillWorse, colour: .red, name: series.name,
                text: rise.sentence(series) + ".",
                short: "\(series.name) \(size), a little every night",
                since: Digest.Since(
                    night: from.started, mark: "", markBefore: "", events: [], isGradual: true,
                    text:
                        "Since about \(from.day); a slow rise has no first night, so no mark is named."
                ))
        }
        let tonight = series.values.last.flatMap { $0 }
        let isBack = !isNew && tonight.map { series.isGone(change, at: $0) } ?? false
        let detected =
            isNew
            ? ""
            : " It was detected on \(nights[change.noticed].day), and is neither gone nor accepted."
        let back =
            isBack
            ? " Last night it was \(series.newestText), as before the change: the next nights decide."
            : ""
        var change = change
        change.after = now ?? change.after
        let size = isNew ? series.sizeText(change) : series.shortSize(change)
        let name = nights[change.first].name
        return Digest.Finding(
            kind: isNew ? .worse : .stillWorse, colour: .red, name: series.name,
            text: "\(series.name) went from \(series.text(change.before)) to "
                + "\(series.text(change.after)), \(size).\(detected)\(back)",
            short:
                "\(series.name) \(isNew ? "" : "still ")\(series.shortSize(change)) since \(name)"
                + (isBack ? ", back last night" : ""),
            since: since(change.first))
    }

    private var jumps: [Digest.Finding] {
        view.jumps.map { jump in
            let unusual = jump.unusual
            let rest =
                unusual.isAlarm
                ? unusual.nights > 1
                    ? "The second such night in a row." : "Beyond nightly.alarm of the rig."
                : unusual.nights > 2
                    ? Self.sentence(unusual.rest)
                    : (unusual.nights == 1 ? "A single night proves" : "Two nights prove")
                        + " nothing yet: \(unusual.rest)."
            let short =
                unusual.isAlarm
                ? "far worse" : unusual.isNotBack ? "not back at its level" : "unusual"
            return Digest.Finding(
                kind: .unusual, colour: unusual.isAlarm ? .red : .amber, name: jump.series.name,
                text: view.sentence(jump)
                    + (unusual.isNotBack ? ", and not back since an unusual night" : "")
                    + ". \(rest)",
                short: "\(jump.series.name) \(short), \(jump.series.text(unusual.value))",
                since: since(unusual.first, fact: unusual.nights > 1 ? "Since" : "Seen"))
        }
    }

    // MARK: Nights that say nothing

    private var gap: [Digest.Finding] {
        guard let night = nights.last, night.isGap else { return [] }
        // That nothing answered stands above it.
        let reason = night.isUnanswered ? "." : ": \(Self.ended(night.gap))"
        let row = nights.reversed().prefix(while: \.isGap).count
        let again =
            row == 1 ? "" : " This is the \(Self.ordinal(row)) night without values in a row."
        return [
            Digest.Finding(
                kind: .noValues, colour: .amber, name: "",
                text: "No values last night\(reason)\(again) Nothing is compared.",
                short: "no values last night")
        ]
    }

    private static func ended(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    private static func ordinal(_ number: Int) -> String {
        number == 2 ? "second" : number == 3 ? "third" : "\(number)th"
    }

    /// The rig is another one since tonight: nothing is compared with what was before.
    private var change: [Digest.Finding] {
        guard isMeasured, newest > 0, view.restarts.last == newest, let words = view.restartWords
        else { return [] }
        let left = ChangePointJudgement.firstNight - 1
        let open = previous.regressions.map(\.series.name)
        let lost =
            open.isEmpty
            ? ""
            : " What was worse before the change is no longer followed: \(open.joined(separator: ", "))."
        return [
            Digest.Finding(
                kind: .rigChanged, colour: .amber, name: "",
                text: Self.sentence(words)
                    + " Values before and after that are not compared: \(left) more nights until a lasting "
                    + "change can be detected.\(lost)",
                short: "the rig changed, its series start again",
                since: since(newest))
        ]
    }

    /// Nights that did not run: between the two newest, and since the newest until `now`.
    func missing(now: String?) -> [Digest.Finding] {
        let calendar = NightCalendar(nights.map(\.started))
        var findings: [Digest.Finding] = []
        if nights.count > 1 {
            let days = calendar.missing(
                after: nights[newest - 1].started, before: nights[newest].started)
            if !days.isEmpty {
                findings.append(
                    missing(days, "between \(nights[newest - 1].day) and \(nights[newest].day)"))
            }
            // A killed night had no digest of its own.
            if nights[newest - 1].gap == Night.unfinished {
                let day = nights[newest - 1].day
                findings.append(
                    Digest.Finding(
                        kind: .missing, colour: .amber, name: "",
                        text: "The night of \(day) has no values: \(Night.unfinished).",
                        short: "the night of \(day) did not end"))
            }
        }
        if let now, let night = nights.last {
            let days = calendar.missing(after: night.started, until: now)
            if !days.isEmpty { findings.append(missing(days, "since \(night.day)")) }
        }
        return findings
    }

    private func missing(_ days: [String], _ span: String) -> Digest.Finding {
        Digest.Finding(
            kind: .missing, colour: .amber, name: "",
            text:
                "\(Figures.counted(days.count, "night")) missing: none ran \(span), although one usually does. "
                + "Check the timer and the machine that starts 'screenrig nightly'.",
            short: "\(Figures.counted(days.count, "night")) missing \(span)")
    }

    // MARK: What is well again

    private var recoveries: [Digest.Finding] {
        guard isMeasured, let before, view.restarts.last != newest else { return [] }
        let series = previous.regressions.compactMap { old -> Digest.Finding? in
            let name = old.series.name
            guard let now = view.series.first(where: { $0.name == name }),
                !view.regressions.contains(where: { $0.series.name == name }),
                // Accepted is not gone.
                !now.changes.contains(where: { $0.acceptance != nil && $0.noticed == newest }),
                let level = now.level
            else { return nil }
            let first = nights[old.regression.change.first]
            return better(
                name,
                "\(name) is back at \(now.text(level)). It had been at "
                    + "\(now.text(old.regression.now)) since \(first.name).",
                "\(name) is back at its level")
        }
        let jumps = previous.jumps.compactMap { old -> Digest.Finding? in
            let name = old.series.name
            guard !view.jumps.contains(where: { $0.series.name == name }), before == newest - 1,
                !series.contains(where: { $0.name == name }),
                let now = view.series.first(where: { $0.name == name }),
                // Else tonight made a lasting change of it, whether somebody has accepted that or not.
                !now.changes.contains(where: { $0.noticed == newest }),
                let value = now.values.last.flatMap({ $0 }), now.fewValues == nil
            else { return nil }
            let count = old.unusual.nights
            let span =
                old.unusual.isNotBack
                ? "\(Figures.count(count)) nights beyond it"
                : count == 1 ? "one unusual night" : "two unusual nights"
            return better(
                name,
                "\(name) is back at \(old.series.text(value)) (its level is "
                    + "\(old.series.text(old.unusual.level))) after \(span).",
                "\(name) is back in its usual range")
        }
        let facts = nights[before].facts.filter { !$0.kind.isAside }
            .compactMap {
                old -> Digest.Finding? in
                guard old.count > 0, let now = fact(old.kind, old.name, on: newest), now.count == 0,
                    !(old.kind == .threshold && old.name.hasPrefix("violations ")),
                    old.kind != .promise || !isViolated(old.name, on: nights[newest])
                else { return nil }
                let first = first(of: before) { night in
                    night.facts.contains {
                        $0.kind == old.kind && $0.name == old.name && $0.count > 0
                    }
                }
                let row = nights[first...before].count { !$0.isGap }
                let span =
                    first == before
                    ? "on the night of \(nights[first].name)"
                    : "on \(row) nights in a row since \(nights[first].name)"
                switch old.kind {
                case .promise:
                    return better(
                        old.name, "\(Self.sentence(now.text)) It had been violated \(span).",
                        "\(old.name) held again")
                default:
                    return better(
                        old.name, "\(Self.sentence(now.text)) It had not been \(span).",
                        "'\(old.name)' \(old.kind == .shows ? "found" : "met") again")
                }
            }
        return series + jumps + facts
    }

    private func better(_ name: String, _ text: String, _ short: String) -> Digest.Finding {
        Digest.Finding(kind: .better, colour: .green, name: name, text: text, short: short)
    }

    // MARK: Besides

    /// What is higher without being a finding.
    var rise: String? {
        isMeasured ? UnjudgedRise.text(of: view, mayBeJudged: !view.hasNoResult) : nil
    }

    func notes(_ findings: [Digest.Finding]) -> [String] {
        guard let night = nights.last else { return [] }
        var notes: [String] = []
        if isMeasured, let before, !night.mark.isEmpty, nights[before].mark != night.mark {
            let old = nights[before].mark
            let isBlamed = findings.contains {
                $0.colour != .green && $0.since?.night == night.started
            }
            notes.append(
                (old.isEmpty
                    ? "Last night has mark \(night.mark), the night before had none"
                    : isNewInGap(newest)
                        ? "Mark \(night.mark) is new since the last night with values, which had \(old)"
                        : "The mark changed from \(old) to \(night.mark) last night")
                    + (isBlamed
                        ? "."
                        : view.hasNoResult
                            ? "; too early to tell whether anything got worse with it."
                            : "; no change for the worse was proved with it so far."))
        }
        if let rise { notes.append(rise) }
        let few = view.series.compactMap { series in
            series.fewValues.map {
                "\(series.name) (\(Figures.count($0.count)); it takes \(Figures.count($0.needed)))"
            }
        }
        if !few.isEmpty {
            notes.append(
                "Single nights of these are not judged, because percentiles are of too few values: "
                    + "\(few.joined(separator: ", ")).")
        }
        let failing = findings.filter { $0.kind == .failed }
        if !failing.isEmpty, !night.headline.isEmpty,
            !failing.contains(where: { $0.text == night.headline }),
            !night.facts.contains(where: { $0.kind == .promise && $0.fails })
        {
            notes.append("Verdict of the run: \(night.headline)")
        }
        let events = night.facts.filter { $0.kind == .event }
        notes += events.prefix(5).map { Self.sentence($0.text) }
        if events.count > 5 {
            notes.append("And \(events.count - 5) more events; see the report.")
        }
        let isAboutErrors = findings.contains {
            [.failed, .unusual, .worse].contains($0.kind)
                && ($0.name.contains("errors") || $0.name.contains("households"))
        }
        let errors = night.facts.filter { $0.kind == .error }
        if isAboutErrors, !errors.isEmpty {
            notes.append(
                "Most frequent errors last night: "
                    + errors.prefix(3).map(\.text).joined(separator: "; ") + ".")
        }
        notes += night.facts.filter { $0.kind == .known }.map {
            "Known, does not fail the run: \($0.text)."
        }
        notes += observed.filter { !$0.isNew }.map {
            "Still observed, does not fail the run: \($0.fact.text)."
        }
        if isMeasured, let before, before < newest - 1 {
            notes.append(
                "Values again after \(Figures.counted(newest - 1 - before, "night")) without.")
        }
        if isMeasured, view.hasNoResult,
            view.restarts.last != newest || newest == 0
        {
            notes.append(
                "\(Figures.count(view.counted)) of the \(ChangePointJudgement.firstNight) nights that it takes "
                    + "to detect a lasting change.")
        }
        return notes
    }
}

extension NightsView {
    /// As of the night before the newest.
    var before: NightsView { NightsView(nights.dropLast(), rig: rig, accepted: accepted) }
}
