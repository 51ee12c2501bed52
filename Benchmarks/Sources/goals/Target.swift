import Foundation
import Glibc

/// nginx on one core: a 256-byte JSON over HTTP, and over TLS 1.3 with an ECDSA P-256 certificate.
final class Nginx {
    let plain = "http://127.0.0.1:18480/poll"
    let secure = "https://127.0.0.1:18443/poll"
    let certificate: String
    private let folder: String
    private let master: Program

    init(core: Int) throws {
        folder = "\(NSTemporaryDirectory())/goals-nginx-\(getpid())"
        certificate = folder + "/cert.pem"
        try FileManager.default.createDirectory(
            atPath: folder + "/logs", withIntermediateDirectories: true)
        _ = try Program.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out", certificate,
        ])
        let filler = String(repeating: "x", count: 190)
        let body = #"{"requestor":"DEMOTV","mvpd":"DemoCable","state":"none","f":"\#(filler)"}"#
        let settings = """
            daemon off; worker_processes 1; worker_rlimit_nofile 20000; user root;
            pid \(folder)/pid; error_log \(folder)/logs/error.log;
            events { worker_connections 19000; }
            http {
              access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
              client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b;
              fastcgi_temp_path \(folder)/c; uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
              default_type application/json;
              server { listen 127.0.0.1:18480 backlog=8192; location / { return 200 '\(body)'; } }
              server {
                listen 127.0.0.1:18443 ssl backlog=8192; ssl_protocols TLSv1.3;
                ssl_certificate \(certificate); ssl_certificate_key \(folder)/key.pem;
                location / { return 200 '\(body)'; }
              }
            }
            """
        try settings.write(
            toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        master = try Program(["nginx", "-p", folder, "-c", folder + "/nginx.conf"], core: core)
        for _ in 0..<100 where !isUp { usleep(50_000) }
        guard isUp else { throw Trouble("nginx did not start: \(master.output)") }
    }

    deinit {
        master.send(SIGTERM)
        _ = try? master.ended()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var isUp: Bool {
        (try? Program.run(["curl", "-s", "-o", "/dev/null", plain]).code) == 0
    }

    /// The process that answers.
    var worker: pid_t {
        let path = "/proc/\(master.id)/task/\(master.id)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").first.flatMap { pid_t($0) } ?? 0
    }
}

/// `screenrig serve` on one core, and what a device needs to poll it: a bearer, got as a device gets it.
final class StandIn {
    let polled: String
    let headers: [String]
    private let server: Program

    init(_ screenrig: String, core: Int, rig: String) throws {
        server = try Program(
            [screenrig, "serve", "--port", "18490", "--no-throttle"], core: core)
        let origin = "http://127.0.0.1:18490"
        for _ in 0..<100 where !server.output.contains("\n") { usleep(50_000) }
        let statement = try Self.statement(screenrig, rig: rig)
        // What a device says of itself: a JSON object in base64.
        let info =
            "X-Device-Info: "
            + Data(
                #"""
                {"primaryHardwareType":"TV","model":"AppleTV","version":"11,1","manufacturer":"Apple",\#
                "vendor":"Apple","osName":"tvOS","osVersion":"17.4","connectionType":"WiFi",\#
                "applicationId":"demo-tv"}
                """#.utf8
            ).base64EncodedString().replacingOccurrences(of: "=", with: "%3D")
        let registered = try Program.run([
            "curl", "-s", "-H", info, "-H", "Content-Type: application/json", "-d",
            "{\"software_statement\":\"\(statement)\"}", "\(origin)/o/client/register",
        ]).output
        let id = try Self.text("client_id", in: registered)
        let secret = try Self.text("client_secret", in: registered)
        let granted = try Program.run([
            "curl", "-s", "-H", info, "-d",
            "client_id=\(id)&client_secret=\(secret)&grant_type=client_credentials",
            "\(origin)/o/client/token",
        ]).output
        let bearer = try Self.text("access_token", in: granted)
        headers = [info, "Authorization: Bearer \(bearer)"]
        polled = "\(origin)/api/v1/tokens/authn?requestor=DEMOTV&deviceId=vd-1"
        let status = try Program.run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}"]
                + headers.flatMap { ["-H", $0] } + [polled]
        ).output
        guard status == "404" || status == "410" else {
            throw Trouble("a poll of the stand-in is answered \(status)")
        }
    }

    deinit { server.stop() }

    /// The demo statement, read off the first request of a device that is sent here.
    static func statement(_ screenrig: String, rig: String) throws -> String {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(18491).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 4) == 0 else { throw Trouble("port 18491 is taken") }
        let device = try Program([screenrig, "try", rig, "--target", "http://127.0.0.1:18491"])
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !text.contains("\"software_statement\":\"") || !text.hasSuffix("}") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { throw Trouble("no statement came: \(text)") }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        device.send(SIGKILL)
        return try Self.text("software_statement", in: text)
    }

    private static func text(_ key: String, in json: String) throws -> String {
        guard let place = json.range(of: "\"\(key)\":\"") else {
            throw Trouble("no \(key) in: \(json.prefix(400))")
        }
        return String(json[place.upperBound...].prefix { $0 != "\"" })
    }
}
