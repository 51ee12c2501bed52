internal import Foundation
package import Rigs
internal import Standin
internal import Vocabulary

extension Rig {
    /// Why this rig runs on one lane in virtual time; nil where its households may be dealt out to several.
    ///
    /// Lanes share nothing: each has a clock, a network and a service of its own. That is the same as one lane as long
    /// as no household notices another, neither in the service nor in the rig. Everything by which one does is here:
    ///
    /// | households meet by | |
    /// |---|---|
    /// | `max-rate`, rates in `allow` | a queue of requests; a part of the rate for each lane would change who waits |
    /// | `breaker` | errors are counted over all |
    /// | a closed load | who comes next hangs on who has ended |
    /// | `clients: shared` | the first registers, the others wait for it |
    /// | `accounts` from a file | lent, and given back |
    /// | a throttle, and addresses that several homes have | one bucket for all of them |
    /// | `load.settle: 0s` | polls end at the instant at which the last viewer is done |
    /// | faults of the kind `FaultKind.meetsOthers` | what one does shows in another |
    ///
    /// Not here, for each household has its own: draws (`DrawKey`), throttle buckets of its address, replicas behind
    /// a balancer, homes of two households (both are on one lane), times of `degradations`, marks of `events`.
    package var whyOneLane: String? {
        let courtesy = target.courtesy
        if courtesy.rates(onLoopback: true).holdsBack {
            return
                "target.max-rate and the rates of target.allow hold requests of all households in one queue"
        }
        if courtesy.breaker(onLoopback: true) != nil {
            return "target.breaker counts the errors of all households"
        }
        if case .closed = load {
            return "a closed load starts a household when another ends"
        }
        if case .shared = target.clients {
            return "target.clients: shared has one client for all households"
        }
        if case .listed = accounts {
            return "accounts from a file are lent from one household to the next"
        }
        if standin.policies.throttle != nil, sharesAddresses {
            return
                "the throttle has one bucket for households that share an address (forwarded-for)"
        }
        if load.settle == .zero {
            return "load.settle is 0s, so that polls end with the last viewer of all"
        }
        return faults.lazy.compactMap { term in
            guard let fault = try? Fault(parsing: term.text), fault.kind.meetsOthers else {
                return nil
            }
            return "the fault \(fault.kind.name) shows one household what another did"
        }.first
    }

    /// Lanes of a run in virtual time: those asked for, or as many as do it good. Throws where the rig cannot have so
    /// many.
    package func virtualLanes(asked: Int?) throws(RunError) -> Int {
        guard let asked else { return usualVirtualLanes }
        if asked > 1, let reason = whyOneLane {
            throw .badInput(
                "--lanes \(asked): this rig runs on one lane in virtual time, because \(reason); leave --lanes out"
            )
        }
        return max(1, asked)
    }

    /// Whether two homes may have one address.
    private var sharesAddresses: Bool {
        switch forwardedFor {
        case .perHousehold, .perDevice: false
        case .listed: repeatsAddresses
        case .none: true
        }
    }

    /// Lanes of a run in virtual time where the command asks for no number: those of the rig, or one for each core, but
    /// no more than there are households to make them worth a thread.
    private var usualVirtualLanes: Int {
        guard whyOneLane == nil else { return 1 }
        if let lanes { return lanes }
        let households = Plan(self, seed: seed).households ?? 0
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return max(1, min(cores, Self.lanesAtMost, households / Self.householdsForLane))
    }

    /// More than these are seldom worth their threads: journal and judge have two for all lanes.
    private static let lanesAtMost = 8
    private static let householdsForLane = 50

    /// How far virtual lanes may be apart: what they hand over waits in memory until all have passed it (some two
    /// exchanges of each household, which holds 62 KB itself), and within `load.settle` every lane must know of the
    /// others whether a viewer may still sign in. The narrower it is, the more often a lane waits.
    var laneWindow: Duration {
        min(.seconds(2), max(.zero, load.settle - .nanoseconds(1)))
    }
}
