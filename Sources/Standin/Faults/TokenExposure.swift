internal import Dialects
internal import Journal

/// Since when the outside knows of each device's sign-in.
struct TokenExposure: Sendable {
    struct Shown: Sendable {
        /// Somebody was answered that there is one.
        var toAnybody: Instant
        /// A poll was.
        var toPoll: Instant?
    }

    /// An answer is given it to arrive, and the next request to leave, before "later" is certain
    /// from outside.
    static let margin: Duration = .milliseconds(6)

    private var shown: [DeviceKey: Shown] = [:]

    subscript(device: DeviceKey) -> Shown? { shown[device] }

    mutating func forget(_ device: DeviceKey) { shown[device] = nil }

    mutating func note(_ request: RequestContext, _ reply: Reply, _ context: FaultContext) {
        guard let device = request.device else { return }
        if context.signedIn != nil || request.purpose == .logout { shown[device] = nil }
        // An approval's own page says so; an assertion leads back to the app, whose check of the code does.
        let tells =
            request.asksForToken || request.purpose == .checkCode || request.operation == .approval
        guard tells, request.isGranted(reply) else { return }
        let now = request.moment.now
        if shown[device] == nil { shown[device] = Shown(toAnybody: now) }
        if request.isPoll, shown[device]?.toPoll == nil { shown[device]?.toPoll = now }
    }
}

extension TokenExposure.Shown {
    /// Whether a request that came now was surely sent after this was known.
    func isSurelyBefore(_ now: Instant) -> Bool { now - toAnybody >= TokenExposure.margin }
}
