internal import Dialects
internal import Formats
internal import Journal
public import Rendering

/// Errors that look the same, with the first of them as an example. A new column is a value here and its
/// `Column` below.
public struct ErrorRow: Sendable, Hashable {
    public var operation: String
    public var outcome: String
    /// Nil when there was no answer.
    public var status: Int?
    /// The error code of the service, or the kind of transport error; may be empty.
    public var reason: String
    public var count: Int
    /// Exchanges of that operation in all.
    public var total: Int
    /// Seconds since the run began.
    public var first: Double
    public var last: Double
    /// The same as times of day, such as `08:49:37`, or one of them where they are the same; none in virtual time.
    var times: [String]
    /// What to look at, in a sentence; empty when there is nothing to add.
    public var hint: String
    /// Of the page that answered the example in the service's place; mostly empty.
    var pageTitle = ""
    public var example: Example?

    /// One exchange as a reader may want to look it up.
    public struct Example: Sendable, Hashable {
        public var household: Int
        public var device: String
        /// Counts the household's exchanges from 1.
        public var sequence: Int
        /// Seconds since the run began.
        public var sent: Double
        /// Nil in virtual time.
        public var sentUTC: String?
        /// What the service calls its response; empty where it does not say.
        public var requestID: String
        public var tookMs: Double
        public var remote: String
        /// `40 of lane 1`
        public var connection: String
        public var deviations: [String]
        /// Header fields worth asking the server's team about.
        public var evidence: [String]
        /// To the tools of the server's team.
        public var links: [PageLink] = []
        /// What was said; nil where it was not kept.
        public var talk: RecordedMessages?
    }

    init(
        _ group: ErrorGroup, of sum: Cell, beside all: Cell, utc clock: (Double) -> String?,
        talk: RecordedMessages? = nil, links: [PageLink] = []
    ) {
        operation = group.operation.name
        outcome = group.outcome.name
        status = group.status == 0 ? nil : group.status
        reason = Sanitizer.line(group.reason)
        count = group.count
        total = sum.outcomes.reduce(0, +)
        first = group.first.milliseconds / 1000
        last = group.last.milliseconds / 1000
        let (from, through) = (clock(first), clock(last))
        times = [from, from == through ? nil : through].compactMap(\.self)
        let reply = talk?.reply ?? []
        hint =
            talk.flatMap(FrontPage.remedy(_:))
            ?? Remedy.hint(
                group, answered: sum.inOrder, ofOthers: max(0, all.inOrder - sum.inOrder))
        let title = FrontPage.title(reply.joined(separator: "\n"))
        if group.outcome == .blocked { pageTitle = title }
        if hint.isEmpty, let talk { hint = Remedy.unsteady(group, talk) }
        if !title.isEmpty, group.outcome == .blocked || !hint.isEmpty {
            hint += "; the page says '\(title)'"
        }
        example = group.example.map(Example.init)
        example?.talk = talk
        example?.links = links
        if let sent = example?.sent { example?.sentUTC = clock(sent) }
    }

    /// Of every table of errors.
    static let columns: [Column<ErrorRow>] = [
        Column(
            json: "operation", page: "Operation", summary: "operation", isText: true,
            explained: .like("operation"),
            drawn: { "<span class=\"name\">\($0.operation)</span>" }, value: { .text($0.operation) }
        ),
        Column(
            page: "Result", summary: "error", isText: true, explained: .like("outcome"),
            drawn: { "<span class=\"wrap\">\($0.what)</span>" }, value: { .text($0.what) }),
        Column(json: "outcome") { .text($0.outcome) },
        Column(json: "status") { .count($0.status) },
        Column(json: "reason") { .text($0.reason) },
        Column(json: "count", page: "Errors", summary: "count", explained: .like("errors")) {
            .count($0.count)
        },
        Column(page: "Share", explained: .like("errors")) {
            .figure(
                Double($0.count) / Double(max(1, $0.total)),
                Figures.percent($0.count, of: $0.total))
        },
        Column(json: "firstSecond", page: "First", explained: .like("errors")) {
            .figure($0.first, "\(DecimalText.fixed($0.first, 1)) s")
        },
        Column(json: "lastSecond", page: "Last", explained: .like("errors")) {
            .figure($0.last, "\(DecimalText.fixed($0.last, 1)) s")
        },
        Column(summary: "UTC", isText: true, explained: .like("errors")) {
            .text($0.times.joined(separator: " to "))
        },
        Column(json: "exampleHousehold") { .count($0.example?.household) },
        Column(
            json: "exampleRequestId", summary: "request id of one", isText: true,
            explained: .like("errors")
        ) { .text($0.example?.requestID ?? "") },
    ]

    /// `20 of 20 register-client requests got 400 invalid_software_statement`.
    public var sentence: String {
        let all = max(count, total)
        return "\(Figures.count(count)) of \(Figures.counted(all, "\(operation) request")) \(what)"
    }

    /// When those of a group occurred, and where one of them is found: `01:29:16 to 01:29:21 UTC; one is request 7 of household
    /// 12 (tv), request id x-525398f6ab6d4b39`. Empty in virtual time.
    static func whereabouts(of group: [ErrorRow]) -> String {
        guard let first = group.min(by: { $0.first < $1.first }),
            let last = group.max(by: { $0.last < $1.last }), let from = first.times.first,
            let through = last.times.last
        else { return "" }
        let times = from == through ? from : "\(from) to \(through)"
        guard let example = first.example else { return "\(times) UTC" }
        let id = example.requestID.isEmpty ? "" : ", request id \(example.requestID)"
        return "\(times) UTC; one is request \(Figures.count(example.sequence)) of household "
            + "\(Figures.count(example.household)) (\(example.device))\(id)"
    }

    /// Rows that look alike but for their operation, such as all that a dead server left: together, each
    /// group where its first row stood.
    static func grouped(_ rows: [ErrorRow]) -> [[ErrorRow]] {
        var groups: [[ErrorRow]] = []
        for row in rows {
            if let position = groups.firstIndex(where: { $0[0].looksLike(row) }) {
                groups[position].append(row)
            } else {
                groups.append([row])
            }
        }
        return groups
    }

    private func looksLike(_ other: ErrorRow) -> Bool {
        what == other.what && hint == other.hint && !hint.isEmpty
    }

    /// `sentence` of one; of several `got no response (timeout): poll-token 149 of 180, logout 4 of 35`.
    static func sentence(_ group: [ErrorRow]) -> String {
        guard group.count > 1, let first = group.first else { return group.first?.sentence ?? "" }
        let each = group.map {
            "\($0.operation) \(Figures.count($0.count)) of \(Figures.count(max($0.count, $0.total)))"
        }
        return "\(first.what): \(each.joined(separator: ", "))"
    }

    /// `got 503 overloaded`, `got no response (connection refused)`.
    public var what: String {
        let word = reason.isEmpty ? outcome : reason
        guard let status else { return "got no response (\(word))" }
        return word == "status \(status)" ? "got \(status)" : "got \(status) \(word)"
    }
}

extension Cell {
    fileprivate var inOrder: Int { self[.ok] + self[.pending] }
}

extension ErrorRow.Example {
    init(_ exchange: Exchange) {
        household = exchange.device.household
        device = exchange.device.name
        sequence = exchange.sequence
        sent = exchange.sent.milliseconds / 1000
        requestID = Sanitizer.line(exchange.requestID ?? "", limit: 60)
        tookMs = (exchange.ended - exchange.sent).milliseconds
        remote = Sanitizer.line(exchange.route.remote)
        connection = "\(exchange.route.connection & (1 << 40 - 1)) of lane \(exchange.lane)"
        deviations = exchange.deviations.prefix(5).map { Sanitizer.line($0.description) }
        evidence = exchange.evidence.fields.prefix(12)
            .map { Sanitizer.line("\($0.name): \($0.value)", limit: 160) }
    }
}

/// What usually helps against an error.
enum Remedy {
    /// What answers some requests well is a service with an HTTP server, whatever became of this one; nil where that changes
    /// nothing.
    private static func ofPartialFailure(
        _ error: TransportError, _ group: ErrorGroup, answered: Int, _ others: Int
    ) -> String? {
        let what = Sanitizer.line(String(error.detail.prefix { $0 != ";" }), limit: 300)
        let isOwn = error.kind == .notHTTP && answered > 0
        let count = isOwn ? answered : answered + others
        let inOrder =
            "\(Figures.counted(count, "other response"))\(isOwn ? " to \(group.operation.name)" : "") "
            + "\(count == 1 ? "was" : "were") in order"
        switch error.kind {
        case .notHTTP:
            return "\(what); \(inOrder): the service, or a proxy on the way, garbles some"
        case .connectionRefused:
            return "\(what); \(inOrder): the service, or a node of it, was down then"
        case .connectionLost where error.detail.contains("; if it speaks TLS"):
            return "\(what); \(inOrder)"
        default: return nil
        }
    }

    /// How the example is found on the other side. A page of a proxy has no request id of the service's.
    private static func search(_ group: ErrorGroup) -> String {
        guard let example = group.example, example.requestID == nil else {
            return "its team can find the example in its logs by the request ids"
        }
        let server = example.evidence["Server"].map { " (\(Sanitizer.line($0, limit: 60)))" } ?? ""
        return
            "the example has no request id, so the service may not have seen it: look in the log of what answers at "
            + "this address\(server), by its time and by X-Screenrig, which ends with "
            + "/\(example.device.household)/\(example.sequence)"
    }

    /// Against a body in a content coding (`ReplyDocument.unreadable`); nil for any other reason.
    static func unread(_ reason: String?) -> String? {
        guard let reason, reason.contains("a body with Content-Encoding ") else { return nil }
        return
            "remove Accept-Encoding from the rig's headers; where the rig sends none, have the server, or the proxy "
            + "before it, send plain bodies to requests without Accept-Encoding"
    }

    /// Against a login page that was refused before anything was typed, to a browser that another page of its host had sent
    /// there without a cookie; empty for all else.
    static func unsteady(_ group: ErrorGroup, _ talk: ErrorRow.RecordedMessages) -> String {
        func field(_ name: String) -> Substring? {
            talk.request.first { $0.lowercased().hasPrefix(name) }?.dropFirst(name.count)
        }
        // A query may have fingerprints in it.
        func origin(_ address: some StringProtocol) -> Origin? {
            WebAddress(String(address.prefix { $0 != "?" }))?.origin
        }
        guard group.outcome == .rejected, group.operation == .mvpdLogin,
            talk.request.first?.hasPrefix("GET ") == true, field("cookie: ") == nil,
            let own = origin(talk.url), let referer = field("referer: "), origin(referer) == own
        else { return "" }
        return lostSession
    }

    static let lostSession =
        "the login page itself was refused, and no cookie had been set on the way to it: where several nodes serve the "
        + "login, they must share sessions, or the load balancer must keep a browser on one node (sticky sessions)"

    /// `answered`: how many requests of that operation were answered as they should be.
    static func hint(_ group: ErrorGroup, answered: Int = 0, ofOthers others: Int = 0) -> String {
        if answered + others > 0, let error = group.example?.delivery.error,
            let hint = ofPartialFailure(error, group, answered: answered, others)
        {
            return hint
        }
        // The transport's own words name host, port and remedy.
        if let detail = group.example?.delivery.error?.detail, !detail.isEmpty {
            return Sanitizer.line(detail, limit: 300)
        }
        if group.outcome == .blocked, let hint = unread(group.reason) { return hint }
        return switch (group.outcome, group.status, group.operation) {
        case (.transport, _, _):
            "check that the service is up and reachable (target.base, target.resolve), and the limits "
                + "of open connections on both sides"
        case (.timeout, _, _):
            "no response within target.timeout: the service is too slow, or the network drops "
                + "packets"
        case (.blocked, 500..., _), (.blocked, 408, _):
            "an HTML page of status \(group.status == 408 ? "408" : "5xx"): the service itself failed, or what is in front of it (load balancer, CDN) "
                + "did not reach it"
                + (group.status == 503 ? " or limits requests" : "") + "; " + search(group)
        case (.blocked, _, _):
            "something in front of the service responded (firewall, CDN, login wall): have this "
                + "machine's address allowed, or set the header that lets it through (target.headers)"
        case (.malformed, _, _):
            "the response violates the protocol; the example names the rule"
        case (.serverError, 502...504, _):
            "the service itself failed, or what is in front of it (load balancer, CDN) did not reach it or did not wait; "
                + search(group)
        case (.serverError, _, _): "the service itself failed; " + search(group)
        case (.rejected, 400, .registerClient):
            "check target.software-statement: it must be for this environment and not revoked"
        case (.rejected, 401, .userinfo):
            "the service turned down an access token that it had issued; " + search(group)
        case (.rejected, 401, _):
            "the access token was not accepted: check target.clients and the service's clock"
        case (.rejected, 403, .accessToken):
            "the client was not accepted: check target.clients"
        default: ""
        }
    }
}
