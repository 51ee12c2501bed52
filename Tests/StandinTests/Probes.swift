import Dialects
import Standin
import Testing

/// One question and the status that the page has for it. `page` is the row of the table.
struct Probe<A: Asker>: CustomTestStringConvertible {
    var page: String
    var label: String
    var operation: OperationName
    var status: Int
    var run: (inout World<A>) -> Reply

    var testDescription: String { "\(page): \(label)" }

    init(
        _ page: String, _ operation: OperationName, _ status: Int, _ label: String,
        _ run: @escaping (inout World<A>) -> Reply
    ) {
        self.page = page
        self.label = label
        self.operation = operation
        self.status = status
        self.run = run
    }
}

/// Every row of rest-v1.md § 2 with good input and bad.
enum Probes<A: Asker> {
    static func key(_ device: String) -> String { "requestor=DEMOTV&deviceId=\(device)" }
    static var authenticate: String {
        "requestor_id=DEMOTV&mso_id=DemoCable&domain_name=demo.test&noflash=true&no_iframe=true"
            + "&redirect_url=https%3A%2F%2Fdemo.test%2Fdone"
    }

    static var all: [Probe<A>] {
        clients + codes + browser + states + platform + decisions + authorizations + ends
    }

    static var clients: [Probe<A>] {
        let json = [("Content-Type", "application/json")]
        func register(
            _ status: Int, _ label: String, _ body: String
        ) -> Probe<A> {
            Probe("5, D1", .registerClient, status, label) {
                $0.ask(.post, "/o/client/register", form: body, auth: false, headers: json)
            }
        }
        func grant(
            _ status: Int, _ label: String, _ more: @escaping (String, String) -> String
        ) -> Probe<A> {
            Probe("5, D2", .accessToken, status, label) { world in
                let client = world.prepare(
                    .post, "/o/client/register", body: World<A>.statement, headers: json)
                let id = client.member("client_id") ?? ""
                let secret = client.member("client_secret") ?? ""
                return world.ask(.post, "/o/client/token", form: more(id, secret), auth: false)
            }
        }
        return [
            register(201, "a statement", World<A>.statement),
            register(
                201, "with a redirect",
                "{\"software_statement\":\"\(demo)\",\"redirect_uri\":\"adbe.x://done\"}"),
            register(400, "no statement", "{}"),
            register(400, "no JSON", "software_statement=x"),
            register(400, "a forged statement", "{\"software_statement\":\"\(demo)x\"}"),
            register(
                400, "a bad redirect",
                "{\"software_statement\":\"\(demo)\",\"redirect_uri\":\"nowhere\"}"),
            grant(201, "client credentials") {
                "client_id=\($0)&client_secret=\($1)&grant_type=client_credentials"
            },
            grant(400, "another grant") {
                "client_id=\($0)&client_secret=\($1)&grant_type=password"
            },
            grant(400, "a wrong secret") { id, _ in
                "client_id=\(id)&client_secret=x&grant_type=client_credentials"
            },
            grant(400, "nothing") { _, _ in "" },
        ]
    }

    static var codes: [Probe<A>] {
        func create(
            _ status: Int, _ label: String, _ query: String, requestor: String = "DEMOTV",
            headers: [(String, String)] = [], info: Bool = true
        ) -> Probe<A> {
            Probe("6, R1", .registrationCode, status, label) {
                $0.ask(
                    .post, "/reggie/v1/\(requestor)/regcode", query, info: info, headers: headers)
            }
        }
        let path = "/reggie/v1/DEMOTV/regcode"
        return [
            create(201, "a device", "deviceId=d1"),
            create(
                201, "all there is",
                "deviceId=d2&mvpd=DemoSat&ttl=36000&registrationURL=http%3A%2F%2Fa.test&"
                    + "deviceType=tvOS&deviceUser=u&appId=a&appVersion=1"),
            create(400, "no device", "ttl=60"),
            create(400, "a stranger's requestor", "deviceId=d", requestor: "OTHER"),
            create(400, "too long a life", "deviceId=d&ttl=36001"),
            create(400, "no life", "deviceId=d&ttl=0"),
            create(400, "an unknown provider", "deviceId=d&mvpd=Nobody"),
            create(
                400, "bad device information", "deviceId=d", headers: [("X-Device-Info", "%%")],
                info: false),
            Probe("6, R2", .registrationRecord, 200, "a live code") {
                let code = $0.issued().code
                return $0.ask(.get, "\(path)/\(code)")
            },
            Probe("6, R2", .registrationRecord, 404, "nobody's code") {
                $0.ask(.get, "\(path)/AAAAAAA")
            },
            Probe("6, R2", .registrationRecord, 404, "another requestor's") {
                let code = $0.issued().code
                return $0.ask(.get, "/reggie/v1/OTHER/regcode/\(code)")
            },
            Probe("6, R3", .deleteRegistration, 204, "a live code") {
                let code = $0.issued().code
                return $0.ask(.delete, "\(path)/\(code)")
            },
            Probe("6, R3", .deleteRegistration, 404, "a second time") {
                let code = $0.issued().code
                _ = $0.ask(.delete, "\(path)/\(code)")
                return $0.ask(.delete, "\(path)/\(code)")
            },
            Probe("7, C1", .configuration, 200, "a requestor") {
                $0.ask(.get, "/api/v1/config/DEMOTV")
            },
            Probe("7, C1", .configuration, 200, "the older path") {
                $0.ask(.get, "/adobe-services/config/DEMOTV")
            },
            Probe("7, C1", .configuration, 404, "a stranger") {
                $0.ask(.get, "/api/v1/config/OTHER")
            },
        ]
    }

    static var browser: [Probe<A>] {
        func begin(
            _ status: Int, _ label: String, without: String? = nil,
            replacing: (String, String)? = nil
        ) -> Probe<A> {
            Probe("8, N1", .authenticate, status, label) { world in
                let code = world.issued().code
                var query = "reg_code=\(code)&\(Probes.authenticate)"
                if let without {
                    query = query.split(separator: "&").filter { !$0.hasPrefix("\(without)=") }
                        .joined(separator: "&")
                }
                if let (from, to) = replacing { query = query.replacing(from, with: to) }
                return world.ask(.get, "/api/v1/authenticate", query, auth: false, info: false)
            }
        }
        return [
            begin(302, "a code"),
            begin(302, "without the residual parameter (A11)", without: "no_iframe"),
        ]
            + ["reg_code", "requestor_id", "mso_id", "domain_name", "redirect_url"].map {
                (name: String) in begin(400, "without \(name)", without: name)
            } + [
                begin(400, "an unknown provider", replacing: ("DemoCable", "Nobody")),
                begin(400, "a foreign domain", replacing: ("demo.test&", "evil.test&")),
                begin(400, "a trial", replacing: ("DemoCable", "TempPass")),
                Probe("8, N1", .authenticate, 400, "a spent code") {
                    let code = $0.signedIn().code
                    return $0.ask(
                        .get, "/api/v1/authenticate", "reg_code=\(code)&\(authenticate)",
                        auth: false)
                },
                Probe("8, N1", .authenticate, 400, "nobody's code") {
                    $0.ask(
                        .get, "/api/v1/authenticate", "reg_code=AAAAAAA&\(authenticate)",
                        auth: false)
                },
                Probe("8, ACS", .assertion, 503, "without a message") {
                    $0.ask(.post, "/sp/saml/SAMLAssertionConsumer", auth: false, info: false)
                },
                Probe("8, ACS", .assertion, 400, "of no login") {
                    $0.ask(
                        .post, "/sp/saml/SAMLAssertionConsumer", form: "SAMLResponse=AAAA",
                        auth: false)
                },
                Probe("8, ACS", .assertion, 302, "a forged message") {
                    let code = $0.issued().code
                    let begun = $0.ask(
                        .get, "/api/v1/authenticate", "reg_code=\(code)&\(authenticate)",
                        auth: false)
                    let cookie = begun.headers["Set-Cookie"]?.prefix { $0 != ";" } ?? ""
                    return $0.ask(
                        .post, "/sp/saml/SAMLAssertionConsumer",
                        form: "SAMLResponse=AAAA&RelayState=\(cookie.dropFirst(8))", auth: false,
                        headers: [("Cookie", String(cookie))])
                },
            ]
    }

    static var states: [Probe<A>] {
        [
            Probe("9, N2", .checkCode, 200, "a bound code") {
                let code = $0.signedIn().code
                return $0.ask(.get, "/api/v1/checkauthn/\(code)", "requestor=DEMOTV")
            },
            Probe("9, N2", .checkCode, 403, "a fresh code") {
                let code = $0.issued().code
                return $0.ask(.get, "/api/v1/checkauthn/\(code)", "requestor=DEMOTV")
            },
            Probe("9, N2", .checkCode, 403, "nobody's code") {
                $0.ask(.get, "/api/v1/checkauthn/AAAAAAA", "requestor=DEMOTV")
            },
            Probe("9, N2", .checkCode, 400, "without a requestor") {
                $0.ask(.get, "/api/v1/checkauthn/AAAAAAA")
            },
            Probe("10, N3", .checkAuthentication, 200, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.get, "/api/v1/checkauthn", key(device))
            },
            Probe("10, N3", .checkAuthentication, 403, "nobody") {
                $0.ask(.get, "/api/v1/checkauthn", key("none"))
            },
            Probe("10, N3", .checkAuthentication, 403, "expired") {
                let device = $0.signedIn("DemoGone").device
                return $0.ask(.get, "/api/v1/checkauthn", key(device))
            },
            Probe("10, N3", .checkAuthentication, 400, "no device") {
                $0.ask(.get, "/api/v1/checkauthn", "requestor=DEMOTV")
            },
            Probe("10, N4", .pollToken, 200, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.get, "/api/v1/tokens/authn", key(device))
            },
            Probe("10, N4", .pollToken, 200, "through an aggregator") {
                let device = $0.signedIn("DemoLocal").device
                return $0.ask(.get, "/api/v1/tokens/authn", key(device))
            },
            Probe("10, N4", .pollToken, 404, "pending") {
                let device = $0.issued().device
                return $0.ask(.get, "/api/v1/tokens/authn", key(device))
            },
            Probe("10, N4", .pollToken, 410, "expired") {
                let device = $0.signedIn("DemoGone").device
                return $0.ask(.get, "/api/v1/tokens/authn", key(device))
            },
            Probe("10, N4", .pollToken, 400, "an unknown requestor") {
                $0.ask(.get, "/api/v1/tokens/authn", "requestor=OTHER&deviceId=d")
            },
        ]
    }

    static var platform: [Probe<A>] {
        let trial = "requestor_id=DEMOTV&mso_id=TempPass&domain_name=demo.test"
        func preview(
            _ status: Int, _ label: String, _ form: String
        ) -> Probe<A> {
            Probe("10, N5", .freePreview, status, label) {
                $0.ask(.post, "/api/v1/authenticate/freepreview", form: form)
            }
        }
        func profile(
            _ status: Int, _ label: String, _ path: String, _ query: String
        ) -> Probe<A> {
            Probe("13, S1", .profileRequest, status, label) {
                $0.ask(.get, "/api/v1/\(path)", query)
            }
        }
        func exchange(
            _ status: Int, _ label: String,
            _ form: @escaping (String, String) -> String
        ) -> Probe<A> {
            Probe("13, S2", .tokenExchange, status, label) { world in
                let saml = world.samlResponse()
                return world.ask(
                    .post, "/api/v1/tokens/authn", form: form(key(world.device()), saml))
            }
        }
        return [
            preview(204, "a device", "deviceId=p1&\(trial)"),
            preview(
                204, "a promotion", "deviceId=p2&\(trial)&generic_data=%7B%22email%22%3A%22a%22%7D"),
            preview(400, "no device", trial),
            preview(400, "no domain", "deviceId=p&requestor_id=DEMOTV&mso_id=TempPass"),
            preview(
                400, "no trial", "deviceId=p&\(trial)".replacing("TempPass", with: "DemoCable")),
            preview(400, "data that is none", "deviceId=p&\(trial)&generic_data=x"),
            profile(200, "tvOS", "DEMOTV/profile-requests/DemoCable", "deviceType=tvOS"),
            profile(200, "iOS", "DEMOTV/profile-requests/DemoCable", "deviceType=iOS"),
            profile(400, "no type", "DEMOTV/profile-requests/DemoCable", ""),
            profile(400, "another type", "DEMOTV/profile-requests/DemoCable", "deviceType=ios"),
            profile(400, "only listed", "DEMOTV/profile-requests/DemoSat", "deviceType=tvOS"),
            profile(400, "an unknown provider", "DEMOTV/profile-requests/No", "deviceType=tvOS"),
            profile(400, "a stranger", "OTHER/profile-requests/DemoCable", "deviceType=tvOS"),
            exchange(204, "the platform's answer") {
                "\($0)&mvpd=DemoCable&deviceType=tvOS&SAMLResponse=\($1)"
            },
            exchange(400, "encoded twice") {
                "\($0)&mvpd=DemoCable&deviceType=tvOS&SAMLResponse="
                    + $1.replacing("%", with: "%25")
            },
            exchange(400, "no answer") { device, _ in
                "\(device)&mvpd=DemoCable&deviceType=tvOS"
            },
            exchange(400, "another provider's") {
                "\($0)&mvpd=DemoSat&deviceType=tvOS&SAMLResponse=\($1)"
            },
            exchange(400, "no type") { "\($0)&mvpd=DemoCable&SAMLResponse=\($1)" },
            exchange(400, "no device") { _, saml in
                "requestor=DEMOTV&mvpd=DemoCable&deviceType=tvOS&SAMLResponse=\(saml)"
            },
        ]
    }

    static var decisions: [Probe<A>] {
        func decide(
            _ status: Int, _ label: String, _ query: String, signedIn: Bool = true
        ) -> [Probe<A>] {
            [
                Probe("11, Z1", .preauthorize, status, label) { world in
                    let device = signedIn ? world.signedIn().device : world.issued().device
                    return world.ask(.get, "/api/v1/preauthorize", "\(key(device))\(query)")
                },
                Probe("11, Z2", .preauthorizeCode, status, label) { world in
                    let code = signedIn ? world.signedIn().code : world.issued().code
                    return world.ask(
                        .get, "/api/v1/preauthorize/\(code)", "requestor=DEMOTV\(query)",
                        info: false)
                },
            ]
        }
        return decide(200, "a list", "&resource=a,deny-b,silent-c")
            + decide(400, "nothing to decide", "")
            + decide(400, "a broken fragment", "&resource=%3Citem%3E")
            + decide(403, "more than five (A15)", "&resource=a,b,c,d,e,f")
            + decide(412, "nobody", "&resource=a", signedIn: false)
            + [
                Probe("11, Z1", .preauthorize, 412, "expired") {
                    let device = $0.signedIn("DemoGone").device
                    return $0.ask(.get, "/api/v1/preauthorize", "\(key(device))&resource=a")
                }
            ]
    }

    static var authorizations: [Probe<A>] {
        func play(
            _ page: String, _ operation: OperationName, _ path: String, _ status: Int,
            _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            Probe(page, operation, status, label) { world in
                let more = resource.map { "&resource=\($0)" } ?? ""
                let id = device(&world)
                return world.ask(.get, path, "\(key(id))\(more)")
            }
        }
        func authorize(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play(
                "11, Z3", .authorize, "/api/v1/authorize", status, label, resource: resource,
                device)
        }
        func read(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play(
                "11, Z4", .authorizationToken, "/api/v1/tokens/authz", status, label,
                resource: resource, device)
        }
        func media(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            path: String = "/api/v1/tokens/media",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play("11, Z5", .mediaToken, path, status, label, resource: resource, device)
        }
        return [
            authorize(200, "signed in") { $0.signedIn().device },
            authorize(200, "through an aggregator") { $0.signedIn("DemoLocal").device },
            authorize(403, "denied", resource: "deny-1") { $0.signedIn().device },
            authorize(403, "nobody (A16)") { $0.device() },
            authorize(403, "expired (A16)") { $0.signedIn("DemoGone").device },
            authorize(400, "no resource", resource: nil) { $0.signedIn().device },
            authorize(400, "a broken fragment", resource: "%3Citem") { $0.signedIn().device },
            read(200, "authorized") { $0.authorized() },
            read(404, "not authorized") { $0.signedIn().device },
            read(410, "over") { $0.authorized("DemoBrief") },
            read(412, "nobody") { $0.device() },
            read(412, "expired") { $0.signedIn("DemoGone").device },
            read(400, "no resource", resource: nil) { $0.authorized() },
            media(200, "authorized") { $0.authorized() },
            media(200, "the other path", path: "/api/v1/mediatoken") { $0.authorized() },
            media(403, "not authorized") { $0.signedIn().device },
            media(403, "nobody") { $0.device() },
            media(403, "over") { $0.authorized("DemoBrief") },
            media(400, "no resource", resource: nil) { $0.authorized() },
            Probe("12, U1", .userMetadata, 200, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.get, "/api/v1/tokens/usermetadata", key(device))
            },
            Probe("12, U1", .userMetadata, 200, "encrypted") {
                let device = $0.signedIn("DemoLocal").device
                return $0.ask(.get, "/api/v1/tokens/usermetadata", key(device))
            },
            Probe("12, U1", .userMetadata, 404, "a provider that tells nothing") {
                let device = $0.signedIn("DemoMute").device
                return $0.ask(.get, "/api/v1/tokens/usermetadata", key(device))
            },
            Probe("12, U1", .userMetadata, 412, "nobody") {
                $0.ask(.get, "/api/v1/tokens/usermetadata", key("none"))
            },
        ]
    }

    static var ends: [Probe<A>] {
        func leave(
            _ status: Int, _ label: String, _ query: String
        ) -> Probe<A> {
            Probe("13, L2", .logout, status, label) {
                let device = $0.signedIn().device
                return $0.ask(
                    .get, "/api/v1/logout", query.replacing("DEVICE", with: device), auth: false,
                    info: false)
            }
        }
        let back = "&redirect_url=https%3A%2F%2Fdemo.test%2Fdone"
        return [
            Probe("13, L1", .logout, 204, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.delete, "/api/v1/logout", key(device))
            },
            Probe("13, L1", .logout, 204, "nobody") {
                $0.ask(.delete, "/api/v1/logout", key("none"))
            },
            Probe("13, L1", .logout, 400, "no device") {
                $0.ask(.delete, "/api/v1/logout", "requestor=DEMOTV")
            },
            leave(302, "signed in", key("DEVICE") + back),
            leave(302, "nobody", key("none") + back),
            leave(400, "nowhere to go", key("DEVICE")),
            leave(400, "no device", "requestor=DEMOTV" + back),
        ]
    }
}
