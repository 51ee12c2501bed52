/// Households whose limit of requests may be one: those of one home, and apps of one device, which come from one
/// address, and all that a history says of that is that they name one identity (rest-v2.md §§ 8.1, 13). A 429 of one
/// is held against what all of them asked, when the run is over.
///
/// ```text
/// app 1   ... ... ... 429                    429: nothing of app 1 was near
/// app 2              ... ... ... ... ...           but this was
/// ```
struct SharedAddresses {
    /// When a household, or its first screen, asked what the throttle counts: spans, in which no pause is as long
    /// as the throttle's period.
    struct RequestLog: Sendable {
        private(set) var spans: [ClosedRange<Int64>] = []

        mutating func note(_ call: Int64, _ ret: Int64, every: Int64) {
            let ret = max(call, ret)
            guard let last = spans.last, call.plus(-every) <= last.upperBound else {
                return spans.append(call...ret)
            }
            spans[spans.count - 1] =
                min(last.lowerBound, call)...max(last.upperBound, ret)
        }

        func overlaps(_ other: ClosedRange<Int64>) -> Bool {
            spans.contains { $0.overlaps(other) }
        }
    }

    /// A 429 that nothing of its own device explains.
    struct Refusal: Sendable {
        var violation: Violation
        /// The time in which another request of the address would explain it.
        var span: ClosedRange<Int64>
    }

    private struct Entry {
        var household: Int
        var subjects: [UInt64]
        var requests: RequestLog
        var refusals: [Refusal]
    }

    private var entries: [Entry] = []
    /// Positions in `entries`, by identity.
    private var sharing: [UInt64: [Int]] = [:]

    mutating func add(
        _ household: Int, _ subjects: [UInt64], _ requests: RequestLog, _ refusals: [Refusal]
    ) {
        for subject in subjects { sharing[subject, default: []].append(entries.count) }
        entries.append(
            Entry(
                household: household, subjects: subjects, requests: requests, refusals: refusals))
    }

    /// The refusals of each household that no other device of its identities explains.
    /// `slack`: by how much instants of several machines may be apart from what they say.
    func unexplained(slack: Int64) -> [[Violation]] {
        entries.filter { !$0.refusals.isEmpty }.map { entry in
            let others = Set(entry.subjects.flatMap { sharing[$0] ?? [] })
                .map { entries[$0] }.filter { $0.household != entry.household }
            return entry.refusals.filter { refusal in
                !others.contains {
                    $0.requests.overlaps(
                        refusal.span.lowerBound.plus(-slack)...refusal.span.upperBound.plus(slack))
                }
            }.map(\.violation)
        }
    }
}

extension HouseholdState {
    /// Whether it may turn out that another household has the same address.
    func mayShareAddress(_ operation: Observed) -> Bool {
        guard registry.throttle != nil else { return false }
        if registry.householdsOfHome > 1 { return true }
        guard registry.hasProfiles, operation.screen == 0 else { return false }
        return profiles != nil || operation.step == .registerClient
            || operation.operation == .accessToken
    }

    /// The household closes: its refusals are its own service's, or wait for the other devices.
    mutating func settleAddress() {
        let (requests, refusals) = (requestLog, refusals)
        self.refusals = []
        var subjects = profiles?.subjects ?? []
        let size = registry.householdsOfHome
        if size > 1 { subjects.append(Checker.mark("home \(household / size)")) }
        guard subjects.isEmpty else {
            return registry.addresses.add(household, subjects, requests, refusals)
        }
        for refusal in refusals { accuse(refusal.violation) }
    }
}

extension SharedState {
    /// I16, where several devices may have one address.
    func settleAddresses() {
        for refused in addresses.unexplained(slack: bounds.widest) {
            guard var first = refused.first else { continue }
            first.times = refused.count
            _ = add(first)
        }
    }
}
