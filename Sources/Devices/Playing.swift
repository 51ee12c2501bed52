internal import Dialects
internal import Journal
internal import Lanes

/// What a TV asks before it plays: may it (Z3), and the token that the player takes (Z5); in REST V2 both
/// are one answer (Z2). A TV that
/// records, or shows several pictures, does so for several resources at the same time.
extension Household {
    func authorize(_ resource: String, on screen: Screen) async throws(StopReason) {
        let answered = try await askIfKnown(screen) { dialect.authorize(resource, $0) }
        switch answered?.answer {
        case .done, .media, nil:
            denied.remove(resource)
            hasAuthorized = true
            authorizedUntil[resource] = answered.flatMap { end(of: $0) }
        case .notEntitled(let words): deny(resource, words)
        default: throw .refused(answered)
        }
    }

    /// Nothing for what the account may not watch, or where the protocol has no such step.
    func takeMediaToken(_ resource: String, on screen: Screen) async throws(StopReason) {
        guard !denied.contains(resource) else { return }
        try take(
            mediaToken: try await askIfKnown(screen) { dialect.mediaToken(resource, $0) }, resource)
    }

    private func take(mediaToken answered: Answered?, _ resource: String) throws(StopReason) {
        switch answered?.answer {
        case .done, .media, nil: return
        case .notEntitled(let words): deny(resource, words)
        default: throw .refused(answered)
        }
    }

    /// One program of a TV that stays on, on the next resource: an authorization where the last is over (rest-v1.md
    /// § 11, `expires` of Z3), and the player's token. Where the service ended the authorization earlier than it said,
    /// the TV asks for another, once. In REST V2 each program is a decision of its own (§ 7).
    func playProgram(_ number: Int) async throws(StopReason) {
        let resource = terms.resources[number % terms.resources.count]
        if hasSessions || (authorizedUntil[resource] ?? .start) <= lane.now {
            try await authorize(resource, on: tv)
        }
        guard !denied.contains(resource) else { return }
        var answered = try await askIfKnown(tv) { dialect.mediaToken(resource, $0) }
        switch answered?.exchange.observation.result {
        case .unauthorized, .expired:
            try await authorize(resource, on: tv)
            guard !denied.contains(resource) else { return }
            answered = try await askIfKnown(tv) { dialect.mediaToken(resource, $0) }
        default: break
        }
        try take(mediaToken: answered, resource)
        if !isDenied { reach(.playing) }
    }

    /// The account may not watch this: the viewer reads so.
    func deny(_ resource: String, _ words: Untrusted) {
        denied.insert(resource)
        record.denials += 1
        noteRecord()
        note(.notEntitled, words)
    }

    /// There is nothing to play: the account may watch none of the rig's resources.
    var isDenied: Bool { !denied.isEmpty && terms.resources.allSatisfy(denied.contains) }

    /// All resources, each from its authorization to its media token on a connection of its own. All
    /// come to their end before the first that was refused is told.
    func playAtOnce() async throws(StopReason) {
        _ = try await credential(of: tv)
        let app = App(of: tv)
        for player in players { app.install(on: player) }
        var halts = [StopReason?](repeating: nil, count: players.count)
        await withTaskGroup(of: (Int, StopReason?).self) { group in
            for position in players.indices {
                group.addTask { (position, await self.play(position)) }
            }
            for await (position, halt) in group { halts[position] = halt }
        }
        if let halt = halts.lazy.compactMap(\.self).first { throw halt }
        if !isDenied { reach(.playing) }
    }

    private func play(_ position: Int) async -> StopReason? {
        let (player, resource) = (players[position], terms.resources[position])
        do throws(StopReason) {
            try await authorize(resource, on: player)
            guard !denied.contains(resource) else { return nil }
            let subject = Subject(resources: [resource])
            try await optional(on: player) {
                dialect.call(.authorizationToken, about: subject, $0)
            }
            try await takeMediaToken(resource, on: player)
            return nil
        } catch {
            return error
        }
    }
}
