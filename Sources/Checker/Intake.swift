internal import Dialects
internal import Journal

/// Texts of codes that devices were given, until that is noted: for as long as an answer waits for the next.
struct CodeTexts {
    private var made = MarkTable<MadeCode>()

    private struct MadeCode {
        var text: String
        /// How often the device was given it meanwhile.
        var times = 1
    }

    mutating func keep(_ text: String, as mark: UInt64, of household: Int) {
        let key = Self.key(mark, household)
        if var known = made[key] {
            known.times += 1
            made[key] = known
        } else {
            made[key] = MadeCode(text: text)
        }
    }

    /// The text of a code that was kept, which is then forgotten.
    mutating func take(_ mark: UInt64, of household: Int) -> String {
        let key = Self.key(mark, household)
        guard var known = made[key] else { return "?" }
        known.times -= 1
        made[key] = known.times == 0 ? nil : known
        return known.text
    }

    private static func key(_ mark: UInt64, _ household: Int) -> UInt64 {
        mark ^ UInt64(truncatingIfNeeded: household) &* 0x9e37_79b9_7f4a_7c15
    }
}

/// From an exchange to the operation that is judged. Exchanges are read where they lie: a copy would
/// count each of their texts.
extension HouseholdState {
    mutating func take(_ exchange: UnsafePointer<Exchange>) {
        if !exchange.pointee.deviations.isEmpty { noteDeviations(of: exchange) }
        if case .answered = exchange.pointee.delivery { count(.conforms) }
        let sequence = Int32(truncatingIfNeeded: exchange.pointee.sequence)
        let begun = exchange.pointee.begun.nanoseconds
        guard var operation = Observed.read(exchange, deadline: registry.deadline) else {
            return arrive(sequence, begun: begun)
        }
        let isHop = logins.isHop(exchange, &operation) || logins.isLedOn(exchange, operation)
        let book = profileBook(for: exchange)
        if operation.operation == .partnerRequest,
            operation.effect == .open || exchange.pointee.observation.code != nil
        {
            // Where the platform cannot help, its answer is a session (rest-v2.md § 8.3).
            operation.step = .issueCode
        }
        // The code in an answer may be another than the one asked about: both are `code` but for a
        // new one.
        if let code = exchange.pointee.code ?? exchange.pointee.observation.code {
            operation.code = mark(of: code.text)
            if operation.step == .issueCode, operation.effect == .success {
                registry.codeTexts.keep(code.text, as: operation.code, of: household)
            }
        }
        if let resource = exchange.pointee.observation.resource {
            operation.resource = number(of: resource)
        }
        if let book {
            take(exchange, into: &operation, book)
        } else if operation.operation == .mediaToken {
            operation.detail = exchange.pointee.fingerprint?.value ?? 0
        } else if operation.operation == .deviceToken || operation.operation == .otherClientToken {
            // Of a success the token, of a refusal its word.
            operation.detail =
                exchange.pointee.fingerprint?.value
                ?? exchange.pointee.reason.map { Checker.mark($0) } ?? 0
        } else if operation.operation == .refreshToken || operation.operation == .revocation
            || operation.operation == .userinfo || operation.step == .otherClient
        {
            operation.detail = exchange.pointee.observation.record.map { Checker.mark($0) } ?? 0
            if operation.operation == .refreshToken, operation.effect == .success {
                noteRenewal(operation, by: exchange.pointee.fingerprint?.value ?? 0)
            }
        } else if operation.operation == .registrationCode
            || operation.operation == .registrationRecord,
            let record = exchange.pointee.observation.record
        {
            operation.detail = Checker.mark(record)
        } else if operation.operation == .userMetadata, !registry.knowsUsers,
            let subscription = exchange.pointee.observation.record
        {
            operation.detail = noteShown(Tag(mvpd: "", user: subscription), at: operation.ret)
        }
        if book == nil, let tag = exchange.pointee.observation.tag {
            if operation.isMutator {
                operation.tag = noteAccount(tag, login: exchange.pointee.observation.record)
                if operation.effect != .denied { hold(operation.tag, tag, at: operation.call) }
            } else if operation.step != .login {
                // Of a login's hop it is the account that was asked for: no response has named it.
                operation.tag = noteShown(tag, at: operation.ret)
            }
        }
        noteWay(of: exchange, &operation)
        screens.noteEnd(of: operation)
        if let ended = logins.take(&operation, isHop: isHop, exchange) {
            agenda.insert(ended, registry.visibility)
        }
        if !isHop { agenda.insert(operation, registry.visibility) }
        arrive(sequence, begun: begun)
        if operation.operation == .deleteRegistration, let life = life(of: operation) {
            noteEnd(of: lives[life].shared, by: operation)
        }
    }

    /// A deletion is noted at once: responses to other households may be about the same letters.
    private func noteEnd(of life: SharedLife, by operation: Observed) {
        guard operation.effect == .success || operation.effect == .open else { return }
        let isDeleted = life.over < life.high
        if isDeleted || life.endCalled < operation.call || life.low < operation.ret {
            // Of two deletions either may have been the second.
            registry.codes.noteStrayDeletion(
                of: life.code, by: household, from: operation.call,
                to: isDeleted ? max(operation.ret, life.over) : operation.ret)
        }
        if operation.effect == .success { life.over = min(life.over, operation.ret) }
    }

    /// The household signs in with that account.
    func hold(_ account: UInt64, _ tag: Tag, at call: Int64) {
        let hasProfiles = profiles != nil
        registry.accounts.hold(account, by: household, at: call, hasProfiles: hasProfiles)
        guard registry.knowsUsers || registry.inventsLogins else { return }
        registry.accounts.hold(
            Self.bare(tag.user), by: household, at: call, hasProfiles: hasProfiles)
    }

    /// Who answered, and what stood between.
    private func noteWay(of exchange: UnsafePointer<Exchange>, _ operation: inout Observed) {
        let now = exchange.pointee.ended.nanoseconds
        // A login's hops go to providers as well, which are no part of the service.
        let isService = operation.operation.isThrottled && operation.operation != .authenticate
        // A gateway that turns down what comes too often answers by itself (rest-v1.md § 14).
        let isOfGateway = exchange.pointee.outcome == .throttled
        let way = exchange.pointee.evidence.fields.withUnsafeBufferPointer { fields in
            let way = AnswerWay(fields)
            if let server = way.server, isService, !isOfGateway {
                registry.changes.see(server: fields[server].value, at: now)
            }
            return way
        }
        operation.flags.formUnion(way.flags)
        if isService { registry.changes.see(address: exchange.pointee.route.remote, at: now) }
        // What a cache, a proxy or a front answered by itself tells the time of that machine.
        let isOwn = operation.flags.isDisjoint(with: [.edge, .proxied])
        // What is the same for all is often kept by somebody.
        let isTold = !isOfGateway && operation.operation != .configuration
        if isService, isOwn, isTold, way.date > 0, operation.effect.isAnswer {
            registry.clock.add(
                date: way.date, of: operation.operation, between: operation.call,
                and: operation.ret,
                household: household, sequence: Int(operation.sequence))
        }
    }

    /// A device asks about its newest code over and over.
    private func mark(of code: String) -> UInt64 {
        if let newest = lives.indices.last, lives[newest].text == code {
            return lives[newest].mark
        }
        return Checker.mark(code)
    }

    private mutating func number(of resource: String) -> UInt8 {
        if let known = resources.firstIndex(where: { $0 == resource }) { return UInt8(known) }
        guard resources.count < Int(ModelOperation.none) else { return ModelOperation.none }
        resources.append(resource)
        return UInt8(resources.count - 1)
    }

    /// The mark of the account that a sign-in is with, which gets a number. `login` is given where the
    /// tag has the user that the accounts file names beside it.
    mutating func noteAccount(_ tag: Tag, login: String?) -> UInt64 {
        let mvpd = Checker.mark(tag.mvpd)
        let name = Tag(mvpd: tag.mvpd, user: login ?? tag.user)
        let mark = Checker.mark(name.user, mvpd)
        guard tags.count < DeviceState.tags, !tags.contains(where: { $0.mark == mark }) else {
            return mark
        }
        var seen = TagSeen(mark: mark, mvpd: mvpd, user: Checker.mark(name.user))
        if registry.knowsUsers {
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
    mutating func noteShown(_ tag: Tag, at ret: Int64) -> UInt64 {
        let (mvpd, user) = (Checker.mark(tag.mvpd), Checker.mark(tag.user))
        let mark = Checker.mark(tag.user, mvpd)
        if registry.knowsUsers, tags.contains(where: { $0.mark == mark }) { return mark }
        if let known = strangers.firstIndex(where: { $0.seen.mark == mark }) {
            strangers[known].ret = min(strangers[known].ret, ret)
        } else if strangers.count < 64 {
            let seen = TagSeen(mark: mark, mvpd: mvpd, user: user)
            strangers.append(Stranger(seen: seen, name: tag, ret: ret))
        }
        return mark
    }
}
