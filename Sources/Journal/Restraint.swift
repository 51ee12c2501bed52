internal import Dialects

/// What kept a run from sending all that its rig asks for: requests held back by a ceiling, households
/// that waited for an account, hosts that it may not reach.
public struct Restraint: Sendable, Hashable {
    /// Requests that left later because of a ceiling (`max-rate`).
    public var heldBack: Int
    public var longestHold: Duration
    /// Households that waited for an account of a file until others gave theirs back.
    public var accountWaits: Int
    public var longestAccountWait: Duration
    /// One sentence for each host that was met and may not be reached, with the line to paste; in
    /// alphabetical order.
    public var refusals: [String]

    /// More hosts than this are not listed: a service that makes them up must not fill the memory.
    private static let limit = 50

    public init(
        heldBack: Int = 0, longestHold: Duration = .zero, accountWaits: Int = 0,
        longestAccountWait: Duration = .zero, refusals: [String] = []
    ) {
        self.heldBack = heldBack
        self.longestHold = longestHold
        self.accountWaits = accountWaits
        self.longestAccountWait = longestAccountWait
        self.refusals = refusals
    }

    mutating func add(_ held: HeldBack) {
        heldBack += held.count
        longestHold = max(longestHold, held.longest)
        accountWaits += held.accountWaits
        longestAccountWait = max(longestAccountWait, held.longestAccountWait)
    }

    mutating func add(_ exchange: Exchange) {
        guard case .refused(let error) = exchange.delivery, error.kind == .hostNotAllowed,
            refusals.count < Self.limit, !refusals.contains(error.detail)
        else { return }
        refusals.append(error.detail)
        refusals.sort()
    }

    /// Adds that of another shard.
    mutating func merge(_ other: Restraint) {
        heldBack += other.heldBack
        longestHold = max(longestHold, other.longestHold)
        accountWaits += other.accountWaits
        longestAccountWait = max(longestAccountWait, other.longestAccountWait)
        for refusal in other.refusals
        where refusals.count < Self.limit && !refusals.contains(refusal) {
            refusals.append(refusal)
        }
        refusals.sort()
    }
}
