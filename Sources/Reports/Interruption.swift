internal import Journal
internal import Rendering

/// The service was gone for a while and came back: what failed then has that one cause. `Silence` is one that did not end.
///
/// ```text
/// second   3        4        5        6
///          good     bad      bad      good      its first and last second may have good responses as well
/// ```
struct Interruption: Hashable {
    /// The seconds in which most requests failed, in at least one of them all.
    var seconds: ClosedRange<Int>
    var failed = 0
    /// There were responses, all of them errors.
    var hasResponses = false
    private var isWhole = false

    /// Shorter, or of fewer errors, it may be bad luck.
    private static let leastSeconds = 2
    private static let leastErrors = 10
    private static let listed = 3

    private init(at second: Int) { seconds = second...second }

    private mutating func add(_ health: Timeline.Health, at second: Int) {
        seconds = seconds.lowerBound...second
        failed += health.failed
        hasResponses = hasResponses || health.responses > 0
        isWhole = isWhole || health.good == 0
    }

    private var counts: Bool {
        isWhole && seconds.count >= Self.leastSeconds && failed >= Self.leastErrors
    }

    /// Those of a run in which most requests went well otherwise.
    static func all(_ timeline: Timeline) -> [Interruption] {
        var found: [Interruption] = []
        var (good, bad) = (0, 0)
        var open: Interruption?
        for (second, health) in timeline.health.enumerated()
        where health.failed > 0 || health.good > 0 {
            if health.failed > health.good {
                open = open ?? Interruption(at: second)
                open?.add(health, at: second)
                continue
            }
            if let open, open.counts, good > 0 {
                found.append(open)
            } else {
                bad += open?.failed ?? 0
            }
            open = nil
            good += health.good
            bad += health.failed
        }
        return good > bad ? found : []
    }

    static func sentences(_ fold: RunFold) -> [String] {
        let all = fold.interruptions
        let rest = all.count - listed
        return all.prefix(listed).map { $0.sentence(fold) }
            + (rest > 0 ? ["and \(Figures.counted(rest, "more outage"))"] : [])
    }

    private func sentence(_ fold: RunFold) -> String {
        let (from, through) = (seconds.lowerBound, seconds.upperBound)
        let when =
            fold.utc(Double(from)).flatMap { start in
                fold.utc(Double(through + 1)).map { "from \(start) to \($0) UTC " }
            } ?? ""
        return "outage \(when)(seconds \(Figures.count(from)) to \(Figures.count(through))): "
            + "\(Figures.counted(failed, "request")) "
            + (hasResponses ? "failed" : "got no response") + "; then the service recovered"
    }
}
