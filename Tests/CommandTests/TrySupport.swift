import Foundation
import Signing
import Standin
import Statistics
import TestSupport
import Testing

/// `screenrig` started in a folder of its own, to its end. No proxy of this machine's environment
/// gets in its way.
struct Trying {
    let folder: TestFolder
    private let ended: Command.Ended

    var code: Int32 { ended.code }
    var output: String { ended.output }
    var errors: String { ended.errors }

    func read(_ name: String) throws -> String { try folder.read(name) }

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
        let folder = TestFolder()
        for (name, text) in files {
            // Files of accounts are refused when others may read them.
            try FileManager.default.setAttributes(
                [.posixPermissions: executables.contains(name) ? 0o700 : 0o600],
                ofItemAtPath: folder.write(text, to: name))
        }
        let command = try Command(
            arguments, in: folder, environment: ["COLUMNS": "100"].merging(environment) { $1 },
            inheriting: inherited)
        return Trying(folder: folder, ended: try await command.ended())
    }

    private static var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
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
let closedPort = Loopback.bound().port

/// A server on loopback that answers by a function of method and target.
final class TryServer {
    struct Answer: Sendable {
        var status: Int
        var type = "application/json"
        var headers: [String: String] = [:]
        var body = ""
    }

    var port: Int { server.port }
    private let server: RoughServer

    init(_ answer: @escaping @Sendable (_ method: String, _ target: String) -> Answer) {
        server = RoughServer { visit in
            while let request = visit.request() {
                let line = request.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
                guard line.count == 3 else { return }
                let answer = answer(line[0], line[1])
                var headers = "Content-Type: \(answer.type)\r\n"
                for (name, value) in answer.headers.sorted(by: { $0.key < $1.key }) {
                    headers += "\(name): \(value)\r\n"
                }
                visit.answer(answer.body, status: "\(answer.status) Answer", headers: headers)
            }
        }
    }

    func stop() { server.stop() }
}

/// Just enough of REST V1 to get a phone to `page`, which answers each request under `/login`.
func loginServer(
    _ page: @escaping @Sendable (_ method: String) -> String
) -> TryServer {
    TryServer { method, target in
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
