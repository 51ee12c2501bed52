internal import Statistics

/// The request that the service draws for. In virtual time everything drawn (ids, codes, whether a fault
/// acts) is a pure function of the seed and of this key, and not of the order in which households come: a
/// household is the same alone, in a part of a plan, on one of several lanes and in the whole plan.
///
/// ```text
/// seed ── household ── request ── deed ─┬─ records
///                                       ├─ codes, secrets, responses
///                                       └─ each fault's chance
/// ```
///
/// Over sockets there is no key: the service draws in the order of requests then.
public struct DrawKey: Hashable, Sendable {
    /// Its number in the whole plan.
    public let household: Int
    /// Counts the household's requests from 1.
    public let request: Int
    /// 0 for the request itself; else which of the things that it put off.
    private(set) var deed = 0

    public init(household: Int, request: Int) {
        self.household = household
        self.request = request
    }

    /// The key of what a request (or a deed) puts off as its `position`-th effect.
    func deed(_ position: Int) -> DrawKey {
        var key = self
        key.deed = deed &* 16 &+ position &+ 1
        return key
    }

    /// The seed of everything that is drawn for it.
    func seed(_ seed: Seed) -> Seed {
        seed.child("household", household).child("request", request << 16 ^ deed)
    }
}

/// Numbers below 2^`bits`, each once, in an order that looks drawn: a Feistel network with four rounds, which
/// is a permutation whatever its rounds compute (Luby and Rackoff 1988).
///
/// Codes come from it, because a million households draw from 36^7 codes: by chance, six pairs of them
/// would be alike. A service redraws then, so that what one household gets would depend on another, and two lanes,
/// each with a service of its own, would not notice.
struct Permutation: Sendable {
    private let half: UInt64
    private let keys: (UInt64, UInt64, UInt64, UInt64)

    /// `bits` must be even, and at most 62.
    init(bits: Int, seed: Seed) {
        half = UInt64(bits / 2)
        var dice = seed.generator()
        keys = (dice.next(), dice.next(), dice.next(), dice.next())
    }

    /// The number in the place of `number`, of which the lower bits count.
    func callAsFunction(_ number: UInt64) -> UInt64 {
        let mask: UInt64 = 1 << half - 1
        var (left, right) = (number >> half & mask, number & mask)
        for key in [keys.0, keys.1, keys.2, keys.3] {
            var dice = Dice(Seed(right ^ key))
            (left, right) = (right, left ^ dice.next() & mask)
        }
        return left << half | right
    }
}
