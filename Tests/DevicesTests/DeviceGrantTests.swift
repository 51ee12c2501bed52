import Checker
import Dialects
import Journal
import Lanes
import Rigs
import Statistics
import Testing
import Vocabulary

@testable import Devices

/// Households over the OAuth device grant, in virtual time, against a server that is nothing but its pages.
@Suite("The OAuth device grant")
struct DeviceGrantTests {
    private static func life(
        _ defect: GrantServer.Defect = .none, viewer: String = "", grant: String = "",
        bench: String = "", notices: String = "8s", more: String = ""
    ) throws -> Life {
        let rig = try Rig.read(
            """
            rig: grant
            target:
              base: http://grant.test
              allow: [grant.test]
              protocol: oauth-device-grant
              device-grant: {user-from: id-token, approved-when: [welcome], refused-when: [goodbye]\(grant)}
            load: {closed: {households: 1}}
            clean-up: false
            kinds: [{viewer: {notices-code: \(notices), signs-in: 1s, gives-up: 0%\(viewer)}}]
            polling: {every: 1s\(bench)}
            \(more)
            """, file: "grant.yaml"
        ).rig
        var rules = Rules()
        rules.isDeviceGrant = true
        rules.policies.newCode = .keep
        return try Life(rig, rules) { application in
            application.protocolName.dialect(
                at: Origin(scheme: .http, host: "grant.test"), requestor: "", domain: "",
                redirectURL: "", deviceGrant: rig.target.deviceGrant)
        } service: {
            GrantServer($0, defect)
        }
    }

    @Test("a household finds the endpoints, shows the code, enters it, approves and gets its token")
    func signsIn() throws {
        let life = try Self.life(more: "after-sign-in: [userinfo, refresh-token, {logout: 100%}]")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(
            life.operations(without: .deviceToken) == [
                .serverMetadata, .deviceAuthorization, .verificationPage, .mvpdLogin, .mvpdLogin,
                .verificationPage, .verificationPage, .approval, .userinfo, .refreshToken,
                .revocation,
            ])
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
        #expect(life.findings[.deviceCodeOnce].checked == 0, "nobody has polled on after the token")
        #expect(life.findings[.noTokenBeforeSignIn].checked > 0)
    }

    @Test("polls keep the server's interval, and widen it for good when told to slow down")
    func intervals() throws {
        let calm = try Self.life().polled
        #expect(zip(calm, calm.dropFirst()).allSatisfy { $1 - $0 >= .seconds(2) })
        let told = "slowed down though the interval was kept"
        #expect(try !Self.life().events.contains(told))
        #expect(try Self.life(.slowsDown).events.count { $0 == told } == 1)
        // The server sees the polls of both loops.
        #expect(try !Self.life(.slowsDown, bench: ", pollers: 2").events.contains(told))
        let slowed = try Self.life(.slowsDown).polled
        #expect(slowed.count > 1)
        #expect(zip(slowed, slowed.dropFirst()).allSatisfy { $1 - $0 >= .seconds(7) })
        // A TV that polls on after its token keeps the longer interval.
        let again = try Self.life(.slowsDown, bench: ", after-success: 20s").polled
        #expect(again.count > slowed.count)
        #expect(zip(again, again.dropFirst()).allSatisfy { $1 - $0 >= .seconds(7) })
    }

    @Test("a second poll loop that gets slow_down slows down from its next poll on")
    func slowSecond() throws {
        let polled = try Self.life(
            .slowsSecond, bench: ", jitter: 0%, pollers: 2", notices: "30s"
        ).polled
        // The first loop's come every 2 s, the second's half a second later.
        let first = try #require(polled.first)
        let second = polled.filter {
            ($0 - first + .milliseconds(250)).wholeMilliseconds % 2000 > 500
        }
        #expect(second.count > 2 && polled.count > 2 * second.count)
        #expect(zip(second, second.dropFirst()).allSatisfy { $1 - $0 >= .seconds(7) })
    }

    @Test(
        "a renewal without a refresh token is noted",
        arguments: [GrantServer.Defect.none, .givesNoRefresh])
    func withoutRefresh(defect: GrantServer.Defect) throws {
        let life = try Self.life(defect, more: "after-sign-in: [refresh-token, userinfo]")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(
            life.events.contains("no refresh token to renew with") == (defect == .givesNoRefresh))
    }

    @Test("that there is nothing at the second address is not why the first one failed")
    func guardedMetadata() throws {
        let life = try Self.life(.guardsMetadata)
        #expect(life.record.cause.hasPrefix("server-metadata answered 418"), "\(life.record.cause)")
    }

    @Test("a code that served for an answer that was lost did not expire")
    func lostToken() throws {
        let life = try Self.life(.losesToken)
        #expect(life.record.fate == .abandoned && life.record.abandonedBy == .service)
        #expect(
            life.record.cause.wholeMatch(
                of:
                    /the response to device-token #\d+ was lost or could not be read, and the code was no longer valid after it: that response may have had the token/
            ) != nil, "\(life.record.cause)")
    }

    @Test(
        "of two poll loops either gets the token that the code serves for, and the TV has it",
        arguments: [0, 500, 1000, 1500])
    func twoLoops(milliseconds: Int) throws {
        let life = try Self.life(
            bench: ", pollers: 2", notices: "\(8000 + milliseconds)ms",
            more: "after-sign-in: [userinfo]")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(life.count(.userinfo) == 1)
        let turnedDown = life.exchanges.filter {
            $0.operation == .deviceToken && $0.outcome == .rejected
        }
        let isExpected = turnedDown.allSatisfy { $0.provoked }
        #expect(isExpected)
        #expect(life.findings.violations.isEmpty)
    }

    @Test("a viewer who refuses is told to the TV, and is no error")
    func refuses() throws {
        let life = try Self.life(viewer: ", refuses: 100%")
        #expect(life.record.fate == .abandoned)
        #expect(life.record.abandonedBy == .viewer)
        #expect(life.record.cause == "the viewer refused the device")
        #expect(life.count(.refusal) == 1 && life.count(.approval) == 0)
        #expect(!life.exchanges.contains { $0.outcome.isError })
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("a mistyped code is turned down, and the right one entered after it")
    func wrongCode() throws {
        let life = try Self.life(viewer: ", wrong-code: 100%")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        let typed = life.exchanges.filter { $0.operation == .verificationPage && $0.provoked }
        #expect(typed.count == 1)
        // One look at the TV more than without the slip: what it is taken to have cost decides whose fault a code's end is.
        let right = try Self.life()
        #expect(life.record.viewerTime == right.record.viewerTime + .seconds(2))
    }

    @Test("a phone that scans the code has nothing to type")
    func scans() throws {
        let life = try Self.life(grant: ", opens: complete")
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(life.count(.verificationPage) == 2)
    }

    @Test(
        "a provider's consent before the page for the code is not the approval",
        arguments: ["", ", opens: complete"])
    func consent(grant: String) throws {
        let life = try Self.life(.asksConsent, grant: grant)
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(life.count(.approval) == 2)
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("an approval that its page does not confirm ends the phone's story, and the TV waits")
    func unconfirmed() throws {
        let life = try Self.life(.ignoresApproval, more: "code: {ttl: 60s}")
        #expect(life.record.fate != .signedIn)
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test(
        "the page on which a decision ends counts, after redirects whose addresses tell nothing",
        arguments: [false, true])
    func endsOnPageOfRedirect(refuses: Bool) throws {
        let life = try Self.life(.redirects, viewer: refuses ? ", refuses: 100%" : "")
        #expect(life.record.fate == (refuses ? .abandoned : .signedIn), "\(life.record.cause)")
        if refuses { #expect(life.record.cause == "the viewer refused the device") }
        let decided = try #require(
            life.exchanges.firstIndex { $0.operation == .approval || $0.operation == .refusal })
        let hops = life.exchanges[decided...].filter { $0.operation != .deviceToken }
        #expect(
            hops.prefix(3).map(\.operation)
                == [refuses ? .refusal : .approval, .verificationPage, .verificationPage])
        #expect(hops.prefix(3).map(\.observation.result) == [.none, .none, .success])
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
        #expect(life.findings[refuses ? .refusalDelivered : .signInDelivered].checked > 0)
    }

    @Test("where one address serves both decisions, the words of the other one confirm nothing")
    func endsOnOtherDecision() throws {
        let life = try Self.life(.redirectsToRefusal)
        #expect(life.record.fate == .failed)
        #expect(life.record.phoneDone == nil)
        #expect(
            life.exchanges.last { $0.operation == .verificationPage }?.observation.result == .denied
        )
    }

    @Test(
        "a decision on whose page nothing is known is what the TV is told",
        arguments: [GrantServer.Defect.saysNothing, .redirectsToNothing], [false, true])
    func unknownWords(defect: GrantServer.Defect, refuses: Bool) throws {
        let life = try Self.life(defect, viewer: refuses ? ", refuses: 100%" : "")
        #expect(life.record.fate == (refuses ? .abandoned : .signedIn), "\(life.record.cause)")
        #expect(life.record.phoneDone == nil)
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("a decision on whose page nothing is known, and of which the TV is told nothing, fails")
    func unknownWordsAndNoToken() throws {
        let life = try Self.life(.losesAndSaysNothing, more: "code: {ttl: 600s}")
        #expect(life.record.fate == .failed)
        #expect(
            life.record.cause
                == "the TV saw no token in 5 polls after the approval, whose page at http://grant.test/decision has no "
                + "text of approved-when, and says 'Error: try later'")
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("a decision that is answered with a 500 fails where the TV is told nothing of it")
    func decisionFails() throws {
        let life = try Self.life(.fails, more: "code: {ttl: 600s}")
        #expect(life.record.fate == .failed)
        #expect(
            life.record.cause
                == "approval answered 500; the TV saw no token in 5 polls after that",
            "\(life.record.cause)")
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("a decision after which the login page comes back was not taken, whatever the TV is told")
    func loginCameBack() throws {
        let life = try Self.life(.forgetsLogin, more: "code: {ttl: 600s}")
        #expect(life.record.fate == .failed)
        #expect(life.record.cause == "the page after the approval asks for the password again")
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
    }

    @Test("of a viewer who refused, the TV waits for no token")
    func lostRefusal() throws {
        let life = try Self.life(
            .losesRefusal, viewer: ", refuses: 100%", more: "code: {ttl: 600s}")
        #expect(
            life.record.cause
                == "the TV was not told of a refusal in 5 polls after the refusal, whose page at "
                + "http://grant.test/decision has no text of refused-when",
            "\(life.record.cause)")
    }

    @Test("a refusal that a page after redirects confirmed is final")
    func refusalAfterRedirects() throws {
        let life = try Self.life(.redirectsAndApproves, viewer: ", refuses: 100%")
        #expect(life.findings.violations.contains { $0.invariant == .decisionFinal })
    }

    @Test("what turns a phone's request down is told in the rig's words, alike for all")
    func turnedDown() throws {
        let request = "path: \"/device?user_code={code}\""
        let unconfirmed = try Self.life(grant: ", phone: [{for: approve, \(request)}]")
        #expect(
            unconfirmed.record.cause
                == "approval was turned down: its answer has no text of approved-when")
        let failed = try Self.life(
            grant: ", phone: [{for: code, \(request), failed-when: [/login]}, "
                + "{for: approve, \(request)}]")
        #expect(failed.record.cause == "verification-page was turned down: /login")
    }

    @Test("an approval that was confirmed and never reaches the TV is found by the judge")
    func losesApproval() throws {
        let life = try Self.life(.losesApproval, more: "code: {ttl: 60s}")
        #expect(life.record.fate != .signedIn)
        // The first cause is told, and what follows from it goes with it.
        #expect(life.findings.violations.first?.invariant == .signInDelivered)
    }

    @Test("a token for a device that was refused is found by the judge")
    func ignoresRefusal() throws {
        let life = try Self.life(.approvesRefusals, viewer: ", refuses: 100%")
        #expect(life.findings.violations.contains { $0.invariant == .decisionFinal })
    }

    @Test("the device code, the tokens and the password stand nowhere in what is kept")
    func secrets() throws {
        let life = try Self.life(more: "after-sign-in: [userinfo, refresh-token, {logout: 100%}]")
        for exchange in life.exchanges {
            let text = "\(exchange)"
            for secret in ["DEVICE-SECRET", "ACCESS-SECRET", "REFRESH-SECRET"] {
                #expect(!text.contains(secret), "\(exchange.operation)")
            }
        }
    }
}

/// A server of RFC 8628 for one household: it trusts everybody, and has the defects of its name.
final class GrantServer: OneHomeService {
    enum Defect {
        case none, slowsDown, slowsSecond, ignoresApproval, losesApproval, approvesRefusals
        /// The decision is answered with a redirect to another, and that with the page.
        case redirects, redirectsToRefusal, redirectsToNothing, redirectsAndApproves
        /// The page has no words that the rig knows.
        case saysNothing, losesAndSaysNothing
        /// A decision is answered with a 500, and is not taken.
        case fails
        /// The decision is answered with a redirect to the login page.
        case forgetsLogin
        /// A refusal is taken for nothing, and its page says nothing.
        case losesRefusal
        case givesNoRefresh
        /// What asks for its endpoints is turned away.
        case guardsMetadata
        /// The token is made, and its answer is a 503.
        case losesToken
        /// The login is followed by a page that asks for consent to it.
        case asksConsent
    }

    unowned let lane: Lane
    private let defect: Defect
    private var user: String?
    private var isApproved = false
    private var isRefused = false
    private var isUsed = false
    private var lastWords = ""
    private(set) var polled: [Instant] = []

    init(_ lane: Lane, _ defect: Defect) {
        self.lane = lane
        self.defect = defect
    }

    private func json(_ body: String, _ status: Int = 200) -> Reply {
        Reply(
            status: status,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: Array(body.utf8))
    }

    private func page(_ body: String) -> Reply {
        Reply(
            status: 200, headers: ["Content-Type": "text/html"],
            body: Array("<html><body>\(body)</body></html>".utf8))
    }

    func reply(_ call: Call) -> Reply {
        let fields = Dictionary(
            String(decoding: call.body, as: UTF8.self).split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], FormEncoding.decode(parts.count > 1 ? parts[1] : ""))
            }, uniquingKeysWith: { first, _ in first })
        switch (call.method, String(call.address.path)) {
        case (.get, "/.well-known/oauth-authorization-server") where defect == .guardsMetadata:
            return json(#"{"error":"teapot"}"#, 418)
        case (.get, "/.well-known/openid-configuration"): return json("{}", 404)
        case (.get, "/.well-known/oauth-authorization-server"):
            return json(
                """
                {"device_authorization_endpoint":"http://grant.test/codes","token_endpoint":"http://grant.test/token",
                "revocation_endpoint":"http://grant.test/revoke","userinfo_endpoint":"http://grant.test/who"}
                """)
        case (.post, "/codes"):
            return json(
                """
                {"device_code":"DEVICE-SECRET-1","user_code":"ABCD-EFGH","verification_uri":"http://grant.test/device",
                "verification_uri_complete":"http://grant.test/device?user_code=ABCD-EFGH","expires_in":60,"interval":2}
                """)
        case (.get, "/device"):
            guard user != nil else {
                let next = String(call.address.query)
                return Reply(status: 302, headers: ["Location": "/login?\(next)"])
            }
            return call.address.query.contains("user_code=ABCD-EFGH")
                ? decision : codePage("Enter the code")
        case (.get, "/login"):
            return page(
                """
                <form method=post action="/login?\(call.address.query)"><input name=username>
                <input type=password name=password><button>Log in</button></form>
                """)
        case (.post, "/login"):
            user = fields["username"]
            if defect == .asksConsent {
                return page(
                    """
                    <form method=post action="/consent?\(call.address.query)">
                    <button>Deny</button><button><b>Allow</b></button></form>
                    """)
            }
            return Reply(status: 302, headers: ["Location": "/device?\(call.address.query)"])
        case (.post, "/consent"):
            return Reply(status: 302, headers: ["Location": "/device?\(call.address.query)"])
        case (.post, "/device"):
            return fields["user_code"] == "ABCD-EFGH" ? decision : codePage("Unknown code")
        case (.post, "/decision"): return decide(fields["answer"] == "allow")
        case (.get, "/decided"): return Reply(status: 302, headers: ["Location": "/finished"])
        case (.get, "/finished"): return page(lastWords)
        case (.post, "/token") where fields["grant_type"] == "refresh_token":
            return json(#"{"access_token":"ACCESS-SECRET-2","token_type":"Bearer"}"#)
        case (.post, "/token"): return poll(fields)
        case (.get, "/who"): return json(#"{"sub":"\#(user ?? "")"}"#)
        case (.post, "/revoke"): return json("")
        default: return json("{}", 404)
        }
    }

    private var decision: Reply {
        page(
            """
            <form method=post action=/decision><input type=hidden name=csrf value=c-1>
            <button name=answer value=allow>Allow</button><button name=answer value=deny>Deny</button></form>
            """)
    }

    private func codePage(_ title: String) -> Reply {
        page(
            "<h1>\(title)</h1><form method=post action=/device><input name=user_code><button>Go on</button></form>"
        )
    }

    private func decide(_ isApproval: Bool) -> Reply {
        if isApproval, defect == .ignoresApproval { return codePage("Enter the code") }
        if defect == .losesRefusal { return page("that is all") }
        if defect == .fails { return json("{}", 500) }
        if defect == .forgetsLogin {
            return Reply(status: 302, headers: ["Location": "/login?user_code=ABCD-EFGH"])
        }
        let loses = defect == .losesApproval || defect == .losesAndSaysNothing
        let turnsRound = defect == .approvesRefusals || defect == .redirectsAndApproves
        let isTurned = defect == .redirectsToRefusal
        isApproved = isApproval ? !loses && !isTurned : turnsRound
        isRefused = isTurned || !isApproval && !turnsRound
        lastWords = isApproval ? "welcome" : "goodbye"
        switch defect {
        case .redirects, .redirectsAndApproves: break
        case .redirectsToRefusal: lastWords = "goodbye"
        case .redirectsToNothing: lastWords = "that is all"
        case .saysNothing: return page("that is all")
        case .losesAndSaysNothing: return page("<p class=error>Error: try later</p>")
        default: return page(lastWords)
        }
        return Reply(status: 302, headers: ["Location": "/decided"])
    }

    private func poll(_ fields: [String: String]) -> Reply {
        polled.append(lane.now)
        func error(_ word: String) -> Reply { json("{\"error\":\"\(word)\"}", 400) }
        guard fields["device_code"] == "DEVICE-SECRET-1" else { return error("invalid_grant") }
        if lane.now >= .start + .seconds(60) { return error("expired_token") }
        if polled.count == 1, defect == .slowsDown { return error("slow_down") }
        if polled.count == 2, defect == .slowsSecond { return error("slow_down") }
        if isRefused { return error("access_denied") }
        guard isApproved, let user else { return error("authorization_pending") }
        guard !isUsed else { return error("invalid_grant") }
        isUsed = true
        if defect == .losesToken { return json("{}", 503) }
        let claims = Base64URL.encode("{\"sub\":\"\(user)\"}")
        return json(
            """
            {"access_token":"ACCESS-SECRET-1",\(defect == .givesNoRefresh ? "" : #""refresh_token":"REFRESH-SECRET-1","#)"token_type":"Bearer","expires_in":3600,
            "id_token":"e30.\(claims).x"}
            """)
    }
}

/// Base64 in the alphabet of URLs, without padding.
private enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    static func encode(_ text: String) -> String {
        var bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        while bits.count % 6 != 0 { bits.append(0) }
        return String(
            stride(from: 0, to: bits.count, by: 6).map { start in
                digits[bits[start..<start + 6].reduce(0) { $0 << 1 | Int($1) }]
            })
    }
}
