internal import Journal
internal import Rigs

/// The grid on which TVs look: a time between a sign-in and the next poll that is shorter than the
/// interval of polls is decided by when that poll was due, not by the service. A slower service may
/// even shorten it, by ending the sign-in later in the interval.
struct PollGrid: Sendable, Hashable {
    /// The longest interval between two polls, jitter included, in milliseconds; above 0.
    var longestMs: Double

    init(longestMs: Double) {
        self.longestMs = longestMs
    }

    /// Nil where the rig of the record cannot be read, or its TVs wait for a button.
    init?(_ header: HistoryHeader) {
        guard
            let polling = try? Rig.read(header.rigSource, file: "rig", with: .recorded)
                .rig.polling, polling.mode == .timer
        else { return nil }
        longestMs = Double(polling.every.nanoseconds) / 1e6 * (1 + polling.jitter)
    }

    /// The subject of reports that the grid decides.
    static let subject = "token-visibility"

    /// Whether a value in milliseconds says more about the grid than about the service.
    func decides(_ milliseconds: Double) -> Bool { milliseconds <= longestMs }
}
