internal import Journal
internal import Rendering
internal import Rigs
internal import Statistics
internal import Vocabulary

/// Thresholds that were missed only by requests that the rig sent late: however few of a run those are, such a
/// miss is not the service's.
struct LateThresholds {
    /// One sentence for each; none where another threshold on times was missed too.
    private(set) var sentences: [String] = []

    init(_ thresholds: [Threshold], _ results: [ThresholdResult], _ fold: RunFold) {
        guard !fold.header.isVirtual else { return }
        for (threshold, result) in zip(thresholds, results)
        where !result.met && !result.isAboutCounts && !result.isAboutPromises
            && !threshold.measure.isOfLateness
        {
            guard let share = threshold.boundedShare,
                let (late, all) = Self.late(
                    fold.sum(threshold.operation, kind: threshold.kind), share,
                    Int64(threshold.bound))
            else {
                sentences = []
                return
            }
            sentences.append(
                "it sent \(Figures.count(late)) of \(Figures.counted(all, "request")) later than the bound of "
                    + "\(result.expression), which would be met without them")
        }
    }

    /// How many requests were over the bound by the rig's lateness alone, and of how many. Nil where the bound is missed
    /// without them as well.
    private static func late(_ cell: Cell, _ share: Double, _ bound: Int64) -> (Int, of: Int)? {
        let timed = cell.latency.count
        // Those without a time were sent as well, and may be the late ones.
        let late = cell.lateness.count(above: bound) - (cell.lateness.count - timed)
        guard late > 0,
            Double(cell.latency.count(above: bound) - late) <= (1 - share) * Double(timed - late)
        else { return nil }
        return (late, timed)
    }
}

extension Threshold {
    fileprivate var operation: OperationName? {
        if case .operation(let name) = subject { name } else { nil }
    }

    /// How large a part of all requests must be answered within the bound, from when they were due; nil where the
    /// threshold is about something else.
    fileprivate var boundedShare: Double? {
        guard subject == .everything || operation != nil,
            comparison == .below || comparison == .atMost
        else { return nil }
        return switch measure {
        case .percentile(let share, .latency): share
        case .max(.latency): 1
        default: nil
        }
    }
}
