public import Journal
internal import Statistics

// What a reader must know about requests that were held back, and about households that had signed
// in before the run began.
extension Summary {
    static func holds(_ restraint: Restraint) -> [String] {
        guard restraint.heldBack > 0 else { return [] }
        let many = restraint.heldBack != 1
        let longest = Figures.time(milliseconds: restraint.longestHold.milliseconds)
        return [
            "\(Figures.counted(restraint.heldBack, "request")) \(many ? "were" : "was") held back by "
                + "max-rate or the ramp of new connections, \(many ? "the longest " : "")for "
                + "\(longest): the load was gentler than the rig asks for; times count from when a "
                + "request might leave"
        ]
    }

    /// Where each device has a limit of its own there is nothing to know.
    static func throttling(_ key: ThrottleKey?) -> [String] {
        guard let key, key != .forwardedAddress else { return [] }
        return [key.note]
    }

    /// Throttling is no error, and a run in which much was throttled is still another one.
    static func slowings(_ sum: Cell) -> [String] {
        let count = sum[.throttled]
        guard count > 0 else { return [] }
        let one = count == 1
        return [
            "\(Figures.counted(count, "request")) of \(Figures.count(sum.sent)) \(one ? "was" : "were") throttled "
                + "(429); the device waited and sent \(one ? "it" : "each") again"
        ]
    }

    static func preSignIns(_ households: Households) -> [String] {
        guard households.preSignedIn > 0 else { return [] }
        let one = households.preSignedIn == 1
        return [
            "\(Figures.counted(households.preSignedIn, "household")) found \(one ? "itself" : "themselves") "
                + "signed in on arrival, by an earlier run with the same device ids; \(one ? "it is" : "they are") "
                + "in no sign-in time (identities: per-run avoids it)"
        ]
    }
}

extension ThrottleKey {
    /// What a preflight found, as a sentence: what it means for a run, and the ways out where it
    /// spoils one.
    public var note: String {
        switch self {
        case .forwardedAddress:
            "the service throttles by X-Forwarded-For: each device has a limit of its own"
        case .device:
            "the service throttles by device, not by X-Forwarded-For: each device has a limit of its own all the "
                + "same, and throttle-contract is not judged"
        case .peerAddress:
            "the service throttles by the address that requests come from, not by X-Forwarded-For: all devices of "
                + "this run share one limit, times are those of waiting for it, and throttle-contract is not judged. "
                + "Ways out: have the service trust X-Forwarded-For from this machine (forwarded-for: per-device "
                + "sends one for each device), stay below the limit with target.max-rate, or send from several "
                + "addresses (source-addresses)"
        case .nothing:
            "the service throttled nothing in the preflight: throttle-contract is not judged"
        case .unknown:
            "the preflight could not find out what the service throttles by: throttle-contract is not judged "
                + "(target.probe: off leaves it out)"
        }
    }
}
