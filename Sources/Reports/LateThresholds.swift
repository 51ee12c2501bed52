internal import Journal
internal import Rendering
internal import Rigs
internal import Statistics
internal import Vocabulary

/// Thresholds that were missed only by requests that the rig sent late: however few of a run those are, such a
/// miss is not the service's.
struct LateThresholds {
    /// One sentence for each; none where a threshold on the times of requests was missed without late requests as well.
    private(set) var sentences: [String] = []

    init(_ thresholds: [Threshold], _ results: [ThresholdResult], _ fold: RunFold) {
        guard !fold.header.isVirtual else { return }
        for (threshold, result) in zip(thresholds, results) where !result.met {
            guard let bounded = threshold.boundedTimes else { continue }
            guard case .latencies(let share) = bounded,
                let late = Self.late(
                    fold.sum(threshold.operation, kind: threshold.kind), share,
                    Int64(threshold.bound), allowed: fold.header.validLatenessNanoseconds)
            else {
                sentences = []
                return
            }
            sentences.append(
                "it sent \(Figures.counted(late.count, "request")) at least "
                    + "\(Figures.time(milliseconds: Double(late.by) / 1e6)) late, without which "
                    + "\(result.expression) would be met")
        }
    }

    /// How many requests were sent so late that a response as slow as that share of them comes after the bound. Nil
    /// where these do not explain the miss.
    private static func late(_ cell: Cell, _ share: Double, _ bound: Int64, allowed: Int64)
        -> (count: Int, by: Int64)?
    {
        guard let service = cell.service.value(atShare: share), service < bound else { return nil }
        let least = max(allowed, bound - service)
        let late = cell.lateness.count(above: least)
        let over = cell.latency.count(above: bound)
        guard late > 0,
            Double(over - late) <= (1 - share) * Double(cell.latency.count - late)
        else { return nil }
        return (late, least)
    }
}

/// Which times of requests a threshold bounds.
private enum BoundedTimes {
    /// Of so large a part of them, those from when a request was due.
    case latencies(share: Double)
    /// Those without the rig's lateness, or a mean.
    case others
}

extension Threshold {
    fileprivate var operation: OperationName? {
        if case .operation(let name) = subject { name } else { nil }
    }

    /// Nil where it is not about how long requests may take.
    fileprivate var boundedTimes: BoundedTimes? {
        guard subject == .everything || operation != nil,
            comparison == .below || comparison == .atMost
        else { return nil }
        return switch measure {
        case .percentile(let share, .latency): .latencies(share: share)
        case .max(.latency): .latencies(share: 1)
        case .percentile(_, .service), .max(.service), .mean(.service), .mean(.latency): .others
        default: nil
        }
    }
}
