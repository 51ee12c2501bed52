internal import Formats
internal import Rendering
internal import Statistics

/// What a replay says. Reproducibility is always printed with its interval, its window and its
/// target.
extension Replay.ReplayOutcome {
    /// `41 of 50 (Clopper-Pearson 95 %: 69-91 %), window +0.3 ms to +4.1 ms, on this target`.
    public func line(_ replayed: Case, target: String) -> String {
        let window = replayed.evidence?.windowText ?? "window not measured"
        return Case.Target.isSame(target, replayed.target.name)
            ? "\(rate.text), \(window), on this target"
            : "\(rate.text); in the case: \(window); on \(target), not the target where it was found"
    }

    /// Everything else worth knowing, line by line.
    public func notes(_ replayed: Case) -> [String] {
        var lines: [String] = []
        if !sentence.isEmpty { lines.append(sentence) }
        if rate.hits == 0, rate.trials > 0, replayed.evidence.map({ $0.rate.hits == 0 }) ?? true {
            lines.append(
                "this case was taken from a run and has reproduced nowhere yet: it may lack what the violation needs, so that "
                    + "no hit is no sign of a fix; replay it on the target where it was found first"
            )
        }
        if let achieved, let swept = replayed.swept {
            lines.append(
                "achieved offset of \(swept): p10 \(Offsets.text(achieved.p10)), "
                    + "p50 \(Offsets.text(achieved.p50)), p90 \(Offsets.text(achieved.p90))")
        }
        if within.trials > 0, within.trials < rate.trials {
            lines.append(
                "\(rate.trials - within.trials) of \(rate.trials) trials missed the window, "
                    + "because this machine was late or the target's response time changed; of "
                    + "those within it \(within.text)")
        }
        if let path = replayed.path {
            lines.append(
                "the delay through \(path.via) varies by "
                    + "\(Offsets.text(path.width).dropFirst()); each edge of the window may be "
                    + "off by that much")
        }
        if discarded > 0 {
            lines.append(
                "\(discarded) inconclusive trials are not counted; first reason: "
                    + "\(reason)")
        }
        for (invariant, count) in others.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(invariant.name) was violated in \(count) of \(rate.trials) trials: a separate "
                    + "finding")
        }
        return lines
    }
}

extension Case.Target {
    /// Whether two names mean one target: an embedded stand-in has another port each time.
    static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ name: String) -> String {
            guard name.hasPrefix("embedded ("), let end = name.firstIndex(of: ")") else {
                return name
            }
            return "embedded" + name[name.index(after: end)...]
        }
        return plain(one) == plain(other)
    }
}

extension FixedAt {
    /// What it takes.
    public var plan: String {
        let sure = Figures.percent(confidence)
        guard let replays else {
            return
                "a fix cannot be proven, because the rate before the fix is unknown; first "
                + "replay the case where it still reproduces, with --save"
        }
        return
            "\(replays) clean replays would prove a fix with \(sure) confidence (before the fix: "
            + "reproduced in at least \(Figures.percent(oldRate)) of replays)"
    }

    /// What came of it.
    public func verdict(_ rate: HitRate) -> String {
        guard let replays else { return plan }
        if rate.hits > 0 {
            return "not fixed: it reproduced in \(rate.hits) of \(rate.trials) "
                + "replays"
        }
        if rate.trials >= replays {
            return
                "fixed with \(Figures.percent(confidence)) confidence: 0 of \(rate.trials) "
                + "replays reproduced it"
        }
        return "not proven fixed yet: only \(rate.trials) of \(replays) clean replays were "
            + "completed"
    }
}

extension HitRate {
    /// `41 of 50 (Clopper-Pearson 95 %: 69-91 %)`.
    public var text: String {
        guard trials > 0 else { return "not measured" }
        let interval = Interval.exactShare(of: hits, in: trials)
        let low = Self.percent(interval.low)
        let high = Self.percent(interval.high)
        return "\(hits) of \(trials) (Clopper-Pearson 95 %: \(low)-\(high) %)"
    }

    /// Whole percents; rounded to the nearest, but a rate that is not 0 never to 0.
    private static func percent(_ share: Double) -> String {
        let percent = share * 100
        if percent > 0, percent < 1 { return DecimalText.trimmed(percent, 1) }
        if percent < 100, percent >= 99.5 { return DecimalText.trimmed(percent, 1) }
        return DecimalText.fixed(percent, 0)
    }
}

extension Case.Evidence {
    /// `window +0.3 ms to +4.1 ms (outside it: 1 of 4 at +9.1 ms)`.
    public var windowText: String {
        let besides = isSimultaneous ? [] : window.map(curve.besides) ?? []
        return rangeText
            + (besides.isEmpty ? "" : " (outside it: \(besides.joined(separator: "; ")))")
    }

    /// `window +0.3 ms to +4.1 ms`.
    var rangeText: String {
        if isSimultaneous { return "simultaneous" }
        guard let window else {
            // Only a search has a curve.
            guard !curve.isEmpty else { return "window not measured" }
            guard isRare else {
                return curve.seenText(isSure: true).map { "without a window: \($0)" }
                    ?? "at any offset"
            }
            return "rare, without a window" + (curve.seenText().map { ": \($0)" } ?? "")
        }
        let low = (window.isLowOpen ? "beyond " : "") + Offsets.text(window.low)
        let high = (window.isHighOpen ? "beyond " : "") + Offsets.text(window.high)
        return "window \(low) to \(high)"
    }
}

// MARK: As JSON

extension Replay.ReplayOutcome {
    /// One line for `--json`, schema `screenrig/replay/1`.
    public func json(
        _ replayed: Case, target: String, level: String, fixed: FixedAt?, exitCode: Int32
    ) -> String {
        let interval = interval
        var members: [(String, JSON)] = [
            ("schema", .string("screenrig/replay/1")), ("event", .string("end")),
            ("case", .string(replayed.name)), ("target", .string(target)),
            ("invariant", .string(replayed.expected.invariant.name)), ("level", .string(level)),
            ("source", .string(source(replayed).rawValue)),
            ("hits", .integer(rate.hits)), ("of", .integer(rate.trials)),
            (
                "ci95",
                .array([
                    .decimal(interval.low, 4), .decimal(interval.high, 4),
                ])
            ), ("discarded", .integer(discarded)), ("reason", .string(reason)),
            (
                "achievedUs",
                achieved.map {
                    .array([$0.p10, $0.p50, $0.p90].map { .integer($0.inMicroseconds) })
                } ?? .null
            ),
            (
                "windowUs",
                replayed.evidence?.window.map {
                    .array([$0.low, $0.high].map { .integer($0.inMicroseconds) })
                } ?? .null
            ), ("sentence", .string(sentence)),
            (
                "others",
                .members(
                    others.sorted { $0.key < $1.key }.map { ($0.key.name, .integer($0.value)) })
            ),
        ]
        if let fixed {
            let isFixed = rate.hits == 0 && fixed.replays.map { rate.trials >= $0 } ?? false
            members.append(
                (
                    "fixedAt",
                    .members([
                        ("confidence", .decimal(fixed.confidence, 4)),
                        ("replays", fixed.replays.map(JSON.integer) ?? .null),
                        ("fixed", .bool(isFixed)),
                    ])
                ))
        }
        members.append(("exitCode", .integer(Int(exitCode))))
        return JSON.members(members).text(.compact)
    }
}
