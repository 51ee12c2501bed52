public import Journal
internal import Rendering

extension History: Recorded {
    public var keepsAllExchanges: Bool { kept.isComplete }

    /// What cannot be read one by one, and why.
    public var gaps: [String] {
        var gaps = end?.stallTexts ?? []
        gaps += (end?.longTurns ?? []).map { Sanitizer.line($0, limit: 300) }
        if end == nil {
            gaps += lastTurns.map { "when the process ended, \($0.sentence)" }
        }
        if kept.lost > 0 {
            gaps.append(
                "\(Figures.counted(kept.lost, "exchange")) could not be kept (the disk was full); "
                    + "counts and times here are of all")
        }
        if kept.countedOnly > 0 {
            gaps.append(
                "\(Figures.count(kept.countedOnly)) of \(Figures.counted(kept.total, "exchange")) were "
                    + "counted only: the disk was slower than the load; counts and times here are of "
                    + "all ('record: sample(10%)' or 'aggregates' writes less)")
        }
        if recording != "all", kept.recorded < kept.total {
            gaps.append(
                "of \(Figures.counted(kept.total, "exchange")) \(Figures.count(kept.recorded)) can be "
                    + "read one by one (record: \(recording)\(Self.beside(recording))); every count and time here is of all"
            )
        }
        return gaps
    }

    /// What a sample has besides its share.
    private static func beside(_ recording: String) -> String {
        recording.hasPrefix("sample")
            ? ", and households that failed, met a violation, or were among the first 100 with a kind of error or a viewer who left"
            : ""
    }
}
