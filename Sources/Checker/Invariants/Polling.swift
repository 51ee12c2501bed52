internal import Dialects
internal import Journal
internal import Vocabulary

/// I16, I19 and `conforms`: how the service and our own devices keep to the forms.
extension HouseholdState {
    /// `throttle-contract`: a 429 that even the strictest reading of the budget does not allow: one
    /// of the first `burst`, or with nothing else of the same limit within a whole period (rest-v1.md
    /// § 14): of that device, or of its home. Judged only where it is known which.
    mutating func judgeThrottle(_ operation: Observed, _ beat: CompactOperation, isQuiet: Bool) {
        guard let throttle = registry.throttle else { return }
        check(.throttleContract)
        guard operation.flags.contains(.throttled) else { return }
        let state = screens[operation.screen]
        let every = milliseconds(throttle.every)
        let owner = registry.sharesLimit ? "its household" : beat.screenName
        if Int(state.sent) <= throttle.burst {
            let place =
                state.sent == 1
                ? "the first request" : "one of the first \(state.sent) requests"
            let text =
                "\(beat.name) was throttled (429) as \(place) of \(owner); a burst of "
                + "\(throttle.burst) is allowed"
            refuse(operation, beat, since: .min, text)
        } else if isQuiet, state.lastCall <= operation.call {
            let text =
                "\(beat.name) was throttled (429) although \(owner) had sent no request "
                + "for more than \(every)"
            let since = operation.call.plus(-registry.throttleEvery - 1_000_000)
            refuse(operation, beat, since: since, text)
        }
    }

    /// `since`: from then on another request of the same address would explain it.
    private mutating func refuse(
        _ operation: Observed, _ beat: CompactOperation, since: Int64, _ text: String
    ) {
        let mayWait = mayShareAddress(operation)
        guard !mayWait || refusals.count < Self.refusalLimit else { return }
        let found = violation(
            .throttleContract,
            .given("each \(registry.sharesLimit ? "home" : "device") has its own limit"), [beat],
            text)
        guard mayWait else { return accuse(found) }
        refusals.append(
            SharedAddresses.Refusal(violation: found, span: since...max(since, beat.ret)))
    }

    private static var refusalLimit: Int { 64 }

    /// `polling-ends`: nobody polls for a code long after its end. A rig that starves sends late what
    /// was due in time: that says nothing of the device.
    mutating func judgePolling(_ operation: Observed, _ beat: CompactOperation) {
        guard let life = life(of: operation), lives[life].high < .max else { return }
        check(.pollingEnds)
        let grace: Int64 = 60_000_000_000
        guard beat.call > lives[life].high.plus(grace), !operation.flags.contains(.overdue),
            !reads.contains(where: { $0.value != 0 && $0.beat.ret < beat.call })
        else { return }
        let gap = beat.call - lives[life].high
        let text =
            "\(beat.name) still polled for code \(lives[life].text) \(milliseconds(gap)) after its "
            + "expiry"
        accuse(
            violation(
                .pollingEnds, .certain, [lives[life].made, beat], gap: gap,
                gapFrom: lives[life].high, text))
    }

    /// `conforms`: judged at capture against the dialect's table; here it is only counted.
    mutating func noteDeviations(of exchange: UnsafePointer<Exchange>) {
        guard let operation = Observed.read(exchange, deadline: registry.deadline) else { return }
        var beat = CompactOperation(operation)
        beat.sequence = Int32(truncatingIfNeeded: exchange.pointee.sequence)
        // However many rules an answer breaks, it is one: what the documentation promises goes before a reading of ours.
        let deviations = exchange.pointee.deviations
        guard
            let deviation = deviations.first(where: { $0.source == .documented })
                ?? deviations.first
        else { return }
        accuse(
            violation(
                .conforms, .certain, [beat],
                source: deviation.source == .documented ? .documented : .ours,
                "\(beat.name): \(deviation.rule); found \(deviation.found)"))
    }
}
