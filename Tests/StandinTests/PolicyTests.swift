import Dialects
import Standin
import Testing
import Vocabulary

@Suite("what the protocol leaves open")
struct PolicyTests {
    private static let key = Caller.key()

    private static func caller(_ policies: Policies) -> Caller {
        var policies = policies
        policies.throttle = nil
        return .registered(ServiceSettings(policies: policies))
    }

    @Test("code-reuse: a used code is spent, or serves until it expires")
    func codeReuse() {
        for reuse in Policies.CodeReuse.allCases {
            var caller = Self.caller(.init(codeReuse: reuse))
            let code = caller.issue()
            caller.logIn(code, user: "first")
            let again = caller.get(Caller.authenticate(code))
            #expect(again.status == (reuse == .single ? 400 : 302))
            // Until the second login is done the code is bound to the first.
            #expect(caller.get("/api/v1/checkauthn/\(code)?requestor=DEMOTV").status == 200)
            caller.logIn(code, user: "second")
            #expect(caller.poll().member("userId") == (reuse == .single ? "first" : "second"))
            #expect(caller.get("/api/v1/checkauthn/\(code)?requestor=DEMOTV").status == 200)
        }
    }

    @Test("new-code: a device's former code dies, or stays")
    func newCode() {
        for policy in Policies.NewCode.allCases {
            var caller = Self.caller(.init(newCode: policy))
            let first = caller.issue()
            let second = caller.issue()
            #expect(
                caller.get("\(Caller.codePath)/\(first)").status == (policy == .keep ? 200 : 404))
            #expect(caller.get("\(Caller.codePath)/\(second)").status == 200)
            caller.logIn(first)
            #expect(caller.poll().status == (policy == .keep ? 200 : 404))
        }
    }

    @Test("second-sign-in: the newest counts, or the first stays")
    func secondSignIn() {
        for policy in Policies.SecondSignIn.allCases {
            var caller = Self.caller(.init(secondSignIn: policy))
            caller.logIn(caller.issue(), user: "first")
            let last = caller.logIn(caller.issue(), user: "second")
            let isReplaced = policy == .replace
            #expect(
                last.headers["Location"]
                    == "https://demo.test/done" + (isReplaced ? "" : "?error=access_denied"))
            #expect(caller.poll().member("userId") == (isReplaced ? "second" : "first"))
            let token = caller.get("/api/v1/DEMOTV/profile-requests/DemoCable?deviceType=iOS").body
            let exchange = caller.post(
                "/api/v1/tokens/authn",
                body: "\(Self.key)&mvpd=DemoCable&deviceType=iOS&SAMLResponse="
                    + (PlatformSide.wire(token) ?? ""))
            #expect(exchange.status == (isReplaced ? 204 : 400))
            _ = caller.delete("/api/v1/logout?\(Self.key)")
            caller.logIn(caller.issue(), user: "third")
            #expect(caller.poll().member("userId") == "third")
        }
    }

    @Test("media-reuse: each request has a token of its own, or the same until it expires")
    func mediaReuse() {
        for policy in Policies.MediaReuse.allCases {
            var caller = Self.caller(.init(mediaReuse: policy))
            caller.logIn(caller.issue())
            _ = caller.get("/api/v1/authorize?\(Self.key)&resource=a")
            let target = "/api/v1/tokens/media?\(Self.key)&resource=a"
            let first = caller.get(target).member("serializedToken")
            caller.advance(.seconds(419))
            #expect((caller.get(target).member("serializedToken") == first) == (policy != .never))
            caller.advance(.seconds(1))
            #expect(caller.get(target).member("serializedToken") != first)
        }
    }

    @Test("gone-decays: a day after its end a token is forgotten, or never")
    func goneDecays() {
        for decays in [true, false] {
            var caller = Caller(
                ServiceSettings(
                    policies: .init(goneDecays: decays, throttle: nil), auth: .none))
            caller.logIn(caller.issue())
            caller.advance(.seconds(6 * 3600))
            #expect(caller.poll().status == 410)
            caller.advance(.seconds(24 * 3600))
            for _ in 0..<3 { _ = caller.poll() }
            #expect(caller.poll().status == (decays ? 404 : 410))
        }
    }

    @Test("throttle: any rate and burst, in the same leaky bucket")
    func throttle() {
        var caller = Caller(
            ServiceSettings(
                policies: .init(throttle: .init(every: .milliseconds(500), burst: 2)),
                auth: .none))
        #expect((0..<4).map { _ in caller.poll().status } == [404, 404, 404, 429])
        caller.advance(.milliseconds(500))
        #expect((0..<2).map { _ in caller.poll().status } == [404, 429])
    }
}
