import Foundation
import Signing
import Standin
import Statistics
import Synchronization
import Testing

/// `screenrig` started in a folder of its own, to its end. No proxy of this machine's environment
/// gets in its way.
struct Trying {
    var code: Int32
    var output: String
    var errors: String
    let folder: URL

    /// The line of the checklist about `step`, without its indentation.
    func row(_ step: String) -> String {
        let checklist = output.components(separatedBy: "\nchecklist\n").dropFirst().joined()
        return checklist.split(separator: "\n").first { $0.hasPrefix("  \(step) ") }
            .map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }

    /// The words below `what to do about`, in one line.
    var remedy: String {
        guard let start = output.firstRange(of: "what to do about ") else { return "" }
        let block = output[start.lowerBound...].components(separatedBy: "\n\n")[0]
        return block.split(separator: "\n").dropFirst()
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }

    static func run(
        _ arguments: [String], files: [String: String] = [:], environment: [String: String] = [:],
        executables: [String] = []
    ) async throws -> Trying {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-try-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appending(path: name))
            // Files of accounts are refused when others may read them.
            try FileManager.default.setAttributes(
                [.posixPermissions: executables.contains(name) ? 0o700 : 0o600],
                ofItemAtPath: folder.appending(path: name).path)
        }
        let process = Process()
        process.executableURL = URL(filePath: Command.binary)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = inherited.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let began = ContinuousClock.now
        while process.isRunning {
            if ContinuousClock.now - began > .seconds(90) * Command.patience { process.terminate() }
            try await Task.sleep(for: .milliseconds(20))
        }
        return Trying(
            code: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8), folder: folder)
    }

    func read(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private static var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["COLUMNS": "100"]) { $1 }
    }
}

/// A rig with everything that a trial can do; `target` are further lines of its target.
func trialRig(_ base: String, target: [String] = []) -> String {
    """
    rig: trial
    target:
      base: \(base)
    \(target.map { "  \($0)" }.joined(separator: "\n"))
    load: {closed: {households: 3}, settle: 1s}
    polling: {every: 3s}
    after-sign-in: [user-metadata, preauthorize, authorize, media-token]
    """
}

/// The stand-in, with the program's own DEMOTV at demo.test.
func standin(
    _ settings: ServiceSettings = ServiceSettings(), tls: CertificatePair? = nil
) async throws -> Listener {
    let epoch = Int64(Date().timeIntervalSince1970 * 1000)
    return try await Listener.start(
        Service(settings, seed: Seed(7), epochMilliseconds: epoch), tls: tls)
}

/// A port of 127.0.0.1 at which nothing listens: bound once and never given back, so that no other test is given it.
let closedPort = boundSocket().port

/// A TCP socket at a free port of 127.0.0.1.
private func boundSocket() -> (handle: Int32, port: Int) {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(handle, pointer, length) == 0 && getsockname(handle, pointer, &length) == 0
        }
    }
    precondition(isBound, "no loopback socket")
    return (handle, Int(UInt16(bigEndian: address.sin_port)))
}

/// A server on loopback that answers by a function of method and target. Safe because its socket is
/// made in `init`; connections are threads of their own that share nothing.
final class TryServer: Sendable {
    struct Answer: Sendable {
        var status: Int
        var type = "application/json"
        var headers: [String: String] = [:]
        var body = ""
    }

    let port: Int
    private let socket: Int32

    init(_ answer: @escaping @Sendable (_ method: String, _ target: String) -> Answer) throws {
        (socket, port) = boundSocket()
        let handle = socket
        try #require(listen(handle, 16) == 0)
        Thread.detachNewThread {
            while true {
                let connection = accept(handle, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread { Self.serve(connection, answer) }
            }
        }
    }

    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    /// One connection, kept open, until the client closes it.
    private static func serve(_ connection: Int32, _ answer: (String, String) -> Answer) {
        defer { close(connection) }
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let (method, target, length) = request(pending) {
                pending.removeFirst(length)
                let reply = bytes(answer(method, target))
                _ = reply.withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                continue
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return }
            pending += buffer.prefix(count)
        }
    }

    /// Method and target of the first whole request, and its length in bytes.
    private static func request(_ bytes: [UInt8]) -> (String, String, Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let line = head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
        let length =
            head.lowercased().firstMatch(of: /content-length: *(\d+)/)
            .flatMap { Int($0.1) } ?? 0
        guard bytes.count >= end.upperBound + length, line.count == 3 else { return nil }
        return (line[0], line[1], end.upperBound + length)
    }

    private static func bytes(_ answer: Answer) -> [UInt8] {
        var head = "HTTP/1.1 \(answer.status) Answer\r\nContent-Type: \(answer.type)\r\n"
        for (name, value) in answer.headers.sorted(by: { $0.key < $1.key }) {
            head += "\(name): \(value)\r\n"
        }
        return Array("\(head)Content-Length: \(answer.body.utf8.count)\r\n\r\n\(answer.body)".utf8)
    }
}

/// Just enough of REST V1 to get a phone to `page`, which answers each request under `/login`.
func loginServer(
    _ page: @escaping @Sendable (_ method: String) -> String
) throws -> TryServer {
    try TryServer { method, target in
        let path = target.prefix { $0 != "?" }
        switch path {
        case "/o/client/register":
            return .init(status: 201, body: #"{"client_id": "c", "client_secret": "hush-1"}"#)
        case "/o/client/token":
            return .init(status: 201, body: #"{"access_token": "hush-2", "expires_in": 3600}"#)
        case "/api/v1/checkauthn": return .init(status: 403, body: #"{"status": 403}"#)
        case "/api/v1/config/DEMOTV":
            return .init(status: 200, body: #"{"requestor": {"mvpds": [{"id": "DemoCable"}]}}"#)
        case "/api/v1/authenticate": return .init(status: 302, headers: ["Location": "/login"])
        case "/sso": return .init(status: 302, headers: ["Location": "https://demo.test/done"])
        case "/login": return .init(status: 200, type: "text/html", body: page(method))
        case _ where path.hasPrefix("/reggie/v1/DEMOTV/regcode"):
            return .init(
                status: method == "POST" ? 201 : 200,
                body: #"{"code": "ABC1234", "generated": 1000, "expires": 1801000}"#)
        default: return .init(status: 404, body: #"{"status": 404, "message": "Not Found"}"#)
        }
    }
}
