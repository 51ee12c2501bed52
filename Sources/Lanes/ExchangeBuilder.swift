public import Dialects
public import Journal
internal import Vocabulary

/// How requests of this run are written and answers read: what every exchange has in common,
/// whatever the device and the step. Immutable; each lane has its own, for lanes that share an object wait for each other
/// to count who has it.
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
    /// correlation, the target's own headers. Never part of `Lane.send`, as `Lane.record`.
    @inline(never)
    func dress(_ call: inout Call, from device: Device, sequence: Int) {
        let own = device.identity.style.headers
        call.headers.reserve(5 + own.fields.count + headers.fields.count)
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
            call.headers.append("X-Screenrig", correlation.name(of: sequence))
            call.headers.append("traceparent", correlation.traceparent(sequence))
        }
        for field in own.fields { add(field, to: &call.headers) }
        for field in headers.fields { add(field, to: &call.headers) }
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
        let made = Correlation(run: run, household: household)
        device.correlation = made
        return made
    }

    /// Of a request that a kept connection closed under, and that was sent again: which of the two.
    enum RequestCopy {
        case only, first
        case second(of: Answered)

        var isFirst: Bool { if case .first = self { true } else { false } }
        var firstCopy: Answered? {
            if case .second(let firstCopy) = self { firstCopy } else { nil }
        }
    }

    /// Joins what was measured and what it means. Whatever a peer wrote goes through the gate here, so
    /// that no exchange holds a secret. `recent`: what the lane's last answers said.
    func exchange(
        _ transfer: Transfer, of call: Call, from device: Device, lane: Int, sequence: Int,
        planned: Instant, begun: Instant, copy: RequestCopy, recent: inout RecentContent
    ) -> Answered {
        let delivery: Delivery
        var reading: Reading
        device.secrets.note(call)
        switch transfer.result {
        case .answered(let reply) where copy.isFirst:
            device.secrets.note(reply)
            let error = TransportError(
                .staleConnection,
                "the service answered 408, as one that had waited in vain for a request, and closed the connection"
            )
            delivery = .unknown(error)
            reading = Reading(
                .resent, .unanswered(error, reached: true), reason: "\(ours: error.kind.rawValue)")
        case .answered(let reply):
            delivery = .answered(status: reply.status)
            reading = device.dialect.read(reply, to: call)
            if copy.firstCopy?.mayHaveActed == true { reading.forgive(call, reply.status) }
            device.secrets.note(reply)
            if let secret = reading.observation.secret { device.secrets.note(secret) }
            switch reading.answer {
            case .client(let client): device.secrets.note(client.secret)
            case .code(let issued): if let key = issued.pollKey { device.secrets.note(key) }
            case .signedIn(_, let session?):
                device.secrets.note(session.access)
                if let refresh = session.refresh { device.secrets.note(refresh) }
            default: break
            }
        case .refused(let error):
            let error = shown(error, to: device)
            delivery = .refused(error)
            reading = Reading(
                error.outcome, .unanswered(error, reached: false),
                reason: "\(ours: error.kind.rawValue)")
        case .lost(let error):
            let error = shown(error, to: device)
            delivery = .unknown(error)
            let outcome =
                copy.isFirst ? .resent : error.kind == .stopped ? Outcome.cutOff : error.outcome
            reading = Reading(
                outcome, .unanswered(error, reached: true),
                reason: "\(ours: error.kind.rawValue)")
        }
        if reading.observation.result == .unauthenticated, reading.outcome == .rejected,
            device.isSignInOver(at: transfer.ended)
        {
            reading.outcome = .pending
        }
        let operation = reading.operation ?? call.operation
        let gate = gate.knowing(device.secrets)
        let evidence =
            if case .answered(let reply) = transfer.result {
                recent.evidence(of: reply.headers, to: operation, gate, fingerprinter)
            } else {
                Headers()
            }
        let content = recent.content(of: operation) { fields in
            fields.delivery = delivery
            fields.observation = reading.observation
            if fields.observation.code == nil { fields.observation.code = call.code }
            // The one asked for: where the answer names another, its deviations tell (rest-v1.md § 11).
            if let asked = call.resource { fields.observation.resource = asked }
            // Of a request that signs somebody in, the account it asks for: where the answer shows a profile as well
            // (rest-v2.md § 8.3, X2), its user has a name of the service's own, and is among the profiles.
            // A login's hop from the credentials on may sign in as well, unless its answer turns them down.
            let maySignIn = operation.has(.changes) || reading.observation.result != .denied
            if let tag = call.tag, maySignIn {
                fields.observation.tag = tag
                fields.observation.record = call.login
            }
            if let token = call.token {
                fields.observation.record = fingerprinter.fingerprint(of: token).description
            }
            if call.isVouched, [.absent, .unauthenticated].contains(reading.observation.result) {
                fields.observation.record = Observation.vouched
            }
            fields.fingerprint = fields.observation.secret.map(fingerprinter.fingerprint(of:))
            fields.observation.secret = nil
            fields.observation.pass(gate)
            fields.code = fields.observation.code
            fields.mvpd = call.mvpd.map(gate.name)
            fields.subject = call.subject
            fields.reason = reading.reason.map { gate.text($0, limit: Self.reasonLimit) }
            fields.deviations = reading.deviations.map { $0.passed(gate) }
            fields.evidence = evidence
        }
        let exchange = Exchange(
            lane: lane, sequence: sequence, device: device.id, operation: operation,
            planned: planned, begun: begun, sent: transfer.sent ?? transfer.ended,
            firstByte: transfer.firstByte, ended: transfer.ended, outcome: reading.outcome,
            content: content, route: transfer.route,
            bytesSent: call.body.count, bytesReceived: transfer.bytesReceived,
            provoked: call.provoked, connect: transfer.opened?.connect,
            tls: transfer.opened?.tls)
        return Answered(
            exchange: exchange, answer: reading.answer, page: reading.page,
            firstCopy: copy.firstCopy)
    }

    /// Characters of an error's word: it groups errors.
    private static let reasonLimit = 120

    /// The libraries' words have addresses of redirects and texts of certificates in them.
    private func shown(_ error: TransportError, to device: Device) -> TransportError {
        let gate = gate.knowing(device.secrets)
        return TransportError(error.kind, gate.text(Untrusted(error.detail)))
    }
}

extension Reading {
    /// The first copy of a logout or a deletion may have acted, though its answer was lost: that the second finds nothing
    /// left to end is then no error, and done is what was to be done.
    fileprivate mutating func forgive(_ call: Call, _ status: Int) {
        guard call.operation.endsSomething, outcome == .rejected,
            [404, 410].contains(status) || observation.result == .unauthenticated
        else { return }
        (outcome, answer, deviations) = (.pending, .done, [])
    }
}

extension Observation {
    /// Names of a service that hold a secret are no names.
    fileprivate mutating func pass(_ gate: OutputGate) {
        if let tag { self.tag = Tag(mvpd: gate.name(tag.mvpd), user: gate.name(tag.user)) }
        if let shown = code.map({ gate.name($0.text) }), shown != code?.text { code = Code(shown) }
        resource = resource.map(gate.name)
        record = record.map(gate.name)
        for position in profiles.indices {
            profiles[position].mvpd = gate.name(profiles[position].mvpd)
            profiles[position].user = profiles[position].user.map(gate.name)
            profiles[position].issuer = gate.name(profiles[position].issuer)
        }
    }
}

extension Deviation {
    fileprivate func passed(_ gate: OutputGate) -> Deviation {
        Deviation(rule: rule, found: gate.text(Untrusted(found)), source: source)
    }
}

/// What ties the requests of a household together in the service's own records, as far as it is the
/// same for all of them. One object, made once for a device.
final class Correlation {
    private let household: Int
    /// `X-Screenrig` up to the number of the exchange: `run/household/`.
    private let trail: String
    private let traceHead: String

    init(run: String, household: Int) {
        self.household = household
        trail = "\(run)/\(household)/"
        traceHead = "00-\(TraceContext(run: run, household: household).trace)-"
    }

    /// `run/household/exchange`.
    func name(of sequence: Int) -> String {
        let (head, number) = (trail.utf8, String(sequence).utf8)
        return String(unsafeUninitializedCapacity: head.count + number.count) { text in
            let end = text.initialize(fromContentsOf: head)
            return text[end...].initialize(fromContentsOf: number)
        }
    }

    /// `TraceContext` as a header, written without the texts between: it is made for each request.
    func traceparent(_ sequence: Int) -> String {
        var span = UInt64(household) << 24 | UInt64(sequence)
        let head = traceHead.utf8
        return String(unsafeUninitializedCapacity: head.count + 19) { text in
            var end = text.initialize(fromContentsOf: head)
            for position in (end..<end + 16).reversed() {
                let digit = UInt8(truncatingIfNeeded: span & 15)
                text[position] = digit + (digit < 10 ? 0x30 : 0x57)
                span >>= 4
            }
            end += 16
            for byte in "-01".utf8 {
                text[end] = byte
                end += 1
            }
            return end
        }
    }
}
