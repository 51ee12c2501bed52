internal import Formats
internal import Rigs
internal import Statistics

/// What somebody who does not believe a case would say, and the exchange or the control that answers
/// it. Only what the case really shows is claimed.
enum Alternatives {
    static func considered(_ made: Case) -> [Case.Alternative] {
        [
            clientClock(made), lateAnswer(made), otherDevice(made), proxy(made), chance(made),
            judge(made),
        ]
        .compactMap(\.self)
    }

    /// "Your two clocks differ."
    private static func clientClock(_ made: Case) -> Case.Alternative? {
        guard let (first, second) = made.conflict else { return nil }
        return Case.Alternative(
            "the clocks of the two screens differ",
            ruledOutBy:
                "one process sent both requests and used one monotonic clock: \(first.named) was "
                + "answered at \(milliseconds(first.firstByte)), \(second.named) was sent at "
                + milliseconds(second.sent)
        )
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        "\(DecimalText.fixed(Double(nanoseconds) / 1e6, 3)) ms"
    }

    /// "It was sent before, and only answered late."
    private static func lateAnswer(_ made: Case) -> Case.Alternative? {
        guard let (first, second) = made.conflict, second.sent > first.firstByte else { return nil }
        let gap = Offsets.text(.nanoseconds(second.sent - first.firstByte)).dropFirst()
        return Case.Alternative(
            "\(second.named) was already in flight when \(first.named) took effect",
            ruledOutBy:
                "the last byte of \(second.named) was sent \(gap) after the first byte of the "
                + "response to \(first.named) had arrived")
    }

    /// "It is another device's, or a leftover."
    private static func otherDevice(_ made: Case) -> Case.Alternative? {
        guard let issued = made.trial?.exchanges.first(where: { $0.operation.issuesCode })
        else { return nil }
        // Accounts of a file go from trial to trial.
        let accounts = !ReplayPermission.readsAccounts(made.rig.source)
        return Case.Alternative(
            "the response is about an older sign-in of the same device"
                + "\(accounts ? ", account" : "") or code",
            ruledOutBy:
                "every trial uses a new device id\(accounts ? ", code and account" : " and code"); "
                + "\(issued.named) created the "
                + "code "
                + "\(issued.serverDate.isEmpty ? "" : "at \(issued.serverDate) ")in this one")
    }

    private static func proxy(_ made: Case) -> Case.Alternative? {
        guard let path = made.path else {
            return Case.Alternative(
                "a proxy or cache in front of the service repeated or delayed a request",
                ruledOutBy:
                    "no proxy is configured, and each raced request used a connection of its own")
        }
        guard let (first, second) = made.conflict, second.sent > first.firstByte else { return nil }
        let gap = Duration.nanoseconds(second.sent - first.firstByte)
        guard gap > path.width else { return nil }
        return Case.Alternative(
            "the delay through \(path.via) varies",
            ruledOutBy:
                "it varies by \(Offsets.text(path.width).dropFirst()), and \(second.named) was "
                + "sent \(Offsets.text(gap).dropFirst()) after the response to "
                + "\(first.named) had arrived")
    }

    private static func chance(_ made: Case) -> Case.Alternative? {
        guard let outside = made.controls.outside, outside.rate.trials > 0, outside.fisher < 0.05,
            let rate = made.evidence?.rate
        else { return nil }
        return Case.Alternative(
            "it happens at any offset",
            ruledOutBy:
                "\(outside.rate.hits) of \(outside.rate.trials) at \(Offsets.text(outside.offset)) "
                + "against \(rate.hits) of \(rate.trials) in the window: Fisher's exact test gives "
                + Case.exponent(outside.fisher))
    }

    private static func judge(_ made: Case) -> Case.Alternative? {
        guard let clean = made.controls.clean, clean.rate.trials > 0, clean.rate.hits == 0 else {
            return nil
        }
        let latency =
            made.controls.latency.map { " that responds after \(Offsets.text($0).dropFirst())" }
            ?? ""
        return Case.Alternative(
            "the checker is wrong about this schedule",
            ruledOutBy:
                "0 of \(clean.rate.trials) on a stand-in without faults\(latency)")
    }
}

extension Case {
    /// The two whose distance is the story: those as far apart as the judge says, or else the last
    /// that came one after the other.
    var conflict: (first: Entry, second: Entry)? {
        let hits = (trial?.exchanges.filter { $0.isConflict && !$0.isOpen } ?? [])
            .sorted { $0.sent < $1.sent }
        var pairs: [(first: Entry, second: Entry)] = []
        for (position, second) in hits.enumerated() {
            for first in hits[..<position] where first.firstByte <= second.sent {
                pairs.append((first, second))
            }
        }
        if let gap = expected.gap,
            let pair = pairs.last(where: {
                abs($0.second.sent - $0.first.firstByte - gap.nanoseconds) <= 1_000
            })
        {
            return pair
        }
        return pairs.last
    }
}

extension Case.Entry {
    /// `poll-token #7`.
    var named: String { "\(operation.name) #\(sequence)" }
}
