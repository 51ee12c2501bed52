internal import Journal
internal import Vocabulary

/// What a violation says of the end of a code, a replay has to wait for.
extension ScheduleExtractor {
    /// Of a promise about a code's end: which code it is, and when it ended, by what came with it.
    var codeEnd: (position: Int, at: Instant)? {
        guard violation.invariant == .expiryRespected,
            let position = scenes.firstIndex(where: { $0.isConflict && $0.step.issuesCode }),
            let generated = scenes[position].exchange.observation.generated, generated > 0,
            let expires = scenes[position].exchange.observation.expires, expires > generated
        else { return nil }
        let exchange = scenes[position].exchange
        let wait = (exchange.firstByte ?? exchange.ended) - exchange.sent
        return (position, exchange.sent + wait / 2 + .milliseconds(expires - generated))
    }

    /// What is of the conflict and about that code happens so long before or after its end.
    func hangs(_ position: Int, on end: (position: Int, at: Instant)) -> Bool {
        let scene = scenes[position]
        return scene.isConflict && position > end.position && !scene.step.issuesCode
            && scene.exchange.code == scenes[end.position].exchange.observation.code
    }

    /// The id of the op that is the code's end.
    static let expiry = Step.expire.rawValue
}
