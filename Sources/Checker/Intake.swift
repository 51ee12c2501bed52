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
extension HouseholdState {
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
        } else if operation.operation == .userMetadata, !registry.rules.knowsUsers,
            let subscription = exchange.pointee.observation.record
        {
            operation.detail = noteShown(Tag(mvpd: "", user: subscription))
        }
        if let tag = exchange.pointee.observation.tag {
            if operation.operation.isMutator {
                operation.tag = noteAccount(tag, login: exchange.pointee.observation.record)
                if operation.effect != .denied {
                    registry.accounts.hold(operation.tag, by: household, at: operation.call)
                    if registry.rules.knowsUsers {
                        registry.accounts.hold(
                            Self.bare(tag.user), by: household, at: operation.call)
                    }
                }
            } else {
                operation.tag = noteShown(tag)
            }
        }
        noteWay(of: exchange, &operation)
        take(operation, sequence: sequence, begun: begun)
        if operation.operation == .deleteRegistration, operation.effect == .success,
            let life = life(of: operation)
        {
            // Known at once, for what other households are told of these letters.
            lives[life].shared.over = min(lives[life].shared.over, operation.ret)
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
        // What a cache, a proxy or a front answered by itself tells the time of that machine.
        let isOwn = operation.flags.isDisjoint(with: [.edge, .proxied])
        // Gateways turn down what comes too often, and what is the same for all is often kept by somebody.
        let isTold = exchange.pointee.outcome != .throttled && operation.operation != .configuration
        if isService, isOwn, isTold, operation.date > 0, operation.effect.isAnswer {
            registry.clock.add(
                date: operation.date, of: operation.operation, between: operation.call,
                and: operation.ret,
                household: household, sequence: Int(operation.sequence))
        }
    }

    private mutating func number(of resource: String) -> UInt8 {
        if let known = resources.firstIndex(where: { $0 == resource }) { return UInt8(known) }
        guard resources.count < Int(ModelOperation.none) else { return ModelOperation.none }
        resources.append(resource)
        return UInt8(resources.count - 1)
    }

    /// The mark of the account that a sign-in is with, which gets a number. `login` is given where the
    /// tag has the user that the accounts file names beside it.
    private mutating func noteAccount(_ tag: Tag, login: String?) -> UInt64 {
        let mvpd = Checker.mark(tag.mvpd)
        let name = Tag(mvpd: tag.mvpd, user: login ?? tag.user)
        let mark = Checker.mark(name.user, mvpd)
        guard tags.count < DeviceState.tags, !tags.contains(where: { $0.mark == mark }) else {
            return mark
        }
        var seen = TagSeen(mark: mark, mvpd: mvpd, user: Checker.mark(name.user))
        if registry.rules.knowsUsers {
            strangers.removeAll { $0.seen.mark == mark }
            add(seen, named: name)
        } else {
            if login != nil {
                seen.listed = Checker.mark(tag.user, mvpd)
                registry.users.list(seen.listed, of: mark)
            }
            // What the service calls the user is not known yet.
            add(seen, named: Tag(mvpd: tag.mvpd, user: ""))
        }
        return mark
    }

    /// The mark of a user that an answer names, with its provider.
    private mutating func noteShown(_ tag: Tag) -> UInt64 {
        let (mvpd, user) = (Checker.mark(tag.mvpd), Checker.mark(tag.user))
        let mark = Checker.mark(tag.user, mvpd)
        if registry.rules.knowsUsers, tags.contains(where: { $0.mark == mark }) { return mark }
        if !strangers.contains(where: { $0.seen.mark == mark }), strangers.count < 64 {
            let seen = TagSeen(mark: mark, mvpd: mvpd, user: user)
            strangers.append(Stranger(seen: seen, name: tag))
        }
        return mark
    }
}
