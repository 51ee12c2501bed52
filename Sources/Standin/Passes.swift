/// Whose trial it is: a device's, or, where something scopes it, that one's (rest-v1.md § 10, N5).
struct PassKey: Hashable, Sendable {
    var requestor: String
    var mvpd: String
    var device: String
    /// `generic_data`, members in order of their names; empty when none was sent.
    var scope: String
}

/// When each trial was first used. "Clock starts at the first authorization; once consumed, further
/// calls are denied until reset."
struct Passes: Sendable {
    private var begun: [PassKey: Int64] = [:]

    var count: Int { begun.count }

    /// When the trial is over; nil when it has not begun.
    func end(of key: PassKey, lasting time: Int64) -> Int64? {
        begun[key].map { $0 + time }
    }

    mutating func begin(_ key: PassKey, at time: Int64) {
        if begun[key] == nil { begun[key] = time }
    }

    /// Gives the trials of a device back; how many there were.
    mutating func reset(device: String) -> Int {
        let keys = begun.keys.filter { $0.device == device }
        for key in keys { begun[key] = nil }
        return keys.count
    }
}
