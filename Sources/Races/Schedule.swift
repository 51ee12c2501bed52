public import Formats
public import Vocabulary

/// What several devices do, and when against one another: the thing that a race search varies, that
/// a shrinker makes smaller and that a case holds. Says nothing of who the devices are: each
/// execution has fresh ones.
///
/// ```text
///   ops without an anchor go one after another    | create |-->| authenticate |--> ...
///   anchored ops hang on another one's event                        ^ last byte sent
///                                                    | poll |<-- offset (may be negative)
/// ```
public struct Schedule: Codable, InlineCodable, Sendable, Hashable {
    public static let firstKey = "plan"

    private enum CodingKeys: String, CodingKey {
        case plan, actors, ops, settle
        case codeLifetime = "codeLifetimeUs"
    }

    /// The race plan that it comes from: `poll-authenticate`.
    public var plan: String
    public var actors: [Actor]
    /// In the order in which they are set up. An op without an anchor begins when all before it have
    /// ended; it and those that hang on it are one cluster, and are made ready together.
    public var ops: [Op]
    /// What is read after the race, to tell lost from late.
    public var settle: Settle
    /// The life that devices ask for with each code; nil: the rig's.
    public var codeLifetime: Duration?

    public init(
        plan: String, actors: [Actor], ops: [Op], settle: Settle = Settle(),
        codeLifetime: Duration? = nil
    ) {
        self.plan = plan
        self.actors = actors
        self.ops = ops
        self.settle = settle
        self.codeLifetime = codeLifetime
    }

    /// One connection of one screen. Two actors of one household with first screens are the same TV
    /// on connections of their own; second screens are as many phones.
    public struct Actor: Codable, Sendable, Hashable {
        public enum Screen: String, Codable, Sendable, CaseIterable { case first, second }

        /// `tv`, `phone`, `tv-2`; unique within its schedule.
        public var name: String
        public var screen: Screen
        /// Counts living rooms from 0: another number is another device id.
        public var household: Int

        public init(name: String, screen: Screen, household: Int = 0) {
            self.name = name
            self.screen = screen
            self.household = household
        }
    }

    /// When an op happens: so long after something that happens to another.
    public struct Anchor: Codable, Sendable, Hashable {
        public enum Event: String, Codable, Sendable, CaseIterable {
            /// The last byte of the other op's decisive request left.
            case lastByteSent
            /// The first byte of its answer came.
            case firstReplyByte
            /// The instant that its answer names: the end of the code that it made.
            case absolute
        }

        /// The id of an earlier or later op.
        public var op: String
        public var event: Event

        public init(_ event: Event, of op: String) {
            self.op = op
            self.event = event
        }
    }

    /// How exactly an op leaves.
    public enum Gate: String, Codable, Sendable, CaseIterable {
        /// The whole request leaves when it is due.
        case none
        /// All but its last byte has left before; that byte goes when it is due.
        case lastByte
        /// With the others of its cluster in one write, on one HTTP/2 connection.
        case group
    }

    /// Over which connection an op goes.
    public enum ConnectionUse: Codable, Sendable, Hashable {
        /// One made for it.
        case fresh
        /// Number n of its actor's, made when it is first used and kept.
        case kept(Int)

        /// `fresh`, `kept:0`.
        public var text: String {
            switch self {
            case .fresh: "fresh"
            case .kept(let number): "kept:\(number)"
            }
        }

        public init?(text: String) {
            if text == "fresh" {
                self = .fresh
            } else if text == "kept" {
                self = .kept(0)
            } else if text.hasPrefix("kept:"), let number = Int(text.dropFirst(5)), number >= 0 {
                self = .kept(number)
            } else {
                return nil
            }
        }

        public init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let read = Self(text: text) else {
                throw decoder.wrong("fresh, or kept: and a number")
            }
            self = read
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    public enum Cookies: String, Codable, Sendable, CaseIterable { case keep, drop }

    /// One thing that an actor does. Only its decisive request is raced: what must come before it
    /// (registering, a token, the login page) is done in setup.
    public struct Op: Codable, Sendable, Hashable {
        private enum CodingKeys: String, CodingKey {
            case id, actor
            case step = "op"
            case args, tag, anchor
            case offset = "offsetUs"
            case gate, connection
            case cookies
        }

        /// Unique within its schedule.
        public var id: String
        /// The name of an actor.
        public var actor: String
        public var step: Step
        /// What the step takes, by name; see `Step`.
        public var args: [Arg]
        /// The sign-in that it asks for, in words of the schedule (`account-1`): accounts differ
        /// with every execution.
        public var tag: String?
        public var anchor: Anchor?
        /// From the anchor on; not used without one.
        public var offset: Duration
        public var gate: Gate
        public var connection: ConnectionUse
        public var cookies: Cookies

        public init(
            _ id: String, _ actor: String, _ step: Step, args: [Arg] = [], tag: String? = nil,
            anchor: Anchor? = nil, offset: Duration = .zero, gate: Gate = .none,
            connection: ConnectionUse = .kept(0), cookies: Cookies = .keep
        ) {
            self.id = id
            self.actor = actor
            self.step = step
            self.args = args
            self.tag = tag
            self.anchor = anchor
            self.offset = offset
            self.gate = gate
            self.connection = connection
            self.cookies = cookies
        }

        /// The value of an argument.
        public subscript(arg name: String) -> String? { args.first { $0.name == name }?.value }

        /// Its request names a provider of its own choice, by number.
        var namesProvider: Bool { self[arg: "provider"] != nil || self[arg: "pass"] != nil }
    }

    public struct Arg: MemberCodable, Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        public init(name: String, value: JSONPlace) throws {
            self.init(name, try value.unbox(String.self))
        }

        public var member: JSON.Member { JSON.Member(name: name, value: .string(value)) }
    }

    /// What TVs read when the race is over: nothing for `quiet`, so that no read falls into a window
    /// that the race has opened, then `reads` polls, `every` so often.
    public struct Settle: Codable, Sendable, Hashable {
        private enum CodingKeys: String, CodingKey {
            case quiet = "quietUs"
            case reads
            case every = "everyUs"
        }

        public var quiet: Duration
        public var reads: Int
        public var every: Duration

        public init(
            quiet: Duration = .milliseconds(250), reads: Int = 2,
            every: Duration = .milliseconds(250)
        ) {
            self.quiet = quiet
            self.reads = reads
            self.every = every
        }
    }

    public subscript(op id: String) -> Op? {
        get { ops.first { $0.id == id } }
        set {
            guard let newValue, let position = ops.firstIndex(where: { $0.id == id }) else {
                return
            }
            ops[position] = newValue
        }
    }

    public subscript(actor name: String) -> Actor? { actors.first { $0.name == name } }
}

/// What an op does: an operation of the protocol, or one of three things of a schedule's own. The
/// decisive request is the one whose last byte is held at the gate.
///
/// Arguments of an op count the rig's things: `provider` and `pass` (a TempPass) from 0, `account` from 1,
/// `resource` from 0. `identity` counts users of an identity service from 1, new ones for each execution.
public struct Step: Codable, Sendable, Hashable, RawRepresentable, CaseIterable {
    public let rawValue: String
    /// The operation of its decisive request; nil for an end that nobody asks for.
    public let operation: OperationName?

    private init(_ rawValue: String, _ operation: OperationName?) {
        self.rawValue = rawValue
        self.operation = operation
    }

    init(_ operation: OperationName) { self.init(operation.name, operation) }

    public init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = known
    }

    /// A phone's first browser hop and no more.
    public static let loginStart = Step("login-start", .authenticate)
    /// A phone signs in: everything up to the provider's form in setup, then the request that brings
    /// its word back to the service. `repeats`: the id of another op whose request is sent again.
    public static let authenticate = Step("authenticate", .assertion)
    /// Nobody asks: the code runs out. Only for others to be anchored at.
    public static let expire = Step("expire", nil)

    /// A TV asks for a code. Later ops of its household are about its newest code, unless their
    /// argument `code` names the op that made it.
    public static let registrationCode = Step(.registrationCode)
    public static let registrationRecord = Step(.registrationRecord)
    public static let deleteRegistration = Step(.deleteRegistration)
    public static let checkCode = Step(.checkCode)
    public static let pollToken = Step(.pollToken)
    /// The platform vouches (partner sign-on).
    public static let tokenExchange = Step(.tokenExchange)
    /// Takes the TempPass that the configuration offers.
    public static let freePreview = Step(.freePreview)
    public static let preauthorizeCode = Step(.preauthorizeCode)
    public static let authorize = Step(.authorize)
    public static let authorizationToken = Step(.authorizationToken)
    public static let mediaToken = Step(.mediaToken)
    public static let logout = Step(.logout)
    public static let configuration = Step(.configuration)
    public static let registerClient = Step(.registerClient)
    public static let accessToken = Step(.accessToken)
    /// What a platform is asked with to vouch; `provider` counts those that are on it.
    public static let profileRequest = Step(.profileRequest)

    public static let allCases: [Step] =
        [loginStart, authenticate, expire]
        + OperationName.allCases.filter { $0.has(.raced) }.map { Step($0) }

    /// Whether it reads only.
    public var isRead: Bool { operation?.has(.read) ?? false }

    /// It is part of what an app does before anything else.
    public var isSetup: Bool { operation?.has(.setup) ?? false }
}

extension Schedule {
    /// How many accounts its people sign in with: each household has its own, which `account` of an op counts.
    package var accounts: Int {
        let signIns = ops.filter {
            ($0.step.isWalked || $0.step.isPlatformExchange) && $0[arg: "repeats"] == nil
        }
        return Set(
            signIns.map { op in
                "\(self[actor: op.actor]?.household ?? 0) \(op[arg: "account"] ?? "1")"
            }
        ).count
    }
}
