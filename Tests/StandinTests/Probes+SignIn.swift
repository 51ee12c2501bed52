import Dialects
import Testing
import Vocabulary

// Signing in and what it leaves: the browser, what polls say of it, and partner sign-on.

extension Probes {
    static var browser: [Probe<A>] {
        func begin(
            _ status: Int, _ label: String, without: String? = nil,
            replacing: (String, String)? = nil
        ) -> Probe<A> {
            Probe("N1", .authenticate, status, label) { world in
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
                Probe("N1", .authenticate, 400, "a spent code") {
                    let code = $0.signedIn().code
                    return $0.ask(
                        .get, "/api/v1/authenticate", "reg_code=\(code)&\(authenticate)",
                        auth: false)
                },
                Probe("N1", .authenticate, 400, "nobody's code") {
                    $0.ask(
                        .get, "/api/v1/authenticate", "reg_code=AAAAAAA&\(authenticate)",
                        auth: false)
                },
                Probe("ACS", .assertion, 503, "without a message") {
                    $0.ask(.post, "/sp/saml/SAMLAssertionConsumer", auth: false, info: false)
                },
                Probe("ACS", .assertion, 400, "of no login") {
                    $0.ask(
                        .post, "/sp/saml/SAMLAssertionConsumer", form: "SAMLResponse=AAAA",
                        auth: false)
                },
                Probe("ACS", .assertion, 302, "a forged message") {
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

    /// What a path says of one device.
    static func asked(
        _ source: String, _ operation: OperationName, _ path: String, _ status: Int,
        _ label: String, _ device: @escaping (inout World<A>) -> String
    ) -> Probe<A> {
        Probe(source, operation, status, label) { world in
            let device = device(&world)
            return world.ask(.get, path, key(device))
        }
    }

    static var states: [Probe<A>] {
        func check(
            _ status: Int, _ label: String, _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            asked("N3", .checkAuthentication, "/api/v1/checkauthn", status, label, device)
        }
        func poll(
            _ status: Int, _ label: String, _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            asked("N4", .pollToken, "/api/v1/tokens/authn", status, label, device)
        }
        return [
            Probe("N2", .checkCode, 200, "a bound code") {
                let code = $0.signedIn().code
                return $0.ask(.get, "/api/v1/checkauthn/\(code)", "requestor=DEMOTV")
            },
            Probe("N2", .checkCode, 403, "a fresh code") {
                let code = $0.issued().code
                return $0.ask(.get, "/api/v1/checkauthn/\(code)", "requestor=DEMOTV")
            },
            Probe("N2", .checkCode, 403, "nobody's code") {
                $0.ask(.get, "/api/v1/checkauthn/AAAAAAA", "requestor=DEMOTV")
            },
            Probe("N2", .checkCode, 400, "without a requestor") {
                $0.ask(.get, "/api/v1/checkauthn/AAAAAAA")
            },
            check(200, "signed in") { $0.signedIn().device },
            check(403, "nobody") { _ in "none" },
            check(403, "expired") { $0.signedIn("DemoGone").device },
            Probe("N3", .checkAuthentication, 400, "no device") {
                $0.ask(.get, "/api/v1/checkauthn", "requestor=DEMOTV")
            },
            poll(200, "signed in") { $0.signedIn().device },
            poll(200, "through an aggregator") { $0.signedIn("DemoLocal").device },
            poll(404, "pending") { $0.issued().device },
            poll(410, "expired") { $0.signedIn("DemoGone").device },
            Probe("N4", .pollToken, 400, "an unknown requestor") {
                $0.ask(.get, "/api/v1/tokens/authn", "requestor=OTHER&deviceId=d")
            },
        ]
    }

    static var platform: [Probe<A>] {
        let trial = "requestor_id=DEMOTV&mso_id=TempPass&domain_name=demo.test"
        func preview(
            _ status: Int, _ label: String, _ form: String
        ) -> Probe<A> {
            Probe("N5", .freePreview, status, label) {
                $0.ask(.post, "/api/v1/authenticate/freepreview", form: form)
            }
        }
        func profile(
            _ status: Int, _ label: String, _ path: String, _ query: String
        ) -> Probe<A> {
            Probe("S1", .profileRequest, status, label) {
                $0.ask(.get, "/api/v1/\(path)", query)
            }
        }
        func exchange(
            _ status: Int, _ label: String,
            _ form: @escaping (String, String) -> String
        ) -> Probe<A> {
            Probe("S2", .tokenExchange, status, label) { world in
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
}
