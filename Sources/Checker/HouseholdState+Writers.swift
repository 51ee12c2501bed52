/// Which sign-ins an answer may show.
extension HouseholdState {
    /// The sign-ins that a read of `value` at a provider may show, called by `time`.
    func writers(of value: UInt8, by time: Int64, at slot: UInt8 = 0) -> [SignInAttempt] {
        attempts.filter { isWriter($0, of: value, by: time, at: slot) }
    }

    /// The one of them that was answered last.
    func lastWriter(of value: UInt8, by time: Int64, life: Int? = nil, at slot: UInt8 = 0)
        -> CompactOperation?
    {
        var last: CompactOperation?
        for position in attempts.indices
        where isWriter(attempts[position], of: value, by: time, at: slot)
            && (life == nil || attempts[position].life == life)
            && attempts[position].beat.ret > last?.ret ?? .min
        {
            last = attempts[position].beat
        }
        return last
    }

    func isWriter(
        _ attempt: SignInAttempt, of value: UInt8, by time: Int64, at slot: UInt8
    ) -> Bool {
        attempt.isCandidate && attempt.beat.call <= time
            && (value == TokenRead.somebody
                ? slot == 0 || isOf(attempt.tag, slot) : attempt.tag == value - 1)
    }

    /// Whether the phone's own check said "not yet" after the answer to that login: the redirect promises nothing, so the
    /// login may have taken effect at any later time.
    func isLeftOpen(_ login: CompactOperation) -> Bool {
        attempts.contains { attempt in
            guard attempt.beat.sequence == login.sequence, attempt.life >= 0 else { return false }
            let life = attempt.life
            if let refused = lives[life].refusal(after: login) {
                // Once the phone was told "done" it had taken effect.
                return lives[life].told.map { $0.call > refused.call } ?? true
            }
            // A check that is not over yet.
            return agenda.open.contains { open in
                guard let check = open.operation, check.step == .confirm else { return false }
                return check.effect == .absent && check.call > login.ret
                    && self.life(of: check) == life
            }
        }
    }

    /// Whether that login may have taken effect after `time`, as far as was seen: it is left open, and nothing has shown it by then.
    func mayComeLater(
        _ login: CompactOperation, _ value: UInt8, than time: Int64, at slot: UInt8
    ) -> Bool {
        let scope = SignInScope(slot: slot)
        return isLeftOpen(login)
            && !reads.contains {
                $0.value != 0 && $0.beat.ret >= login.call && $0.beat.call <= time
                    && !$0.contradicts(TokenRead(value: value, beat: login, scope: scope))
            }
    }

    /// Whether a sign-in with that tag is one at that provider, as far as is known.
    func isOf(_ tag: UInt8, _ slot: UInt8) -> Bool {
        guard slot != 0, tag != ModelOperation.none, let profiles else { return true }
        let mvpd = tags[Int(tag)].mvpd
        return mvpd == 0 || profiles.isProvider(mvpd, slot)
    }

    /// The sign-in that the device came with may be what `value` shows.
    func isFromBefore(_ value: UInt8) -> Bool {
        guard !registry.devicesAreFresh, !reads.contains(where: { $0.value == 0 }),
            !signOuts.contains(where: { $0.effect == .success })
        else { return false }
        return value == TokenRead.somebody || value == 1
    }

    mutating func notePreSignedIn() {
        guard !isPreSignedIn else { return }
        isPreSignedIn = true
        registry.preSignedIn += 1
    }

    /// Whether the sign-in behind `value` may have ended by itself before `time`.
    func mayHaveExpired(_ value: UInt8, by time: Int64, at slot: UInt8 = 0) -> Bool {
        if isAccessOver(by: time) { return true }
        let shortest = registry.shortestSignIn
        var isKnown = false
        for position in tokens.indices
        where value == TokenRead.somebody
            ? isOf(tokens[position].tag, slot) : tokens[position].tag == value - 1
        {
            guard let window = registry.clock.window(of: tokens[position].expires, at: now) else {
                return true
            }
            if window.low <= time { return true }
            isKnown = true
        }
        if isKnown, value != TokenRead.somebody { return false }
        if isPreSignedIn { return true }
        var first = Int64.max
        for position in attempts.indices
        where isWriter(attempts[position], of: value, by: time, at: slot) {
            first = min(first, attempts[position].beat.call)
        }
        return first == .max || first == .min || time - first > shortest
    }

    /// Whether there is a sign-in, called by `time`, that a read of `value` may show.
    func hasWriters(of value: UInt8, by time: Int64, at slot: UInt8 = 0) -> Bool {
        attempts.contains { isWriter($0, of: value, by: time, at: slot) }
    }
}
