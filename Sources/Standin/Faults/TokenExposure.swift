internal import Dialects
internal import Journal

/// Since when the outside knows of each device's sign-in.
struct TokenExposure: Sendable {
    struct Shown: Sendable {
        /// Somebody was told that there is one.
        var toAnybody: Instant
        /// A poll was told.
        var toPoll: Instant?
    }

    /// An answer is given it to arrive, and the next request to leave, before "later" is certain
    /// from outside.
    static let margin: Duration = .milliseconds(6)

    private var shown: [DeviceKey: Shown] = [:]

    subscript(device: DeviceKey) -> Shown? { shown[device] }

    mutating func forget(_ device: DeviceKey) { shown[device] = nil }

    mutating func note(_ visit: RequestContext, _ reply: Reply, _ course: FaultContext) {
        guard let device = visit.device else { return }
        if course.signedIn != nil || visit.isLogout { shown[device] = nil }
        guard reply.status == 200 else { return }
        let now = visit.moment.now
        if visit.isPoll {
            if shown[device] == nil { shown[device] = Shown(toAnybody: now) }
            if shown[device]?.toPoll == nil { shown[device]?.toPoll = now }
        } else if visit.endpoint == .checkCode || visit.endpoint == .checkAuthentication {
            if shown[device] == nil { shown[device] = Shown(toAnybody: now) }
        }
    }
}

extension TokenExposure.Shown {
    /// Whether a request that came now was surely sent after this was known.
    func isSurelyBefore(_ now: Instant) -> Bool { now - toAnybody >= TokenExposure.margin }
}
