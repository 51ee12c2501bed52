internal import Vocabulary

/// One key of the rules in a history's header (`Rules.texts`). A key is never given another meaning:
/// it ends with a version (`until`), and another begins (`since`).
struct RuleKey: Sendable {
    enum Occurs: Sendable { case once, atMostOnce, anyNumber }

    let name: String
    /// The first version of the rules that has it.
    let since: Int
    /// The first version that has it no more.
    let until: Int?
    let occurs: Occurs
    /// Its values, without the key.
    let write: @Sendable (Rules) -> [String]
    /// False where that is no value of it.
    let read: @Sendable (inout Rules, String) -> Bool
    /// Sets what screenrig judged by before `since`.
    let before: @Sendable (inout Rules) -> Void

    init(
        _ name: String, since: Int = 1, until: Int? = nil, _ occurs: Occurs = .once,
        write: @escaping @Sendable (Rules) -> [String],
        read: @escaping @Sendable (inout Rules, String) -> Bool,
        before: @escaping @Sendable (inout Rules) -> Void = { _ in }
    ) {
        (self.name, self.since, self.until, self.occurs) = (name, since, until, occurs)
        (self.write, self.read, self.before) = (write, read, before)
    }

    /// In the order in which headers have them.
    static let all: [RuleKey] = [
        word("code-reuse", \.policies.codeReuse), word("new-code", \.policies.newCode),
        word("second-sign-in", \.policies.secondSignIn),
        word("media-reuse", \.policies.mediaReuse), flag("gone-decays", \.policies.goneDecays),
        duration("visibility_ns", \.policies.visibility),
        duration("sweep_lag_ns", \.policies.sweepLag),
        duration("clock_tolerance_ns", \.policies.clockTolerance),
        duration("unknown_deadline_ns", \.policies.unknownDeadline), throttle,
        word("promises", \.promises.level), known, flag("knows-users", \.knowsUsers),
        flag("devices-are-fresh", \.devicesAreFresh),
        // Until then a sign-in had the whole settle phase to be seen.
        duration("settle_ns", until: 2, \.delivery),
        duration("delivery_ns", since: 2, \.delivery),
        duration("shortest_sign_in_ns", \.shortestSignIn),
        flag("records-outlive-tokens", \.recordsOutliveTokens),
        word("throttled-by", \.throttledBy),
        RuleKey("started_us") {
            ["\($0.startedMicroseconds)"]
        } read: { rules, value in
            guard let time = Int64(value) else { return false }
            rules.startedMicroseconds = time
            return true
        },
        RuleKey("code_lifetime_ns", .atMostOnce) { rules in
            rules.codeLifetime.map { ["\($0.inNanoseconds)"] } ?? []
        } read: { rules, value in
            rules.codeLifetime = span(value)
            return rules.codeLifetime != nil
        },
        degradation, deviceGrant, inventsLogins, householdsOfHome, appsOfDevice, oneShard, shards,
        shardClock,
        shardPart,
    ]

    // MARK: Kinds of values

    private typealias KeyPlace<Value> = WritableKeyPath<Rules, Value> & Sendable

    private static func word<Word: RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ place: KeyPlace<Word>
    ) -> RuleKey {
        RuleKey(name) {
            [$0[keyPath: place].rawValue]
        } read: { rules, value in
            guard let word = Word(rawValue: value) else { return false }
            rules[keyPath: place] = word
            return true
        }
    }

    private static func flag(_ name: String, _ place: KeyPlace<Bool>) -> RuleKey {
        RuleKey(name) {
            ["\($0[keyPath: place])"]
        } read: { rules, value in
            guard let flag = Bool(value) else { return false }
            rules[keyPath: place] = flag
            return true
        }
    }

    private static func duration(
        _ name: String, since: Int = 1, until: Int? = nil, _ place: KeyPlace<Duration>
    ) -> RuleKey {
        RuleKey(name, since: since, until: until) {
            ["\($0[keyPath: place].inNanoseconds)"]
        } read: { rules, value in
            guard let span = span(value) else { return false }
            rules[keyPath: place] = span
            return true
        }
    }

    private static func span(_ value: String) -> Duration? {
        guard let nanoseconds = Int64(value), nanoseconds >= 0 else { return nil }
        return .nanoseconds(nanoseconds)
    }

    // MARK: Keys of their own form

    /// `1000000000:10`, nanoseconds for one request and the burst, or `none`.
    private static let throttle = RuleKey("throttle") { rules in
        [rules.policies.throttle.map { "\($0.every.inNanoseconds):\($0.burst)" } ?? "none"]
    } read: { rules, value in
        if value == "none" {
            rules.policies.throttle = nil
            return true
        }
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let every = Int64(parts[0]), every > 0, let burst = Int(parts[1]),
            burst >= 0
        else { return false }
        rules.policies.throttle = Policies.Throttle(every: .nanoseconds(every), burst: burst)
        return true
    }

    // Of a merged run. Each of the three keys adds to the map, in this order.

    /// `8:1`, the number of shards and the households of a home.
    private static let shards = RuleKey("shards", .atMostOnce) { rules in
        rules.shards.map { ["\($0.count):\($0.homeSize)"] } ?? []
    } read: { rules, value in
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...100_000).contains(count),
            let size = Int(parts[1]), (1...1_000).contains(size)
        else { return false }
        rules.shards = ShardMap(count: count, homeSize: size, parts: [], clocks: [])
        return true
    }

    /// `2500000`, a bound of the error of a machine's clock in nanoseconds, or `unknown`.
    private static let shardClock = RuleKey("shard-clock", .anyNumber) { rules in
        (rules.shards?.clocks ?? []).map { $0.map { "\($0)" } ?? "unknown" }
    } read: { rules, value in
        let error = Int64(value)
        guard let map = rules.shards, error.map({ $0 >= 0 }) ?? (value == "unknown"),
            map.clocks.count < 100_000
        else { return false }
        rules.shards = ShardMap(
            count: map.count, homeSize: map.homeSize, parts: map.parts,
            clocks: map.clocks + [error])
        return true
    }

    /// `3:0:0:1`, the shard, when it began in nanoseconds of the run, its target and its clock.
    private static let shardPart = RuleKey("shard-part", .anyNumber) { rules in
        (rules.shards?.parts ?? []).map { "\($0.shard):\($0.from):\($0.target):\($0.clock)" }
    } read: { rules, value in
        let numbers = value.split(separator: ":", omittingEmptySubsequences: false)
            .map { Int64($0) }
        guard let map = rules.shards, numbers.count == 4, let shard = numbers[0],
            let from = numbers[1], let target = numbers[2], let clock = numbers[3],
            (0..<Int64(map.count)).contains(shard), from >= 0, (0..<100_000).contains(target),
            (0..<Int64(map.clocks.count)).contains(clock), map.parts.count < 100_000
        else { return false }
        let part = ShardMap.Part(
            shard: Int(shard), from: from, target: Int(target), clock: Int(clock))
        rules.shards = ShardMap(
            count: map.count, homeSize: map.homeSize, parts: map.parts + [part],
            clocks: map.clocks)
        return true
    }

    /// `2`; where each household is a home there is none.
    private static let householdsOfHome = RuleKey("households-of-home", .atMostOnce) { rules in
        rules.householdsOfHome > 1 ? ["\(rules.householdsOfHome)"] : []
    } read: { rules, value in
        guard let count = Int(value), count > 1 else { return false }
        rules.householdsOfHome = count
        return true
    }

    /// `2`; where each household is a device there is none.
    private static let appsOfDevice = RuleKey("apps-of-device", .atMostOnce) { rules in
        rules.appsOfDevice > 1 ? ["\(rules.appsOfDevice)"] : []
    } read: { rules, value in
        guard let count = Int(value), count > 1 else { return false }
        rules.appsOfDevice = count
        return true
    }

    /// Of other protocols there is none.
    private static let deviceGrant = mark("device-grant", \.isDeviceGrant)
    /// `true` for a shard; absent for whole and merged runs.
    private static let oneShard = RuleKey("one-shard", .atMostOnce) { rules in
        rules.part == .shard ? ["true"] : []
    } read: { rules, value in
        rules.part = value == "true" ? .shard : nil
        return value == "true"
    }
    /// Where accounts are listed, or the service is a stand-in of the run's own, there is none.
    private static let inventsLogins = mark("invents-logins", \.inventsLogins)

    /// `true`, or none.
    private static func mark(_ name: String, _ place: KeyPlace<Bool>) -> RuleKey {
        RuleKey(name, .atMostOnce) { rules in
            rules[keyPath: place] ? ["true"] : []
        } read: { rules, value in
            rules[keyPath: place] = value == "true"
            return rules[keyPath: place]
        }
    }

    /// `1000000000:60000000000:DemoCable`, from and until in nanoseconds, and the provider.
    private static let degradation = RuleKey("degradation", .anyNumber) { rules in
        rules.degradations.map {
            "\($0.from.inNanoseconds):\($0.until.inNanoseconds):\($0.mvpd)"
        }
    } read: { rules, value in
        let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let from = span(String(parts[0])),
            let until = span(String(parts[1])), !parts[2].isEmpty
        else { return false }
        rules.degradations.append(
            Rules.Degradation(mvpd: String(parts[2]), from: from, until: until))
        return true
    }

    /// `one-owner;poll-token;2026-12-15;AUTH-1`: invariant, operation and last day, which may be
    /// empty, and the ticket.
    private static let known = RuleKey("known", .anyNumber) { rules in
        rules.known.map {
            "\($0.invariant.name);\($0.operation?.name ?? "");\($0.until ?? "");\($0.ticket)"
        }
    } read: { rules, value in
        let parts = value.split(separator: ";", maxSplits: 3, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 4, let invariant = Invariant(name: parts[0]) else { return false }
        let operation = OperationName(name: parts[1])
        guard operation != nil || parts[1].isEmpty else { return false }
        rules.known.append(
            KnownViolation(
                invariant: invariant, operation: operation, ticket: parts[3],
                until: parts[2].isEmpty ? nil : parts[2]))
        return true
    }
}
