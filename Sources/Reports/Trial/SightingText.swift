public import Dialects
public import Journal

/// How a trial shows an exchange: two lines, and with `--bodies` what was said.
public struct SightingText: Sendable {
    private let redaction: Redaction
    /// Where the target is: its addresses are shown as paths.
    private let origin: Origin
    private let width: Int
    private let bodies: Bool

    /// `width` columns; `bodies`: headers and bodies too.
    public init(_ redaction: Redaction, origin: Origin, width: Int, bodies: Bool) {
        self.redaction = redaction
        self.origin = origin
        self.width = max(60, width)
        self.bodies = bodies
    }

    public func text(_ sighting: Sighting) -> String {
        let exchange = sighting.exchange
        let seconds = Figures.fixed(exchange.begun.milliseconds / 1000, 3).padded(
            to: 8, right: true)
        let status = exchange.delivery.status.map(String.init) ?? "---"
        let milliseconds = (exchange.ended.milliseconds - exchange.begun.milliseconds)
        let time = Figures.fixed(milliseconds, 1).padded(to: 8, right: true)
        let head =
            "\(seconds) s  \(exchange.device.name.padded(to: 6)) "
            + "\(exchange.operation.name.padded(to: 21)) \(status) \(time) ms  "
        let learnt = Plain.line(learnt(sighting), limit: 600)
        var lines =
            head.count + learnt.count <= width
            ? [head + learnt]
            : [head.trimmedEnd]
                + Wrapping.lines(
                    "            " + learnt, width: width, hanging: 12)
        lines += request(sighting)
        for deviation in exchange.deviations {
            let words = Plain.line(
                "deviation (\(deviation.source.rawValue)): \(deviation)", limit: 400)
            lines += Wrapping.lines("            " + words, width: width, hanging: 14)
        }
        if bodies { lines += conversation(sighting) }
        return lines.joined(separator: "\n")
    }

    /// Method and address, and what the server's team finds it by.
    private func request(_ sighting: Sighting) -> [String] {
        let shown = place(sighting.call.address)
        let line = Plain.line("            \(sighting.call.method.rawValue) \(shown)", limit: width)
        guard let id = sighting.requestID else { return [line] }
        return [line, Plain.line("            request id \(id)", limit: width)]
    }

    private func place(_ address: WebAddress) -> String {
        redaction.address(
            address.origin == origin ? address.target : address.description, briefly: true)
    }

    // MARK: What was learnt

    private func learnt(_ sighting: Sighting) -> String {
        switch sighting.answer {
        case .client(let client): "client \(client.id)"
        case .accessToken(let token):
            "access token \(redaction.mark(token.bearer.reveal())), good for \(Self.time(token.lifetime))"
        case .code(let issued): "code \(issued.code), good for \(Self.time(issued.lifetime))"
        case .record(let mvpd):
            "the code is known" + (mvpd.map { ", for \($0)" } ?? "")
        case .configuration(let providers): Self.offered(providers.filter { !$0.isTempPass })
        case .signedIn(let tag): Self.signedIn(tag, sighting)
        case .done: done(sighting)
        case .decisions(let decisions):
            decisions.sorted { $0.key < $1.key }
                .map { "\($0.key): \($0.value ? "yes" : "no")" }.joined(separator: ", ")
        case .media(let token):
            "media token \(redaction.mark(token.reveal()))" + Self.until(sighting)
        case .metadata(let source): source.map { "the token is one of \($0)" } ?? "done"
        case .profileRequest(let bytes): "a profile request of \(bytes.count) bytes"
        case .pending: "not yet"
        case .expired: "over"
        case .denied(let words): "turned down: \(words)"
        case .notEntitled(let words): "the account may not watch this: \(words)"
        case .signedOut(let words): "nobody is signed in: \(words)"
        case .slow(let pause): "too fast, waits \(Self.time(pause)) and more"
        case .staleToken: "the access token is not taken: \(sighting.exchange.reason ?? "")"
        case .staleClient: "the client is not known: \(sighting.exchange.reason ?? "")"
        case .redirect(let address):
            Plain.line("on to \(place(address))", limit: width - 12)
        case .page(let html): Self.page(html)
        case .fault: "cannot go on: \(sighting.exchange.reason ?? "a fault")"
        case .blocked: "not from the service: \(sighting.exchange.reason ?? "")"
        case .unanswered(let error, _): error.detail
        }
    }

    private static func offered(_ providers: [Provider]) -> String {
        let names = providers.prefix(5).map(\.id).joined(separator: ", ")
        let more = providers.count > 5 ? " …" : ""
        return "\(Figures.counted(providers.count, "provider")): \(names)\(more)"
    }

    private static func signedIn(_ tag: Tag?, _ sighting: Sighting) -> String {
        guard let tag else { return "signed in" + until(sighting) }
        return "\(tag.user) of \(tag.mvpd) is signed in" + until(sighting)
    }

    private func done(_ sighting: Sighting) -> String {
        guard let resource = sighting.exchange.observation.resource else { return "done" }
        return "\(resource) may be played" + Self.until(sighting)
    }

    /// The expiry that the answer carries, as a date.
    private static func until(_ sighting: Sighting) -> String {
        guard let expires = sighting.exchange.observation.expires else { return "" }
        // A service may send any number: far dates are shown as the furthest that fits.
        let milliseconds = min(max(expires, 0), 253_402_300_799_000)
        return " until \(Figures.timestamp(microseconds: milliseconds * 1000))"
    }

    private static func page(_ html: String) -> String {
        let title = html.firstMatch(of: #/<title[^>]*>([^<]*)</title>/#.ignoresCase())?.1
        guard let title, !title.trimmingSpaces().isEmpty else { return "a page without a title" }
        return "a page, '\(title.trimmingSpaces())'"
    }

    private static func time(_ duration: Duration) -> String {
        Figures.span(seconds: Double(duration.components.seconds))
    }

    // MARK: Bodies

    private func conversation(_ sighting: Sighting) -> [String] {
        let call = sighting.call
        let isLogin = [.mvpdLogin, .assertion].contains(call.operation)
        let type = (call.headers["Content-Type"] ?? "").prefix { $0 != ";" }
        var lines = ["> \(call.method.rawValue) \(redaction.address(call.address.target))"]
        lines.append("> Host: \(call.address.origin.authority)")
        lines += message(
            call.headers, redaction.body(call.body, mediaType: String(type), isLogin: isLogin), ">")
        if let reply = sighting.reply {
            lines.append("< HTTP \(reply.status)")
            lines += message(
                reply.headers, redaction.body(reply.body, mediaType: reply.mediaType), "<")
        }
        return lines.map { "    " + $0 } + [""]
    }

    private func message(_ headers: Headers, _ body: String, _ mark: String) -> [String] {
        var lines = headers.fields.map {
            "\(mark) \(Plain.line($0.name)): \(Plain.line(redaction.header($0), limit: 2000))"
        }
        guard !body.isEmpty else { return lines }
        lines.append(mark)
        lines += Plain.lines(String(body.prefix(8000))).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { "\(mark) \($0)" }
        return lines
    }
}
