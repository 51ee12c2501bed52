internal import Checker
public import Dialects
internal import Formats
internal import Vocabulary

/// What somebody without this tool needs to know of a target; no secret is among it.
public struct EmitTarget: Sendable, Hashable {
    /// `http://127.0.0.1:8080`.
    public var base: String
    public var requestor: String
    public var domain: String
    public var redirectURL: String
    /// Empty: what the configuration offers.
    public var mvpds: [String]
    public var resources: [String]
    public var usesBearer: Bool
    /// Phones register no client and show no token.
    public var hasBarePhones = false
    /// More parameters of the first screen's requests.
    public var parameters: Headers = [:]
    /// Each device has an address of its own in `X-Forwarded-For`.
    public var forwards: Bool
    /// Headers of the rig without secrets.
    public var headers: [(name: String, value: String)] {
        get { extra.map { ($0.name, $0.value) } }
        set { extra = newValue.map { Headers.Field($0.name, $0.value) } }
    }
    private var extra: [Headers.Field] = []
    /// Of an OAuth device grant; its secret is not written.
    public var deviceGrant = DeviceGrantTerms()
    /// `X-Device-Info` of a TV and of a phone.
    public var firstInfo: String
    public var secondInfo: String
    /// `User-Agent` of both; empty: none is sent.
    public var firstAgent = ""
    public var secondAgent = ""
    /// The stand-in's own demo statement, which is public; empty: it must come from the environment.
    public var demoStatement: String
    /// The demo key of service tokens in PEM, which is public; empty: it must come from the environment.
    public var demoIdentityKey = ""

    public init(
        base: String, requestor: String, domain: String, redirectURL: String, mvpds: [String],
        resources: [String], usesBearer: Bool, forwards: Bool, firstInfo: String,
        secondInfo: String, demoStatement: String = ""
    ) {
        self.base = base
        self.requestor = requestor
        self.domain = domain
        self.redirectURL = redirectURL
        self.mvpds = mvpds
        self.resources = resources
        self.usesBearer = usesBearer
        self.forwards = forwards
        self.firstInfo = firstInfo
        self.secondInfo = secondInfo
        self.demoStatement = demoStatement
    }
}

/// A case for people without this tool.
public struct Emission: Sendable {
    let emitted: Case
    let target: EmitTarget

    public init(_ emitted: Case, target: EmitTarget) {
        self.emitted = emitted
        self.target = target
    }

    /// Steps for which something would be needed that only the rig has: a platform that vouches, a
    /// client's secret, the end of a code.
    private static let unknown: Set<Step> = [
        .tokenExchange, .profileRequest, .freePreview, .preauthorizeCode, .registerClient,
        .accessToken, .expire, .partnerRequest, .ssoProfile,
    ]

    /// One file of Python 3 without any dependency: threads, last bytes released at their offsets,
    /// secrets from the environment; prints k of n, exits 1 while it hits.
    public func python() throws(EmitError) -> String {
        if let refusal = Self.refusal(of: emitted) { throw refusal }
        // Of what can be scripted, a device grant alone has a script of its own.
        guard let spoken = emitted.spoken, let names = spoken.type.script else {
            return try grantPython()
        }
        return Script.text(
            spoken, hasIdentities: showsIdentities,
            [
                "NAME": Self.comment(emitted.name),
                "SENTENCE": Self.comment(emitted.expected.sentence),
                "VERSION": Self.comment(emitted.version),
                "BASE": Self.comment(target.base),
                "STATEMENT": target.demoStatement.isEmpty ? "" : " (default: the stand-in's own)",
                "CASE": Self.literal(caseDocument(in: spoken).text(.page)),
                "TARGET": Self.literal(
                    targetDocument(spoken, names, calls: try calls(in: spoken)).text(.page)),
            ])
    }

    /// Why no script can play a case; nil where one can, but for what only its requests tell.
    static func refusal(of found: Case) -> EmitError? {
        if found.spoken == .oauthDeviceGrant {
            // A server may take a token back because its code was polled for again, as these scripts do (RFC 6749, 4.1.2).
            let isByToken =
                found.expected.invariant == .signInDelivered
                && found.expected.responses.last?.operation == .userinfo
            return isByToken
                ? .unknownForm(Invariant.signInDelivered.name, OperationName.userinfo.name) : nil
        }
        guard let spoken = found.spoken, spoken.type.script != nil else {
            return .otherProtocol(found.target.protocolName)
        }
        if let op = found.schedule.ops.first(where: { unknown.contains($0.step) }) {
            return .unknownStep(op.step.rawValue)
        }
        let invariant = found.expected.invariant
        let promises = Script.promises(in: spoken)
        if promises.contains(invariant) {
            return unread(found.expected).map { .unknownForm(invariant.name, $0.name) }
        }
        return invariant == .protocolsApart
            ? .twoProtocols
            : .unknownPromise(invariant.name, known: promises.sorted().map(\.name))
    }

    /// A response that a case's violation shows in, and no script reads for that promise: its rules look at less than the judge.
    private static func unread(_ expected: Case.Expected) -> OperationName? {
        guard let last = expected.responses.last else { return nil }
        let step = last.operation.step(onFirstScreen: true)
        switch expected.invariant {
        // Scripts order sign-ins, logouts and what the TV is shown of them.
        case .linearizable where ![.poll, .checkSignIn].contains(step): return last.operation
        case .tokenIsolation where ![.poll, .checkSignIn, .confirm].contains(step):
            return last.operation
        case .providerIndependence where ![.poll, .confirm].contains(step): return last.operation
        // That a sign-in is gone they read in polls, which all trials end with.
        case .errorsHaveNoEffect: return nil
        default: break
        }
        return expected.responses.first { response in
            ["unauthenticated", "unauthorized"].contains(response.result)
                || response.operation == .authorizationToken
                    && expected.invariant == .authorizationGates
                || response.operation == .authorize
                    && [.profileViewsAgree, .providerIndependence].contains(expected.invariant)
        }?.operation
    }

    /// An op names its user to the service by a token of an identity service.
    private var showsIdentities: Bool {
        emitted.schedule.ops.contains { $0[arg: "identity"] != nil }
    }

    static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }

    /// A Python string of several lines. JSON escapes quotes and control characters by itself; what is
    /// left to do is the backslash.
    static func literal(_ json: String) -> String {
        "r'''\n" + json.replacing("'", with: "\\u0027") + "\n'''"
    }

    /// Both ends of the measured window in microseconds, null where it is open; null where there is none.
    private var windowDocument: JSON {
        guard let evidence = emitted.evidence, !evidence.isSimultaneous,
            let window = evidence.window
        else { return .null }
        return .array([
            window.isLowOpen ? .null : .integer(window.low.inMicroseconds),
            window.isHighOpen ? .null : .integer(window.high.inMicroseconds),
        ])
    }

    func caseDocument(in spoken: ProtocolName) -> JSON {
        let schedule = emitted.schedule
        let akin: [JSON] = Script.promises(akinTo: emitted.expected.invariant, in: spoken)
            .map { .string($0.name) }
        return .members([
            ("name", .string(emitted.name)),
            ("invariant", .string(emitted.expected.invariant.name)),
            (
                "mediaOnce",
                .bool(
                    [.authorizationGates, .decisionTrue].contains(emitted.expected.invariant)
                        && emitted.expected.source == .policy)
            ), ("visibilityUs", .integer(visibility.inMicroseconds)),
            ("akin", .array(akin)),
            ("toleranceMs", .integer(policy("clock-tolerance").inMicroseconds / 1_000)),
            ("sweepLagMs", .integer(policy("sweep-lag").inMicroseconds / 1_000)),
            ("singleUse", .bool(!emitted.policies.contains("code-reuse: until-expiry"))),
            (
                "window",
                .string(emitted.evidence?.windowText ?? "window not measured")
            ), ("windowUs", windowDocument), ("found", .string(emitted.target.name)),
            (
                "actors",
                .array(
                    schedule.actors.map {
                        .members([
                            ("name", .string($0.name)), ("screen", .string($0.screen.rawValue)),
                            ("household", .integer($0.household)),
                        ])
                    })
            ), ("ops", .array(schedule.ops.map { Self.op($0, of: schedule, in: spoken) })),
            (
                "settle",
                .members([
                    ("quietUs", .integer(schedule.settle.quiet.inMicroseconds)),
                    ("reads", .integer(schedule.settle.reads)),
                    ("everyUs", .integer(pause(of: schedule.settle).inMicroseconds)),
                ])
            ),
            (
                "reads",
                .array(
                    Self.reads(of: schedule, in: spoken).map {
                        Self.op($0, of: schedule, in: spoken)
                    })
            ),
            ("alone", .bool(emitted.company == .nobody)),
            ("ttl", schedule.codeLifetime.map { .integer(Int($0.components.seconds)) } ?? .null),
            ("swept", emitted.swept.map(JSON.string) ?? .null),
        ])
    }

    /// How long the service may take to show a change, by the policies that the case was judged by.
    private var visibility: Duration { policy("visibility") }

    /// A time of the policies that the case was judged by.
    private func policy(_ name: String) -> Duration {
        let text = emitted.policies.first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2)
        return text.flatMap { Duration(rigText: String($0)) } ?? .zero
    }

    /// A sign-in is lost where a run would call it lost: the last poll comes late enough for that.
    private func pause(of settle: Schedule.Settle) -> Duration {
        emitted.expected.invariant == .signInDelivered
            ? max(settle.every, Rules.shortestDelivery + .milliseconds(500)) : settle.every
    }

    /// What is asked in the end, as ops of the screens that ask; without what the protocol has nothing for.
    private static func reads(of schedule: Schedule, in spoken: ProtocolName) -> [Schedule.Op] {
        schedule.finalReads.compactMap { read in
            guard let step = read.step.counterpart(in: spoken) else { return nil }
            let actor =
                read.op.map { schedule.ops[$0].actor }
                ?? schedule.actors.first {
                    $0.screen == .first && $0.household == read.household
                }?.name
            var op = Schedule.Op("read", actor ?? "", step, connection: .fresh)
            if let code = read.code { op.args = [.init("code", code)] }
            if let resource = read.resource { op.args = [.init("resource", "\(resource)")] }
            return op
        }
    }

    /// What an op does in any protocol, in the script's words.
    private static func deed(
        of op: Schedule.Op, onFirstScreen isFirst: Bool, in spoken: ProtocolName
    ) -> String {
        switch op.step {
        case .authenticate: return "sign-in"
        case .loginStart: return "start"
        // A decision has the media token in it, where nothing else asks for that.
        case .authorize where !spoken.operations.contains(.mediaToken): return "media"
        default: break
        }
        return switch op.step.operation?.step(onFirstScreen: isFirst) {
        case .issueCode: "code"
        case .poll: "poll"
        case .confirm: "confirm"
        case .lookUpCode: "record"
        case .deleteCode: "delete"
        case .logout: "logout"
        case .mediaToken: "media"
        case .readAuthorization: "authorization"
        default: op.step.rawValue
        }
    }

    private static func op(
        _ op: Schedule.Op, of schedule: Schedule, in spoken: ProtocolName
    ) -> JSON {
        let isFirst = schedule[actor: op.actor]?.screen == .first
        return .members([
            ("id", .string(op.id)), ("actor", .string(op.actor)), ("op", .string(op.step.rawValue)),
            ("does", .string(deed(of: op, onFirstScreen: isFirst, in: spoken))),
            ("args", .members(op.args.map { ($0.name, .string($0.value)) })),
            ("tag", op.tag.map(JSON.string) ?? .null),
            (
                "anchor",
                op.anchor.map {
                    .members([("op", .string($0.op)), ("event", .string($0.event.rawValue))])
                } ?? .null
            ), ("offsetUs", .integer(op.offset.inMicroseconds)),
            ("connection", .string(op.connection.text)),
        ])
    }

    /// What a trial fills in.
    private enum Blank {
        static let device = "PLACEFORDEVICE"
        static let code = "PLACEFORCODE"
        static let provider = "PLACEFORPROVIDER"
        static let resource = "PLACEFORRESOURCE"
        static let statement = "PLACEFORSTATEMENT"
        static let client = "PLACEFORCLIENT"
        static let secret = "PLACEFORSECRET"
        static let bearer = "PLACEFORBEARER"
        static let info = "PLACEFORINFO"
    }

    /// The requests of all steps that the script makes, as the dialect writes them, with places for what
    /// a trial fills in.
    private func calls(in spoken: ProtocolName) throws(EmitError) -> [(name: String, call: Call)] {
        let dialect = spoken.dialect(
            at: Origin(scheme: .http, host: "target"), requestor: target.requestor,
            domain: target.domain, redirectURL: target.redirectURL)
        let device = DeviceIdentity(
            id: Blank.device,
            info: DeviceInfo(model: "", osName: "", osVersion: "", primaryHardwareType: ""),
            userAgent: "", forwardedFor: nil,
            style: RequestStyle(parameters: target.parameters))
        let credential = Credential(
            device: device, bearer: target.usesBearer ? Secret(Blank.bearer) : nil,
            mvpd: Blank.provider)
        let issued = IssuedCode(code: Code(Blank.code), lifetime: .zero)
        let schedule = emitted.schedule
        var steps: [Step] = [.loginStart, Self.poll(in: spoken)]
        let hasPass = schedule.ops.contains { $0[arg: "pass"] != nil }
        if target.mvpds.isEmpty || hasPass { steps.append(.configuration) }
        if let look = Self.look(in: spoken) { steps.append(look) }
        if target.usesBearer { steps += [.registerClient, .accessToken] }
        let completion = dialect.completeSession(
            issued.code, mvpd: Blank.provider, credential)
        if completion != nil { steps.append(Step(.resumeSession)) }
        let reads = Self.reads(of: schedule, in: spoken).map(\.step)
        for step in schedule.ops.map(\.step) + reads
        where step != .authenticate && !steps.contains(step) {
            steps.append(step)
        }
        var made: [(name: String, call: Call)] = []
        // One that names its provider is another request.
        if schedule.ops.contains(where: { $0.step == .createSession && $0.namesProvider }),
            let call = dialect.issueCode(credential, lifetime: nil, mvpd: Blank.provider)
        {
            made.append((Step.createSession.rawValue + " provider", call))
        }
        for step in steps {
            let call: Call? =
                switch step {
                case .loginStart:
                    dialect.authenticate(issued, mvpd: Blank.provider, credential)
                case .registrationCode, .createSession:
                    dialect.issueCode(credential, lifetime: schedule.codeLifetime, mvpd: nil)
                case .pollToken: dialect.poll(issued, .token, credential)
                case Step(.resumeSession): completion
                case .registerClient: dialect.registerClient(Secret(Blank.statement), as: device)
                case .accessToken:
                    dialect.accessToken(
                        ClientCredentials(id: Blank.client, secret: Secret(Blank.secret)),
                        as: device)
                default:
                    step.operation.flatMap { operation in
                        let resources =
                            operation.has(.aboutResource) ? [Blank.resource] : target.resources
                        let subject = Subject(code: issued.code, resources: resources)
                        return dialect.call(operation, about: subject, credential)
                    }
                }
            guard let call else { throw .unknownStep(step.rawValue) }
            made.append((step.rawValue, call))
        }
        return made
    }

    /// What a TV asks while it waits.
    private static func poll(in spoken: ProtocolName) -> Step {
        Step.pollToken.counterpart(in: spoken) ?? .pollToken
    }

    /// What the TV knows of itself beside what a code leads to (rest-v2.md § 6).
    private static func look(in spoken: ProtocolName) -> Step? {
        spoken.operations.contains(.profiles) ? Step(.profiles) : nil
    }

    /// As the dialect writes them, but for the device's description, which differs between screens.
    private static func headers(of call: Call) -> [JSON] {
        call.headers.fields.map { field in
            let isInfo = field.name == "X-Device-Info"
            return .array([.string(field.name), .string(isInfo ? Blank.info : field.value)])
        }
    }

    private static func path(_ names: [String]) -> JSON { .array(names.map(JSON.string)) }

    private func targetDocument(
        _ spoken: ProtocolName, _ names: ScriptTerms, calls: [(name: String, call: Call)]
    ) -> JSON {
        .members([
            (
                "calls",
                .members(
                    calls.map { name, call in
                        (
                            name,
                            .array([
                                .string(call.method.rawValue), .string(call.address.target),
                                .array(Self.headers(of: call)),
                                .string(String(decoding: call.body, as: UTF8.self)),
                            ])
                        )
                    })
            ),
            ("poll", .string(Self.poll(in: spoken).rawValue)),
            ("look", Self.look(in: spoken).map { .string($0.rawValue) } ?? .null),
            ("several", .bool(spoken.speaksOfSessions)),
            (
                "names",
                .members([
                    ("user", Self.path(names.user)), ("provider", Self.path(names.provider)),
                    ("expires", Self.path(names.expires)), ("code", Self.path(names.code)),
                    ("absent", .array(names.absent.map(JSON.integer))),
                    ("map", Self.path(names.map)), ("permit", Self.path(names.permit)),
                    ("assertion", .string(names.assertion)),
                    ("providers", Self.path(names.providers)),
                    ("providerItem", .string(names.providerItem)),
                ])
            ),
            ("base", .string(target.base)),
            ("mvpds", .array(target.mvpds.map(JSON.string))),
            ("resources", .array(target.resources.map(JSON.string))),
            ("bearer", .bool(target.usesBearer)), ("barePhones", .bool(target.hasBarePhones)),
            ("forwards", .bool(target.forwards)),
            (
                "headers",
                .array(target.headers.map { .array([.string($0.name), .string($0.value)]) })
            ),
            (
                "info",
                .members([
                    ("first", .string(target.firstInfo)), ("second", .string(target.secondInfo)),
                ])
            ),
            (
                "agents",
                .members([
                    ("first", .string(target.firstAgent)), ("second", .string(target.secondAgent)),
                ])
            ), ("demoStatement", .string(target.demoStatement)),
            ("demoIdentityKey", .string(showsIdentities ? target.demoIdentityKey : "")),
        ])
    }
}

/// Why a case cannot be emitted.
public enum EmitError: Error, Sendable, Hashable, CustomStringConvertible {
    case otherProtocol(String)
    case unknownStep(String)
    case unknownPromise(String, known: [String])
    /// Of a promise that scripts check in other responses.
    case unknownForm(String, String)
    case twoProtocols
    case noTrial(String)
    case noRequests

    /// Protocols that scripts speak.
    private static let scripted = ProtocolName.allCases.filter { $0.type.script != nil }
        .map(\.rawValue).joined(separator: ", ")

    public var description: String {
        switch self {
        case .otherProtocol(let name):
            "scripts support \(EmitError.scripted) only, and this case uses \(name); replay it "
                + "with screenrig"
        case .unknownStep(let step):
            "scripts do not support \(step), which needs the rig; replay this case with screenrig"
        case .unknownPromise(let name, let known):
            "scripts cannot check \(name), only \(known.joined(separator: ", ")); replay this "
                + "case with screenrig"
        case .unknownForm(let name, let operation):
            "scripts cannot check \(name) in a response to \(operation); replay this case with screenrig"
        case .twoProtocols:
            "scripts cannot check protocols-apart: a script speaks one protocol, and this promise needs "
                + "a sign-in over another; replay the rig of its run with screenrig"
        case .noRequests:
            "this case does not contain the requests of its trial; replay it with --save, which "
                + "adds them"
        case .noTrial(let form):
            "this case contains no trial to write as \(form); replay it with --save first"
        }
    }
}
