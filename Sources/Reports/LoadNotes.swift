internal import Dialects
public import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

// What a reader must know about requests that were held back, and about households that had signed
// in before the run began.
extension Summary {
    static func holds(_ restraint: Restraint) -> [String] {
        ceilingHolds(restraint) + accountHolds(restraint)
    }

    private static func accountHolds(_ restraint: Restraint) -> [String] {
        guard restraint.accountWaits > 0 else { return [] }
        let many = restraint.accountWaits != 1
        let longest = Figures.time(milliseconds: restraint.longestAccountWait.milliseconds)
        return [
            "\(Figures.counted(restraint.accountWaits, "household")) waited for an account, "
                + "\(many ? "the longest " : "")for \(longest): the load was lower than the rig asks for. Add "
                + "accounts to accounts.file, or let several households use one (accounts.sharing, accounts.at-once)"
        ]
    }

    private static func ceilingHolds(_ restraint: Restraint) -> [String] {
        guard restraint.heldBack > 0 else { return [] }
        let many = restraint.heldBack != 1
        let longest = Figures.time(milliseconds: restraint.longestHold.milliseconds)
        return [
            "\(Figures.counted(restraint.heldBack, "request")) \(many ? "were" : "was") held back by "
                + "max-rate or the ramp of new connections, \(many ? "the longest " : "")for "
                + "\(longest): the load was lower than the rig asks for. Latencies start when a request "
                + "was allowed to leave"
        ]
    }

    /// Where each home or device has a limit of its own there is nothing to know.
    static func throttling(_ key: ThrottleKey?) -> [String] {
        guard let key, key != .forwardedAddress else { return [] }
        return [key.note]
    }

    /// Throttling is no error, and a run in which much was throttled is still another one.
    static func slowings(_ sum: Cell, _ throttling: ThrottlingSummary?) -> [String] {
        let count = sum[.throttled]
        guard count > 0 else { return [] }
        let one = count == 1
        return [
            "\(Figures.counted(count, "request")) of \(Figures.count(sum.sent)) \(one ? "was" : "were") throttled "
                + "(429); a device waits and asks again as long as it has tries and time left"
                + (throttling.map { ": " + $0.sentence } ?? "")
        ]
    }

    /// What real devices do without a word is no error, and worth mending all the same.
    static func resent(_ sum: Cell) -> [String] {
        let count = sum[.resent]
        guard count > 0 else { return [] }
        let one = count == 1
        return [
            "the service closed a kept connection under \(Figures.counted(count, "request")) of "
                + "\(Figures.count(sum.sent)), or said that it had not begun with \(one ? "it (408, or" : "them (408, or") "
                + "a refused stream of HTTP/2); \(one ? "it was" : "they were") sent again on a new one, as real "
                + "devices do, and \(one ? "is no error" : "are no errors"). Where such a "
                + "connection had been idle, a keep-alive timeout of service and load balancer that is longer than "
                + "the pauses between requests of a device (polling.every) avoids this"
        ]
    }

    /// The rig asks for HTTP/2 and was given something else.
    static func olderHTTP(_ versions: [String: Int]) -> [String] {
        let all = versions.values.reduce(0, +)
        let older = all - versions["2", default: 0]
        guard older > 0 else { return [] }
        return [
            "\(Figures.count(older)) of \(Figures.counted(all, "response")) came over HTTP/1.1, although target.http is 2: "
                + "what answers there did not offer HTTP/2 (ALPN); enable it there, or write http: 1.1"
        ]
    }

    /// Kept connections are the rig's default, and handshakes are part of latencies.
    static func freshConnections(_ fold: RunFold) -> [String] {
        let (made, sum) = (fold.sum(.connect).completed, fold.sum())
        guard fold.rig?.connections == .perDevice, made >= sum.completed,
            sum.completed >= max(leastResponses, 4 * fold.population.all.started)
        else { return [] }
        return [
            "no connection was used twice: \(Figures.count(made)) connections for \(Figures.counted(sum.sent, "request")), "
                + "because the server, or the proxy before it, closes each after a response (keep-alive is off); "
                + "latencies include the time to connect"
        ]
    }

    /// With so many, and with four for each household, devices have asked more than once.
    private static let leastResponses = 20

    /// What the percentiles hold besides answers. `isStopped`: the run was, so that requests which it cut off are more than
    /// those of a device that was switched off.
    static func unanswered(_ operations: [OperationRow], isStopped: Bool) -> [String] {
        func note(_ outcome: Outcome, _ what: String) -> String? {
            let parts = operations.compactMap { row -> String? in
                let lost = row.count(of: outcome)
                guard lost > 0 else { return nil }
                return "\(Figures.count(lost)) of \(Figures.count(row.count)) \(row.name)"
            }
            guard !parts.isEmpty else { return nil }
            return
                "no answer \(what): \(parts.joined(separator: ", ")). In latency and service time they count as "
                + "long as they were waited for"
        }
        return [
            note(.timeout, "within target.timeout"),
            isStopped ? note(.cutOff, "before the run was stopped") : nil,
        ].compactMap(\.self)
    }

    /// It is not known whether their first copies acted.
    static func secondCopies(_ fold: RunFold) -> [String] {
        OperationName.allCases.filter(\.endsSomething).compactMap { operation in
            let sum = fold.sum(operation)
            let count = min(sum[.pending], sum[.resent])
            guard count > 0 else { return nil }
            return
                "\(Figures.counted(count, "\(operation.name) request")) that \(count == 1 ? "was" : "were") sent "
                + "again found nothing left to end: the first copy may have acted, which nothing shows, so that "
                + "\(count == 1 ? "it is no error" : "they are no errors")"
        }
    }

    /// Why the requests are those that they are, where households arrived signed in.
    static func mix(_ operations: [OperationRow], _ households: Households) -> [String] {
        let asked = operations.filter { OperationName(name: $0.name)?.isOfConnection == false }
        let sent = asked.reduce(0) { $0 + $1.sent }
        guard households.preSignedIn > 0, sent > 0 else { return [] }
        let most = asked.sorted { ($1.sent, $0.name) < ($0.sent, $1.name) }.prefix(5)
        let shares = most.map { "\($0.name) \(Figures.percent(Double($0.sent) / Double(sent)))" }
        return [
            "request mix: \(shares.joined(separator: ", ")). \(Figures.count(households.preSignedIn)) of "
                + "\(Figures.counted(households.started, "household")) arrived signed in; codes, polls and logins are of "
                + "the \(Figures.count(households.started - households.preSignedIn)) others, and of whoever signed in "
                + "again"
        ]
    }

    static func preSignIns(
        _ households: Households, _ preparation: PreparationSummary?, atHome: Int
    ) -> [String] {
        let own = preparation?.signedIn ?? 0
        var sentences = preparation.map { [$0.sentence] } ?? []
        if atHome > 0 {
            let one = atHome == 1
            sentences.append(
                "\(Figures.counted(atHome, "household")) \(one ? "was" : "were") already signed in on arrival, by "
                    + "the first household of \(one ? "its" : "their") home (single-sign-on.shared-with); "
                    + "\(one ? "it has" : "they have") no sign-in time")
        }
        let others = households.preSignedIn - own - atHome
        guard others > 0 else { return sentences }
        let one = others == 1
        return sentences + [
            "\(Figures.counted(others, "household")) \(one ? "was" : "were") already signed "
                + "in on arrival, and \(one ? "has" : "have") no sign-in time: an earlier run had the same device ids (identities: "
                + "per-run avoids that), or the service returns a sign-in that is not theirs"
        ]
    }
}

extension ThrottleKey {
    /// What a preflight found, as a sentence: what it means for a run, and the ways out where it
    /// spoils one.
    public var note: String {
        switch self {
        case .forwardedAddress:
            "the service throttles by X-Forwarded-For: each home or device has a limit of its own, as forwarded-for says"
        case .device:
            "the service throttles by device, not by X-Forwarded-For: each device still has a limit of its own. "
                + "throttle-contract is not checked"
        case .peerAddress:
            "the service throttles by source address, not by X-Forwarded-For: all devices of this run share one "
                + "limit, latencies include waiting for it, and throttle-contract is not checked. What to do: "
                + "have the service trust X-Forwarded-For from this machine (forwarded-for: per-household sends one "
                + "for each home), stay below the limit with target.max-rate, or send from several addresses "
                + "(source-addresses)"
        case .nothing:
            "the service did not throttle in the preflight: throttle-contract is not checked"
        case .unknown:
            "the preflight could not determine how the service identifies a device when throttling: "
                + "throttle-contract is not checked (target.probe: off skips the preflight)"
        }
    }
}
