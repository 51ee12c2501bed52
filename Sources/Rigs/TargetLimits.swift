/// What a target may be burdened with: terms of `target:` that protect a service that is not ours.
public struct TargetLimits: Sendable, Hashable {
    /// A limit that has a default off loopback, and none on it.
    public enum Limit<Value: Sendable & Hashable>: Sendable, Hashable {
        /// The rig says nothing: `usual` off loopback, none on it.
        case usual
        case none
        case at(Value)
    }

    /// When a run is stopped because it does harm.
    public struct BreakerLimits: Sendable, Hashable {
        /// Share of errors among what ended, 0 to 1.
        public var errors: Double = 0.5
        /// How long the share must stay above.
        public var lasting: Duration = .seconds(10)
    }

    /// A ceiling of requests to one host of `allow:`.
    public struct HostRate: Sendable, Hashable {
        public var host: String
        public var rate: Rate
    }

    /// The default ceiling off loopback (rigs/reference.yaml, `max-rate`).
    public static let usualRate = Rate(perSecond: 20)

    /// Requests of the whole run.
    public var maxRate: Limit<Rate> = .usual
    public var breaker: Limit<BreakerLimits> = .usual
    public var hostRates: [HostRate] = []
    /// The ceiling that holds for a target that is, or is not, on this machine.
    public func ceiling(onLoopback: Bool) -> Rate? {
        maxRate.value(onLoopback ? nil : Self.usualRate)
    }

    /// The breaker that holds for a target that is, or is not, on this machine.
    public func breaker(onLoopback: Bool) -> BreakerLimits? {
        breaker.value(onLoopback ? nil : BreakerLimits())
    }
}

extension TargetLimits.Limit {
    fileprivate func value(_ usual: Value?) -> Value? {
        switch self {
        case .usual: usual
        case .none: nil
        case .at(let value): value
        }
    }
}

/// Addresses that a rig pins to a host, instead of asking the system for its name.
public struct PinnedHost: Sendable, Hashable {
    /// Who shares an address.
    public enum Spread: String, Sendable, CaseIterable {
        /// All screens of a household.
        case household
        /// Each screen has the next one.
        case screen
        /// Each request goes to the next one; needs `connections: fresh`.
        case request
    }

    /// Lower case.
    public var host: String
    /// Literal addresses, at least one.
    public var addresses: [String]
    public var spread: Spread = .household
}

extension TargetLimits.BreakerLimits: RigSection {
    static let blank = TargetLimits.BreakerLimits()
    static let keys: [Key<TargetLimits.BreakerLimits>] = [
        Key(
            "errors", .scalar(.share), into: \.errors,
            "Limit of the share of errors among completed requests."),
        Key(
            "for", .scalar(.duration), into: \.lasting,
            "How long the share must stay above the limit."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole, errors == 1 else { return }
        reader.refuse(
            marks["errors"].place,
            "errors: 100% can never be exceeded; write 'breaker: none' to disable the breaker")
    }
}

/// A host of `allow:`, with or without a ceiling of its own.
struct AllowedHost {
    var host: String
    var rate: Rate?

    var limit: TargetLimits.HostRate? {
        rate.map { TargetLimits.HostRate(host: host, rate: $0) }
    }
}

extension AllowedHost: RigSection {
    static let blank = AllowedHost(host: "")
    static let keys: [Key<AllowedHost>] = [
        Key(
            "host", .scalar(.host), into: \.host, required: true, example: "idp.mvpd.example",
            "The host."),
        Key(
            "max-rate", .scalar(.rate), ifGiven: \.rate, example: "2/s",
            "Hard limit of requests to it."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard rate?.perSecond == 0 else { return }
        rate = nil
        reader.refuse(
            marks["max-rate"].place,
            "max-rate is 0/s, which allows no request; remove the host from allow instead")
    }
}

extension PinnedHost: RigSection {
    static let blank = PinnedHost(host: "", addresses: [])
    static let keys: [Key<PinnedHost>] = [
        Key(
            "addresses", .list(.scalar(.address)), into: \.addresses, required: true,
            example: "[203.0.113.7, 203.0.113.8]", "Literal addresses."),
        Key(
            "spread", .words(), into: \.spread,
            "household: all screens of a household use one address. screen: each screen uses the "
                + "next. request: each request uses the next (needs connections: fresh)."),
    ]
}

extension Syntax<[PinnedHost]> {
    /// `{auth.staging.example: [203.0.113.7, 203.0.113.8]}`.
    static var pinnedHosts: Syntax {
        .from(
            .named(
                .either(
                    .from(.list(.scalar(.address))) { PinnedHost(host: "", addresses: $0) },
                    .section))
        ) { named, all, reader in
            zip(named, all.items).compactMap { entry, marks in
                guard let host = try? Scalar.host.parse(entry.name) else {
                    reader.refuse(
                        marks.namePlace ?? marks.place,
                        "'\(entry.name)' is not \(Scalar.host.form.wanted); write the host as in "
                            + "target.base, without scheme and port")
                    return nil
                }
                guard !entry.value.addresses.isEmpty else {
                    // What was given may have been no address, which was said already.
                    if all.isWhole {
                        reader.refuse(
                            marks.place, "'\(entry.name)' has no address; give at least one")
                    }
                    return nil
                }
                var pinned = entry.value
                pinned.host = host
                return pinned
            }
        }
    }
}
