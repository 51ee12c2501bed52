public import Journal

/// What the SDKs of households were called and called back, until each household's is held against
/// the order that access-enabler-sdk.md § 10 promises: a breach is one of `conforms`.
struct CallbackLog {
    private var events: [Int: [DeviceEvent]] = [:]
    /// Households whose story came to its end, so that nothing may be owed to them.
    private var ended: Set<Int> = []

    var households: [Int] { events.keys.sorted() }

    mutating func take(_ event: DeviceEvent) {
        events[event.device.household, default: []].append(event)
    }

    mutating func take(_ record: HouseholdRecord) {
        guard record.hasToldAll, events[record.household] != nil else { return }
        ended.insert(record.household)
    }

    /// Judges what there is of a household, and forgets it.
    mutating func close(_ household: Int, _ registry: SharedState) {
        guard let own = events.removeValue(forKey: household) else { return }
        registry.judge(
            callbacks: own, of: household, hasEnded: ended.remove(household) != nil)
    }
}

extension HouseholdRecord {
    /// Its app went on to its end: one that was stopped, or stopped itself in the middle of a
    /// callback, is owed nothing.
    public var hasToldAll: Bool { ended != nil && cause.isEmpty }
}

extension SharedState {
    func judge(callbacks events: [DeviceEvent], of household: Int, hasEnded: Bool) {
        let governed = events.lazy.filter(CallbackOrder.governs).count
        guard governed > 0 else { return }
        // With a gap in them nothing can be said of their order: a callback may stand in it.
        let numbers = events.map(\.sequence).sorted()
        guard numbers.elementsEqual(1...events.count) else { return leaveUndecided(.conforms) }
        check(.conforms, governed)
        sdkHouseholds += 1
        let breaches = CallbackOrder.breaches(of: events, hasEnded: hasEnded)
        guard let first = breaches.first else { return }
        let at = first.event?.at ?? events.map(\.at).max() ?? .start
        var violation = Violation(
            invariant: .conforms, certainty: .certain, source: .documented,
            standing: standing(.conforms, .certain, .documented, nil), household: household,
            exchanges: [], operations: [], signature: "conforms: \(first.sentence)", gap: nil,
            at: at.nanoseconds,
            sentence: "household \(household): the SDK violated the order of its callbacks: "
                + "\(first)")
        violation.times = breaches.count
        _ = add(violation)
    }
}
