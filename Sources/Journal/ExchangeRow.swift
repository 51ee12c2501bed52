internal import Dialects
internal import GRDB
internal import Vocabulary

/// An exchange as a row of `exchanges` and back: exactly, but for the secret of the observation,
/// which stays behind. A NUL in a text becomes its picture, for SQLite ends texts there.
extension Exchange {
    func row(id: Int) -> [ColumnValue] {
        let (kind, error): (String, TransportError?) =
            switch delivery {
            case .answered: ("answered", nil)
            case .refused(let error): ("refused", error)
            case .unknown(let error): ("unknown", error)
            }
        return [
            ColumnValue(id), ColumnValue(device.household), ColumnValue(sequence),
            ColumnValue(lane), .text(device.name),
            .text(operation.name), ColumnValue(code?.text), ColumnValue(planned),
            ColumnValue(begun), ColumnValue(sent),
            ColumnValue(firstByte), ColumnValue(ended), .text(kind), ColumnValue(delivery.status),
            ColumnValue(error?.kind.rawValue), ColumnValue(error?.detail), .text(outcome.name),
            ColumnValue(reason),
            .text(observation.result.name), ColumnValue(observation.tag?.mvpd),
            ColumnValue(observation.tag?.user), ColumnValue(observation.code?.text),
            ColumnValue(observation.resource), ColumnValue(observation.generated),
            ColumnValue(observation.expires), ColumnValue(observation.record),
            ColumnValue(fingerprint?.description),
            deviations.isEmpty ? .null : ColumnValue(deviationsJSON),
            ColumnValue(route.connection), ColumnValue(route.reused),
            ColumnValue(filled: route.local),
            ColumnValue(filled: route.remote), ColumnValue(filled: route.httpVersion),
            ColumnValue(route.tlsResumed),
            evidence.fields.isEmpty ? .null : ColumnValue(FlatJSON.object(evidence)),
            ColumnValue(bytesSent), ColumnValue(bytesReceived), ColumnValue(provoked),
            ColumnValue((connect?.wholeNanoseconds).map { Int($0) }),
            ColumnValue((tls?.wholeNanoseconds).map { Int($0) }),
        ]
    }

    init?(_ columns: inout Columns) {
        columns.skip()
        guard let household = columns.int(), let sequence = columns.int(), let lane = columns.int(),
            let device = columns.text().flatMap({ DeviceID(household: household, name: $0) }),
            let operation = columns.text().flatMap(OperationName.init(name:))
        else { return nil }
        let code = columns.text().map(Code.init)
        guard let planned = columns.instant(), let begun = columns.instant(),
            let sent = columns.instant()
        else { return nil }
        let firstByte = columns.instant()
        guard let ended = columns.instant(), let delivery = columns.delivery(),
            let outcome = columns.text().flatMap(Outcome.init(name:))
        else { return nil }
        let reason = columns.text()
        guard let observation = columns.observation() else { return nil }
        let fingerprint = columns.text().flatMap { Fingerprint($0) }
        guard let deviations = columns.deviations(), let route = columns.route(),
            let evidence = columns.evidence(), let bytesSent = columns.int(),
            let bytesReceived = columns.int(), let provoked = columns.bool()
        else { return nil }
        self.init(
            lane: lane, sequence: sequence, device: device, operation: operation, code: code,
            planned: planned, begun: begun, sent: sent, firstByte: firstByte, ended: ended,
            delivery: delivery,
            outcome: outcome, reason: reason, observation: observation, fingerprint: fingerprint,
            deviations: deviations, route: route, evidence: evidence, bytesSent: bytesSent,
            bytesReceived: bytesReceived, provoked: provoked, connect: columns.duration(),
            tls: columns.duration())
    }

    private var deviationsJSON: String {
        FlatJSON.objects(
            deviations.map {
                [
                    ("rule", .text($0.rule)), ("found", .text($0.found)),
                    ("source", .text($0.source.rawValue)),
                ]
            })
    }
}

extension DeviceID {
    /// Reads `name`.
    init?(household: Int, name: String) {
        switch name {
        case "tv": self.init(household: household, role: .firstScreen)
        case "phone": self.init(household: household, role: .secondScreen)
        default:
            guard name.hasPrefix("phone-"), let number = Int(name.dropFirst(6)),
                (2...1_000).contains(number)
            else {
                return nil
            }
            self.init(household: household, role: .secondScreen, index: number - 1)
        }
    }
}

extension Observation.Result {
    var name: String {
        switch self {
        case .success: "success"
        case .absent: "absent"
        case .expired: "expired"
        case .denied: "denied"
        case .none: "none"
        case .unauthenticated: "unauthenticated"
        case .unauthorized: "unauthorized"
        }
    }

    init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension Columns {
    fileprivate mutating func delivery() -> Delivery? {
        let kind = text()
        let status = int()
        let error = text().flatMap(TransportError.Kind.init(rawValue:))
        let detail = text()
        switch (kind, status, error) {
        case ("answered", let status?, _): return .answered(status: status)
        case ("refused", _, let error?): return .refused(TransportError(error, detail ?? ""))
        case ("unknown", _, let error?): return .unknown(TransportError(error, detail ?? ""))
        default: return nil
        }
    }

    fileprivate mutating func observation() -> Observation? {
        guard let result = text().flatMap(Observation.Result.init(name:)) else { return nil }
        let mvpd = text()
        let user = text()
        let tag = mvpd.flatMap { mvpd in user.map { Tag(mvpd: mvpd, user: $0) } }
        return Observation(
            result, tag: tag, code: text().map(Code.init), resource: text(), generated: epoch(),
            expires: epoch(), record: text())
    }

    fileprivate mutating func deviations() -> [Deviation]? {
        guard let json = text() else { return [] }
        return FlatJSON.readObjects(json)?.compactMap { pairs in
            guard pairs.count == 3, case .text(let rule) = pairs[0].value,
                case .text(let found) = pairs[1].value, case .text(let source) = pairs[2].value,
                let source = Deviation.Source(rawValue: source)
            else { return nil }
            return Deviation(rule: rule, found: found, source: source)
        }
    }

    fileprivate mutating func route() -> Route? {
        guard let connection = identifier(), let reused = bool() else { return nil }
        return Route(
            connection: connection, reused: reused, local: text() ?? "", remote: text() ?? "",
            httpVersion: text() ?? "", tlsResumed: bool())
    }

    fileprivate mutating func evidence() -> Headers? {
        var copy = self
        guard copy.text() != nil else {
            self = copy
            return Headers()
        }
        return headers()
    }
}
