internal import Formats
internal import Rendering

extension Comparison {
    /// The verdict in a sentence, without statistical terms.
    public var headline: String {
        let interrupted = interruptionSentences
        return interrupted + verdictSentence(no: interrupted.isEmpty ? "No" : "Otherwise no")
    }

    /// `In the run: no response from ... while 31 requests waited; then responses came again. `, where one side has more of
    /// them.
    private var interruptionSentences: String {
        guard base.interruptions.count != run.interruptions.count else { return "" }
        return [("base", base), ("run", run)].compactMap { name, side in
            side.interruptions.first.map { "In the \(name): \($0). " }
        }.joined()
    }

    private func verdictSentence(no: String) -> String {
        switch verdict {
        case .worse: "Worse: \(worst)."
        case .better: "Better: \(best)."
        case .noise:
            "\(no) difference: \(Figures.counted(compared, "value")) compared, and none is shown to differ by "
                + "more than chance and \(floor.text)\(machineWords)."
        case .tooFew: "No verdict: the two runs have too few values in common."
        }
    }

    /// The number of rows that had enough values and were compared.
    public var compared: Int {
        rows.filter { $0.verdict != .tooFew && !$0.isOnGrid && !$0.isOfMachine }.count
    }

    private var machineWords: String {
        let differs = rows.contains { $0.isOfMachine && [.worse, .better].contains($0.verdict) }
        return differs ? ", except connect: the time of the load machine and its network" : ""
    }

    /// A reservation if the set-ups differ; nil otherwise.
    public var reservation: String? {
        setups.isEmpty
            ? nil
            : "the set-ups differ, so the service may not be the cause of a difference"
    }

    /// Why some values are shown but not compared; nil if there are none.
    public var gridNote: String? {
        rows.contains(where: \.isOnGrid)
            ? "\(PollGrid.subject) is not compared: it is dominated by the poll interval" : nil
    }

    private var worst: String {
        var parts: [String] = []
        if !brokenNow.isEmpty {
            parts.append(
                "the service newly violates \(brokenNow.map(\.name).joined(separator: ", "))")
        }
        if let row = worse.first { parts.append(Self.sentence(row)) }
        if parts.isEmpty, let error = sureNewErrors.first {
            parts.append("new error: \(error.sentence)")
        }
        let rest = worse.count - (worse.isEmpty ? 0 : 1)
        if rest > 0 { parts.append("\(Figures.counted(rest, "more value")) got worse") }
        return parts.joined(separator: "; ")
    }

    private var best: String {
        var parts: [String] = []
        if let row = better.first { parts.append(Self.sentence(row)) }
        let mended = promises?.filter(\.isMended) ?? []
        if !mended.isEmpty {
            parts.append(
                "the service no longer violates \(mended.map(\.name).joined(separator: ", "))")
        }
        let rest = better.count - (better.isEmpty ? 0 : 1)
        if rest > 0 { parts.append("\(Figures.counted(rest, "more value")) got better") }
        return parts.joined(separator: "; ")
    }

    /// `poll-token p99 went from 181 ms to 250 ms (+38 %)`.
    static func sentence(_ row: Row) -> String {
        "\(row.name) went from \(row.text(row.base)) to \(row.text(row.run))"
            + (row.relativeText.map { " (\($0))" } ?? "")
    }
}

extension Comparison.Row {
    /// How much a reader should mind, besides whether it is better or worse.
    ///
    /// Among times the one that costs most: the fastest operation easily grows a hundredfold, and
    /// nobody waits for it.
    var gravity: (Int, Double) { (weight, difference.magnitude) }

    private var weight: Int {
        if subject == "households" { return 3 }
        if unit == .share { return 2 }
        return ComparedRun.signIns.contains(subject) ? 1 : 0
    }

    /// `181 ms`, `0.4 %`.
    func text(_ value: Double) -> String {
        switch unit {
        case .milliseconds: Figures.time(milliseconds: value)
        case .share: Figures.percent(value)
        }
    }

    /// `+38 %`, `×14`; nil of nothing.
    var relativeText: String? { relative.map(Self.signed) }

    /// `+29 % to +47 %`; of shares in points.
    var intervalText: String {
        switch unit {
        case .milliseconds:
            base > 0 ? "\(Self.signed(low / base)) to \(Self.signed(high / base))" : "–"
        case .share: "\(Self.points(low)) to \(Self.points(high))"
        }
    }

    /// `sure to 99.9 %`.
    var sureText: String {
        sure >= 0.9995 ? "> 99.9 %" : "\(DecimalText.trimmed(sure * 100, 1)) %"
    }

    /// `+38 %`, `-5 %`, `0 %`, `×14`.
    static func signed(_ share: Double) -> String {
        if share >= 9 { return "×\(Figures.significant(share + 1))" }
        let percent = share * 100
        let text = DecimalText.fixed(percent.magnitude, percent.magnitude < 9.95 ? 1 : 0)
        let isNothing = text.allSatisfy { $0 == "0" || $0 == "." }
        return (isNothing ? "" : percent > 0 ? "+" : "−") + (isNothing ? "0" : text) + " %"
    }

    /// `+0.4 points`: of a share, whose percent would be read as a part of it.
    static func points(_ share: Double) -> String {
        let text = DecimalText.trimmed((share * 100).magnitude, 2)
        return (text == "0" ? "" : share > 0 ? "+" : "−") + text + " points"
    }
}
