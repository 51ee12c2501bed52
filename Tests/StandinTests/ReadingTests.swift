import Dialects
import Formats
import Journal
import Standin
import Testing

/// The readings of rest-v1.md § 17, each by its number. What a number says of a client is tested
/// where the client is.
@Suite("readings of the protocol's page (rest-v1.md § 17)")
struct ReadingTests {
    private static let key = Caller.key()

    @Test("A1: an access token comes with 201 and lives for 21600 s")
    func a1() {
        var caller = Caller(.unthrottled)
        let client = caller.post("/o/client/register", body: "{\"software_statement\":\"\(demo)\"}")
        let grant = caller.post(
            "/o/client/token",
            body: "client_id=\(client.member("client_id") ?? "")&client_secret="
                + "\(client.member("client_secret") ?? "")&grant_type=client_credentials")
        #expect(grant.status == 201)
        #expect(grant.member("expires_in") == "21600")
        caller.bearer = grant.member("access_token")
        caller.now = Instant(.milliseconds(21_599_999))
        #expect(caller.poll().status == 404)
        caller.now = Instant(.seconds(21_600))
        #expect(caller.poll().status == 401)
    }

    @Test("A2: the requestor is in R1's path; the rest in the query or the form, and the form wins")
    func a2() {
        var caller = Caller.registered()
        let both = caller.post(
            "\(Caller.codePath)?deviceId=query&requestor=OTHER", body: "deviceId=form&ttl=60")
        #expect(both.member("requestor") == "DEMOTV")
        #expect(both.member("deviceId") == Base64.encode("form".utf8))
        let form = caller.post(Caller.codePath, body: "deviceId=tv-9")
        #expect(form.member("deviceId") == Base64.encode("tv-9".utf8))
        let query = caller.post("\(Caller.codePath)?deviceId=tv-9", body: "")
        #expect(query.member("deviceId") == Base64.encode("tv-9".utf8))
    }

    @Test(
        "A3: C1, N2, Z2 and R2 need a bearer in strict fidelity only, all other calls but N1 always; a switch ends it all",
        arguments: ServiceSettings.Fidelity.allCases)
    func a3(fidelity: ServiceSettings.Fidelity) {
        var caller = Caller.registered(
            ServiceSettings(fidelity: fidelity, policies: .init(throttle: nil)))
        let code = caller.issue()
        caller.bearer = nil
        // As an answer to each where a bearer is not asked for: nobody has signed in yet.
        let bare = [
            ("/api/v1/config/DEMOTV", 200), ("/api/v1/checkauthn/\(code)?requestor=DEMOTV", 403),
            ("/api/v1/preauthorize/\(code)?requestor=DEMOTV&resource=a", 412),
            ("\(Caller.codePath)/\(code)", 200),
        ]
        for (target, status) in bare {
            let expected = fidelity == .lenient ? status : 401
            #expect(caller.get(target).status == expected, "\(target)")
        }
        caller.bearer = "stale"
        for (target, _) in bare { #expect(caller.get(target).status == 401, "\(target)") }
        caller.bearer = nil
        let needing = bare.map(\.0) + ["/api/v1/tokens/authn?\(Self.key)"]
        #expect(caller.get(needing[4]).status == 401)
        #expect(
            caller.send(.delete, "\(Caller.codePath)/\(code)", headers: [:], body: "").status == 401
        )
        #expect(caller.get(Caller.authenticate(code)).status == 302)
        let back = "redirect_url=https%3A%2F%2Fdemo.test%2Fdone"
        #expect(caller.get("/api/v1/logout?\(Self.key)&\(back)").status == 302)
        var open = Caller(ServiceSettings(policies: .init(throttle: nil), auth: .none))
        let other = open.issue()
        for target in needing {
            let target = target.replacing(code, with: other)
            #expect(open.get(target).status != 401, "\(target)")
        }
    }

    @Test("A3: the older query parameter carries a bearer too")
    func olderBearer() {
        var caller = Caller.registered()
        let bearer = caller.bearer ?? ""
        caller.bearer = nil
        #expect(caller.get("/api/v1/tokens/authn?\(Self.key)&access_token=\(bearer)").status == 404)
        #expect(caller.get("/api/v1/tokens/authn?\(Self.key)&access_token=x").status == 401)
    }

    @Test(
        "A5: device information is understood percent-encoded and plain, in all three carriers",
        arguments: [true, false])
    func a5(isEncoded: Bool) {
        var caller = Caller.registered()
        caller.sendsDeviceInfo = false
        let plain = Caller.deviceInfo.replacing("%3D", with: "=")
        let text = isEncoded ? Caller.deviceInfo : plain
        let header = caller.post(
            "\(Caller.codePath)?deviceId=a", body: "", headers: ["X-Device-Info": text])
        let info = header.member("deviceInfo")
        #expect(info?.isEmpty == false)
        // In a query or a form, the text is percent-encoded once more by the form itself.
        let field = text.replacing("%", with: "%25").replacing("=", with: "%3D")
        let query = caller.post("\(Caller.codePath)?deviceId=b&device_info=\(field)", body: "")
        #expect(query.member("deviceInfo") == info)
        let form = caller.post(Caller.codePath, body: "deviceId=c&device_info=\(field)")
        #expect(form.member("deviceInfo") == info)
    }

    @Test(
        "A6: model and osName are enough, one of them is not",
        arguments: [
            (#"{"model":"TV","osName":"tvOS"}"#, 201), (#"{"model":"TV"}"#, 400),
            (#"{"osName":"tvOS"}"#, 400), (#"{"model":1,"osName":"tvOS"}"#, 400), ("[]", 400),
        ])
    func a6(info: String, status: Int) {
        var caller = Caller.registered()
        let reply = caller.post(
            "\(Caller.codePath)?deviceId=a", body: "",
            headers: ["X-Device-Info": Base64.encode(info.utf8)])
        #expect(reply.status == status)
        if status == 400 { #expect(reply.member("message") == "invalid_device_info") }
    }

    @Test("A7: codes have seven of [A-Z0-9], and are found in any case")
    func a7() {
        var caller = Caller.registered()
        for device in 0..<50 {
            let code = caller.issue("tv-\(device)")
            #expect(code.count == 7)
            #expect(code.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) })
            let reply = caller.get("\(Caller.codePath)/\(code.lowercased())")
            #expect(reply.member("code") == code)
        }
        // Six may be a code, five and eight are none.
        #expect(caller.get("\(Caller.codePath)/ABCDEF").status == 404)
        #expect(caller.get("\(Caller.codePath)/ABCDE").status == 404)
    }

    @Test("A8: a page for the user is named when the device or the service names one")
    func a8() {
        var caller = Caller.registered()
        let without = caller.post("\(Caller.codePath)?deviceId=a", body: "")
        #expect(without.member("registrationURL") == nil)
        let own = caller.post(
            "\(Caller.codePath)?deviceId=a&registrationURL=http%3A%2F%2Fa.test", body: "")
        #expect(own.member("registrationURL") == "http://a.test")
        var configured = Caller.registered(
            ServiceSettings(
                policies: .init(throttle: nil), registrationURL: "http://b.test/activate"))
        let given = configured.post("\(Caller.codePath)?deviceId=a", body: "")
        #expect(given.member("registrationURL") == "http://b.test/activate")
    }

    @Test("A9: a device's next code ends its former one, but not one that was used")
    func a9() {
        var caller = Caller.registered()
        let first = caller.issue()
        let second = caller.issue()
        #expect(caller.get("\(Caller.codePath)/\(first)").status == 404)
        #expect(caller.get(Caller.authenticate(first)).status == 400)
        caller.logIn(second)
        _ = caller.issue()
        #expect(caller.get("\(Caller.codePath)/\(second)").status == 200)
    }

    @Test("A10: a code outlives the fetching of its token, unless the strict variant is on")
    func a10() {
        for deletes in [false, true] {
            var caller = Caller.registered(
                ServiceSettings(policies: .init(throttle: nil), deleteOnFirstRetrieve: deletes))
            let code = caller.issue()
            caller.logIn(code)
            #expect(caller.get("\(Caller.codePath)/\(code)").status == 200)
            #expect(caller.poll().status == 200)
            #expect(caller.get("\(Caller.codePath)/\(code)").status == (deletes ? 404 : 200))
            // The token does not depend on the record.
            #expect(caller.poll().status == 200)
        }
    }

    @Test("A11: the residual parameters are sent, and not required")
    func a11() {
        var caller = Caller.registered()
        let code = caller.issue()
        let target = Caller.authenticate(code).replacing("&noflash=true&no_iframe=true", with: "")
        #expect(caller.get(target).status == 302)
    }

    @Test("A12: the page's logout leaves the provider's session alone, the web view's ends it")
    func a12() {
        let back = "redirect_url=https%3A%2F%2Fdemo.test%2Fout"
        for isWebView in [false, true] {
            var caller = Caller.registered(
                ServiceSettings(policies: .init(throttle: nil), providersRemember: true))
            caller.logIn(caller.issue())
            if isWebView {
                let first = caller.get("/api/v1/logout?\(Self.key)&\(back)")
                #expect(
                    first.headers["Location"]
                        == "/adobe-services/logout?noflash=true&mso_id=DemoCable"
                        + "&requestor_id=DEMOTV&redirect_url=https%3A%2F%2Fdemo.test%2Fout")
                let second = caller.get(first.headers["Location"] ?? "")
                #expect(second.headers["Location"]?.hasPrefix("/mvpd/DemoCable/logout?") == true)
                let third = caller.get(second.headers["Location"] ?? "")
                #expect(third.headers["Location"] == "https://demo.test/out")
            } else {
                #expect(caller.delete("/api/v1/logout?\(Self.key)").status == 204)
            }
            #expect(caller.poll().status == 404)
            let page = caller.openLogin(caller.get(Caller.authenticate(caller.issue())))
            let asks = page.text.contains("type=\"password\"")
            #expect(asks == isWebView, "a session that is left signs in silently")
        }
    }

    @Test(
        "A13: generic data is a JSON object, or one in parentheses",
        arguments: [
            ("%7B%22email%22%3A%22a%40b.test%22%7D", 302),
            ("%28%22email%22%3A%22a%40b.test%22%29", 302), ("%28%29", 302), ("email", 400),
            ("%5B1%5D", 400),
        ])
    func a13(data: String, status: Int) {
        var caller = Caller.registered()
        let target = Caller.authenticate(caller.issue())
            .replacing("&redirect_url", with: "&generic_data=\(data)&redirect_url")
        #expect(caller.get(target).status == status)
        let authorize = caller.get(
            "/api/v1/authorize?\(Self.key)&resource=a&generic_data=\(data)")
        #expect(authorize.status == (status == 302 ? 403 : 400))
    }

    @Test("A14: a token that is over answers 410, while a fresh code is pending as well")
    func a14() {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), auth: .none))
        caller.advance(.seconds(21_600))
        #expect(caller.poll().text == #"{"status":410,"message":"Gone"}"#)
        let code = caller.issue()
        #expect(caller.poll().status == 410)
        caller.logIn(code)
        #expect(caller.poll().status == 200)
    }

    @Test("A15: too many resources are 403")
    func a15() {
        var caller = Caller.signedIn()
        let reply = caller.get("/api/v1/preauthorize?\(Self.key)&resource=1,2,3,4,5,6")
        #expect(reply.text == #"{"status":403,"message":"too_many_resources"}"#)
    }

    @Test("A17: a media token lives for 420 s")
    func a17() {
        var caller = Caller.signedIn()
        _ = caller.get("/api/v1/authorize?\(Self.key)&resource=demo-1")
        let media = caller.get("/api/v1/tokens/media?\(Self.key)&resource=demo-1")
        #expect(media.member("expires") == String(Caller.epoch + 420_000))
    }

    @Test("A20: deleting a code always names the requestor")
    func a20() {
        var caller = Caller.registered()
        let code = caller.issue()
        #expect(caller.delete("/reggie/v1/regcode/\(code)").status == 404)
        #expect(caller.delete("\(Caller.codePath)/\(code)").status == 204)
    }

    @Test("A21: times are numbers in a code's record, and strings in a token's")
    func a21() {
        var caller = Caller.registered()
        let record = caller.post("\(Caller.codePath)?deviceId=tv-1", body: "")
        #expect(record.text.contains("\"expires\":1760001800000,"))
        caller.logIn(record.member("code") ?? "")
        #expect(caller.poll().text.contains("\"expires\":\"1760021600000\""))
        let authorized = caller.get("/api/v1/authorize?\(Self.key)&resource=a")
        #expect(authorized.text.contains("\"expires\":\"1760086400000\""))
        let media = caller.get("/api/v1/tokens/media?\(Self.key)&resource=a")
        #expect(media.text.contains("\"expires\":\"1760000420000\""))
    }

    @Test("A22: the browser's first request is throttled too")
    func a22() {
        var caller = Caller(ServiceSettings(auth: .none))
        for _ in 0..<11 { #expect(caller.get("/api/v1/authenticate").status == 400) }
        #expect(caller.get("/api/v1/authenticate").status == 429)
    }

    @Test("A23: preauthorizations are well-formed, and name the same items in both formats")
    func a23() {
        var caller = Caller.registered(
            ServiceSettings(policies: .init(throttle: nil), enhancedErrors: true))
        let code = caller.issue()
        caller.logIn(code)
        let target = "/api/v1/preauthorize/\(code)?requestor=DEMOTV&resource=a%22b,deny-c"
        let json = caller.get(target)
        #expect(JSONReader.read(json.body) != nil)
        #expect(json.text.contains(#"{"id":"a\"b","authorized":true}"#))
        caller.accept = "application/xml"
        let xml = caller.get(target).text
        #expect(xml.contains("<resource><id>a&quot;b</id><authorized>true</authorized></resource>"))
        for name in ["resources", "resource", "error", "id"] {
            #expect(
                xml.split(separator: "<\(name)>", omittingEmptySubsequences: false).count
                    == xml.split(separator: "</\(name)>", omittingEmptySubsequences: false).count)
        }
    }

    @Test("A24: deviceType is mandatory for platform sign-on, and nowhere else")
    func a24() {
        var caller = Caller.registered()
        let path = "/api/v1/DEMOTV/profile-requests/DemoCable"
        #expect(caller.get(path).member("message") == "Required 'deviceType' is not present")
        #expect(caller.get("\(path)?deviceType=tvOS").status == 200)
        #expect(caller.poll().status == 404)
        #expect(caller.get("/api/v1/config/DEMOTV").status == 200)
    }

    @Test("A25: what is not found is written differently in each format")
    func a25() {
        var caller = Caller.registered()
        #expect(caller.poll().member("message") == "Not Found")
        caller.accept = "application/xml"
        #expect(caller.poll().text.contains("<message>Not found</message>"))
    }

    @Test("A26: anyone may read the configuration")
    func a26() {
        var caller = Caller.registered()
        caller.sendsDeviceInfo = false
        let asTV = caller.get("/api/v1/config/DEMOTV?deviceType=tvOS")
        #expect(asTV.status == 200 && asTV.member("device") == "tvOS")
        #expect(caller.get("/adobe-services/config/DEMOTV").status == 200)
    }

    @Test("A27: without a preselected provider XML has an empty element, JSON no key")
    func a27() {
        var caller = Caller.registered()
        #expect(caller.post("\(Caller.codePath)?deviceId=a", body: "").member("mvpd") == nil)
        caller.accept = "application/xml"
        let xml = caller.post("\(Caller.codePath)?deviceId=a", body: "")
        #expect(xml.text.contains("<mvpd></mvpd>"))
        let chosen = caller.post("\(Caller.codePath)?deviceId=a&mvpd=DemoSat", body: "")
        #expect(chosen.text.contains("<mvpd>DemoSat</mvpd>"))
    }

    @Test("A28: the record's device id is the Base64 of the one sent")
    func a28() {
        var caller = Caller.registered()
        let reply = caller.post("\(Caller.codePath)?deviceId=vd-000000000001", body: "")
        #expect(reply.member("deviceId") == "dmQtMDAwMDAwMDAwMDAx")
    }
}
