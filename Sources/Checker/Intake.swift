internal import Dialects
internal import Journal

/// Texts of codes by their marks, with the last one at hand: a device asks about one code over and
/// over.
struct CodeTexts {
    private var texts: [(mark: UInt64, text: String)] = []
    private var lastText = ""
    private var lastMark: UInt64 = 0

    mutating func mark(of text: String) -> UInt64 {
        if lastMark != 0, lastText == text { return lastMark }
        let mark = find(text)
        (lastText, lastMark) = (text, mark)
        return mark
    }

    private mutating func find(_ text: String) -> UInt64 {
        if let position = texts.firstIndex(where: { $0.text == text }) {
            // The last one asked for is found first.
            let known = texts.remove(at: position)
            texts.append(known)
            return known.mark
        }
        let mark = Checker.mark(text)
        texts.append((mark, text))
        if texts.count > 32 { texts.removeFirst() }
        return mark
    }

    func text(of mark: UInt64) -> String { texts.first { $0.mark == mark }?.text ?? "?" }
}

/// From an exchange to the operation that is judged.
extension Dossier {
    func take(_ exchange: Exchange) {
        if !exchange.deviations.isEmpty { noteDeviations(of: exchange) }
        if case .answered = exchange.delivery { registry.check(.conforms) }
        let sequence = Int32(truncatingIfNeeded: exchange.sequence)
        let begun = exchange.begun.nanoseconds
        guard var operation = Observed(exchange, deadline: registry.deadline) else {
            return take(nil, sequence: sequence, begun: begun)
        }
        // The code in an answer may be another than the one asked about: both are `code` but for a
        // new one.
        if let code = exchange.code ?? exchange.observation.code {
            operation.code = codeTexts.mark(of: code.text)
        }
        if let resource = exchange.observation.resource {
            operation.resource = number(of: resource)
        }
        if operation.operation == .mediaToken {
            operation.detail = exchange.fingerprint?.value ?? 0
        } else if let record = exchange.observation.record,
            operation.operation == .registrationCode || operation.operation == .registrationRecord
        {
            operation.detail = mark(record)
        }
        if let tag = exchange.observation.tag {
            operation.tag = note(tag, isWriting: operation.operation.isMutator)
            if operation.operation.isMutator, operation.effect != .denied {
                registry.write(operation.tag, by: household)
            }
        }
        for field in exchange.evidence.fields {
            guard let server = operation.read(field) else { continue }
            registry.changes.see(server: server, at: exchange.ended.nanoseconds)
        }
        // A login's hops go to providers as well, which are no part of the service.
        if exchange.operation.isThrottled, exchange.operation != .authenticate,
            !exchange.route.remote.isEmpty
        {
            registry.changes.see(
                address: exchange.route.remote, at: exchange.ended.nanoseconds)
        }
        take(operation, sequence: sequence, begun: begun)
        if operation.operation == .deleteRegistration, operation.effect == .success,
            let life = life(of: operation)
        {
            // Known at once, for what other households are told of these letters.
            shared[life].over = min(shared[life].over, operation.ret)
        }
    }

    private func number(of resource: String) -> UInt8 {
        if let known = resources.firstIndex(of: resource) { return UInt8(known) }
        // Beyond eight they are all one: fewer breaches are seen, none is made up.
        guard resources.count < DeviceState.resources else { return UInt8(resources.count - 1) }
        resources.append(resource)
        return UInt8(resources.count - 1)
    }

    /// The tag's mark; those this household signs in with get a number.
    private func note(_ tag: Tag, isWriting: Bool) -> UInt64 {
        let user = Checker.mark(tag.user)
        let mvpd = Checker.mark(tag.mvpd)
        let mark = Checker.mark(tag.user, mvpd)
        let isKnown = tags.contains { $0.mark == mark }
        if isKnown { return mark }
        if isWriting {
            guard tags.count < DeviceState.tags else { return mark }
            tags.append(
                TagSeen(mark: mark, mvpd: mvpd, user: user, text: "\(tag.user) at \(tag.mvpd)"))
            strangers.removeAll { $0.mark == mark }
        } else if !strangers.contains(where: { $0.mark == mark }), strangers.count < 64 {
            strangers.append(
                TagSeen(mark: mark, mvpd: mvpd, user: user, text: "\(tag.user) at \(tag.mvpd)"))
        }
        return mark
    }
}
