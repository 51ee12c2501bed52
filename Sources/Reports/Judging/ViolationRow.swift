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

    /// The requests whose responses those are, as `household/sequence`.
    var requests: [String] = []

    /// Ids that responses to several requests have, sorted: a service names each of its own anew, so that some of them may
    /// have been stored and repeated on the way. None where all have one: that is the rig's, given back.
    static func repeatedIDs(_ rows: [ViolationRow]) -> [String] {
        var requests: [String: Set<String>] = [:]
        for row in rows {
            for (id, request) in zip(row.requestIDs, row.requests) {
                requests[id, default: []].insert(request)
            }
        }
        guard requests.count > 1 else { return [] }
        return requests.filter { $0.value.count > 1 }.keys.sorted()
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
            let named = own.filter { $0.requestID != nil }
            return ViolationRow(
                requestIDs: named.map { Sanitizer.line($0.requestID ?? "", limit: 120) },
                remotes: remotes.map { Sanitizer.line($0) },
                links: own.last.map { links.links(of: $0) } ?? [],
                requests: named.map { "\($0.device.household)/\($0.sequence)" })
        }
    }
}
