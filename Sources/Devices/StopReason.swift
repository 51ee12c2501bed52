internal import Dialects
internal import Journal
internal import Lanes

/// Why a household's story ends before its time.
enum StopReason: Error {
    /// The service kept it from going on; the words say how.
    case failed(Untrusted)
    /// Its people stopped, the code ran out on them, or the run ended first.
    case abandoned(Untrusted, by: HouseholdRecord.Abandonment)
    /// Nobody is signed in on the device any more; the words say how the service put it.
    case signedOut(Untrusted)
    /// The run was stopped.
    case stopped
    /// The protocol has no such step; where the story can, it goes on without it.
    case unknownStep

    /// Why, where somebody said so.
    var words: Untrusted {
        switch self {
        case .failed(let words), .abandoned(let words, _), .signedOut(let words): words
        case .stopped: "the run was stopped"
        case .unknownStep: "the protocol has no such step"
        }
    }

    static let gaveUp = StopReason.abandoned("the viewer gave up", by: .viewer)
    static let refusedByViewer = StopReason.abandoned("the viewer refused the device", by: .viewer)

    /// `register-client answered 400 invalid_software_statement`.
    static func refused(_ answered: Answered?) -> StopReason {
        guard let answered else { return .unknownStep }
        if answered.exchange.delivery.error?.kind == .stopped { return .stopped }
        if case .signedOut = answered.answer { return .signedOut(refusal(answered)) }
        return .failed(refusal(answered))
    }

    /// `register-client answered 429 to each of 61 requests`: a service that throttles to the end.
    static func throttled(_ answered: Answered, times: Int) -> StopReason {
        .failed("\(refusal(answered)) to each of \(ours: String(times)) requests")
    }

    /// `register-client answered 429: the server asked to wait 3600 s, and the run ends before that`. `end`:
    /// what is over by then.
    static func asked(
        toWait pause: Duration, longerThan end: StaticString, _ answered: Answered
    ) -> StopReason {
        let exchange = answered.exchange
        let status = exchange.delivery.status.map { " answered \($0)" } ?? ""
        let seconds = Int(pause.components.seconds)
        return .failed(
            "\(ours: exchange.operation.name + status): the server asked to wait \(seconds) s, and "
                + "\(ours: "\(end)") ends before that")
    }

    /// The words of `refused`.
    static func refusal(_ answered: Answered) -> Untrusted {
        let exchange = answered.exchange
        let operation = exchange.operation.name
        switch exchange.delivery {
        case .answered(let status):
            let reason = exchange.reason.map { $0 == "status \(status)" ? "" : " \($0)" } ?? ""
            return "\(ours: operation) answered \(status)\(reason)"
        case .refused(let error), .unknown(let error):
            return "\(ours: operation) got no answer: \(error.detail)"
        }
    }
}
