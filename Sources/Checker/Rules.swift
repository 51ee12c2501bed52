internal import Dialects

/// Everything that a history is judged by. Held in the header of a history, so that judging again
/// needs no rig.
public struct Rules: Sendable, Hashable {
    /// By what the service tells devices apart for throttling.
    public enum ThrottledBy: String, Sendable, CaseIterable {
        /// Not found out: the throttle is not judged.
        case unknown
        /// The forwarded address, of which each device has its own.
        case device
        /// The peer's address, which all devices share.
        case peer
    }

    public var policies = Policies()
    public var promises = Promises()
    public var known: [Known] = []
    /// Whether the user that a token will name is known before the sign-in. If not, it is learned
    /// from the first sign-in of a device that has no other.
    public var knowsUsers = true
    /// Whether no device can have been known to the service before this run.
    public var devicesAreFresh = true
    /// How long TVs poll on after the last sign-in: the bound of delivery.
    public var settle: Duration = .seconds(15)
    /// No sign-in ends sooner by itself. Where an answer tells a sign-in's expiry, that counts.
    public var shortestSignIn: Duration = .seconds(300)
    /// Whether a code's record stays when the device has fetched its token (rest-v1.md, A10).
    public var recordsOutliveTokens = true
    /// The life that devices ask for with each code; nil when they ask for none.
    public var codeLifetime: Duration?
    public var throttledBy = ThrottledBy.unknown
    /// When the run began, in microseconds since 1970.
    public var startedMicroseconds: Int64 = 0

    public init() {}
}

// MARK: As texts

extension Rules {
    /// `key=value` texts that `init(texts:)` reads back.
    public var texts: [String] {
        let p = policies
        var texts = [
            "code-reuse=\(p.codeReuse.rawValue)", "new-code=\(p.newCode.rawValue)",
            "second-sign-in=\(p.secondSignIn.rawValue)", "media-reuse=\(p.mediaReuse.rawValue)",
            "gone-decays=\(p.goneDecays)", "visibility_ns=\(p.visibility.inNanoseconds)",
            "sweep_lag_ns=\(p.sweepLag.inNanoseconds)",
            "clock_tolerance_ns=\(p.clockTolerance.inNanoseconds)",
            "unknown_deadline_ns=\(p.unknownDeadline.inNanoseconds)",
            "throttle="
                + (p.throttle.map { "\($0.every.inNanoseconds):\($0.burst)" } ?? "none"),
            "promises=\(promises.level.rawValue)",
        ]
        for (invariant, level) in promises.overrides.sorted(by: { $0.key < $1.key }) {
            texts.append("promise:\(invariant.name)=\(level.rawValue)")
        }
        for known in known {
            texts.append(
                "known=\(known.invariant.name);\(known.operation?.name ?? "");"
                    + "\(known.until ?? "");\(known.ticket)")
        }
        texts += [
            "knows-users=\(knowsUsers)", "devices-are-fresh=\(devicesAreFresh)",
            "settle_ns=\(settle.inNanoseconds)",
            "shortest_sign_in_ns=\(shortestSignIn.inNanoseconds)",
            "records-outlive-tokens=\(recordsOutliveTokens)",
            "throttled-by=\(throttledBy.rawValue)", "started_us=\(startedMicroseconds)",
        ]
        if let codeLifetime { texts.append("code_lifetime_ns=\(codeLifetime.inNanoseconds)") }
        return texts
    }

    /// Reads `texts`; what it does not know it leaves at its default.
    public init(texts: [String]) {
        self.init()
        for text in texts {
            guard let equals = text.firstIndex(of: "=") else { continue }
            read(String(text[..<equals]), String(text[text.index(after: equals)...]))
        }
    }

    private mutating func read(_ key: String, _ value: String) {
        func flag(_ place: inout Bool) { place = Bool(value) ?? place }
        func duration(_ place: inout Duration) {
            if let nanoseconds = Int64(value) { place = .nanoseconds(nanoseconds) }
        }
        switch key {
        case "code-reuse": policies.codeReuse = .init(rawValue: value) ?? .single
        case "new-code": policies.newCode = .init(rawValue: value) ?? .replace
        case "second-sign-in": policies.secondSignIn = .init(rawValue: value) ?? .replace
        case "media-reuse": policies.mediaReuse = .init(rawValue: value) ?? .never
        case "gone-decays": flag(&policies.goneDecays)
        case "visibility_ns": duration(&policies.visibility)
        case "sweep_lag_ns": duration(&policies.sweepLag)
        case "clock_tolerance_ns": duration(&policies.clockTolerance)
        case "unknown_deadline_ns": duration(&policies.unknownDeadline)
        case "throttle":
            let parts = value.split(separator: ":").compactMap { Int64($0) }
            policies.throttle =
                parts.count == 2
                ? Policies.Throttle(every: .nanoseconds(parts[0]), burst: Int(parts[1])) : nil
        case "promises": promises.level = .init(rawValue: value) ?? .strict
        case "known": readKnown(value)
        case "knows-users": flag(&knowsUsers)
        case "devices-are-fresh": flag(&devicesAreFresh)
        case "settle_ns": duration(&settle)
        case "shortest_sign_in_ns": duration(&shortestSignIn)
        case "records-outlive-tokens": flag(&recordsOutliveTokens)
        case "throttled-by": throttledBy = .init(rawValue: value) ?? .unknown
        case "started_us": startedMicroseconds = Int64(value) ?? 0
        case "code_lifetime_ns": codeLifetime = Int64(value).map { .nanoseconds($0) }
        default:
            guard key.hasPrefix("promise:"),
                let invariant = Invariant(name: String(key.dropFirst(8))),
                let level = Promises.Level(rawValue: value)
            else { return }
            promises.overrides[invariant] = level
        }
    }

    private mutating func readKnown(_ value: String) {
        let parts = value.split(separator: ";", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let invariant = Invariant(name: String(parts[0])) else { return }
        known.append(
            Known(
                invariant: invariant, operation: OperationName(name: String(parts[1])),
                ticket: String(parts[3]), until: parts[2].isEmpty ? nil : String(parts[2])))
    }
}
