internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// The service's clock, read off the codes that it issues: `generated` lies before the end of its answer.
/// It is the clock by which the service also says when a token expires; the `Date` header is the front
/// server's, and may be missing.
struct CodeClock {
    /// By how much the clocks of a service's own nodes may differ.
    static let leeway: Duration = .seconds(2)

    /// Epoch milliseconds, and an instant at which the service's clock had reached them.
    private var reading: (generated: Int64, at: Instant)?

    mutating func read(_ issued: Answered) {
        guard let generated = issued.exchange.observation.generated else { return }
        reading = (generated, issued.exchange.ended)
    }

    /// Whether the token in an answer had surely expired before it was asked for. False where either
    /// time is unknown.
    func isOver(_ polled: Answered) -> Bool {
        guard let reading, let expires = polled.exchange.observation.expires else { return false }
        let since = polled.exchange.sent - reading.at
        return Duration.milliseconds(expires - reading.generated) + Self.leeway < since
    }
}

extension Household {
    /// What it comes to when the code has run out. The viewer is in time if notice, login and slips, as
    /// the rig drew them, and one more wait of the TV fit into the life that the rig asks for; without a
    /// word of the rig, the usual one. Then it was the service that ended the code too early, or took too long.
    var codeRanOut: StopReason {
        let wait =
            terms.polling.button?.value(atShare: 0.95)
            ?? terms.polling.every * (1 + terms.polling.jitter)
        let end = terms.code.expectedLifetime - max(wait, terms.polling.firstAfter ?? .zero)
        return signInTimes.contains { $0 < end }
            ? .abandoned("the code expired although the viewer was in time", by: .service)
            : .abandoned("the code expired before the viewer signed in", by: .viewer)
    }

    /// From the code on the screen to the end of the login: what is human in it, of each viewer who is to
    /// sign in with the code.
    private var signInTimes: [Duration] {
        let viewer = plan.viewer
        var times = plan.second.map { [$0.noticesCode + $0.signsIn] } ?? []
        if !viewer.givesUp, !viewer.isTooLate, !signsInBothWays {
            let logins = 1 + (viewer.cancels ? 1 : 0) + (viewer.mistypesPassword ? 1 : 0)
            let slip = viewer.mistypesCode ? Self.secondLook : .zero
            times.append(viewer.noticesCode + viewer.signsIn * logins + slip)
        }
        return times
    }
}
