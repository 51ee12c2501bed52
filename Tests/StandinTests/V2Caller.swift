import Dialects
import Formats
import Signing
import Standin
import Testing

/// The calls of REST V2, as a device and a phone make them (rest-v2.md § 2).
extension Caller {
    /// The page's example of § 3.2.
    static let plainDeviceInfo =
        "eyJtb2RlbCI6IkFwcGxlVFYiLCJ2ZXJzaW9uIjoiMTEsMSIsIm9zTmFtZSI6InR2T1MiLCJvc1ZlcnNpb24iOiIxNy40IiwiY29ubmVjdGlvblR5cGUiOiJXaUZpIn0="

    /// What completes a session.
    static let complete = "&domainName=demo.test&redirectUrl=https%3A%2F%2Fdemo.test%2Fdone"

    /// A device that has registered for V2.
    static func ofV2(
        _ settings: ServiceSettings = .unthrottled, faults: [String] = []
    ) throws -> Caller {
        var caller = Caller(settings, faults: try faults.map { try Fault(parsing: $0) })
        caller.registerV2()
        return caller
    }

    /// D1 and D2 of a V2 device. `claims` are members of the statement besides the usual ones.
    mutating func registerV2(_ claims: String = "") {
        sendsDeviceInfo = false
        bearer = nil
        let statement =
            (try? JWT.make(
                claims: #"{"software_id":"app-2"\#(claims)}"#, key: DemoKeys.statements())) ?? ""
        let client = post(
            "/o/client/register", body: #"{"software_statement":"\#(statement)"}"#,
            headers: ["AP-Device-Identifier": Self.fingerprint("tv-1")])
        let token = post(
            "/o/client/token?grant_type=client_credentials"
                + "&client_id=\(client.member("client_id") ?? "")"
                + "&client_secret=\(client.member("client_secret") ?? "")", body: "")
        bearer = token.member("access_token")
    }

    static func fingerprint(_ device: String) -> String {
        "fingerprint " + Base64.encode(device.utf8)
    }

    /// A call of a first screen. `path` follows `/api/v2/DEMOTV/`.
    mutating func tv(
        _ method: Method, _ path: String, body: String = "", device: String = "tv-1",
        _ more: Headers = [:]
    ) -> Reply {
        var headers = more
        headers.append("AP-Device-Identifier", Self.fingerprint(device))
        headers.append("X-Device-Info", Self.plainDeviceInfo)
        return call(method, path, body: body, headers)
    }

    /// A call of a second screen: it says nothing of a device (B1).
    mutating func phone(
        _ method: Method, _ path: String, body: String = "", _ more: Headers = [:]
    ) -> Reply {
        call(method, path, body: body, more)
    }

    private mutating func call(
        _ method: Method, _ path: String, body: String, _ more: Headers
    ) -> Reply {
        var headers = more
        if method == .post, headers["Content-Type"] == nil {
            headers.append(
                "Content-Type",
                path.hasPrefix("decisions/")
                    ? "application/json" : "application/x-www-form-urlencoded")
        }
        return send(method, "/api/v2/DEMOTV/\(path)", headers: headers, body: body)
    }

    /// S1; `form` as it is sent.
    mutating func session(
        _ form: String = "mvpd=DemoCable" + complete, device: String = "tv-1",
        _ more: Headers = [:]
    ) -> Reply {
        tv(.post, "sessions", body: form, device: device, more)
    }

    /// A and the hops behind it, in a browser of its own; the last answer.
    @discardableResult
    mutating func logIn(
        by session: Reply, user: String = "viewer-1", password: String = "right"
    ) -> Reply {
        let page = openLogin(get(session.member("url") ?? ""))
        guard page.status == 200 else { return page }
        return finish(submit(page, user: user, password: password))
    }

    /// Somebody signs in on a device; the code.
    @discardableResult
    mutating func signIn(
        _ mvpd: String = "DemoCable", device: String = "tv-1", user: String = "viewer-1",
        _ more: Headers = [:]
    ) -> String {
        let session = session("mvpd=\(mvpd)\(Self.complete)", device: device, more)
        logIn(by: session, user: user)
        return session.member("code") ?? ""
    }

    /// P3 of the first screen.
    mutating func pollCode(_ code: String, device: String = "tv-1") -> Reply {
        tv(.get, "profiles/code/\(code)", device: device)
    }

    /// P2.
    mutating func profile(
        _ mvpd: String = "DemoCable", device: String = "tv-1", _ more: Headers = [:]
    ) -> Reply {
        tv(.get, "profiles/\(mvpd)", device: device, more)
    }

    /// P1.
    mutating func profiles(device: String = "tv-1", _ more: Headers = [:]) -> Reply {
        tv(.get, "profiles", device: device, more)
    }

    /// Z1 or Z2.
    mutating func decide(
        _ kind: String = "authorize", _ mvpd: String = "DemoCable", _ resources: [String] = ["c1"],
        device: String = "tv-1", _ more: Headers = [:]
    ) -> Reply {
        let list = resources.map { "\"\($0)\"" }.joined(separator: ",")
        return tv(
            .post, "decisions/\(kind)/\(mvpd)", body: #"{"resources":[\#(list)]}"#, device: device,
            more)
    }

    /// L.
    mutating func logOut(
        _ mvpd: String = "DemoCable", device: String = "tv-1", _ more: Headers = [:]
    ) -> Reply {
        tv(
            .get, "logout/\(mvpd)?redirectUrl=https%3A%2F%2Fdemo.test%2Fout", device: device, more)
    }

    /// A service token of the outside identity service; `life` in seconds from the epoch of the tests.
    static func serviceToken(
        _ subject: String, issuer: String = "ids", life: Int64 = 86_400
    ) -> String {
        let claims =
            #"{"iss":"\#(issuer)","sub":"\#(subject)","aud":"adobe","iat":1760000000,"#
            + #""exp":\#(epoch / 1000 + life)}"#
        return (try? JWT.make(claims: claims, key: DemoKeys.statements())) ?? ""
    }

    /// A platform's token: its signature nobody can check.
    static func subjectToken(_ subject: String, more: String = "", life: Int64 = 86_400) -> String {
        let claims =
            #"{"iss":"fire","sub":"\#(subject)"\#(more),"exp":\#(epoch / 1000 + life)}"#
        return [#"{"alg":"HS256"}"#, claims, "signature"]
            .map { Base64.encodeURL($0.utf8) }.joined(separator: ".")
    }

    /// `AP-Partner-Framework-Status`.
    static func partner(
        _ access: String = "granted", id: String? = "demo-cable", life: Int64 = 86_400_000
    ) -> Headers {
        let provider = id.map { #""id":"\#($0)","expirationDate":"\#(epoch + life)""# } ?? ""
        let status =
            #"{"frameworkPermissionInfo":{"accessStatus":"\#(access)"},"#
            + #""frameworkProviderInfo":{\#(provider)}}"#
        return ["AP-Partner-Framework-Status": Base64.encode(status.utf8)]
    }
}

extension Reply {
    /// `actionName actionType reasonType` of a session's answer.
    var action: String {
        [member("actionName"), member("actionType"), member("reasonType")]
            .compactMap(\.self).joined(separator: " ")
    }

    var isEmptyMap: Bool { status == 200 && text == #"{"profiles":{}}"# }

    /// `status code` of an error.
    var refusal: String { "\(status) \(member("code") ?? "-")" }

    /// The provider and the type of the first profile.
    var profileShown: String? {
        after(#"{"profiles":{""#, upTo: "\"").flatMap { mvpd in
            member("type").map { "\(mvpd) \($0)" }
        }
    }
}
