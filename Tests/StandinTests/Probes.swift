import Dialects
import Testing
import Vocabulary

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
            Probe("D1", .registerClient, status, label) {
                $0.ask(.post, "/o/client/register", form: body, auth: false, headers: json)
            }
        }
        func grant(
            _ status: Int, _ label: String, _ more: @escaping (String, String) -> String
        ) -> Probe<A> {
            Probe("D2", .accessToken, status, label) { world in
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
            Probe("R1", .registrationCode, status, label) {
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
            Probe("R2", .registrationRecord, 200, "a live code") {
                let code = $0.issued().code
                return $0.ask(.get, "\(path)/\(code)")
            },
            Probe("R2", .registrationRecord, 404, "nobody's code") {
                $0.ask(.get, "\(path)/AAAAAAA")
            },
            Probe("R2", .registrationRecord, 404, "another requestor's") {
                let code = $0.issued().code
                return $0.ask(.get, "/reggie/v1/OTHER/regcode/\(code)")
            },
            Probe("R3", .deleteRegistration, 204, "a live code") {
                let code = $0.issued().code
                return $0.ask(.delete, "\(path)/\(code)")
            },
            Probe("R3", .deleteRegistration, 404, "a second time") {
                let code = $0.issued().code
                _ = $0.ask(.delete, "\(path)/\(code)")
                return $0.ask(.delete, "\(path)/\(code)")
            },
            Probe("C1", .configuration, 200, "a requestor") {
                $0.ask(.get, "/api/v1/config/DEMOTV")
            },
            Probe("C1", .configuration, 200, "the older path") {
                $0.ask(.get, "/adobe-services/config/DEMOTV")
            },
            Probe("C1", .configuration, 404, "a stranger") {
                $0.ask(.get, "/api/v1/config/OTHER")
            },
        ]
    }
}
