internal import Foundation
internal import NIOHTTP1

/// One of the two sets of pages, and what it answers. Pure: what is asked, and what comes of it.
enum Site: Sendable {
    case dashboard, metrics

    var usualPort: Int {
        switch self {
        case .dashboard: PagePort.dashboard
        case .metrics: PagePort.metrics
        }
    }

    /// The option that asks for it.
    var option: String {
        switch self {
        case .dashboard: "--dashboard"
        case .metrics: "--metrics"
        }
    }

    /// The address that is told.
    var path: String {
        switch self {
        case .dashboard: "/"
        case .metrics: "/metrics"
        }
    }

    enum PageAnswer {
        case page(type: String, body: String)
        /// Server-sent events, until the run ends.
        case events
        case refusal(HTTPResponseStatus, String)
        /// A button, done.
        case done
    }

    /// The longest body that is read, in bytes.
    static let bodyLimit = 1024

    /// `body` is cut off one byte after its limit. `isOnLoopback`: the page listens on an address of this machine alone.
    func answer(
        _ head: HTTPRequestHead, body: [UInt8] = [], _ board: Board, port: Int,
        isOnLoopback: Bool = true
    ) -> PageAnswer {
        // A page elsewhere must not read a run by a name that it lets point to this machine. Metrics that were put on
        // an address of the network are for whoever reaches it, by whichever name.
        let isOpen = self == .metrics && !isOnLoopback
        guard isOpen || Self.isOurs(head.headers["host"], version: head.version, port: port) else {
            return .refusal(.forbidden, "this page answers on loopback only")
        }
        let path = head.uri.prefix { $0 != "?" }
        if self == .dashboard, path == "/control" { return control(head, body, board) }
        guard head.method == .GET || head.method == .HEAD else {
            return .refusal(.methodNotAllowed, "only GET")
        }
        switch (self, path) {
        case (.dashboard, "/"): return .page(type: "text/html; charset=utf-8", body: Page.text)
        case (.dashboard, "/events"): return .events
        case (.dashboard, "/state.json"):
            return .page(type: "application/json", body: board.json + "\n")
        case (.metrics, "/metrics"): return .page(type: Metrics.contentType, body: board.metrics)
        case (.metrics, "/"):
            return .page(type: "text/plain; charset=utf-8", body: "the metrics are at /metrics\n")
        default: return .refusal(.notFound, "nothing is here; try \(self.path)")
        }
    }

    private struct ControlRequest: Decodable {
        var `do`: [String]
    }

    /// A page elsewhere cannot send `Authorization` here without leave (Fetch Standard, CORS-preflight), and nobody
    /// gives it; another user of this machine does not have the token.
    private func control(_ head: HTTPRequestHead, _ body: [UInt8], _ board: Board) -> PageAnswer {
        guard let token = board.token else {
            return .refusal(.notFound, "this run was started without --control")
        }
        guard head.method == .POST else { return .refusal(.methodNotAllowed, "only POST") }
        guard head.headers["authorization"] == ["Bearer \(token)"] else {
            return .refusal(
                .unauthorized,
                "the token is missing or wrong: open the page by the address that the run printed")
        }
        guard body.count <= Self.bodyLimit,
            let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(body))
        else { return .refusal(.badRequest, "the body must be such as {\"do\": [\"pause\"]}") }
        if let reason = board.press(request.do) { return .refusal(.conflict, reason) }
        return .done
    }

    /// Whether a request names this machine and the port that we listen on (RFC 9112, 3.2):
    /// `localhost:7464`, `127.0.0.1:7464`, `[::1]:7464`, once. Anything else may be a name that a page
    /// elsewhere lets point to this machine (DNS rebinding). HTTP/1.0 needs no name.
    static func isOurs(_ hosts: [String], version: HTTPVersion, port: Int) -> Bool {
        guard let host = hosts.first else { return version.major < 1 || version == .http1_0 }
        guard hosts.count == 1 else { return false }
        let end = ":\(port)"
        // Browsers leave out the port that http has by itself.
        let name = host.hasSuffix(end) ? String(host.dropLast(end.count)) : port == 80 ? host : ""
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }
}
