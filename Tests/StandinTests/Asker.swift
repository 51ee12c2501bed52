import Dialects
import Glibc
import Journal
import Standin
import Statistics
import TestSupport
import Testing

/// Somebody who asks the service: the value itself, or its sockets.
protocol Asker {
    mutating func ask(
        _ method: Method, _ target: String, _ headers: [(String, String)], _ body: String
    ) -> Reply
}

/// Asks the value, at one instant.
struct DirectAsker: Asker {
    var service: Service
    private var requests: UInt64 = 0

    init(_ settings: ServiceSettings) {
        service = Service(settings, seed: Seed(3), epochMilliseconds: Caller.epoch)
    }

    mutating func ask(
        _ method: Method, _ target: String, _ headers: [(String, String)], _ body: String
    ) -> Reply {
        requests += 1
        let request = ServiceRequest(
            id: RequestID(requests), method: method, target: target,
            headers: Headers(headers.map { Headers.Field($0.0, $0.1) }), body: Array(body.utf8),
            peer: "127.0.0.1")
        for effect in service.on(request, at: .start) {
            if case .reply(let reply, to: _, after: _) = effect { return reply }
        }
        return Reply(status: 0)
    }
}

/// Asks over TCP: one connection for each request, read to its end.
struct SocketAsker: Asker {
    let port: Int

    func ask(
        _ method: Method, _ target: String, _ headers: [(String, String)], _ body: String
    ) -> Reply {
        var lines = ["\(method.rawValue) \(target) HTTP/1.1", "Host: 127.0.0.1"]
        lines += headers.map { "\($0.0): \($0.1)" }
        lines += ["Content-Length: \(body.utf8.count)", "Connection: close", "", body]
        let answer = Self.exchange(Array(lines.joined(separator: "\r\n").utf8), port: port)
        return Self.parse(answer)
    }

    private static func exchange(_ bytes: [UInt8], port: Int) -> [UInt8] {
        guard let descriptor = Loopback.connected(to: port) else { return [] }
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count else { return [] }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return answer }
            answer += piece[..<count]
        }
    }

    private static func parse(_ bytes: [UInt8]) -> Reply {
        let end = Array("\r\n\r\n".utf8)
        guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            return Reply(status: 0)
        }
        let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n")
        var headers = Headers()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Reply(status: status ?? 0, headers: headers, body: Array(bytes[(split + 4)...]))
    }
}

/// How a format is asked for (rest-v1.md § 3.3).
enum Way: String, CaseIterable, CustomTestStringConvertible {
    case acceptJSON, acceptXML, formatJSON, formatXML, suffixJSON, suffixXML, nothing

    /// XML with nothing said (A4).
    var isXML: Bool {
        switch self {
        case .acceptXML, .formatXML, .suffixXML, .nothing: true
        default: false
        }
    }

    var testDescription: String { rawValue }

    func suffixed(_ path: String) -> String {
        switch self {
        case .suffixJSON: path + ".json"
        case .suffixXML: path + ".xml"
        default: path
        }
    }

    var parameter: String? {
        switch self {
        case .formatJSON: "json"
        case .formatXML: "xml"
        default: nil
        }
    }

    /// Where one of the others speaks, the header says the opposite: it must not count.
    var accept: String? {
        switch self {
        case .acceptJSON, .formatXML, .suffixXML: "application/json"
        case .acceptXML, .formatJSON, .suffixJSON: "application/xml"
        case .nothing: nil
        }
    }
}

/// A service with what is needed to get it into each state, through its own doors.
struct World<A: Asker> {
    var asker: A
    var way = Way.acceptJSON
    var bearer = ""
    private var devices = 0

    init(_ asker: A) {
        self.asker = asker
        let client = prepare(
            .post, "/o/client/register", body: Self.statement,
            headers: [("Content-Type", "application/json")])
        let grant = prepare(
            .post, "/o/client/token",
            body: "client_id=\(client.member("client_id") ?? "")"
                + "&client_secret=\(client.member("client_secret") ?? "")"
                + "&grant_type=client_credentials")
        bearer = grant.member("access_token") ?? ""
    }

    static var statement: String { "{\"software_statement\":\"\(demo)\"}" }

    /// A new device's id.
    mutating func device() -> String {
        devices += 1
        return "tv-\(devices)"
    }

    /// One request as the test wants it; `info` and `auth` say what it carries.
    mutating func ask(
        _ method: Method, _ path: String, _ query: String = "", form: String = "",
        auth: Bool = true, info: Bool = true, headers more: [(String, String)] = []
    ) -> Reply {
        var fields = query.isEmpty ? [] : [query]
        if let format = way.parameter { fields.append("format=\(format)") }
        var headers = more
        if let accept = way.accept { headers.append(("Accept", accept)) }
        if auth { headers.append(("Authorization", "Bearer \(bearer)")) }
        if info { headers.append(("X-Device-Info", Caller.deviceInfo)) }
        if method == .post, !more.contains(where: { $0.0 == "Content-Type" }) {
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        }
        let tail = fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
        return asker.ask(method, way.suffixed(path) + tail, headers, form)
    }

    /// One request on the way to a state, in JSON.
    mutating func prepare(
        _ method: Method, _ path: String, body: String = "", headers: [(String, String)] = []
    ) -> Reply {
        let former = way
        way = .acceptJSON
        defer { way = former }
        return ask(method, path, form: body, headers: headers)
    }

    /// A code of a new device.
    mutating func issued() -> (device: String, code: String) {
        let device = device()
        let reply = prepare(.post, "/reggie/v1/DEMOTV/regcode?deviceId=\(device)")
        return (device, reply.member("code") ?? "")
    }

    /// A device on which somebody is signed in, and its code.
    mutating func signedIn(_ mvpd: String = "DemoCable") -> (device: String, code: String) {
        let (device, code) = issued()
        let body = "{\"code\":\"\(code)\",\"mvpd\":\"\(mvpd)\",\"user\":\"viewer\"}"
        _ = prepare(.post, "/_standin/approve", body: body)
        return (device, code)
    }

    /// A device with an authorization of `demo-1`.
    mutating func authorized(_ mvpd: String = "DemoCable") -> String {
        let device = signedIn(mvpd).device
        _ = prepare(.get, "/api/v1/authorize?requestor=DEMOTV&deviceId=\(device)&resource=demo-1")
        return device
    }

    /// What the demo platform answers to a profile request, as it stands in a form.
    mutating func samlResponse() -> String {
        let token = prepare(
            .get, "/api/v1/DEMOTV/profile-requests/DemoCable?deviceType=tvOS")
        return PlatformSide.wire(token.body) ?? ""
    }
}
