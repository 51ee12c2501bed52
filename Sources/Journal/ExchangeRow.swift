internal import Dialects
internal import GRDB
internal import Vocabulary

/// An exchange as a row of `exchanges` and back: exactly, but for the secret of the observation,
/// which stays behind. A NUL in a text becomes its picture, for SQLite ends texts there.
extension Exchange {
    /// Writes it as the next row; `last` is the one before, if its columns are still bound. Throws what
    /// SQLite says.
    func insert(as id: Int, after last: Exchange?, into row: inout RowBinding) throws {
        let isLike = last?.content === content
        let content = content.fields
        row.put(id)
        row.put(device.household)
        row.put(sequence)
        row.put(lane)
        row.put(device.name)
        row.put(operation.name)
        if isLike { row.keep(1) } else { row.put(content.code?.text) }
        row.put(planned)
        row.put(begun)
        row.put(sent)
        row.put(firstByte?.nanoseconds)
        row.put(ended)
        if isLike { row.keep(4) } else { row.put(content.delivery) }
        row.put(outcome.name)
        if isLike {
            row.keep(11)
        } else {
            row.put(content.reason)
            row.put(content.observation)
            row.put(content.fingerprint?.description)
            row.put(content.deviations.isEmpty ? nil : deviationsJSON)
        }
        row.put(route.connection)
        row.put(route.reused)
        if let last, route.hasEnds(of: last.route) {
            row.keep(3)
        } else {
            row.put(filled: route.local)
            row.put(filled: route.remote)
            row.put(filled: route.httpVersion)
        }
        row.put(route.tlsResumed.map { $0 ? 1 : 0 })
        // Unlike the rest, they are the same for all that was answered within a second.
        if isLike || last?.evidence == content.evidence {
            row.keep(1)
        } else {
            row.put(content.evidence.fields.isEmpty ? nil : FlatJSON.object(content.evidence))
        }
        row.put(bytesSent)
        row.put(bytesReceived)
        row.put(provoked)
        row.put(connect?.wholeNanoseconds)
        row.put(tls?.wholeNanoseconds)
        if isLike {
            row.keep(3)
        } else {
            row.put(content.mvpd)
            row.put(content.subject)
            let profiles = content.observation.profiles
            row.put(profiles.isEmpty ? nil : FlatJSON.objects(profiles.map(\.pairs)))
        }
        try row.insert()
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
        guard var observation = columns.observation() else { return nil }
        let fingerprint = columns.text().flatMap { Fingerprint($0) }
        guard let deviations = columns.deviations(), let route = columns.route(),
            let evidence = columns.evidence(), let bytesSent = columns.int(),
            let bytesReceived = columns.int(), let provoked = columns.bool()
        else { return nil }
        let (connect, tls) = (columns.duration(), columns.duration())
        let (mvpd, subject) = (columns.text(), columns.text())
        guard let profiles = columns.profiles() else { return nil }
        observation.profiles = profiles
        self.init(
            lane: lane, sequence: sequence, device: device, operation: operation, code: code,
            mvpd: mvpd, subject: subject,
            planned: planned, begun: begun, sent: sent, firstByte: firstByte, ended: ended,
            delivery: delivery,
            outcome: outcome, reason: reason, observation: observation, fingerprint: fingerprint,
            deviations: deviations, route: route, evidence: evidence, bytesSent: bytesSent,
            bytesReceived: bytesReceived, provoked: provoked, connect: connect, tls: tls)
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

extension Profile {
    fileprivate var pairs: FlatJSON.Pairs {
        var pairs: FlatJSON.Pairs = []
        pairs.reserveCapacity(6)
        pairs.append(("mvpd", .text(mvpd)))
        if let user { pairs.append(("user", .text(user))) }
        pairs.append(("issuer", .text(issuer)))
        pairs.append(("notBefore", .number(Int(notBefore))))
        pairs.append(("notAfter", .number(Int(notAfter))))
        if let kind { pairs.append(("type", .text(kind.rawValue))) }
        return pairs
    }

    fileprivate init?(_ pairs: FlatJSON.Pairs) {
        var (texts, numbers): ([String: String], [String: Int]) = ([:], [:])
        for pair in pairs {
            switch pair.value {
            case .text(let text): texts[pair.name] = text
            case .number(let number): numbers[pair.name] = number
            }
        }
        guard let mvpd = texts["mvpd"], let issuer = texts["issuer"],
            let notBefore = numbers["notBefore"], let notAfter = numbers["notAfter"]
        else { return nil }
        self.init(
            mvpd: mvpd, user: texts["user"], kind: texts["type"].flatMap(Kind.init(rawValue:)),
            issuer: issuer, notBefore: Int64(notBefore), notAfter: Int64(notAfter))
    }
}

extension RowBinding {
    fileprivate mutating func put(_ delivery: Delivery) {
        let (kind, error): (String, TransportError?) =
            switch delivery {
            case .answered: ("answered", nil)
            case .refused(let error): ("refused", error)
            case .unknown(let error): ("unknown", error)
            }
        put(kind)
        put(delivery.status.map { Int64($0) })
        put(error?.kind.rawValue)
        put(error?.detail)
    }

    fileprivate mutating func put(_ observation: Observation) {
        put(observation.result.name)
        put(observation.tag?.mvpd)
        put(observation.tag?.user)
        put(observation.code?.text)
        put(observation.resource)
        put(observation.generated)
        put(observation.expires)
        put(observation.record)
    }

    /// NULL for an empty text.
    fileprivate mutating func put(filled text: String) { put(text.isEmpty ? nil : text) }
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
        case .ledBack: "led-back"
        case .ledOn: "led-on"
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

    fileprivate mutating func profiles() -> [Profile]? {
        guard let json = text() else { return [] }
        return FlatJSON.readObjects(json)?.compactMap(Profile.init)
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
