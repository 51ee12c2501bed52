internal import Dialects

/// A request as its protocol reads it. Each protocol is a codec over the service's stores, with one
/// type that conforms to this: it is all that the rest of the stand-in, faults included, knows of it.
/// An object that never changes: it is handed on through the whole of an answer, and what it holds is large.
protocol ProtocolQuestion: AnyObject, Sendable {
    /// What the request is about.
    func context(in service: Service, at moment: Moment) -> RequestContext
    /// What the service does about it, and answers.
    func answer(by service: inout Service, at moment: Moment) -> Reply
    /// What an answer to it says.
    func meaning(of reply: Reply) -> AnswerMeaning
    /// An answer that a fault gives in the service's place.
    func reply(_ answer: InjectedAnswer, by service: inout Service, at moment: Moment) -> Reply
    /// What an answer to it has in a field; nil when it has none.
    func text(of field: AnswerField, in reply: Reply) -> String?
    /// Writes another text in the place of the one that a field has.
    func set(_ field: AnswerField, to text: String, in reply: inout Reply)
}

/// What an answer says, whichever protocol spells it.
enum AnswerMeaning: Hashable, Sendable {
    /// It was done; what was asked for is there.
    case granted
    /// To a poll: nobody is signed in, so far or any more.
    case absent
    case throttled
    /// Anything else.
    case refused
}

/// Answers that no state of the service led to.
enum InjectedAnswer: Sendable {
    case badRequest, serverError, unavailable, throttled
    /// To a poll: there was a sign-in, and it has expired.
    case expired
}

/// Where an answer says what faults falsify.
enum AnswerField: Sendable {
    case resource, mediaToken
    /// In epoch milliseconds.
    case mediaExpiry
}

extension Service {
    /// The protocol that a request speaks: the one place that knows which there are.
    static func question(_ request: ServiceRequest) -> any ProtocolQuestion {
        if V2Question.isOne(request) { return V2Question(request) }
        return GrantQuestion.read(request) ?? V1Question(request)
    }
}
