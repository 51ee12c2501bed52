internal import Dialects
internal import Journal
internal import Vocabulary

/// What a request is about, whichever protocol it came by: what faults see of it.
struct RequestContext {
    /// What a request asks for.
    enum Purpose: Hashable, Sendable {
        /// A first screen asks for a code to show.
        case issueCode
        /// Either screen looks a code up.
        case readCode
        /// A first screen gives its code up.
        case deleteCode
        /// A browser begins to log in with a code.
        case beginLogin
        /// The provider's answer reaches the service: this makes the sign-in.
        case finishLogin
        /// A person turns a device down.
        case refuse
        /// The second screen asks whether its code has led to a sign-in.
        case checkCode
        /// A first screen asks for its sign-in.
        case poll
        /// A first screen asks whether it has one.
        case checkSignIn
        case preauthorize, authorize, readAuthorization, mediaToken, userMetadata
        /// Ends a sign-in.
        case logout
        /// What a browser goes through after it has logged out.
        case logoutHop
        case other
    }

    let question: any ProtocolQuestion
    let message: ServiceRequest
    let purpose: Purpose
    let operation: OperationName?
    /// Whether the throttle counts it.
    let isThrottled: Bool
    let moment: Moment
    /// The first screen that it is about: by its own words, or by the code.
    let device: DeviceKey?
    /// The code it names, or the one its login began with.
    let code: CodeKey?
    /// That code's life, dead or alive.
    let record: CodeRecord?
    /// The browser's login that it belongs to.
    let login: BrowserLogin?
    /// What is to be played.
    let resource: String?
    let household: Int?
    let exchange: String?

    var session: Session { Session(household: household, device: device, code: record?.text) }
    var isPoll: Bool { purpose == .poll }

    /// Asks whether somebody is signed in, and for nothing else.
    var asksForToken: Bool { isPoll || purpose == .checkSignIn }

    /// Whether it is a first screen's that names itself, and no code in its place.
    var isByDevice: Bool {
        purpose == .issueCode || purpose == .logout || readsToken && code == nil
    }

    /// What a first screen asks of its sign-in.
    var readsToken: Bool {
        switch purpose {
        case .poll, .checkSignIn, .preauthorize, .authorize, .readAuthorization, .mediaToken,
            .userMetadata:
            true
        default: false
        }
    }

    /// `device` and `code`: as the request names them itself.
    init(
        _ question: any ProtocolQuestion, _ message: ServiceRequest, for purpose: Purpose,
        operation: OperationName?, isThrottled: Bool, device: DeviceKey?, code: CodeKey?,
        login: BrowserLogin?, resource: String?, in service: Service, at moment: Moment
    ) {
        self.question = question
        self.message = message
        self.purpose = purpose
        self.operation = operation
        self.isThrottled = isThrottled
        self.code = code ?? login?.code
        record = self.code.flatMap { service.codes[$0] }
        var subject = purpose == .issueCode ? device : record?.device ?? device
        // A session's login is one of the provider that it began with (rest-v2.md, B44).
        if let login, login.isOfSession { subject?.mvpd = login.mvpd }
        self.device = subject
        self.login = login
        self.resource = resource
        self.moment = moment
        exchange = message.headers["X-Screenrig"]
        household = exchange.flatMap { text in
            let parts = text.split(separator: "/")
            return parts.count == 3 ? Int(parts[1]) : nil
        }
    }

    /// Whether an answer to it says yes.
    func isGranted(_ reply: Reply) -> Bool { question.meaning(of: reply) == .granted }

    /// An answer in the service's place.
    func reply(_ answer: InjectedAnswer, by service: inout Service) -> Reply {
        question.reply(answer, by: &service, at: moment)
    }
}
