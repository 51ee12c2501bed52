internal import Dialects
internal import Journal
internal import Lanes
internal import Statistics
internal import Vocabulary

/// A TV on a test bench: several poll loops, and polls after the success at which a true one stops.
/// Flaps, resurrections and two tokens for one sign-in show only to those who look again.
///
///     code shown      token seen           logout
///      ├─ all poll ───────┼── after-success ─┤ … ├── after-success ─┤
extension Household {
    /// Polls until the token is there, and for `after-success` longer, with every poll loop.
    func pollAll(_ order: PollOrder) async throws(StopReason) {
        guard !morePollers.isEmpty || terms.polling.afterSuccess > .zero else {
            return try await poll(order)
        }
        try await pollOnBench(order)
    }

    @inline(never)
    private func pollOnBench(_ order: PollOrder) async throws(StopReason) {
        pollersEnd = nil
        siblingToken = nil
        async let others: Void = othersPoll(since: order.start)
        var halt: StopReason?
        do throws(StopReason) {
            try await poll(order)
            reach(.signedIn)
            pollersEnd = lane.now + terms.polling.afterSuccess
            await pollOn(at: 0, since: lane.now)
            try await outlast()
        } catch {
            pollersEnd = lane.now
            halt = error
        }
        await others
        if let halt { throw halt }
        try await lookAtList()
    }

    /// Both screens ask by the code; whether the list of all profiles says the same shows only to who asks
    /// for it, on a test bench.
    private func lookAtList() async throws(StopReason) {
        guard terms.polling.afterSuccess > .zero, hasSessions else { return }
        _ = try await askIfKnown(tv, isProvoked: true) {
            dialect.call(.profiles, about: Subject(), $0)
        }
    }

    /// Polls for `after-success` with every poll loop; nothing where the rig does not ask for it. A TV that the platform
    /// signed in has no code, and asks by its device.
    func pollOn() async {
        guard terms.polling.afterSuccess > .zero,
            polledCode != nil || record.signOn.paths.last == .platform
        else { return }
        let now = lane.now
        pollersEnd = now + terms.polling.afterSuccess
        async let others: Void = othersPoll(since: now)
        await pollOn(at: 0, since: now)
        await others
        try? await outlast()
    }

    /// A code that serves once ends the polls at once, and so does a server that asks to wait for longer; what is to be seen
    /// later is looked at when `after-success` is over all the same.
    private func outlast() async throws(StopReason) {
        guard dialect.pages != nil || pollsFrom > lane.now,
            let end = pollersEnd.map({ max($0, pollsFrom) }), lane.now < end
        else { return }
        try await nap(end - lane.now)
    }

    /// After a logout at `mvpd`: whether a media token can still be had, on a test bench.
    func lookAgain(
        at mvpd: String?, with session: DeviceSession? = nil
    ) async throws(StopReason) {
        guard terms.polling.afterSuccess > .zero, let resource = terms.resources.first else {
            return
        }
        if dialect.pages != nil { return try await show(session) }
        guard hasSessions else {
            _ = try await askIfKnown(tv, isProvoked: true) { dialect.mediaToken(resource, $0) }
            return
        }
        // Two things at the same instant have no order: who polls no code has not waited.
        if polledCode == nil { try await nap(.milliseconds(5)) }
        // A device that has forgotten whom it was signed in with would not ask.
        for operation in [OperationName.checkAuthentication, .authorize] {
            let subject = Subject(resources: [resource])
            _ = try await askIfKnown(tv, isProvoked: true) { credential in
                var credential = credential
                credential.mvpd = mvpd
                return dialect.call(operation, about: subject, credential)
            }
        }
    }

    /// After what it held was given back: whether it still works. Of a refresh token that alone, for with it
    /// its access tokens only should go (RFC 7009, 2.1).
    private func show(_ session: DeviceSession?) async throws(StopReason) {
        guard let session else { return }
        let operation: OperationName = session.refresh == nil ? .userinfo : .refreshToken
        _ = try await askIfKnown(tv, isProvoked: true) { credential in
            var credential = credential
            credential.session = session.access
            credential.refresh = session.refresh
            return dialect.call(operation, about: Subject(), credential)
        }
    }

    /// Every further poll loop, until `pollersEnd`.
    private func othersPoll(since start: Instant) async {
        await withTaskGroup(of: Void.self) { group in
            for position in morePollers.indices {
                group.addTask { await self.pollOn(at: position + 1, since: start) }
            }
        }
    }

    /// One poll loop, which no answer ends; the `position`-th of the TV is so many parts of an
    /// interval behind the first.
    private func pollOn(at position: Int, since start: Instant) async {
        let issued = polledCode
        let poller = position == 0 ? tv : morePollers[position - 1]
        var pace = PollPlan(
            terms.polling, atLeast: issued?.pollInterval,
            seed: plan.pollSeed.child("poller", position))
        pace.widen(by: slowedDown)
        let share = terms.polling.every / (morePollers.count + 1) * position
        // The TV's own loop goes on from a poll.
        let first =
            position == 0
            ? pace.next(due: start, ended: start)
            : pace.first(after: start) + (terms.polling.isAligned ? .zero : share)
        var due = max(first, pollsFrom)
        do throws(StopReason) {
            while pollersEnd.map({ due < $0 }) ?? true {
                try await nap(until: due)
                if let end = pollersEnd, lane.now >= end { return }
                record.polls += 1
                let polled = try await pollOnce(issued, due: due, from: poller)
                if case .slower(let by) = polled.answer { pace.widen(by: by) }
                due = pace.next(due: due, ended: polled.exchange.ended)
                switch polled.answer {
                // The code has served, and the TV has what it served for.
                case .signedIn where dialect.pages != nil && pollersEnd == nil:
                    siblingToken = siblingToken ?? polled
                case .slow(let pause), .unavailable(let pause):
                    due = max(
                        due, lane.now + Backoff.afterThrottle(pause, using: &poller.dice))
                    pollsFrom = max(pollsFrom, due)
                    try check(pause, askedBy: polled)
                case .codeOver: return
                case .unanswered(let error, _) where error.kind == .stopped: return
                default: continue
                }
            }
        } catch { return }
    }
}
