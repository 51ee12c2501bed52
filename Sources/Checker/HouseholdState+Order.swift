/// A device's operations in the order of their calls and returns.
extension HouseholdState {
    /// Judges everything that happened before `time`; where that `isLast`, up to the last answer: ends that nobody asks
    /// for break no order, and nothing comes after them.
    mutating func advance(before time: Int64, isLast: Bool = false) {
        let visibility = registry.visibility
        // What comes after a login's credentials waits until it is known which of its requests signed in.
        let time = min(time, logins.earliest)
        let limit = visibility > 0 ? time.plus(-visibility) : time
        while !(isLast && agenda.hasOnlyEnds && frontier.bears(agenda.ends)) {
            let next = agenda.next(visibility)
            guard next.time < limit else { return }
            if case .call = next.turn, agenda.mayShowSignIn(thatBegins: time) { return }
            now = max(now, next.time)
            switch next.turn {
            case .expiry(let position): begin(agenda.takeExpiry(position))
            case .call: begin(agenda.takeCall(), limit)
            case .ret(let position): finish(agenda.takeReturn(position))
            }
        }
    }

    private mutating func begin(_ expiry: EventQueue.Expiry) {
        guard let place = frontier.call(mutator: expiry.act) else { return }
        agenda.insert(
            EventQueue.Open(
                ret: max(expiry.high, now), operation: nil, place: place, isRead: false,
                isQuiet: false))
    }

    /// An operation is called, and returns at once if nothing else happens before it does.
    private mutating func begin(_ operation: Observed, _ limit: Int64) {
        var operation = operation
        let isQuiet = screens.enter(&operation, every: registry.throttleEvery)
        if operation.operation.isThrottled, mayShareAddress(operation) { log(operation) }
        if operation.code != 0, operation.isAboutCode { placeCode(of: &operation) }
        let act = note(operation)
        guard operation.effect != .nothing || operation.operation.isThrottled else { return }
        var entry = EventQueue.Open(
            ret: operation.ret, operation: operation, place: nil, isRead: false, isQuiet: isQuiet)
        if let act {
            entry.isRead = act.isRead
            entry.place =
                act.isRead
                ? frontier.call(read: act)
                : frontier.call(mutator: act, isOpen: operation.effect == .open)
        }
        // What becomes of it is open from now on, and is not told at any later time.
        if operation.effect == .open { noteBelief(operation) }
        if entry.ret < min(limit, agenda.next(registry.visibility).time) {
            now = max(now, entry.ret)
            finish(entry)
        } else {
            agenda.insert(entry)
        }
    }

    /// Whose the code is that an answer is about. The letters of one whose life may be over here may
    /// have been given to another device, whose exchanges may come in later: that is looked up again
    /// when this household closes.
    ///
    /// ```text
    /// this device    make ABC   delete ABC                          check ABC: yes
    /// another                                make ABC   sign in       whose sign-in? theirs
    /// ```
    private mutating func placeCode(of operation: inout Observed) {
        let life = life(of: operation)
        if let life, operation.step == .lookUpCode, operation.detail != 0,
            operation.detail == lives[life].record
        {
            return
        }
        let isAnothers = registry.codes.isHeld(
            operation.code, byOtherThan: household, from: operation.call, to: operation.ret)
        if isAnothers { operation.flags.insert(.anothers) }
        if let life, lives[life].low > operation.ret, lives[life].shared.endCalled > operation.ret {
            return
        }
        operation.flags.insert(.afterEnd)
        guard !isAnothers else { return }
        if strays.count < Self.strayLimit {
            strays.append(Stray(code: operation.code, call: operation.call, ret: operation.ret))
        } else {
            // Nobody could look so many up again: it tells nothing.
            operation.flags.insert(.anothers)
        }
    }

    private static var strayLimit: Int { 64 }

    private mutating func finish(_ entry: EventQueue.Open) {
        guard let operation = entry.operation else {
            if let place = entry.place { close(place, isRead: false) }
            return
        }
        var beat = CompactOperation(operation)
        if operation.effect != .open {
            judge(operation, beat, isQuiet: entry.isQuiet)
        }
        if let place = entry.place { close(place, isRead: entry.isRead) }
        guard operation.effect != .nothing else { return }
        if operation.effect != .open { noteBelief(operation) }
        let belief = profiles == nil ? frontier.belief : frontier.profileBelief
        beat.belief = frontier.standing == .holds ? belief : 0
        ring.append(beat)
        if frontier.standing == .violated, !hasToldOrder, held == nil {
            hasToldOrder = true
            held = orderViolation(beat)
        }
    }

    private mutating func close(_ place: Frontier.OperationPlace, isRead: Bool) {
        _ = isRead ? frontier.finish(read: place) : frontier.finish(mutator: place)
    }

    // MARK: Ends that nobody asks for

    /// A code's own end.
    mutating func expire(code slot: UInt8, _ low: Int64, _ high: Int64) {
        guard slot != ModelOperation.none, low < .max else { return }
        agenda.insert(
            EventQueue.Expiry(
                low: low, high: high, act: ModelOperation(kind: .expireCode, code: slot)))
    }

    /// A sign-in's own end. It may come for an older sign-in of the same user, so it may also not
    /// be.
    mutating func expire(tag: UInt8, _ low: Int64, _ high: Int64) {
        var act = ModelOperation(kind: .expireToken, tag: tag, isMaybe: true)
        if let profiles {
            let slot = profiles.slot(ofMark: tags[Int(tag)].mvpd)
            guard tag < DeviceState.profileTags, slot > 0, slot <= DeviceState.profiles else {
                return
            }
            act.kind = .expireProfile
            act.resource = slot
        }
        agenda.insert(
            EventQueue.Expiry(low: max(low, now), high: max(high, now), act: act))
    }

    /// Our clock stood still: what runs out may seem to do so early by that much.
    mutating func stoodStill(for time: Int64) {
        agenda.bringForward(by: time, now: now)
        for position in lives.indices {
            let life = lives[position].shared
            life.low = life.low.plus(-time)
        }
    }
}
