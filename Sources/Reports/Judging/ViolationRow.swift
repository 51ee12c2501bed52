internal import Checker
internal import Journal
public import Rendering

/// Where the exchanges of a violation can be found in the service's own records.
public struct ViolationRow: Sendable, Hashable {
    /// What the service called its answers (`X-Request-Id` and the like).
    public var requestIDs: [String]
    public var remotes: [String]
    /// To the tools of the server's team: those of the last exchange, which nothing explains.
    public var links: [PageLink] = []

    /// An id that several of the responses share: a service names each of its own anew, so that one of them may have been
    /// stored and repeated on the way. Nil where there is none.
    var repeatedID: String? {
        requestIDs.indices.first { requestIDs[..<$0].contains(requestIDs[$0]) }
            .map { requestIDs[$0] }
    }

    /// So many are looked up; the rest have no evidence beside them.
    private static let limit = 500
    /// One for each of the first violations, in their order.
    static func rows(
        _ findings: Findings?, _ history: some Recorded, _ links: ExchangeLinks
    ) throws -> [ViolationRow] {
        var lives: [Int: [Exchange]] = [:]
        return try (findings?.violations ?? []).prefix(limit).map { violation in
            let life: [Exchange]
            if let known = lives[violation.household] {
                life = known
            } else {
                life = try history.exchanges(household: violation.household)
                lives[violation.household] = life
            }
            let own = violation.exchanges.compactMap { number in
                life.first { $0.sequence == number }
            }
            var remotes: [String] = []
            for remote in own.map(\.route.remote) where !remote.isEmpty && !remotes.contains(remote)
            {
                remotes.append(remote)
            }
            return ViolationRow(
                requestIDs: own.compactMap { exchange in
                    exchange.requestID.map { Sanitizer.line($0, limit: 120) }
                },
                remotes: remotes.map { Sanitizer.line($0) },
                links: own.last.map { links.links(of: $0) } ?? [])
        }
    }
}
