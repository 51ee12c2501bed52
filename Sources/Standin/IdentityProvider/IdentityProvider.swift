internal import Dialects
internal import Formats
internal import Journal
public import Signing
public import Statistics

/// An identity provider for tests: SAML 2.0 and OpenID Connect over one login page, with any number of
/// users by rule. A value as `Service` is: time comes with each request, what is to happen is returned.
/// Ids, codes and tokens are random, as others trust them; who is locked or denied comes from the seed.
public struct IdentityProvider: Sendable {
    public private(set) var counters = ProviderCounters()
    let settings: ProviderSettings
    /// Whether callers reach it by TLS.
    var isSecure = false
    private let seed: Seed
    private var dice: Dice
    private var flows: [String: Flow] = [:]
    private var flowQueue = DueQueue<String>()
    var codes: [String: CodeGrant] = [:]
    var codeQueue = DueQueue<String>()
    /// Of users who have typed wrong passwords since their last right one.
    private var failures: [String: Failures] = [:]
    /// How many passwords of a user have come, where errors are drawn for each.
    private var attempts: [String: Int] = [:]
    /// Signs access tokens, which only this provider reads.
    let tokenKey: KeyedDigest

    /// For how long a login page is good.
    private static let flowLife: Int64 = 600_000

    /// What a login is for.
    enum Purpose: Sendable {
        case saml(SAMLRequest)
        case openID(AuthorizationRequest)
    }

    private struct Flow: Sendable {
        var purpose: Purpose
        var expires: Int64
    }

    private struct Failures: Sendable {
        var count = 0
        var lockedUntil = Int64.min
    }

    public init(_ settings: ProviderSettings, seed: Seed) throws(SigningError) {
        self.settings = settings
        self.seed = seed
        dice = seed.child("latency").generator()
        tokenKey = KeyedDigest(key: try RandomBytes.make(32))
    }

    // MARK: Requests

    /// One request; what it leads to.
    mutating func on(_ request: ServiceRequest, at moment: Moment) -> [Effect] {
        sweep(at: moment.milliseconds)
        var delay = Duration.zero
        var reply = answer(request, at: moment, &delay)
        // Apps in a browser ask from their own pages.
        if request.target.hasPrefix("/openid/") || request.target.hasPrefix("/.well-known/") {
            reply.headers.append("Access-Control-Allow-Origin", "*")
        }
        reply.headers.append("Date", UTCTime(milliseconds: moment.milliseconds).http)
        if reply.headers["Cache-Control"] == nil {
            reply.headers.append("Cache-Control", "no-store")
        }
        return [.reply(reply, to: request.id, after: delay)]
    }

    private mutating func answer(
        _ request: ServiceRequest, at moment: Moment, _ delay: inout Duration
    ) -> Reply {
        let asked = ProviderQuestion(request, base: base(for: request))
        switch (request.method, asked.path) {
        case (.get?, "/"): return Self.page(200, ProviderPages.front)
        case (.get?, "/counters"): return Self.json(200, counters.json)
        case (.get?, "/saml/metadata"):
            return Self.typed(
                200, "application/samlmetadata+xml", Array(metadata(base: asked.base).utf8))
        case (.get?, "/saml/sso"), (.post?, "/saml/sso"): return takeSAML(asked, at: moment)
        case (.post?, "/login"): return logIn(asked, at: moment, &delay)
        case (.get?, "/login/cancel"): return cancel(asked, at: moment)
        case (.get?, "/.well-known/openid-configuration"):
            return Self.json(200, configuration(base: asked.base))
        case (.get?, "/openid/keys"): return Self.json(200, keySet)
        case (.get?, "/openid/authorize"), (.post?, "/openid/authorize"):
            return authorize(asked, at: moment)
        case (.post?, "/openid/token"): return token(asked, at: moment)
        case (.get?, "/openid/userinfo"), (.post?, "/openid/userinfo"):
            return userinfo(asked, at: moment)
        case (.options?, "/openid/token"), (.options?, "/openid/userinfo"):
            return Reply(
                status: 204,
                headers: [
                    "Access-Control-Allow-Methods": "GET, POST",
                    "Access-Control-Allow-Headers": "Authorization, Content-Type",
                    "Access-Control-Max-Age": "600",
                ])
        case (_, "/"), (_, "/counters"), (_, "/saml/metadata"), (_, "/saml/sso"), (_, "/login"),
            (_, "/login/cancel"), (_, "/.well-known/openid-configuration"), (_, "/openid/keys"),
            (_, "/openid/authorize"), (_, "/openid/token"), (_, "/openid/userinfo"):
            return Self.page(405, ProviderPages.refusal("This address takes no such request."))
        default: return Self.page(404, ProviderPages.refusal("There is nothing at this address."))
        }
    }

    /// How the caller reaches it. A `Host` with other signs than names and ports have is not repeated.
    private func base(for request: ServiceRequest) -> String {
        if let url = settings.publicURL { return url }
        let host = request.headers["Host"] ?? request.headers[":authority"] ?? ""
        let isPlain =
            !host.isEmpty
            && host.utf8.allSatisfy {
                (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
                    || ".-:[]_".utf8.contains($0)
            }
        return "\(isSecure ? "https" : "http")://\(isPlain ? host : "localhost")"
    }

    private mutating func sweep(at time: Int64) {
        for _ in 0..<2 {
            guard let flow = flowQueue.next(dueBy: time) else { break }
            flows[flow] = nil
        }
        for _ in 0..<2 {
            guard let code = codeQueue.next(dueBy: time) else { break }
            codes[code] = nil
        }
    }

    // MARK: The login

    mutating func showLogin(_ purpose: Purpose, user: String, at moment: Moment) -> Reply {
        let id = Self.random()
        let expires = moment.milliseconds + Self.flowLife
        flows[id] = Flow(purpose: purpose, expires: expires)
        flowQueue.add(id, due: expires)
        count(.pages)
        return Self.page(200, ProviderPages.login(flow: id, user: user, notice: nil))
    }

    private mutating func logIn(
        _ asked: ProviderQuestion, at moment: Moment, _ delay: inout Duration
    ) -> Reply {
        guard let id = asked["flow"], let flow = flows[id], moment.milliseconds < flow.expires
        else {
            count(.lostPage)
            return Self.page(400, ProviderPages.lost)
        }
        let user = asked["username"] ?? ""
        func again(_ notice: String) -> Reply {
            Self.page(200, ProviderPages.login(flow: id, user: user, notice: notice))
        }
        let wrong = "The user name or the password is not right."
        guard let (rule, number) = rule(of: user) else {
            count(.wrongPassword)
            return again(wrong)
        }
        if let latency = rule.latency { delay = latency.sample(using: &dice) }
        if rule.errors > 0, drawsError(user, rule) {
            count(.failed)
            return Self.page(500, ProviderPages.broken)
        }
        let isOut = failures[user].map { moment.milliseconds < $0.lockedUntil } ?? false
        if isOut || draw(user, "locked") < rule.locked {
            count(.locked)
            return again("This account is locked.")
        }
        guard asked["password"] == rule.password(of: number) else {
            count(.wrongPassword)
            noteFailure(of: user, rule, at: moment.milliseconds)
            return again(wrong)
        }
        failures[user] = nil
        flows[id] = nil
        if draw(user, "denied") < rule.denied {
            count(.denied)
            return refuse(flow.purpose, .denied, asked, at: moment)
        }
        count(.succeeded)
        switch flow.purpose {
        case .saml(let request):
            return respond(to: request, user: user, base: asked.base, at: moment)
        case .openID(let request): return grant(request, to: user, at: moment)
        }
    }

    private mutating func cancel(_ asked: ProviderQuestion, at moment: Moment) -> Reply {
        guard let id = asked["flow"], let flow = flows.removeValue(forKey: id),
            moment.milliseconds < flow.expires
        else {
            count(.lostPage)
            return Self.page(400, ProviderPages.lost)
        }
        count(.cancelled)
        return refuse(flow.purpose, .cancelled, asked, at: moment)
    }

    /// Why a service is told that nobody signed in.
    enum LoginRefusal {
        case denied, cancelled
    }

    private mutating func refuse(
        _ purpose: Purpose, _ refusal: LoginRefusal, _ asked: ProviderQuestion, at moment: Moment
    ) -> Reply {
        switch purpose {
        case .saml(let request): refuse(request, refusal, base: asked.base, at: moment)
        case .openID(let request):
            redirect(
                request,
                "error=access_denied&error_description="
                    + PercentEncoding.encode(
                        refusal == .denied
                            ? "this account may not use the service" : "the login was cancelled"))
        }
    }

    // MARK: Users

    private func rule(of user: String) -> (UserRule, Int)? {
        for rule in settings.users {
            if let number = rule.number(of: user) { return (rule, number) }
        }
        return nil
    }

    /// 0 to 1, the same for a user each time.
    private func draw(_ user: String, _ purpose: String, _ index: Int = 0) -> Double {
        let digest = SHA256.digest("\(purpose)/\(user)")
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var dice = seed.child("user", Int(truncatingIfNeeded: number)).child("draw", index)
            .generator()
        return dice.unit()
    }

    private mutating func drawsError(_ user: String, _ rule: UserRule) -> Bool {
        let attempt = attempts[user, default: 0]
        attempts[user] = attempt + 1
        return draw(user, "error", attempt) < rule.errors
    }

    private mutating func noteFailure(of user: String, _ rule: UserRule, at time: Int64) {
        guard let lockout = rule.lockout else { return }
        var state = failures[user] ?? Failures()
        state.count += 1
        if state.count >= lockout {
            state = Failures(count: 0, lockedUntil: time + rule.lockoutLasts.wholeMilliseconds)
        }
        failures[user] = state
    }

    // MARK: Replies

    mutating func count(_ name: ProviderCounters.Name) { counters.count(name) }

    static func page(_ status: Int, _ body: [UInt8]) -> Reply {
        typed(status, "text/html;charset=utf-8", body)
    }

    static func json(_ status: Int, _ text: String) -> Reply {
        typed(status, "application/json", Array(text.utf8))
    }

    static func typed(_ status: Int, _ type: String, _ body: [UInt8]) -> Reply {
        Reply(status: status, headers: ["Content-Type": type], body: body)
    }

    /// Nobody can foresee it.
    static func random() -> String {
        guard let bytes = try? RandomBytes.make(20) else {
            preconditionFailure("random bytes need nothing but an entropy source")
        }
        return Hex.encode(bytes)
    }
}

/// One request, taken apart.
struct ProviderQuestion {
    let request: ServiceRequest
    let base: String
    let path: String
    private let query: FormFields
    private let form: FormFields

    init(_ request: ServiceRequest, base: String) {
        self.request = request
        self.base = base
        let target = request.target
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = String(target[..<(end ?? target.endIndex)])
        query = FormFields(
            target,
            from: end.map { target.utf8.distance(from: target.startIndex, to: $0) + 1 }
                ?? target.utf8.count)
        let isForm =
            request.headers["Content-Type"]?.lowercased()
            .hasPrefix("application/x-www-form-urlencoded") ?? false
        form =
            isForm
            ? FormFields(String(decoding: request.body, as: UTF8.self), from: 0) : FormFields.none
    }

    /// Of a POST the form counts, of anything else the query; an empty value is none.
    subscript(name: String) -> String? {
        let value = request.method == .post ? form[name] : query[name]
        return value?.isEmpty == true ? nil : value
    }
}
