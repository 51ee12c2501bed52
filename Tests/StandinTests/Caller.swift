import Dialects
import Journal
import Signing
import Standin
import Statistics
import Testing

/// Somebody who talks to a service value directly: builds requests, keeps the clock and a bearer.
struct Caller {
    static let epoch: Int64 = 1_760_000_000_000
    /// Model `AppleTV`, as in rest-v1.md § 3.4, percent-encoded.
    static let deviceInfo =
        "eyJwcmltYXJ5SGFyZHdhcmVUeXBlIjoiVFYiLCJtb2RlbCI6IkFwcGxlVFYiLCJ2ZXJzaW9uIjoiMTEsMSIsIm1hbnVmYWN0dXJlciI6IkFwcGxlIiwidmVuZG9yIjoiQXBwbGUiLCJvc05hbWUiOiJ0dk9TIiwib3NWZXJzaW9uIjoiMTcuNCIsImNvbm5lY3Rpb25UeXBlIjoiV2lGaSIsImNvbm5lY3Rpb25TZWN1cmUiOnRydWUsImFwcGxpY2F0aW9uSWQiOiJkZW1vLXR2In0%3D"

    var service: Service
    var now = Instant.start
    var bearer: String?
    var accept: String? = "application/json"
    var forwardedFor: String?
    var sendsDeviceInfo = true
    var cookies: [String: String] = [:]
    /// What the service has put off.
    var due: [(at: Instant, deed: Deed)] = []
    /// Connections that the service broke.
    var resets = 0
    private var requests: UInt64 = 0

    /// A fault may answer later than at once: no reply is awaited.
    var mayHold = false

    init(
        _ settings: ServiceSettings = ServiceSettings(), faults: [Fault] = [],
        seed: Seed = Seed(7)
    ) {
        service = Service(settings, faults: faults, seed: seed, epochMilliseconds: Self.epoch)
    }

    /// A caller with an access token, and no throttle in its way.
    static func registered(_ settings: ServiceSettings = .unthrottled) -> Caller {
        var caller = Caller(settings)
        caller.register()
        return caller
    }

    mutating func register() {
        let statement = "{\"software_statement\":\"\(demoSoftwareStatement())\"}"
        let client = post("/o/client/register", body: statement)
        let id = client.member("client_id") ?? ""
        let secret = client.member("client_secret") ?? ""
        let token = post(
            "/o/client/token",
            body: "client_id=\(id)&client_secret=\(secret)&grant_type=client_credentials")
        bearer = token.member("access_token")
    }

    mutating func advance(_ duration: Duration) {
        now = now + duration
        while let first = due.indices.min(by: { due[$0].at < due[$1].at }), due[first].at <= now {
            let (instant, deed) = due.remove(at: first)
            take(service.on(deed, at: instant))
        }
    }

    mutating func get(_ target: String, headers: Headers = [:]) -> Reply {
        send(.get, target, headers: headers)
    }

    mutating func post(_ target: String, body: String, headers: Headers = [:]) -> Reply {
        send(.post, target, headers: headers, body: body)
    }

    mutating func delete(_ target: String, headers: Headers = [:]) -> Reply {
        send(.delete, target, headers: headers)
    }

    mutating func send(
        _ method: Method?, _ target: String, headers: Headers = [:], body: String = ""
    ) -> Reply {
        requests += 1
        var all = headers
        if let accept, headers["Accept"] == nil { all.append("Accept", accept) }
        if let bearer, headers["Authorization"] == nil {
            all.append("Authorization", "Bearer \(bearer)")
        }
        if let forwardedFor { all.append("X-Forwarded-For", forwardedFor) }
        if sendsDeviceInfo, headers["X-Device-Info"] == nil {
            all.append("X-Device-Info", Self.deviceInfo)
        }
        if !cookies.isEmpty {
            let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            all.append("Cookie", pairs.joined(separator: "; "))
        }
        all.append("User-Agent", "DemoTV/1.0")
        let request = ServiceRequest(
            id: RequestID(requests), method: method, target: target, headers: all,
            body: Array(body.utf8), peer: "127.0.0.1")
        let replies = take(service.on(request, at: now))
        #expect(replies.count == 1 || mayHold)
        let reply = replies.first ?? Reply(status: 0)
        for cookie in reply.headers.all("Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return reply
    }

    @discardableResult
    private mutating func take(_ effects: [Effect]) -> [Reply] {
        var replies: [Reply] = []
        for effect in effects {
            switch effect {
            case .reply(let reply, to: _, after: _): replies.append(reply)
            case .again(let deed, at: let instant): due.append((instant, deed))
            case .reset: resets += 1
            }
        }
        return replies
    }
}

extension ServiceSettings {
    static let unthrottled = ServiceSettings(policies: .init(throttle: nil))
}

extension Reply {
    /// The first `"name":value` of a JSON body, without quotes. Enough for flat answers.
    func member(_ name: String) -> String? {
        guard let start = text.range(of: "\"\(name)\":") else { return nil }
        var rest = text[start.upperBound...]
        if rest.first == "\"" {
            rest = rest.dropFirst()
            return String(rest.prefix { $0 != "\"" })
        }
        return String(rest.prefix { !",}]".contains($0) })
    }

    /// The value of the first attribute or text that follows `mark`, up to `end`.
    func after(_ mark: String, upTo end: Character) -> String? {
        guard let start = text.range(of: mark) else { return nil }
        return String(text[start.upperBound...].prefix { $0 != end })
    }

    var isJSON: Bool { headers["Content-Type"] == "application/json;charset=utf-8" }
    var isXML: Bool { headers["Content-Type"] == "application/xml;charset=utf-8" }
}

extension String {
    func range(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}

// MARK: The steps of a sign-in

extension Caller {
    static let codePath = "/reggie/v1/DEMOTV/regcode"

    /// R1 for `device`; the code.
    mutating func issue(_ device: String = "tv-1", more: String = "") -> String {
        let reply = post("\(Self.codePath)?deviceId=\(device)\(more)", body: "")
        #expect(reply.status == 201)
        return reply.member("code") ?? ""
    }

    /// N1's target.
    static func authenticate(_ code: String, mvpd: String = "DemoCable") -> String {
        "/api/v1/authenticate?reg_code=\(code)&requestor_id=DEMOTV&mso_id=\(mvpd)"
            + "&domain_name=demo.test&noflash=true&no_iframe=true"
            + "&redirect_url=https%3A%2F%2Fdemo.test%2Fdone"
    }

    /// N1 and all hops, as a browser; the last redirect, or the reply that was none.
    @discardableResult
    mutating func logIn(
        _ code: String, mvpd: String = "DemoCable", user: String = "viewer-1",
        password: String = "right"
    ) -> Reply {
        let start = get(Self.authenticate(code, mvpd: mvpd))
        guard start.status == 302 else { return start }
        let page = openLogin(start)
        guard page.status == 200 else { return page }
        return finish(submit(page, user: user, password: password))
    }

    /// Hops 2 and 3, from hop 1's answer.
    mutating func openLogin(_ start: Reply) -> Reply {
        let toProvider = get(start.headers["Location"] ?? "")
        guard toProvider.status == 302 else { return toProvider }
        return get(toProvider.headers["Location"] ?? "")
    }

    /// Hop 4.
    mutating func submit(_ page: Reply, user: String, password: String) -> Reply {
        let action = page.after("name=\"login\" action=\"", upTo: "\"") ?? ""
        let token = page.after("name=\"csrf_token\" value=\"", upTo: "\"") ?? ""
        let state = page.after("name=\"RelayState\" value=\"", upTo: "\"") ?? ""
        return post(
            action,
            body: "csrf_token=\(token)&RelayState=\(state)&username=\(user)&password=\(password)")
    }

    /// Hop 5.
    @discardableResult
    mutating func finish(_ handOver: Reply) -> Reply {
        let response = handOver.after("name=\"SAMLResponse\" value=\"", upTo: "\"") ?? ""
        let state = handOver.after("name=\"RelayState\" value=\"", upTo: "\"") ?? ""
        let escaped = response.map {
            $0 == "+" ? "%2B" : $0 == "/" ? "%2F" : $0 == "=" ? "%3D" : "\($0)"
        }
        return post(
            "/sp/saml/SAMLAssertionConsumer",
            body: "SAMLResponse=\(escaped.joined())&RelayState=\(state)")
    }

    static func key(_ device: String = "tv-1") -> String { "requestor=DEMOTV&deviceId=\(device)" }

    /// N4.
    mutating func poll(_ device: String = "tv-1") -> Reply {
        get("/api/v1/tokens/authn?\(Self.key(device))")
    }

    /// A device that is signed in.
    static func signedIn(_ settings: ServiceSettings = .unthrottled) -> Caller {
        var caller = Caller.registered(settings)
        let last = caller.logIn(caller.issue())
        #expect(last.headers["Location"] == "https://demo.test/done")
        return caller
    }
}
