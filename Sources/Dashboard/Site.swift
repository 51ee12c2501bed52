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

    enum Answer {
        case page(type: String, body: String)
        /// Server-sent events, until the run ends.
        case events
        case refusal(HTTPResponseStatus, String)
    }

    func answer(_ head: HTTPRequestHead, _ board: Board) -> Answer {
        // A page elsewhere must not read a run by a name that it lets point to this machine.
        guard Self.isLoopback(head.headers.first(name: "host")) else {
            return .refusal(.forbidden, "this page answers on loopback only")
        }
        guard head.method == .GET || head.method == .HEAD else {
            return .refusal(.methodNotAllowed, "only GET")
        }
        let path = head.uri.prefix { $0 != "?" }
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

    /// `localhost:7464`, `127.0.0.1`, `[::1]:80`; a request without a name is of HTTP/1.0.
    static func isLoopback(_ host: String?) -> Bool {
        guard let host else { return true }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return name.lowercased() == "localhost" || name == "[::1]"
            || name.wholeMatch(of: /127\.\d{1,3}\.\d{1,3}\.\d{1,3}/) != nil
    }
}
