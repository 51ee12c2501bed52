internal import Journal

/// When this machine was slower than the margin that a truth reckons with. The stand-in knows when it
/// answered, not when the answer was read nor when the next request had been sent: over sockets, on a
/// machine that does other things as well, two answers that it gave 6 ms apart may be one moment to
/// those who asked.
struct Hurry: Sendable {
    private struct TimedCall: Sendable {
        var sequence: Int
        var sent: Instant
        var ended: Instant
    }

    private var calls: [Int: [TimedCall]] = [:]

    /// Half the margin: one way there and one back.
    private static let limit: Duration = .milliseconds(3)
    /// What was answered so long before may have been what the answer is held against.
    private static let reach: Duration = .milliseconds(50)

    mutating func note(_ exchanges: [Exchange]) {
        for exchange in exchanges {
            calls[exchange.device.household, default: []].append(
                TimedCall(sequence: exchange.sequence, sent: exchange.sent, ended: exchange.ended))
        }
    }

    /// Whether nothing of that household was slow shortly before the answer that showed a strike.
    func bears(out event: Strike) -> Bool {
        guard let household = event.household, let own = calls[household],
            let sequence = event.exchange?.split(separator: "/").last.flatMap({ Int($0) }),
            let call = own.first(where: { $0.sequence == sequence })
        else { return true }
        return own.allSatisfy { other in
            other.ended - other.sent < Self.limit || other.ended + Self.reach < call.sent
                || other.sent > call.ended
        }
    }
}
