public import Vocabulary

/// What a device learns from an answer: enough to decide the next step, in no dialect.
public enum Answer: Sendable {
    case client(ClientCredentials)
    case accessToken(AccessToken)
    indirect case code(IssuedCode)
    /// The code is known; the provider preselected for it, if any.
    case record(mvpd: String?)
    case configuration([Provider])
    /// Where the server takes the device's requests.
    indirect case endpoints(ServerEndpoints)
    /// A live sign-in of this device (or of this code, for the second screen). The tag is nil where
    /// the answer does not name the user; `session` is what the device shows from here on, where it is
    /// given anything.
    case signedIn(Tag?, session: DeviceSession? = nil)
    /// It worked, and carries nothing that the device needs.
    case done
    /// Preauthorization: which of the resources may be played.
    case decisions([String: Bool])
    case media(Secret)
    /// User metadata, and where the token came from, if it says.
    case metadata(tokenSource: String?)
    /// Bytes for the platform, to be handed on unchanged, and the attributes that it is to vouch for, where the response
    /// names them (rest-v2.md § 8.3).
    case profileRequest([UInt8], attributes: [String] = [])
    /// Nobody is signed in any more, and what is left to do.
    indirect case loggedOut(LogoutFollowUp)
    /// Not yet, or not there.
    case pending
    /// What was asked for is over.
    case expired
    /// Turned down for good, with the service's words.
    case denied(Untrusted)
    /// The viewer's account may not watch what was asked for, with the service's words.
    case notEntitled(Untrusted)
    /// Nobody is signed in on this device any more, with the service's words: the sign-in begins
    /// again (rest-v1.md § 11).
    case signedOut(Untrusted)
    /// Too fast: wait at least so long, then go on. A second, or what the server asks for.
    case slow(Duration)
    /// Not yet, and from now on all polls come so much further apart.
    case slower(by: Duration)
    /// The code that was polled for is over: no poll will find a sign-in any more.
    case codeOver
    /// The access token is no longer good: get a new one, replay once.
    case staleToken
    /// The client is no longer known: register again, replay once.
    case staleClient
    /// A browser hop leads on.
    case redirect(WebAddress)
    /// A browser hop shows a page.
    case page(Untrusted)
    /// 5xx or an answer nobody can read: back off and try again.
    case fault
    /// 5xx of a server that asks to be left alone for so long.
    case unavailable(Duration)
    /// Something in front of the service answered.
    case blocked
    /// No answer. `reached` is false when not a byte of the request left.
    case unanswered(TransportError, reached: Bool)
}

/// What a logout leaves to the device (rest-v2.md § 9).
public enum LogoutFollowUp: Hashable, Sendable {
    case nothing
    /// A browser ends the provider's session there; a device without one leaves it out.
    case browser(WebAddress)
    /// The viewer signs out in the platform's settings.
    case platform
}

/// Everything a codec makes of one reply.
public struct Reading: Sendable {
    public var outcome: Outcome
    public var answer: Answer
    public var observation: Observation
    public var deviations: [Deviation]
    /// The service's own word for an error, for grouping: `invalid_software_statement`.
    public var reason: Untrusted?
    /// The page of a browser hop that leads no further by itself: refused or blocked.
    public var page: Untrusted?
    /// What the request turned out to be by its answer; nil: what it was sent as.
    public var operation: OperationName?

    /// Inlined, as that of `Observation`, for else it is built, copied and destroyed.
    @inline(__always)
    public init(
        _ outcome: Outcome, _ answer: Answer, _ observation: Observation = Observation(.none),
        deviations: [Deviation] = [], reason: Untrusted? = nil
    ) {
        self.outcome = outcome
        self.answer = answer
        self.observation = observation
        self.deviations = deviations
        self.reason = reason
    }
}

/// Why no answer came.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, CaseIterable, Sendable {
        /// The host is not one that this run may send to.
        case hostNotAllowed = "host-not-allowed"
        case nameNotResolved = "name-not-resolved"
        case connectionRefused = "connection-refused"
        case connectFailed = "connect-failed"
        /// TLS could not be agreed or the certificate not verified.
        case tls
        case proxy
        case timeout
        /// The connection broke after it was made.
        case connectionLost = "connection-lost"
        /// A connection that had carried requests was closed under the next one, without a byte of a
        /// response: as a rule its keep-alive timeout ended at that moment.
        case staleConnection = "stale-connection"
        /// The answer was not HTTP.
        case notHTTP = "not-http"
        case tooLarge = "too-large"
        /// The run was stopped.
        case stopped
        /// This machine ran out of descriptors, ports or memory.
        case localLimit = "local-limit"
    }

    /// What ends the requests of a device that is switched off.
    public static let switchedOff = TransportError(.stopped, "the device was switched off")

    public var kind: Kind
    /// The host, port and library's words, and what would help where known.
    public var detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// How it counts.
    public var outcome: Outcome {
        switch kind {
        case .timeout: .timeout
        case .hostNotAllowed, .stopped: .notSent
        case .notHTTP, .tooLarge: .malformed
        default: .transport
        }
    }

    /// Where plain HTTP was answered with something else, or not at all: from outside nobody can know
    /// whether TLS is spoken there. `place` is `host:port`.
    public static func remedyForNoHTTP(at place: String) -> String {
        "if \(place) speaks TLS, write https:// instead of http:// in target.base; if not, correct the host "
            + "and port there: what answers is no HTTP server"
    }

    public var description: String { "\(kind.rawValue): \(detail)" }
}
