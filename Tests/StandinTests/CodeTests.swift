import Dialects
import Formats
import Standin
import Testing

@Suite("registration codes (rest-v1.md § 6)")
struct CodeTests {
    @Test("R1 answers 201 with the record of the page, in JSON")
    func json() throws {
        var caller = Caller.registered()
        let reply = caller.post(
            "\(Caller.codePath)?deviceId=vd-000000000001&mvpd=DemoCable", body: "")
        #expect(reply.status == 201)
        #expect(reply.isJSON)
        let code = try #require(reply.member("code"))
        #expect(code.count == 7)
        #expect(code.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) })
        #expect(reply.member("id")?.count == 36)
        #expect(reply.member("requestor") == "DEMOTV")
        #expect(reply.member("mvpd") == "DemoCable")
        #expect(reply.text.contains(#""generated":1760000000000,"expires":1760001800000"#))
        #expect(reply.member("deviceId") == "dmQtMDAwMDAwMDAwMDAx")
        #expect(reply.member("userAgent") == "DemoTV/1.0")
        #expect(reply.member("authorizationType") == "OAUTH2")
        #expect(reply.text.contains(#""sourceApplicationInformation":{"id":"screenrig-demo""#))
        let info = String(
            decoding: Base64.decode(reply.member("deviceInfo") ?? "") ?? [], as: UTF8.self)
        #expect(info.hasPrefix(#"{"type":"TV","model":"AppleTV","version":{"major":11,"minor":1}"#))
        #expect(
            info.contains(#""operatingSystem":{"name":"tvOS","version":{"major":17,"minor":4}}"#))
        #expect(info.contains(#""connection":{"secure":true,"type":"WiFi"}"#))
    }

    @Test("R1 answers in XML with the namespace, every element, and an empty mvpd (A27)")
    func xml() {
        var caller = Caller.registered()
        caller.accept = "application/xml"
        let reply = caller.post(
            "\(Caller.codePath)?deviceId=tv-1&deviceType=tvOS&registrationURL=http%3A%2F%2Fa.test%2Fx%3Fa%26b",
            body: "")
        #expect(reply.isXML)
        #expect(
            reply.text.hasPrefix(
                #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
                    + #"<ns2:regcode xmlns:ns2="model.mvc.reggie.pass.adobe.com"><id>"#))
        #expect(reply.text.contains("<requestor>DEMOTV</requestor><mvpd></mvpd>"))
        #expect(
            reply.text.contains(
                "<generated>1760000000000</generated><expires>1760001800000</expires>"))
        #expect(
            reply.text.contains(
                "<deviceType>tvOS</deviceType><deviceUser></deviceUser><appId></appId>"
                    + "<appVersion></appVersion>"
                    + "<registrationURL>http://a.test/x?a&amp;b</registrationURL>"))
        #expect(reply.text.hasSuffix("</info></ns2:regcode>"))
    }

    @Test("in JSON a record without a provider has no mvpd (A27)")
    func noProvider() {
        var caller = Caller.registered()
        let reply = caller.post("\(Caller.codePath)?deviceId=tv-1", body: "")
        #expect(reply.member("mvpd") == nil)
    }

    @Test(
        "R1 turns down what breaks a rule",
        arguments: [
            ("no device id", "/reggie/v1/DEMOTV/regcode", "Required 'deviceId' is not present"),
            (
                "an empty device id", "/reggie/v1/DEMOTV/regcode?deviceId=",
                "Required 'deviceId' is not present"
            ),
            (
                "a requestor nobody knows", "/reggie/v1/OTHER/regcode?deviceId=d",
                "Unknown requestor 'OTHER'"
            ),
            (
                "a provider that is not integrated", "/reggie/v1/DEMOTV/regcode?deviceId=d&mvpd=X",
                "Unknown integration 'X'"
            ),
            (
                "ttl over the maximum", "/reggie/v1/DEMOTV/regcode?deviceId=d&ttl=36001",
                "Invalid 'ttl': it must be 1 to 36000 seconds"
            ),
            (
                "ttl zero", "/reggie/v1/DEMOTV/regcode?deviceId=d&ttl=0",
                "Invalid 'ttl': it must be 1 to 36000 seconds"
            ),
            (
                "ttl with a fraction", "/reggie/v1/DEMOTV/regcode?deviceId=d&ttl=1.5",
                "Invalid 'ttl': it must be 1 to 36000 seconds"
            ),
        ])
    func refuses(reason: String, target: String, message: String) {
        var caller = Caller.registered()
        let reply = caller.post(target, body: "")
        #expect(reply.text == #"{"status":400,"message":"\#(message)"}"#, "\(reason)")
        #expect(reply.status == 400)
    }

    @Test("ttl sets the life of the code", arguments: [1, 300, 36_000])
    func ttl(seconds: Int) {
        var caller = Caller.registered()
        let code = caller.issue(more: "&ttl=\(seconds)")
        caller.advance(.seconds(seconds) - .milliseconds(1))
        if seconds < 21_600 {  // while the access token lives
            #expect(caller.get("\(Caller.codePath)/\(code)").status == 200)
        }
        caller.advance(.milliseconds(1))
        caller.register()
        #expect(caller.get("\(Caller.codePath)/\(code)").status == 404)
    }

    @Test("parameters of a POST may be in the form, and the form wins (A2)")
    func form() {
        var caller = Caller.registered()
        let reply = caller.post(
            "\(Caller.codePath)?deviceId=query&ttl=5", body: "deviceId=form+1%2B2&ttl=60")
        #expect(reply.member("deviceId") == Base64.encode("form 1+2".utf8))
        #expect(reply.text.contains(#""expires":1760000060000"#))
    }

    @Test("R2 gives the record back, whatever the case of the code")
    func lookUp() {
        var caller = Caller.registered()
        let issued = caller.post("\(Caller.codePath)?deviceId=tv-1", body: "")
        let code = issued.member("code") ?? ""
        let found = caller.get("\(Caller.codePath)/\(code.lowercased())")
        #expect(found.status == 200)
        #expect(found.body == issued.body)
    }

    @Test(
        "R2 and R3 know nothing of codes that are not there",
        arguments: ["AAAAAAA", "AAAAAA", "A", "A-B-C-D", "%00"])
    func unknown(code: String) {
        var caller = Caller.registered()
        let missing = caller.get("\(Caller.codePath)/\(code)")
        #expect(missing.status == 404)
        #expect(missing.text == #"{"status":404,"message":"Not Found"}"#)
        #expect(caller.delete("\(Caller.codePath)/\(code)").status == 404)
    }

    @Test("another requestor does not see the code")
    func otherRequestor() {
        var settings = ServiceSettings.unthrottled
        settings.requestors.append(.init(id: "OTHER", domains: ["other.test"]))
        var caller = Caller.registered(settings)
        let code = caller.issue()
        #expect(caller.get("/reggie/v1/OTHER/regcode/\(code)").status == 404)
        #expect(caller.delete("/reggie/v1/OTHER/regcode/\(code)").status == 404)
        #expect(caller.get("\(Caller.codePath)/\(code)").status == 200)
    }

    @Test("R3 deletes once")
    func delete() {
        var caller = Caller.registered()
        let code = caller.issue()
        let gone = caller.delete("\(Caller.codePath)/\(code)")
        #expect(gone.status == 204)
        #expect(gone.body.isEmpty)
        #expect(caller.delete("\(Caller.codePath)/\(code)").status == 404)
        #expect(caller.get("\(Caller.codePath)/\(code)").status == 404)
    }

    @Test("a new code supersedes the device's unbound one, and nobody else's (A9)")
    func supersedes() {
        var caller = Caller.registered()
        let first = caller.issue("tv-1")
        let other = caller.issue("tv-2")
        let second = caller.issue("tv-1")
        #expect(caller.get("\(Caller.codePath)/\(first)").status == 404)
        #expect(caller.get("\(Caller.codePath)/\(other)").status == 200)
        #expect(caller.get("\(Caller.codePath)/\(second)").status == 200)
    }

    @Test("a bound code outlives its successor")
    func boundStays() {
        var caller = Caller.registered()
        let first = caller.issue()
        caller.logIn(first)
        _ = caller.issue()
        #expect(caller.get("\(Caller.codePath)/\(first)").status == 200)
    }

    @Test("devices that call themselves dummy do not supersede each other (§ 6.2)")
    func dummies() {
        var caller = Caller.registered()
        let first = caller.issue("dummy")
        let second = caller.issue("dummy")
        #expect(caller.get("\(Caller.codePath)/\(first)").status == 200)
        #expect(caller.get("\(Caller.codePath)/\(second)").status == 200)
    }

    @Test("no code is live twice, and the same seed gives the same codes")
    func distinct() {
        var caller = Caller.registered()
        var again = Caller.registered()
        let codes = (0..<500).map { caller.issue("tv-\($0)") }
        #expect(Set(codes).count == 500)
        #expect(codes == (0..<500).map { again.issue("tv-\($0)") })
    }
}

@Suite("device information (rest-v1.md § 3.4)")
struct DeviceInfoTests {
    private static func encoded(_ json: String) -> String { Base64.encode(json.utf8) }

    @Test(
        "what decodes to an object with model and osName is accepted",
        arguments: [
            Caller.deviceInfo,
            encoded(#"{"model":"a","osName":"tvOS"}"#),
            Base64.encodeURL(#"{"model":"a??>>","osName":"tvOS"}"#.utf8),
            encoded(#"{"model":"a","osName":"tvOS","displayWidth":1920,"x":[1,{"y":null}]}"#)
                .map { $0 == "=" ? "%3D" : "\($0)" }.joined(),
        ])
    func good(info: String) {
        var caller = Caller.registered()
        let reply = caller.get(
            "/api/v1/tokens/authn?\(Caller.key())", headers: ["X-Device-Info": info])
        #expect(reply.status == 404)
    }

    @Test(
        "everything else is 400, in lenient mode too",
        arguments: [
            "!", encoded("[]"), encoded("{}"), encoded(#"{"model":"a"}"#),
            encoded(#"{"model":1,"osName":"tvOS"}"#), encoded(#"{"model":"a","osName":"tvOS"}x"#),
            encoded("not json"),
        ])
    func bad(info: String) {
        var caller = Caller.registered()
        let reply = caller.get(
            "/api/v1/tokens/authn?\(Caller.key())", headers: ["X-Device-Info": info])
        #expect(reply.status == 400)
        #expect(reply.text == #"{"status":400,"message":"invalid_device_info"}"#)
    }

    @Test("it may come as a parameter")
    func parameter() {
        var caller = Caller.registered(
            ServiceSettings(fidelity: .strict, policies: .init(throttle: nil)))
        caller.sendsDeviceInfo = false
        let target = "/api/v1/tokens/authn?\(Caller.key())"
        #expect(caller.get("\(target)&device_info=\(Caller.deviceInfo)").status == 404)
    }

    @Test(
        "without it strict mode says 400, lenient mode reads the user agent",
        arguments: [(ServiceSettings.Fidelity.lenient, 404), (.strict, 400)])
    func missing(fidelity: ServiceSettings.Fidelity, status: Int) {
        var caller = Caller.registered(
            ServiceSettings(fidelity: fidelity, policies: .init(throttle: nil)))
        caller.sendsDeviceInfo = false
        #expect(caller.poll().status == status)
        if fidelity == .lenient {
            let record = caller.post("\(Caller.codePath)?deviceId=tv-1", body: "")
            let info = Base64.decode(record.member("deviceInfo") ?? "") ?? []
            #expect(String(decoding: info, as: UTF8.self).contains("DemoTV/1.0"))
        }
    }
}
