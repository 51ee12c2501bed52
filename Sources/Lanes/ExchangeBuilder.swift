public import Dialects
public import Journal

/// How requests of this run are written and answers read: what every exchange has in common,
/// whatever the device and the step. Immutable; shared by all lanes.
public struct ExchangeBuilder: Sendable {
    /// On each request (`target.headers`), in the place of a field of the same name; cookies join
    /// those of the device.
    public var headers: Headers
    /// Sends `traceparent` and `X-Screenrig` with each request.
    public var correlates: Bool
    /// The run's id (`RunID`), for `X-Screenrig`; what is no run has a word.
    public var run: String
    public var fingerprinter: Fingerprinter
    /// What of answers may be kept.
    let gate: OutputGate

    /// `secrets`: those that any household may meet, besides the values of `headers`.
    public init(
        headers: Headers = [:], correlates: Bool = true, run: String,
        fingerprinter: Fingerprinter, secrets: KnownSecrets = KnownSecrets()
    ) {
        gate = OutputGate(fingerprinter, ownHeaders: headers, secrets: secrets)
        self.headers = headers
        self.correlates = correlates
        self.run = run
        self.fingerprinter = fingerprinter
    }

    /// Adds what belongs to the device and the run: user agent, forwarded address, cookies,
    /// correlation, the target's own headers.
    func dress(_ call: Call, from device: Device, sequence: Int) -> Call {
        var call = call
        call.headers.reserve(5 + headers.fields.count)
        if call.headers["User-Agent"] == nil {
            call.headers.append("User-Agent", device.identity.userAgent)
        }
        if let address = device.identity.forwardedFor {
            call.headers.append("X-Forwarded-For", address)
        }
        if let cookies = device.cookies.header(for: call.address) {
            call.headers.append("Cookie", cookies)
        }
        if correlates {
            let correlation = correlation(of: device)
            call.headers.append("X-Screenrig", correlation.trail + String(sequence))
            call.headers.append("traceparent", correlation.traceparent(sequence))
        }
        for field in headers.fields { add(field, to: &call.headers) }
        return call
    }

    /// A field that is there already is replaced: two `User-Agent` lines are no request of any device
    /// (RFC 9110, 5.3). A login lives by its cookies: they stay, in one field (RFC 6265, 5.4).
    private func add(_ field: Headers.Field, to sent: inout Headers) {
        guard let present = sent[field.name] else { return sent.append(field.name, field.value) }
        let isCookie = field.name.equalsIgnoringCase("cookie")
        sent.set(field.name, isCookie ? "\(present); \(field.value)" : field.value)
    }

    private func correlation(of device: Device) -> Correlation {
        if let known = device.correlation { return known }
        let household = device.id.household
        let trace = fingerprinter.fingerprint(of: Secret("\(run)/\(household)"))
        let made = Correlation(run: run, household: household, trace: trace)
        device.correlation = made
        return made
    }

    /// Joins what was measured and what it means. Whatever a peer wrote goes through the gate here, so
    /// that no exchange holds a secret.
    func exchange(
        _ transfer: Transfer, of call: Call, from device: Device, lane: Int, sequence: Int,
        planned: Instant, begun: Instant
    ) -> Answered {
        let delivery: Delivery
        let reading: Reading
        var evidence: Headers = [:]
        device.secrets.note(call)
        switch transfer.result {
        case .answered(let reply):
            delivery = .answered(status: reply.status)
            reading = device.dialect.read(reply, to: call)
            device.secrets.note(reply)
            if let secret = reading.observation.secret { device.secrets.note(secret) }
            if case .client(let client) = reading.answer { device.secrets.note(client.secret) }
            evidence = EvidenceHeaders.kept(
                of: reply.headers, gate.knowing(device.secrets), fingerprinter)
        case .refused(let error):
            let error = shown(error, to: device)
            delivery = .refused(error)
            reading = Reading(
                error.outcome, .unanswered(error, reached: false),
                reason: "\(ours: error.kind.rawValue)")
        case .lost(let error):
            let error = shown(error, to: device)
            delivery = .unknown(error)
            reading = Reading(
                error.outcome, .unanswered(error, reached: true),
                reason: "\(ours: error.kind.rawValue)")
        }
        let gate = gate.knowing(device.secrets)
        var observation = reading.observation
        if observation.code == nil { observation.code = call.code }
        // The one asked for: where the answer names another, its deviations tell (rest-v1.md § 11).
        if let asked = call.resource { observation.resource = asked }
        if observation.tag == nil, let tag = call.tag {
            observation.tag = tag
            observation.record = call.login
        }
        let fingerprint = observation.secret.map(fingerprinter.fingerprint(of:))
        observation.secret = nil
        observation.pass(gate)
        let exchange = Exchange(
            lane: lane, sequence: sequence, device: device.id, operation: call.operation,
            code: observation.code, planned: planned, begun: begun,
            sent: transfer.sent ?? transfer.ended,
            firstByte: transfer.firstByte, ended: transfer.ended, delivery: delivery,
            outcome: reading.outcome,
            reason: reading.reason.map { gate.text($0, limit: Self.reasonLimit) },
            observation: observation, fingerprint: fingerprint,
            deviations: reading.deviations.map { $0.passed(gate) }, route: transfer.route,
            evidence: evidence, bytesSent: call.body.count, bytesReceived: transfer.bytesReceived,
            provoked: call.provoked, connect: transfer.opened?.connect,
            tls: transfer.opened?.tls)
        return Answered(exchange: exchange, answer: reading.answer, page: reading.page)
    }

    /// Characters of an error's word: it groups errors.
    private static let reasonLimit = 120

    /// The libraries' words have addresses of redirects and texts of certificates in them.
    private func shown(_ error: TransportError, to device: Device) -> TransportError {
        let gate = gate.knowing(device.secrets)
        return TransportError(error.kind, gate.text(Untrusted(error.detail)))
    }
}

extension Observation {
    /// Names of a service that hold a secret are no names.
    fileprivate mutating func pass(_ gate: OutputGate) {
        if let tag { self.tag = Tag(mvpd: gate.name(tag.mvpd), user: gate.name(tag.user)) }
        code = code.map { Code(gate.name($0.text)) }
        resource = resource.map(gate.name)
        record = record.map(gate.name)
    }
}

extension Deviation {
    fileprivate func passed(_ gate: OutputGate) -> Deviation {
        Deviation(rule: rule, found: gate.text(Untrusted(found)), source: source)
    }
}

/// What ties the requests of a household together in the service's own records, as far as it is the
/// same for all of them.
struct Correlation {
    private let household: Int
    /// `X-Screenrig` up to the number of the exchange: `run/household/`.
    let trail: String
    private let traceHead: String

    init(run: String, household: Int, trace: Fingerprint) {
        self.household = household
        trail = "\(run)/\(household)/"
        traceHead = "00-\(trace)\(Fingerprint(value: UInt64(household) + 1))-"
    }

    /// W3C trace context: the trace is the household, the span the exchange.
    func traceparent(_ sequence: Int) -> String {
        let span = Fingerprint(value: UInt64(household) << 24 | UInt64(sequence))
        return traceHead + span.description + "-01"
    }
}

/// The response headers that are kept of every exchange.
enum EvidenceHeaders {
    static func kept(
        of headers: Headers, _ gate: OutputGate, _ fingerprinter: Fingerprinter
    ) -> Headers {
        var kept = Headers()
        kept.reserve(2)
        for field in headers.fields {
            if isKept(field.name) {
                let shown = gate.header(field)
                kept.append(shown.name, shown.value)
            } else if field.name.equalsIgnoringCase("set-cookie"),
                let equals = field.value.utf8.firstIndex(of: UInt8(ascii: "="))
            {
                let value = field.value[equals...].dropFirst().prefix { $0 != ";" }
                let mark = fingerprinter.fingerprint(of: Secret(String(value)))
                kept.append(field.name, "\(gate.name(String(field.value[..<equals])))=#\(mark)")
            }
        }
        return kept
    }

    /// By length first: most names are none of these, and there are thousands a second.
    private static func isKept(_ name: String) -> Bool {
        switch name.utf8.count {
        case 3: name.equalsIgnoringCase("via") || name.equalsIgnoringCase("age")
        case 4: name.equalsIgnoringCase("date")
        case 6: name.equalsIgnoringCase("server") || name.equalsIgnoringCase("cf-ray")
        case 7: name.equalsIgnoringCase("x-cache") || isOfAmazon(name)
        case 11: name.equalsIgnoringCase("retry-after") || isOfAmazon(name)
        case 12: name.equalsIgnoringCase("x-request-id") || isOfAmazon(name)
        case 16: name.equalsIgnoringCase("adobe-request-id") || isOfAmazon(name)
        default: isOfAmazon(name)
        }
    }

    private static func isOfAmazon(_ name: String) -> Bool {
        let bytes = name.utf8Span.span
        guard bytes.count >= 6, bytes[1] == UInt8(ascii: "-"), bytes[0] | 0x20 == UInt8(ascii: "x")
        else { return false }
        return String(Substring(name.utf8.prefix(6))).equalsIgnoringCase("x-amz-")
    }
}
