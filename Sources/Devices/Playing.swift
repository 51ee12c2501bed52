internal import Dialects
internal import Journal
internal import Lanes

/// What a TV asks before it plays: may it (Z3), and the token that the player takes (Z5). A TV that
/// records, or shows several pictures, does so for several resources at the same time.
extension Household {
    func authorize(_ resource: String, on screen: Screen) async throws(Halt) {
        let answered = try await ask(screen) { terms.dialect.authorize(resource, $0) }
        guard case .done = answered.answer else { throw .refused(answered) }
    }

    /// All resources, each from its authorization to its media token on a connection of its own. All
    /// come to their end before the first that was refused is told.
    func playAtOnce() async throws(Halt) {
        _ = try await credential(of: tv)
        let app = App(of: tv)
        for player in players { app.install(on: player) }
        var halts = [Halt?](repeating: nil, count: players.count)
        await withTaskGroup(of: (Int, Halt?).self) { group in
            for position in players.indices {
                group.addTask { (position, await self.play(position)) }
            }
            for await (position, halt) in group { halts[position] = halt }
        }
        if let halt = halts.lazy.compactMap(\.self).first { throw halt }
        reach(.playing)
    }

    private func play(_ position: Int) async -> Halt? {
        let (player, resource) = (players[position], terms.resources[position])
        do throws(Halt) {
            try await authorize(resource, on: player)
            try await optional(on: player) { terms.dialect.authorizationToken(resource, $0) }
            try await optional(on: player) { terms.dialect.mediaToken(resource, $0) }
            return nil
        } catch {
            return error
        }
    }
}
