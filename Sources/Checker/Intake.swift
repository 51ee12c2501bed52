internal import Dialects
internal import Journal

/// Marks of codes, with the last one at hand: a device asks about one code over and over.
struct CodeTexts {
    private var last = ""
    private var lastMark: UInt64 = 0
    /// Of codes that were made, until they are noted.
    private var made: [(mark: UInt64, text: String)] = []

    mutating func mark(of text: String) -> UInt64 {
        if lastMark != 0, last == text { return lastMark }
        (last, lastMark) = (text, Checker.mark(text))
        return lastMark
    }

    mutating func keep(_ text: String, as mark: UInt64) { made.append((mark, text)) }

    /// The text of a code that was kept, which is then forgotten.
    mutating func take(_ mark: UInt64) -> String {
        guard let position = made.firstIndex(where: { $0.mark == mark }) else { return "?" }
        let text = made[position].text
        // With its memory, for most devices make one code in their lives.
        if made.count == 1 { made = [] } else { made.remove(at: position) }
        return text
    }
}

/// From an exchange to the operation that is judged. Exchanges are read where they lie: a copy would
/// count each of their texts.
extension Dossier {
    mutating func take(_ exchange: UnsafePointer<Exchange>) {
        if !exchange.pointee.deviations.isEmpty { noteDeviations(of: exchange) }
        if case .answered = exchange.pointee.delivery { registry.check(.conforms) }
        let sequence = Int32(truncatingIfNeeded: exchange.pointee.sequence)
        let begun = exchange.pointee.begun.nanoseconds
        guard var operation = Observed.read(exchange, deadline: registry.deadline) else {
            return take(nil, sequence: sequence, begun: begun)
        }
        // The code in an answer may be another than the one asked about: both are `code` but for a
        // new one.
        if let code = exchange.pointee.code ?? exchange.pointee.observation.code {
            operation.code = codeTexts.mark(of: code.text)
            if operation.operation == .registrationCode, operation.effect == .success {
                codeTexts.keep(code.text, as: operation.code)
            }
        }
        if let resource = exchange.pointee.observation.resource {
            operation.resource = number(of: resource)
        }
        if operation.operation == .mediaToken {
            operation.detail = exchange.pointee.fingerprint?.value ?? 0
        } else if operation.operation == .registrationCode
            || operation.operation == .registrationRecord,
            let record = exchange.pointee.observation.record
        {
            operation.detail = mark(record)
        }
        if let tag = exchange.pointee.observation.tag {
            operation.tag = note(tag, isWriting: operation.operation.isMutator)
            if operation.operation.isMutator, operation.effect != .denied {
                registry.write(operation.tag, by: household)
            }
        }
        noteWay(of: exchange, &operation)
        take(operation, sequence: sequence, begun: begun)
        if operation.operation == .deleteRegistration, operation.effect == .success,
            let life = life(of: operation)
        {
            // Known at once, for what other households are told of these letters.
            codes[life].over = min(codes[life].over, operation.ret)
        }
    }

    /// Who answered, and what stood between.
    private func noteWay(of exchange: UnsafePointer<Exchange>, _ operation: inout Observed) {
        let server = exchange.pointee.evidence.fields.withUnsafeBufferPointer { fields in
            var server: String?
            for position in fields.indices where operation.read(fields[position]) {
                server = fields[position].value
            }
            return server
        }
        // A login's hops go to providers as well, which are no part of the service.
        let isService = operation.operation.isThrottled && operation.operation != .authenticate
        registry.changes.see(
            server: server, address: isService ? exchange.pointee.route.remote : "",
            at: exchange.pointee.ended.nanoseconds)
    }

    private mutating func number(of resource: String) -> UInt8 {
        if let known = resources.firstIndex(of: resource) { return UInt8(known) }
        guard resources.count < Int(Act.none) else { return Act.none }
        resources.append(resource)
        return UInt8(resources.count - 1)
    }

    /// The tag's mark; those this household signs in with get a number.
    private mutating func note(_ tag: Tag, isWriting: Bool) -> UInt64 {
        let mvpd = Checker.mark(tag.mvpd)
        let mark = Checker.mark(tag.user, mvpd)
        if tags.contains(where: { $0.mark == mark }) { return mark }
        let seen = TagSeen(mark: mark, mvpd: mvpd, user: Checker.mark(tag.user))
        if isWriting {
            guard tags.count < DeviceState.tags else { return mark }
            add(seen, named: tag)
            strangers.removeAll { $0.seen.mark == mark }
        } else if !strangers.contains(where: { $0.seen.mark == mark }), strangers.count < 64 {
            strangers.append(Stranger(seen: seen, name: tag))
        }
        return mark
    }
}
