/// I3 and I4: somebody was told "done"; does the TV see it, and when?
extension HouseholdState {
    /// The last answer, of those that returned before `time`, that told somebody that a sign-in is
    /// done: the phone by its check, or the TV itself where the answer is a promise (a token
    /// exchange, a free preview).
    private func done(before time: Int64, _ scope: SignInScope = .device) -> CompactOperation? {
        var last: CompactOperation?
        func take(_ beat: CompactOperation) {
            if beat.ret < time, beat.ret > last?.ret ?? .min { last = beat }
        }
        let profiles = profiles
        for position in lives.indices {
            guard let told = lives[position].told else { continue }
            if let profiles, scope != .device,
                scope.life >= 0
                    ? Int(scope.life) != position : profiles.toldSlot(position) != scope.slot
            {
                continue
            }
            if profiles == nil, isOfEndedSignIn(told, by: position) { continue }
            take(told)
        }
        guard profiles == nil else { return last }
        for position in attempts.indices where attempts[position].beat.effect == .success {
            take(attempts[position].beat)
        }
        return last
    }

    /// Whether a sign-out that came between a sign-in by that code and the confirmation may have ended it before: the
    /// phone's check reports that the login was recorded, and not what the TV has.
    private func isOfEndedSignIn(_ told: CompactOperation, by life: Int) -> Bool {
        var begun = Int64.max
        for position in attempts.indices
        where attempts[position].life == life && attempts[position].isCandidate {
            begun = min(begun, attempts[position].beat.call)
        }
        return hasSignOut(from: begun, by: told.ret)
    }

    /// `the phone's check-code #70 had told the phone that the sign-in is done`.
    private func done(_ told: CompactOperation, _ had: String) -> String {
        told.screen == 0
            ? "\(told.name)\(had) signed in"
            : "\(told.name)\(had) confirmed the sign-in to the phone"
    }

    /// `sign-in-visible`: a TV that asks after somebody was told "done" is told so too. Kept back:
    /// until the TV sees the sign-in nobody knows whether it is late or lost.
    mutating func judgeVisibility(_ beat: CompactOperation, _ scope: SignInScope) {
        let sent = beat.call - registry.visibility
        // A TV that had seen it lost it again: that is another breach, and told already.
        guard !hasSight(before: beat, scope) else { return }
        guard let told = done(before: sent, scope), !mayHaveEnded(since: told, by: beat.ret, scope)
        else {
            if attempts.contains(where: { $0.isCandidate && $0.beat.ret < sent }) { unproven += 1 }
            return
        }
        check(.signInVisible)
        guard late == nil else { return }
        let gap = beat.call - told.ret
        late = violation(
            .signInVisible, .certain, [told, beat], gap: gap,
            source: told.isPromisedAtOnce ? .documented : nil,
            "\(beat.name), sent \(milliseconds(gap)) after \(done(told, " had")), returned "
                + "\"not signed in\"")
    }

    /// `sign-in-visible` was put to the test by the answers to the TV that were asked for after the
    /// sign-in, up to the first that shows it: by those before, too, once this one proves that it had
    /// taken effect.
    mutating func countSight(_ beat: CompactOperation, _ value: UInt8, _ scope: SignInScope) {
        defer { unproven = 0 }
        guard !hasSight(before: beat, scope),
            let writer = lastWriter(of: value, by: beat.ret, at: scope.slot),
            !mayHaveEnded(since: writer, by: beat.ret, scope)
        else { return }
        noteExposure(beat, of: writer, scope)
        count(.signInVisible, Int(unproven))
        let sent = beat.call - registry.visibility
        let isTold = done(before: sent, scope).map { $0.ret >= writer.call } ?? false
        if isTold || writer.ret < sent { check(.signInVisible) }
    }

    /// Whether the TV was shown a sign-in before it sent `beat`, and after the last sign-out before.
    private func hasSight(before beat: CompactOperation, _ scope: SignInScope) -> Bool {
        let out =
            signOuts.last(where: {
                $0.effect == .success && $0.ret < beat.call && $0.ends(scope.slot)
            })?.call ?? .min
        return reads.contains {
            $0.value != 0 && $0.beat.ret < beat.call && $0.beat.ret >= out
                && $0.scope.isSame(as: scope)
        }
    }

    /// Whether the sign-in that `told` was about may have been ended by `time`.
    func mayHaveEnded(
        since told: CompactOperation, by time: Int64, _ scope: SignInScope = .device
    ) -> Bool {
        hasSignOut(from: told.call - registry.visibility, by: time, scope)
            || mayHaveExpired(TokenRead.somebody, by: time, at: scope.slot)
    }

    /// Whether a sign-out that was not turned down overlaps that time.
    private func hasSignOut(
        from start: Int64, by time: Int64, _ scope: SignInScope = .device
    ) -> Bool {
        signOuts.contains {
            $0.effect != .denied && $0.call <= time && $0.ret >= start && $0.ends(scope.slot)
        }
    }

    /// `sign-in-delivered`: the first poll that was sent a whole poll interval after somebody was told
    /// "done" sees the sign-in (rest-v1.md § 16). Only answers of the protocol come here: a 429, a 5xx
    /// and a lost poll leave it to the next one, and a TV that asks no more is not judged.
    mutating func judgeDelivery(_ beat: CompactOperation, _ scope: SignInScope) {
        guard let told = done(before: beat.call.plus(1 - registry.delivery), scope),
            told.ret > delivered
        else { return }
        delivered = told.ret
        guard !mayHaveEnded(since: told, by: beat.ret, scope) else { return }
        count(.signInDelivered)
        guard !hasSeen(told, scope) else { return }
        let gap = beat.call - told.ret
        let within = "\(registry.deliveryName), \(milliseconds(registry.delivery))"
        var lost = violation(
            .signInDelivered, .given(within), [told, beat], gap: gap,
            "\(done(told, "")); \(beat.name), sent \(milliseconds(gap)) later, still returned "
                + "\"not signed in\" (allowed: \(within))")
        if late != nil {
            late = nil
            lost.companions.append(.signInVisible)
            broken.insert(.crossScreen)
        }
        accuse(lost)
    }

    /// A TV sees a sign-in: what somebody was told is delivered.
    mutating func noteDelivery(_ scope: SignInScope) {
        guard let told = done(before: .max, scope), told.ret > delivered else { return }
        delivered = told.ret
        count(.signInDelivered)
    }

    /// Whether the TV has seen a sign-in since the one that `told` was about can have taken effect.
    private func hasSeen(_ told: CompactOperation, _ scope: SignInScope = .device) -> Bool {
        let signedIn = attempts.filter {
            $0.isCandidate && $0.beat.call <= told.ret && isOf($0.tag, scope.slot)
        }
        .map(\.beat.call).max()
        return reads.contains {
            $0.value != 0 && $0.beat.ret >= signedIn ?? told.call
                && (scope == .device || $0.scope.isSame(as: scope))
        }
    }

    /// What only the household's end tells of delivery: the TV saw it before the phone was told, or
    /// nobody was ever told.
    mutating func judgeDelivery() {
        guard let told = done(before: .max) else { return judgeSilentLoss() }
        if told.ret > delivered, hasSeen(told) { count(.signInDelivered) }
    }

    /// A login that came back without an error, and neither screen ever saw a sign-in; or not the one screen of a device
    /// that signs in by itself, in a web view. The redirect promises nothing: certain only if it means success, which no
    /// page says.
    private mutating func judgeSilentLoss() {
        let attempts = attempts.filter(\.isCandidate)
        guard attempts.count == 1, let only = attempts.first, only.beat.effect == .maybe,
            !reads.contains(where: { $0.value != 0 }), only.life >= 0,
            profiles?.choices.isContested(only.life) != true,
            let last = reads.filter({ $0.value == 0 }).max(by: { $0.beat.call < $1.beat.call }),
            last.beat.call >= only.beat.ret.plus(registry.delivery),
            only.beat.ret < lives[only.life].low, lives[only.life].shared.endCalled > only.beat.ret,
            !signOuts.contains(where: { $0.effect != .denied })
        else { return }
        let refused = lives[only.life].refusal(after: only.beat)
        guard only.beat.screen == 0 || refused != nil else { return }
        count(.signInDelivered)
        let gap = last.beat.call - only.beat.ret
        let polled = "polled for \(milliseconds(gap)) more (\(last.beat.name))"
        let loss =
            refused.map {
                "neither the phone (\($0.name)) nor the TV, which \(polled), ever got the sign-in"
            } ?? "the device, which \(polled), never got the sign-in"
        let text =
            "the login ended without an error (\(only.beat.name)), but \(loss) "
            + "(no page says that such a login has succeeded)"
        accuse(
            violation(
                .signInDelivered, .given("a login that ends without an error has succeeded"),
                [only.beat, refused, last.beat].compactMap(\.self), gap: gap, source: .ours, text))
    }
}

extension CompactOperation {
    /// "204, token live at once" (rest-v1.md § 13), "204 token created" (§ 10, N5): such an answer is a promise to the
    /// device itself, where a login's takes effect on another screen.
    fileprivate var isPromisedAtOnce: Bool {
        operation == .tokenExchange || operation == .freePreview
    }
}
