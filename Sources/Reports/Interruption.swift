internal import Journal
internal import Rendering

/// The service was gone for a while and came back: what failed then has that one cause. `Silence` is one that did not end.
///
/// ```text
/// second   3        4        5        6
///          good     bad      silent   good      its first and last second may have good responses as well
/// ```
struct Interruption: Hashable {
    /// The seconds in which most requests failed or none got a response, in at least one of them all.
    var seconds: ClosedRange<Int>
    var failed = 0
    /// There were responses, all of them errors.
    var hasResponses = false
    /// At most so many requests were in flight at the end of one of its seconds.
    var waiting = 0
    /// Requests that ended in it, or within `target.timeout` after it, without a response in that time.
    var timedOut = 0
    private var isWhole = false
    /// Seconds without any response in which requests were sent: a rig that was itself suspended has sent none.
    private var unheard = 0

    /// Shorter, or of fewer requests, it may be bad luck.
    private static let leastSeconds = 2
    private static let leastRequests = 10
    private static let listed = 3

    private init(at second: Int) { seconds = second...second }

    private mutating func add(_ health: Timeline.Health, sent: Int, at second: Int) {
        seconds = seconds.lowerBound...second
        failed += health.failed
        hasResponses = hasResponses || health.responses > 0
        isWhole = isWhole || health.good == 0
        guard health.isSilent else { return }
        waiting = max(waiting, health.waiting)
        if sent > 0 { unheard += 1 }
    }

    private var counts: Bool {
        let requests = failed + (unheard >= Self.leastSeconds ? waiting : 0)
        return isWhole && seconds.count >= Self.leastSeconds && requests >= Self.leastRequests
    }

    /// Those of a run in which most requests went well otherwise. `timeout`: target.timeout.
    static func all(_ timeline: Timeline, timeout: Duration = .zero) -> [Interruption] {
        var found: [Interruption] = []
        var (good, bad) = (0, 0)
        var open: Interruption?
        let wait = Int((timeout / .seconds(1)).rounded(.up))
        for (second, health) in timeline.health.enumerated()
        where health.failed > 0 || health.good > 0 || health.isSilent {
            // Before its first response a service is not gone.
            if health.isSilent ? good > 0 || open != nil : health.failed > health.good {
                open = open ?? Interruption(at: second)
                open?.add(health, sent: timeline.sent[second], at: second)
                continue
            }
            if var one = open, one.counts, good > 0 {
                let last = min(one.seconds.upperBound + wait, timeline.health.count - 1)
                one.timedOut = timeline.health[one.seconds.lowerBound...last]
                    .reduce(0) { $0 + $1.timeouts }
                found.append(one)
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
        let place = "\(when)(seconds \(Figures.count(from)) to \(Figures.count(through)))"
        let late =
            timedOut == 0
            ? "" : "\(Figures.counted(timedOut, "request")) timed out (target.timeout)"
        let what =
            failed == 0
            ? "no response \(place) while \(Figures.counted(waiting, "request")) waited"
            : "outage \(place): \(Figures.counted(failed, "request")) "
                + (hasResponses ? "failed" : "got no response")
        // What was answered late and well needs no recovery.
        let end =
            failed + timedOut == 0 ? "then responses came again" : "then the service recovered"
        return what + (late.isEmpty ? "" : ", \(late)") + "; \(end)"
    }
}

extension Timeline.Health {
    /// Nothing ended, and requests of several operations waited: one alone may be slow by its nature.
    var isSilent: Bool { responses == 0 && failed == 0 && waitingOperations > 1 }
}
