internal import Dialects
internal import Formats
internal import Journal
internal import Vocabulary

/// One operation as it is judged: an exchange without its texts. `call` and `ret` are the tightest
/// interval that is still true.
struct Observed: Sendable {
    enum ObservedEffect: UInt8, Sendable {
        case success, absent, expired, denied
        /// Turned down: nobody is signed in on the device.
        case unauthenticated
        /// Turned down: what it is about is not authorized.
        case unauthorized
        /// Took effect within the interval or not at all, and the answer does not tell.
        case maybe
        /// As `maybe`, with an answer that says no without promising it.
        case doubtful
        /// May take effect once, at any time after the call.
        case open
        /// Tells nothing, and could do nothing: it is counted, for the throttle.
        case nothing

        /// Whether the service said yes or no.
        var isAnswer: Bool {
            switch self {
            case .success, .absent, .expired, .unauthenticated, .unauthorized, .denied: true
            case .maybe, .doubtful, .open, .nothing: false
            }
        }

        /// Whether it tells that nobody is signed in on the device.
        func tellsAbsence(_ operation: OperationName) -> Bool {
            switch self {
            case .absent, .expired: operation.showsAbsence
            case .unauthenticated: true
            default: false
            }
        }
    }

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let provoked = Flags(rawValue: 1)
        /// A cache in front of the service answered.
        static let edge = Flags(rawValue: 2)
        /// A proxy stands between, which may repeat requests.
        static let proxied = Flags(rawValue: 4)
        /// The same screen had asked the same before, and got no answer that counts.
        static let retried = Flags(rawValue: 8)
        /// 429: no effect, no information.
        static let throttled = Flags(rawValue: 16)
        /// About a code whose life on this device may be over: its letters may be another's by now
        /// (rest-v1.md § 6: a deletion releases them).
        static let afterEnd = Flags(rawValue: 32)
        /// About letters that another device holds: nobody can say whose code was meant.
        static let anothers = Flags(rawValue: 64)
        /// It left more than a second after it was due: what its lateness shows is the rig's.
        static let overdue = Flags(rawValue: 128)
    }

    var call: Int64
    var ret: Int64
    /// Fingerprints of tag and code (`mark`); 0: none.
    var tag: UInt64 = 0
    var code: UInt64 = 0
    /// Of the record made or shown, or of the media token.
    var detail: UInt64 = 0
    /// The service's own times in epoch milliseconds; 0: none.
    var expires: Int64 = 0
    var generated: Int64 = 0
    var sequence: Int32
    var operation: OperationName
    /// What it is for, in every protocol.
    var step: SignInStep
    var effect: ObservedEffect
    /// 0: the TV, else the second screen's number plus one.
    var screen: UInt8
    var flags: Flags = []
    /// Number of the provider that it is about (`ProfileBook`); 0: a device has one sign-in.
    var slot: UInt8 = 0
    /// Number of the resource; 255: none.
    var resource: UInt8 = ModelOperation.none
}

extension Observed {
    /// What an exchange was; nil for what never left.
    @inline(__always)
    static func read(_ exchange: UnsafePointer<Exchange>, deadline: Int64) -> Observed? {
        let isMutator = exchange.pointee.operation.isMutator
        let effect: ObservedEffect
        switch exchange.pointee.delivery {
        case .refused: return nil
        case .unknown:
            effect = isMutator ? .open : .nothing
        case .answered(let status):
            switch exchange.pointee.outcome {
            case .throttled: effect = .denied
            case .serverError, .malformed, .blocked, .timeout, .transport, .notSent, .resent,
                .cutOff:
                effect = isMutator ? .open : .nothing
            case .ok, .pending, .rejected, .notEntitled:
                effect = told(exchange, status: status)
            }
        }
        let sent = exchange.pointee.sent.nanoseconds
        // Without a first byte the end of the exchange is the latest that it can have been.
        let first = (exchange.pointee.firstByte ?? exchange.pointee.ended).nanoseconds
        var operation = Observed(
            call: sent, ret: effect == .open ? sent.plus(deadline) : max(sent, first),
            expires: exchange.pointee.observation.expires ?? 0,
            generated: exchange.pointee.observation.generated ?? 0,
            sequence: Int32(truncatingIfNeeded: exchange.pointee.sequence),
            operation: exchange.pointee.operation,
            step: exchange.pointee.operation.step(
                onFirstScreen: exchange.pointee.device.role == .firstScreen),
            effect: effect,
            screen: exchange.pointee.device.role == .firstScreen
                ? 0 : UInt8(truncatingIfNeeded: min(254, exchange.pointee.device.index) + 1))
        if exchange.pointee.outcome == .throttled { operation.flags.insert(.throttled) }
        if exchange.pointee.provoked { operation.flags.insert(.provoked) }
        if sent > exchange.pointee.planned.nanoseconds.plus(1_000_000_000) {
            operation.flags.insert(.overdue)
        }
        return operation
    }

    private static func told(_ exchange: UnsafePointer<Exchange>, status: Int) -> ObservedEffect {
        switch exchange.pointee.observation.result {
        case .success: .success
        case .absent: .absent
        case .expired: .expired
        case .unauthenticated: .unauthenticated
        case .unauthorized: .unauthorized
        case .denied:
            // The assertion consumer sends the browser back whatever came of it.
            exchange.pointee.operation.finishesLogin && status < 400 ? .doubtful : .denied
        case .none, .ledBack, .ledOn:
            exchange.pointee.operation.finishesLogin ? .maybe : .nothing
        }
    }

    /// Whether it may change what the device is: a login's hop from the credentials on as well.
    var isMutator: Bool { operation.isMutator || step == .finishLogin }
    var isAboutCode: Bool { operation.isAboutCode || step == .finishLogin }

    /// Whether it tells that nobody is signed in on the device.
    var tellsAbsence: Bool {
        effect.tellsAbsence(operation)
    }

    /// Whether it tells that the authorization it is about is not there (any more).
    var tellsNoAuthorization: Bool {
        switch effect {
        case .unauthorized: true
        case .expired: operation.needsAuthorization
        default: false
        }
    }
}

/// What the headers of an answer tell of its way.
struct AnswerWay {
    var flags: Observed.Flags = []
    /// Its `Date` in epoch milliseconds, cut to the second; 0: none.
    var date: Int64 = 0
    /// Where `Server` is among the headers.
    var server: Int?

    /// The fields are read where they lie: a copy would count their texts.
    init(_ fields: UnsafeBufferPointer<Headers.Field>) {
        guard let first = fields.baseAddress else { return }
        for position in fields.indices {
            // Most headers have another length than the five that matter here.
            let field = first + position
            let length = field.pointee.name.utf8.count
            if length == 6 {
                if Self.isServer(field.pointee.name) { server = position }
            } else if length < 8 {
                read(field.pointee)
            }
        }
    }

    /// Spelled so as a rule, which takes one comparison.
    private static func isServer(_ name: borrowing String) -> Bool {
        name == "Server" || name.equalsIgnoringCase("server")
    }

    private mutating func read(_ field: Headers.Field) {
        switch field.name.utf8.count {
        case 3 where field.name.equalsIgnoringCase("age"):
            if let age = Int(field.value), age > 0 { flags.insert(.edge) }
        case 3 where field.name.equalsIgnoringCase("via"): flags.insert(.proxied)
        case 4 where field.name.equalsIgnoringCase("date"):
            date = UTCTime(http: field.value)?.milliseconds ?? 0
        case 7 where field.name.equalsIgnoringCase("x-cache"):
            if field.value.lowercased().contains("hit") { flags.insert(.edge) }
        default: break
        }
    }
}

extension OperationName {
    /// A partner's request may be answered with a code, which ends the one before (rest-v2.md § 8.3).
    var isMutator: Bool { has(.changes) || self == .partnerRequest }
    /// A browser's request that makes a sign-in, and whose answer may not tell.
    var finishesLogin: Bool { self == .assertion || isDecision }
    /// By it a person decides on a device.
    var isDecision: Bool { self == .approval || self == .refusal }
    var showsToken: Bool { has(.showsSignIn) }
    var isAboutCode: Bool { has(.aboutCode) || self == .profilesByCode }

    /// Whether it shows profiles (rest-v2.md § 6).
    var showsProfiles: Bool {
        switch self {
        case .profiles, .profilesByMVPD, .profilesByCode, .ssoProfile: true
        default: false
        }
    }

    /// Whether it shows the sign-in itself, with its expiry.
    var showsExpiry: Bool { self == .pollToken || showsProfiles }

    /// Whether "absent" and "expired" tell that the device has none; of other operations
    /// "unauthenticated" does.
    var showsAbsence: Bool {
        switch self {
        case .pollToken, .deviceToken, .checkAuthentication, .profiles, .profilesByMVPD,
            .profilesByCode:
            true
        default: false
        }
    }

    /// Whether the service throttles it (rest-v1.md § 14, rest-v2.md § 13).
    var isThrottled: Bool {
        switch self {
        case .mvpdLogin, .assertion, .mvpdLogout, .verificationPage, .approval, .refusal, .connect,
            .tls, .otherClientToken, .otherClientRefresh, .otherClientRevocation:
            false
        default: true
        }
    }
}
