public import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// How a trial shows an exchange: two lines, and with `--bodies` what was said.
public struct ExchangeText: Sendable {
    /// Where the target is: its addresses are shown as paths.
    private let origin: Origin
    private let width: Int
    private let bodies: Bool

    /// `width` columns; `bodies`: headers and bodies too.
    public init(origin: Origin, width: Int, bodies: Bool) {
        self.origin = origin
        self.width = max(60, width)
        self.bodies = bodies
    }

    public func text(_ recorded: RecordedExchange) -> String {
        let exchange = recorded.exchange
        let seconds = DecimalText.fixed(exchange.begun.milliseconds / 1000, 3).padded(
            to: 8, right: true)
        let status = exchange.delivery.status.map(String.init) ?? "---"
        let milliseconds = (exchange.ended.milliseconds - exchange.begun.milliseconds)
        let time = DecimalText.fixed(milliseconds, 1).padded(to: 8, right: true)
        let head =
            "\(seconds) s  \(exchange.device.name.padded(to: 6)) "
            + "\(exchange.operation.name.padded(to: 21)) \(status) \(time) ms  "
        let learnt = recorded.gate.text(learnt(recorded), limit: 600, withNames: true)
        var lines =
            head.count + learnt.count <= width
            ? [head + learnt]
            : [head.trimmedEnd]
                + Wrapping.lines(
                    "            " + learnt, width: width, hanging: 12)
        lines += request(recorded)
        for deviation in exchange.deviations {
            let words = Sanitizer.line(
                "deviation (\(deviation.source.rawValue)): \(deviation)", limit: 400)
            lines += Wrapping.lines("            " + words, width: width, hanging: 14)
        }
        if bodies { lines += conversation(recorded) }
        return lines.joined(separator: "\n")
    }

    /// Method and address, and what the server's team finds it by.
    private func request(_ recorded: RecordedExchange) -> [String] {
        let shown = place(recorded.call.address, recorded.gate)
        let line = Sanitizer.line(
            "            \(recorded.call.method.rawValue) \(shown)", limit: width)
        guard let id = recorded.requestID else { return [line] }
        return [line, Sanitizer.line("            request id \(id)", limit: width)]
    }

    private func place(_ address: WebAddress, _ gate: OutputGate) -> String {
        gate.address(
            address.origin == origin ? address.target : address.description, briefly: true)
    }

    // MARK: What was learnt

    private func learnt(_ recorded: RecordedExchange) -> Untrusted {
        let gate = recorded.gate
        return switch recorded.answer {
        case .client(let client): "client \(client.id)"
        case .endpoints(let found):
            "codes at \(found.deviceAuthorization), tokens at \(found.token)"
        case .accessToken(let token):
            "access token \(gate.mark(token.bearer.reveal())), valid for \(Self.time(token.lifetime))"
        case .code(let issued): "code \(issued.code), valid for \(Self.time(issued.lifetime))"
        case .record(let mvpd):
            "the code is known\(mvpd.map { ", for \($0)" } ?? "")"
        case .configuration(let providers): Self.offered(providers.filter { !$0.isTempPass })
        case .signedIn(let tag, _): Self.signedIn(tag, recorded)
        case .done: done(recorded)
        case .decisions(let decisions):
            "\(Self.list(decisions))"
        case .media(let token):
            "media token \(gate.mark(token.reveal()))\(Self.until(recorded))"
        case .metadata(let source): source.map { "the token is one of \($0)" } ?? "done"
        case .profileRequest(let bytes, _): "a profile request of \(bytes.count) bytes"
        case .loggedOut(.nothing): "logged out"
        case .loggedOut(.browser): "logged out; a browser ends the provider's session"
        case .loggedOut(.platform): "logged out; the platform's account stays signed in"
        case .pending: "not yet"
        case .expired: "over"
        case .denied(let words): "rejected: \(words)"
        case .notEntitled(let words): "the account may not watch this: \(words)"
        case .signedOut(let words): "not signed in: \(words)"
        case .slow(let pause): "throttled, waits at least \(Self.time(pause))"
        case .slower(let by): "not yet; from now on polls come \(Self.time(by)) further apart"
        case .codeOver: "the code is over"
        case .staleToken: "the access token is not accepted: \(recorded.exchange.reason ?? "")"
        case .staleClient: "the client is not known: \(recorded.exchange.reason ?? "")"
        case .redirect(let address):
            "\(Sanitizer.line("on to \(place(address, gate))", limit: width - 12))"
        case .page: Self.page(recorded.reply)
        case .fault: "cannot go on: \(recorded.exchange.reason ?? "a fault")"
        case .unavailable(let pause):
            "cannot go on: \(recorded.exchange.reason ?? "a fault"); asks to wait \(Self.time(pause))"
        case .blocked where Remedy.unread(recorded.exchange.reason) != nil:
            "cannot be read: \(recorded.exchange.reason ?? "")"
        case .blocked: "not from the service: \(recorded.exchange.reason ?? "")"
        case .unanswered(let error, _): "\(error.detail)"
        }
    }

    private static func list(_ decisions: [String: Bool]) -> String {
        decisions.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value ? "yes" : "no")" }.joined(separator: ", ")
    }

    private static func offered(_ providers: [Provider]) -> Untrusted {
        let names = providers.prefix(5).map(\.id).joined(separator: ", ")
        let more = providers.count > 5 ? " …" : ""
        return "\(ours: Figures.counted(providers.count, "provider")): \(names)\(ours: more)"
    }

    private static func signedIn(_ tag: Tag?, _ recorded: RecordedExchange) -> Untrusted {
        guard let tag else { return "signed in\(until(recorded))" }
        let user = recorded.gate.name(tag.user)
        if tag.mvpd.isEmpty { return "\(user) is signed in\(until(recorded))" }
        return "\(user) of \(tag.mvpd) is signed in\(until(recorded))"
    }

    private func done(_ recorded: RecordedExchange) -> Untrusted {
        guard let resource = recorded.exchange.observation.resource else { return "done" }
        return "\(resource) may be played\(Self.until(recorded))"
    }

    private static func until(_ recorded: RecordedExchange) -> String {
        recorded.exchange.observation.expiryText.map { " \($0)" } ?? ""
    }

    /// The title, where there is one near the beginning.
    private static func page(_ reply: Reply?) -> Untrusted {
        let html = String(decoding: reply?.body.prefix(bodyLimit) ?? [], as: UTF8.self)
        let title = FrontPage.title(html)
        return title.isEmpty ? "a page without a title" : "a page, '\(title)'"
    }

    private static func time(_ duration: Duration) -> String {
        Figures.span(seconds: Double(duration.components.seconds))
    }

    // MARK: Bodies

    /// Bytes that are shown of a body.
    private static let bodyLimit = 16_384

    private func conversation(_ recorded: RecordedExchange) -> [String] {
        let (call, gate) = (recorded.call, recorded.gate)
        var lines = ["> \(call.method.rawValue) \(gate.address(call.address.target))"]
        lines.append("> Host: \(gate.name(call.address.origin.authority))")
        lines += message(
            call.headers, gate.body(call.body, mediaType: call.mediaType, isLogin: call.isLogin),
            ">", gate)
        if let reply = recorded.reply {
            lines.append("< HTTP \(reply.status)")
            let body = Array(reply.body.prefix(Self.bodyLimit))
            lines += message(
                reply.headers, gate.body(body, mediaType: reply.mediaType), "<", gate)
        }
        return lines.map { "    " + $0 } + [""]
    }

    private func message(
        _ headers: Headers, _ body: String, _ mark: String, _ gate: OutputGate
    ) -> [String] {
        var lines = headers.fields.map(gate.header).map {
            "\(mark) \(Sanitizer.line($0.name)): \(Sanitizer.line($0.value, limit: 2000))"
        }
        guard !body.isEmpty else { return lines }
        lines.append(mark)
        lines += Sanitizer.lines(String(body.prefix(8000))).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { "\(mark) \($0)" }
        return lines
    }
}

extension Observation {
    /// The expiry that the answer carries, as a date: `until 2026-12-01T10:00:00Z`; where it states a lifetime, `for 30 min`.
    var expiryText: String? {
        guard let expires else { return nil }
        // A device grant states lifetimes, and no instants.
        if generated == 0 { return "for \(Figures.span(seconds: Double(expires) / 1000))" }
        // A service may send any number: far dates are shown as the furthest that fits.
        let milliseconds = min(max(expires, 0), 253_402_300_799_000)
        return "until \(UTCTime(milliseconds: milliseconds).rfc3339)"
    }
}
