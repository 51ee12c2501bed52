public import Dialects
public import Journal

/// How requests of this run are written and answers read: what every exchange has in common,
/// whatever the device and the step. Immutable; shared by all lanes.
public struct Correspondence: Sendable {
    public var dialect: any Dialect
    /// Added to each request (`target.headers`).
    public var headers: Headers
    /// Sends `traceparent` and `X-Screenrig` with each request.
    public var correlates: Bool
    /// The run's id, for `X-Screenrig`.
    public var run: String
    public var fingerprinter: Fingerprinter

    public init(
        dialect: any Dialect, headers: Headers = [:], correlates: Bool = true, run: String,
        fingerprinter: Fingerprinter
    ) {
        self.dialect = dialect
        self.headers = headers
        self.correlates = correlates
        self.run = run
        self.fingerprinter = fingerprinter
    }

    /// Adds what belongs to the device and the run: user agent, forwarded address, cookies,
    /// correlation, the target's own headers.
    func dress(_ call: Call, from device: Device, sequence: Int) -> Call {
        var call = call
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
            let household = device.id.household
            call.headers.append(
                "X-Screenrig", Correlation.mark(run: run, household: household, sequence: sequence))
            let trace = device.trace ?? fingerprinter.fingerprint(of: Secret("\(run)/\(household)"))
            device.trace = trace
            call.headers.append(
                "traceparent",
                Correlation.traceparent(trace, household: household, sequence: sequence))
        }
        for field in headers.fields { call.headers.append(field.name, field.value) }
        return call
    }

    /// Joins what was measured and what it means.
    func exchange(
        _ transfer: Transfer, of call: Call, from device: DeviceID, lane: Int, sequence: Int,
        planned: Instant, begun: Instant
    ) -> Answered {
        let delivery: Delivery
        let reading: Reading
        var evidence: Headers = [:]
        switch transfer.result {
        case .answered(let reply):
            delivery = .answered(status: reply.status)
            reading = dialect.read(reply, to: call)
            evidence = Evidence.kept(of: reply.headers, fingerprinter)
        case .refused(let error):
            delivery = .refused(error)
            reading = Reading(
                error.outcome, .unanswered(error, reached: false), reason: error.kind.rawValue)
        case .lost(let error):
            delivery = .unknown(error)
            reading = Reading(
                error.outcome, .unanswered(error, reached: true), reason: error.kind.rawValue)
        }
        var observation = reading.observation
        if observation.code == nil { observation.code = call.code }
        if observation.resource == nil { observation.resource = call.resource }
        let fingerprint = observation.secret.map(fingerprinter.fingerprint(of:))
        observation.secret = nil
        let exchange = Exchange(
            lane: lane, sequence: sequence, device: device, operation: call.operation,
            code: observation.code, planned: planned, begun: begun,
            sent: transfer.sent ?? transfer.ended,
            firstByte: transfer.firstByte, ended: transfer.ended, delivery: delivery,
            outcome: reading.outcome, reason: reading.reason, observation: observation,
            fingerprint: fingerprint, deviations: reading.deviations, route: transfer.route,
            evidence: evidence, bytesSent: call.body.count, bytesReceived: transfer.bytesReceived,
            provoked: call.provoked)
        return Answered(exchange: exchange, answer: reading.answer)
    }
}

/// The response headers that are kept of every exchange (product.md, Evidence).
enum Evidence {
    static func kept(of headers: Headers, _ fingerprinter: Fingerprinter) -> Headers {
        var kept = Headers()
        for field in headers.fields {
            if isKept(field.name) {
                kept.append(field.name, field.value)
            } else if field.name.equalsIgnoringCase("set-cookie"),
                let equals = field.value.firstIndex(of: "=")
            {
                let value = field.value[field.value.index(after: equals)...].prefix { $0 != ";" }
                let mark = fingerprinter.fingerprint(of: Secret(String(value)))
                kept.append(field.name, "\(field.value[..<equals])=#\(mark)")
            }
        }
        return kept
    }

    private static func isKept(_ name: String) -> Bool {
        switch name.utf8.count {
        case 3: name.equalsIgnoringCase("via") || name.equalsIgnoringCase("age")
        case 4: name.equalsIgnoringCase("date")
        case 6: name.equalsIgnoringCase("server") || name.equalsIgnoringCase("cf-ray")
        case 7: name.equalsIgnoringCase("x-cache") || isAmazons(name)
        case 11: name.equalsIgnoringCase("retry-after") || isAmazons(name)
        case 12: name.equalsIgnoringCase("x-request-id") || isAmazons(name)
        case 16: name.equalsIgnoringCase("adobe-request-id") || isAmazons(name)
        default: isAmazons(name)
        }
    }

    private static func isAmazons(_ name: String) -> Bool {
        name.utf8.count > 6 && name.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "x")
            && String(name.prefix(6)).equalsIgnoringCase("x-amz-")
    }
}
