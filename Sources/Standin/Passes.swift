/// Whose trial it is: a device's, or, where something scopes it, that one's (rest-v1.md § 10, N5).
struct PassKey: Hashable, Sendable {
    var requestor: String
    var mvpd: String
    var device: String
    /// `generic_data`, members in order of their names; empty when none was sent.
    var scope: String
}

/// A trial that has begun, with what was had of it (rest-v2.md § 11, promotional).
struct PassTrial: Sendable {
    var begun: Int64
    /// Resources, in the order of their first permits.
    var assets: [String] = []
}

/// When each trial was first used. "Clock starts at the first authorization; once consumed, further
/// calls are denied until reset."
struct Passes: Sendable {
    private var begun: [PassKey: Int64] = [:]
    /// Promotional trials, by device and by identity: either one known is an existing trial.
    private var trials: [Int: PassTrial] = [:]
    private var trialOf: [PassKey: Int] = [:]
    private var made = 0

    /// The trial that any of these names know, as one: a read links nothing (B52).
    func trial(of names: [PassKey]) -> PassTrial? {
        let found = Set(names.compactMap { trialOf[$0] }).sorted().compactMap { trials[$0] }
        guard var whole = found.min(by: { $0.begun < $1.begun }) else { return nil }
        for trial in found {
            whole.assets += trial.assets.filter { !whole.assets.contains($0) }
        }
        return whole
    }

    /// A resource is had: the trial begins with the first, and is that of all these names from now on.
    mutating func permit(_ resource: String, of names: [PassKey], at time: Int64) {
        var trial = trial(of: names) ?? PassTrial(begun: time)
        if !trial.assets.contains(resource) { trial.assets.append(resource) }
        let former = Set(names.compactMap { trialOf[$0] })
        var number = former.first ?? made + 1
        if former.count > 1 {
            number = made + 1
            for (name, old) in trialOf where former.contains(old) { trialOf[name] = number }
            for old in former { trials[old] = nil }
        }
        made = max(made, number)
        trials[number] = trial
        for name in names { trialOf[name] = number }
    }

    /// When the trial is over; nil when it has not begun.
    func end(of key: PassKey, lasting time: Int64) -> Int64? {
        begun[key].map { $0 + time }
    }

    mutating func begin(_ key: PassKey, at time: Int64) {
        if begun[key] == nil { begun[key] = time }
    }

    /// Whether a device has begun a trial; for faults.
    func hasBegun(_ requestor: String, _ mvpd: String, device: String) -> Bool {
        let key = PassKey(requestor: requestor, mvpd: mvpd, device: device, scope: "")
        return begun[key] != nil || trialOf[key] != nil
    }

    /// Gives the trials of a device back; how many there were.
    mutating func reset(device: String) -> Int {
        let keys = begun.keys.filter { $0.device == device }
        for key in keys { begun[key] = nil }
        return keys.count + forget { $0.device == device }
    }

    /// Gives trials back: of a provider for a device, for one who is named, or for everybody.
    mutating func reset(requestor: String, mvpd: String, device: String?, scope: String?) {
        func isMeant(_ key: PassKey) -> Bool {
            key.requestor == requestor && key.mvpd == mvpd
                && (device.map { key.device == $0 } ?? true)
                && (scope.map { key.scope == $0 } ?? true)
        }
        for key in begun.keys where isMeant(key) { begun[key] = nil }
        _ = forget(isMeant)
    }

    /// Trials are forgotten with all their names.
    private mutating func forget(_ isMeant: (PassKey) -> Bool) -> Int {
        let numbers = Set(trialOf.filter { isMeant($0.key) }.values)
        for number in numbers { trials[number] = nil }
        trialOf = trialOf.filter { !numbers.contains($0.value) }
        return numbers.count
    }
}
