public import Dialects
public import Journal
internal import Vocabulary

/// One exchange of a trial, with the request and the reply that histories do not keep.
public struct RecordedExchange: Sendable {
    public var call: Call
    /// Nil when none came.
    public var reply: Reply?
    public var exchange: Exchange
    public var answer: Answer
    /// What of it may be shown.
    var gate: OutputGate

    public init(call: Call, reply: Reply?, exchange: Exchange, answer: Answer, gate: OutputGate) {
        self.gate = gate
        self.call = call
        self.reply = reply
        self.exchange = exchange
        self.answer = answer
    }

    /// What it is in every protocol.
    var step: SignInStep { exchange.signInStep }

    /// Why there is no reply.
    var error: TransportError? { exchange.delivery.error }

    /// `register-client answered 400 invalid_software_statement`, or why nothing came.
    var sentence: String {
        let name = exchange.operation.name
        if let error {
            let ours = error.detail.prefix(
                upTo: error.detail.firstRange(of: " (libcurl: ")?.lowerBound
                    ?? error.detail.endIndex)
            return "\(name): \(ours)"
        }
        let status = exchange.delivery.status.map { " answered \($0)" } ?? ""
        let reason = exchange.reason ?? ""
        return "\(name)\(status)"
            + (reason.isEmpty || reason.hasPrefix("status ") ? "" : " \(reason)")
    }

    /// What the server's team finds the exchange by in their logs.
    var requestID: String? { exchange.requestID }
}
