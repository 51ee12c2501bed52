internal import Journal
internal import Rendering
internal import Rigs
internal import Statistics

/// Thresholds on times that only the rig's own lateness missed: however few requests of a run it sent late, such a miss is
/// not the service's.
struct LateThresholds {
    /// One sentence for each; none where another threshold on times was missed too.
    private(set) var sentences: [String] = []

    /// `lateness`: of all requests of what the results were read off.
    init(_ thresholds: [Threshold], _ results: [ThresholdResult], lateness: Histogram) {
        let missed = zip(thresholds, results).filter { threshold, result in
            !result.met && !result.isAboutCounts && !result.isAboutPromises
                && !threshold.measure.isOfLateness
        }.map(\.1)
        guard !missed.isEmpty, missed.allSatisfy({ $0.punctual != nil }) else { return }
        sentences = missed.map { $0.latenessSentence(lateness) }
    }
}

extension ThresholdResult {
    /// Of one that only the rig's own `lateness` missed.
    fileprivate func latenessSentence(_ lateness: Histogram) -> String {
        "it sent requests up to \(Figures.time(milliseconds: Double(lateness.largest) / 1e6)) late, and without that "
            + "\(expression) would be met: \(punctual ?? "") instead of \(actual)"
    }
}
