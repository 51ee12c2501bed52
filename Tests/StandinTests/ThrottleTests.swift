import Dialects
import Journal
import Standin
import Testing

@Suite("throttling (rest-v1.md § 14)")
struct ThrottleTests {
    private static func open() -> Caller { Caller(ServiceSettings(auth: .none)) }

    /// Milliseconds since the first request, and whether it passes: the normative trace.
    static let trace: [(Int, Bool)] =
        [0, 300, 600, 900, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 2100, 2200].map { ($0, true) }
        + [2400, 2600, 2800].map { ($0, false) } + [(3100, true)]

    @Test("the normative trace comes out as written")
    func normative() {
        var caller = Self.open()
        for (milliseconds, passes) in Self.trace {
            caller.now = Instant(.milliseconds(milliseconds))
            #expect(caller.poll().status == (passes ? 404 : 429), "at \(milliseconds) ms")
        }
    }

    @Test("after a pause the whole burst is there again (A18)")
    func refills() {
        var caller = Self.open()
        #expect(
            (0..<12).map { _ in caller.poll().status } == Array(repeating: 404, count: 11) + [429])
        caller.advance(.seconds(30))
        #expect(
            (0..<12).map { _ in caller.poll().status } == Array(repeating: 404, count: 11) + [429])
    }

    @Test("429 is the proxy's page: HTML, openresty, no Retry-After, no JSON")
    func rejection() {
        var caller = Self.open()
        for _ in 0..<11 { _ = caller.poll() }
        let reply = caller.poll()
        #expect(reply.status == 429)
        #expect(reply.headers["Content-Type"] == "text/html")
        #expect(reply.headers["Server"] == "openresty")
        #expect(reply.headers["Retry-After"] == nil)
        #expect(reply.text.contains("<h1>429 Too Many Requests</h1>"))
        let counters = caller.service.counted()
        #expect(counters.throttled == 1)
        #expect(counters.count(of: .pollToken, status: 429) == 1)
        #expect(counters.count(of: .pollToken) == 12)
    }

    @Test("each forwarded address has a bucket of its own, apart from the peer's")
    func identities() {
        var caller = Self.open()
        caller.forwardedFor = "10.0.0.1"
        for _ in 0..<11 { #expect(caller.poll().status == 404) }
        #expect(caller.poll().status == 429)
        caller.forwardedFor = "10.0.0.2"
        #expect(caller.poll().status == 404)
        caller.forwardedFor = "10.0.0.1, 192.0.2.1"
        #expect(caller.poll().status == 429)
        caller.forwardedFor = nil
        #expect(caller.poll().status == 404)
    }

    @Test(
        "one bucket covers all listed endpoints, and 429 comes before any other answer",
        arguments: [
            "/o/client/register", "/o/client/token", "/o/client/scopes", "/o/client/validate",
            "/api/v1/tokens/usermetadata", "/api/v1/tokens/authn", "/api/v1/tokens/authz",
            "/api/v1/tokens/media", "/api/v1/config/DEMOTV", "/api/v1/checkauthn",
            "/api/v1/checkauthn/ABCDEFG", "/api/v1/logout", "/api/v1/authorize",
            "/api/v1/preauthorize", "/api/v1/preauthorize/ABCDEFG", "/api/v1/mediatoken",
            "/api/v1/authenticate/freepreview", "/api/v1/authenticate?reg_code=x",
            "/api/v1/identities", "/api/v1/DEMOTV/profile-requests/DemoCable",
            "/adobe-services/config/DEMOTV", "/reggie/v1/DEMOTV/regcode",
            "/reggie/v1/DEMOTV/regcode/ABCDEFG",
            "/api/v1/tokens/authn.json", "/reggie/v1/DEMOTV/regcode.xml",
        ])
    func listed(target: String) {
        var caller = Self.open()
        for _ in 0..<11 { _ = caller.poll() }
        #expect(caller.get(target).status == 429)
    }

    @Test(
        "browser hops, unknown paths and our own are not throttled",
        arguments: [
            "/adobe-services/authenticate/saml", "/mvpd/DemoCable/sso", "/nowhere",
            "/_standin/counters",
        ])
    func unlisted(target: String) {
        var caller = Self.open()
        for _ in 0..<11 { _ = caller.poll() }
        #expect(caller.get(target).status != 429)
    }

    @Test("without a rule nobody is throttled")
    func off() {
        var caller = Caller(ServiceSettings(policies: .init(throttle: nil), auth: .none))
        #expect((0..<100).allSatisfy { _ in caller.poll().status == 404 })
    }

    @Test("buckets that have run dry are forgotten")
    func forgets() {
        var caller = Self.open()
        for device in 0..<200 {
            caller.forwardedFor = "10.0.0.\(device)"
            _ = caller.poll()
        }
        let held = { (caller: Caller) in
            caller.service.counted().held.first { $0.what == "throttleBuckets" }?.count
        }
        #expect(held(caller) == 200)
        caller.advance(.seconds(120))
        for _ in 0..<110 { _ = caller.get("/nowhere") }
        #expect(held(caller) == 0)
    }
}
