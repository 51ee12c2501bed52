/// What became of one exchange, for counting (docs/reports.md, summary.json). What it *means* is in
/// `Answer` (for the device) and `Observation` (for the judge).
public enum Outcome: UInt8, CaseIterable, Sendable {
    /// The answer that the operation hopes for.
    case ok
    /// Nobody is signed in, which is true: a poll's 404/410, a 403 of a check before the sign-in, a request after the
    /// sign-in's own expiry; or the second copy of a logout finds nothing left to end. No error.
    case pending
    /// 429: flow control. No error, no information.
    case throttled
    /// Another 4xx.
    case rejected
    case serverError
    case timeout
    /// The connection failed or broke.
    case transport
    /// An answer that cannot be what the protocol says.
    case malformed
    /// An answer of something in front of the service: no information about it, effect unknown.
    case blocked
    /// Never left this machine: refused host, stopped run, a device that was switched off.
    case notSent
    /// The account may not watch this (403 of `authorize`): an ordinary business answer, no error.
    case notEntitled
    /// The service closed a kept connection under the request, or had not begun with it, and it was sent again on a new one: the
    /// other copy is an exchange of its own. No error, no information, effect unknown.
    case resent
    /// Sent, and the run was stopped, or its device switched off, before a response came. No error, no information,
    /// effect unknown.
    case cutOff

    /// The spelling of summary.json: `server-error`.
    public var name: String { Self.names[Int(rawValue)] }

    public init?(name: String) {
        guard let position = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(position))
    }

    /// Whether it counts against the service (rigs/reference.yaml, `thresholds`).
    public var isError: Bool {
        switch self {
        case .rejected, .serverError, .timeout, .transport, .malformed, .blocked: true
        case .ok, .pending, .throttled, .notSent, .notEntitled, .resent, .cutOff: false
        }
    }

    private static let names = [
        "ok", "pending", "throttled", "rejected", "server-error", "timeout", "transport",
        "malformed", "blocked", "not-sent", "not-entitled", "resent", "cut-off",
    ]
}

extension Outcome: CustomStringConvertible {
    public var description: String { name }
}
