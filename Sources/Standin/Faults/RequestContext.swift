internal import Dialects
internal import Journal
internal import Vocabulary

/// A request, and whose it is.
struct RequestContext {
    let question: V1Question
    let endpoint: V1Endpoint
    let operation: OperationName?
    let moment: Moment
    /// The first screen that it is about: by its own words, or by the code.
    let device: DeviceKey?
    /// The life of the code it names, dead or alive.
    let record: CodeRecord?
    /// The browser's login that it belongs to.
    let login: BrowserLogin?
    let household: Int?
    let exchange: String?

    var session: Session { Session(household: household, device: device, code: record?.text) }
    var isPoll: Bool { endpoint == .pollToken && question.request.method == .get }
    var isLogout: Bool { endpoint == .logout }

    /// Asks whether somebody is signed in, and for nothing else.
    var asksForToken: Bool { isPoll || endpoint == .checkAuthentication }

    /// What a first screen asks of its sign-in.
    var readsToken: Bool {
        switch endpoint {
        case .checkAuthentication, .preauthorize, .authorize, .authorizationToken, .mediaToken,
            .userMetadata:
            true
        default: isPoll
        }
    }

    init(_ question: V1Question, _ service: Service, at moment: Moment) {
        self.question = question
        self.moment = moment
        endpoint = question.route.endpoint
        operation = endpoint.operation(question.request.method)
        login = question["RelayState"].flatMap { service.logins[$0] }
        let code = CodeKey(question.route.code) ?? question["reg_code"].flatMap { CodeKey($0) }
        record = (code ?? login?.code).flatMap { service.codes[$0] }
        let requestor =
            question["requestor"] ?? (question.route.name.isEmpty ? nil : question.route.name)
        if let record, endpoint != .registrationCode {
            device = record.device
        } else if let requestor, let id = question["deviceId"] {
            device = DeviceKey(
                requestor: requestor, device: id, user: question["deviceUser"] ?? "",
                app: question["appId"] ?? "")
        } else {
            device = nil
        }
        exchange = question.request.headers["X-Screenrig"]
        household = exchange.flatMap { text in
            let parts = text.split(separator: "/")
            return parts.count == 3 ? Int(parts[1]) : nil
        }
    }
}
