internal import Journal
internal import Rendering

/// The service was gone for a while and came back: what failed then has that one cause. `Silence` is one that did not end.
struct Interruption: Hashable {
    /// The first and the last whole second in which not one response was in order.
    var seconds: ClosedRange<Int>
    var failed: Int
    /// There were responses, all of them errors.
    var hasResponses: Bool

    /// Shorter, or of fewer errors, it may be bad luck.
    private static let leastSeconds = 2
    private static let leastErrors = 10
    private static let told = 3

    /// Those of a run in which most requests went well otherwise.
    static func all(_ timeline: Timeline) -> [Interruption] {
        var found: [Interruption] = []
        var (good, bad) = (0, 0)
        var open: Interruption?
        for (second, health) in timeline.health.enumerated() {
            if health.good > 0 {
                if let open, open.isLong, good > 0 {
                    found.append(open)
                } else {
                    bad += open?.failed ?? 0
                }
                open = nil
                good += health.good
                bad += health.failed
            } else if health.failed > 0 {
                var one =
                    open ?? Interruption(seconds: second...second, failed: 0, hasResponses: false)
                one.seconds = one.seconds.lowerBound...second
                one.failed += health.failed
                one.hasResponses = one.hasResponses || health.responses > 0
                open = one
            }
        }
        return good > bad ? found : []
    }

    private var isLong: Bool { seconds.count >= Self.leastSeconds && failed >= Self.leastErrors }

    static func sentences(_ fold: RunFold) -> [String] {
        let all = fold.interruptions
        let rest = all.dropFirst(told)
        return all.prefix(told).map { $0.sentence(fold) }
            + (rest.isEmpty
                ? []
                : ["so it was \(Figures.counted(rest.count, "more time", plural: "more times"))"])
    }

    private func sentence(_ fold: RunFold) -> String {
        let (from, through) = (seconds.lowerBound, seconds.upperBound)
        let what =
            hasResponses
            ? "the service responded with nothing but errors" : "the service did not respond"
        let when =
            fold.utc(Double(from)).flatMap { start in
                fold.utc(Double(through + 1)).map { "from \(start) to \($0) UTC " }
            } ?? ""
        return "\(what) \(when)(seconds \(Figures.count(from)) to \(Figures.count(through))): "
            + "\(Figures.counted(failed, "request")) failed; after that it responded again"
    }
}
