internal import Dialects
internal import Journal

// Faults of what comes after a sign-in: authorizations, media tokens, the end.

/// A token that was logged out comes back (R12).
struct LogoutResurrection: FaultInjector {
    private var chance: Chance
    private let delay: Duration
    private var leaving: SignIn?
    private var due: [Int: (signIn: SignIn, session: Session)] = [:]
    private var tickets = 0
    private var struck: [DeviceKey: (serial: Int, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        delay = fault["delay"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        leaving = visit.isLogout ? visit.device.flatMap { service.tokens[$0] } : nil
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if let signIn = leaving, let device = visit.device, service.tokens[device] == nil,
            chance.strikes()
        {
            tickets += 1
            due[tickets] = (signIn, visit.session)
            course.putOff(tickets, by: delay)
        }
        guard visit.readsToken, reply.status == 200, let device = visit.device,
            let entry = struck[device], service.tokens[device]?.serial == entry.serial
        else { return }
        struck[device] = nil
        course.show(entry.strike, chance.name, visit.session, at: visit)
    }

    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext) {
        guard let (signIn, session) = due.removeValue(forKey: ticket),
            let device = session.device, service.tokens[device] == nil
        else { return }
        service.tokens[device] = signIn
        struck[device] = (signIn.serial, course.strike(chance.name, session, at: nil))
    }
}

/// Logout leaves authorizations and media tokens alive (R13).
struct PartialLogout: FaultInjector {
    private var chance: Chance
    private let keepsAuthorizations: Bool
    private let keepsMedia: Bool
    private var leaving: SignIn?
    private var kept: [DeviceKey: (signIn: SignIn, strike: Int, isShown: Bool)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        keepsAuthorizations = fault["keep"].words.contains("authz")
        keepsMedia = fault["keep"].words.contains("media")
    }

    private func serves(_ endpoint: V1Endpoint) -> Bool {
        switch endpoint {
        case .authorizationToken: keepsAuthorizations
        case .mediaToken: keepsMedia
        default: false
        }
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        leaving = visit.isLogout ? visit.device.flatMap { service.tokens[$0] } : nil
        guard let device = visit.device, let entry = kept[device],
            service.tokens[device] == nil, serves(visit.endpoint)
        else { return }
        course.pretend(entry.signIn, of: device, in: &service)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = visit.device else { return }
        if course.signedIn == device { kept[device] = nil }
        if let signIn = leaving, service.tokens[device] == nil, chance.strikes() {
            let strike = course.strike(chance.name, visit.session, at: visit)
            kept[device] = (signIn, strike, false)
        }
        guard serves(visit.endpoint), reply.status == 200, let entry = kept[device],
            !entry.isShown
        else { return }
        kept[device]?.isShown = true
        course.show(entry.strike, chance.name, visit.session, at: visit)
    }
}

/// A media token is given to another, or is over already (R24).
struct MediaTokenReuse: FaultInjector {
    private var chance: Chance
    private let mode: String
    /// The tokens given out last, newest first.
    private var given: [(device: DeviceKey, resource: String, text: String)] = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        mode = fault["mode"].text
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard visit.endpoint == .mediaToken, reply.status == 200, let device = visit.device,
            let resource = visit.question["resource"],
            let text = reply.member("serializedToken")
        else { return }
        let isXML = reply.headers["Content-Type"]?.contains("xml") ?? false
        if mode == "expired" {
            guard let expires = reply.member("expires"), chance.strikes() else { return }
            let past = String(visit.moment.milliseconds - 60_000)
            reply.replaceMember("expires", expires, with: past, isXML: isXML)
        } else {
            // What was really given, which may be another's.
            var shown = text
            defer {
                given.insert((device, resource, shown), at: 0)
                if given.count > 64 { given.removeLast() }
            }
            let other = given.first {
                mode == "device"
                    ? $0.device != device && $0.resource == resource
                    : $0.device == device && $0.resource != resource
            }
            guard let other, chance.strikes() else { return }
            reply.replaceMember("serializedToken", text, with: other.text, isXML: isXML)
            shown = other.text
        }
        let strike = course.strike(chance.name, visit.session, at: visit)
        course.show(strike, chance.name, visit.session, at: visit)
    }
}

extension Reply {
    /// The text member of that name, in JSON or XML.
    func member(_ name: String) -> String? {
        let body = body[...]
        let part =
            body.between("\"\(name)\":\"", "\"") ?? body.between("<\(name)>", "</\(name)>")
        return part.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes another text in the place of a member's.
    mutating func replaceMember(
        _ name: String, _ text: String, with other: String, isXML: Bool
    ) {
        let (head, tail) = isXML ? ("<\(name)>", "</\(name)>") : ("\"\(name)\":\"", "\"")
        guard let range = body[...].firstRange(of: head + text + tail) else { return }
        body.replaceSubrange(range, with: Array((head + other + tail).utf8))
    }
}
