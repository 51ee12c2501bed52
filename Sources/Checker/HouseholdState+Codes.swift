internal import Dialects

/// What operations by a code are to the model: how it is made, used, looked up and ended.
extension HouseholdState {
    /// The first request of a login, which a code that is over is not let to.
    func loginRead(_ operation: Observed) -> ModelOperation? {
        guard operation.operation == .authenticate, operation.effect == .success,
            let life = life(of: operation)
        else { return nil }
        return codeAct(.codeLive, life)
    }

    /// The latest life of the code that an operation is about.
    func life(of operation: Observed) -> Int? {
        guard operation.code != 0 else { return nil }
        return lives.lastIndex { $0.mark == operation.code }
    }

    func codeAct(_ kind: ModelOperation.Kind, _ life: Int) -> ModelOperation? {
        let slot = lives[life].slot
        return slot == ModelOperation.none ? nil : ModelOperation(kind: kind, code: slot)
    }

    mutating func noteCode(_ operation: Observed) -> ModelOperation? {
        guard operation.effect == .success, operation.code != 0 else {
            guard operation.effect == .open else { return nil }
            endFresh(operation.call)
            return ModelOperation(kind: .createUnseen, isMaybe: true)
        }
        if operation.generated > 0 {
            count(.clockAgreement)
            registry.clock.add(
                operation.generated, of: operation.operation, between: operation.call,
                and: operation.ret,
                household: household, sequence: Int(operation.sequence))
        }
        endFresh(operation.call)
        let slot = freeSlot()
        let beat = CompactOperation(operation)
        let window = lifeWindow(operation)
        let shared = SharedLife(
            household: household, made: beat, code: operation.code,
            text: registry.codeTexts.take(operation.code, of: household), record: operation.detail,
            low: window.low,
            high: window.high)
        // One that was asked for before, and answered while this one was under way, may be the newer.
        if lives.contains(where: { $0.made.ret >= operation.call })
            || profiles?.mayLoseSession(after: operation.call) == true
        {
            shared.endCalled = min(shared.endCalled, operation.call)
        }
        lives.append(CodeLife(made: beat, slot: slot, shared: shared))
        count(.codeUnique)
        registry.codes.hand(out: shared)
        expire(code: slot, window.low, window.high)
        let kind: ModelOperation.Kind = profiles?.registered == nil ? .create : .createBeside
        return slot == ModelOperation.none ? nil : ModelOperation(kind: kind, code: slot)
    }

    /// When what an answer gave ends, by our clock: `generated` was read within the request.
    func lifeWindow(_ operation: Observed) -> (low: Int64, high: Int64) {
        let life = (operation.expires - operation.generated) &* 1_000_000
        // A device grant states lifetimes, and no instants (RFC 8628, 3.2; RFC 6749, 5.1).
        let isTold = operation.generated > 0 || registry.isDeviceGrant
        guard isTold, operation.expires > operation.generated,
            life < 1_000_000_000_000_000
        else { return (.max, .max) }
        let tolerance = registry.clockTolerance
        let slack = life / ServiceClock.drift + 1_000_000 + tolerance
        return (
            operation.call + life - slack,
            operation.ret + life + slack + registry.sweepLag
        )
    }

    /// A number for a new code: an unused one, else that of a code that is surely dead.
    private mutating func freeSlot() -> UInt8 {
        var used: UInt32 = 0
        for position in lives.indices where lives[position].slot != ModelOperation.none {
            used |= 1 << UInt32(lives[position].slot)
        }
        let free = UInt8((~used).trailingZeroBitCount)
        let room = profiles == nil ? UInt8(DeviceState.codes) : DeviceState.profileCodes
        if free < room { return free }
        for position in lives.indices where lives[position].slot != ModelOperation.none {
            let slot = lives[position].slot
            guard frontier.standing == .holds, lives[position].high < now,
                frontier.isOver(code: slot)
            else { continue }
            if profiles == nil {
                frontier.forget(code: slot)
            } else {
                frontier.forget(profileCode: slot)
            }
            lives[position].slot = ModelOperation.none
            return slot
        }
        frontier.giveUp()
        return ModelOperation.none
    }

    /// A newer code may end every older one that is not bound (A9).
    private mutating func endFresh(_ call: Int64) {
        for position in lives.indices { end(position, call) }
    }

    mutating func end(_ life: Int, _ call: Int64) {
        lives[life].shared.endCalled = min(lives[life].shared.endCalled, call)
    }

    mutating func noteDeletion(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success:
            end(life, operation.call)
            // The same letters, asked for again and not yet answered: it may have been the code before that was deleted.
            let isOfFormer =
                lives[life].made.ret >= operation.call
                && lives.indices.contains { $0 < life && lives[$0].mark == operation.code }
            if lives[life].deleted == nil, !isOfFormer {
                lives[life].deleted = CompactOperation(operation)
            }
            var act = codeAct(.delete, life)
            // Where letters were given twice it was the other's code, perhaps.
            act?.isMaybe = operation.flags.contains(.anothers) || isOfFormer
            return act
        case .open:
            end(life, operation.call)
            var act = codeAct(.delete, life)
            act?.isMaybe = true
            return act
        case .absent, .expired:
            return operation.flags.contains(.anothers)
                || mayBeDeletedElsewhere(life, by: operation.ret)
                ? nil : codeAct(.codeDead, life)
        default: return nil
        }
    }

    /// Whether another household, whose code had these letters before, may have deleted this one.
    func mayBeDeletedElsewhere(_ life: Int, by ret: Int64) -> Bool {
        let shared = lives[life].shared
        return registry.codes.mayBeDeleted(
            shared.code, byOtherThan: household, from: shared.call, to: ret)
    }

    func recordRead(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success:
            // Another record under that code: not this life.
            if operation.detail != 0, lives[life].record != 0,
                operation.detail != lives[life].record
            {
                return nil
            }
            return codeAct(.codeLive, life)
        case .absent, .expired:
            return mayBeDeletedElsewhere(life, by: operation.ret) ? nil : codeAct(.codeDead, life)
        default: return nil
        }
    }

    /// N2 and Z2 speak of their code: once that has ended they tell nothing of the sign-in
    /// (rest-v1.md § 6.3).
    func checkRead(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success: return codeAct(.codeBound, life)
        case .absent, .expired: return codeAct(.codeUnbound, life)
        default: return nil
        }
    }
}
