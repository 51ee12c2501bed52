internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// What to poll for, and until when.
struct PollOrder {
    var issued: IssuedCode
    /// The cadence begins here.
    var start: Instant
    /// From there to the first poll; nil: one interval.
    var firstAfter: Duration?
    /// No poll is due from then on.
    var ends: Instant
    /// What it then comes to.
    var whenOver: StopReason
}

extension Household {
    /// Polls until the token is there, and stops by the rules of rest-v1.md § 15. The code's end is
    /// reckoned from its life, not from the service's clock.
    func poll(_ order: PollOrder) async throws(StopReason) {
        var pace = PollPlan(
            terms.polling, atLeast: order.issued.pollInterval, firstAfter: order.firstAfter,
            seed: plan.pollSeed.child("poll"))
        slowedDown = .zero
        var due = max(pace.first(after: order.start), pollsFrom)
        var failures = 0
        /// Nothing but tokens that were over already.
        var deadToken: StopReason?
        /// When the last poll without a token was sent, and answered.
        var (asked, answered): (Instant?, Instant?)
        /// The last whose response did not come, or was none: it may have had the token.
        var lost: Answered?
        /// Another poll loop may be hearing what the code has served for.
        var mayBeSiblings = dialect.pages != nil && !morePollers.isEmpty
        while true {
            if due >= order.ends { throw deadToken ?? ranOut(order, asked: asked, reported: false) }
            let since = lane.now
            try await nap(until: due)
            if let viewerLeft { throw viewerLeft }
            if isCodeReplaced { throw order.whenOver }
            let settled = hasSettled(since: since)
            record.polls += 1
            let polled = try await pollOnce(order.issued, due: due, from: tv)
            defer { (asked, answered) = (polled.exchange.sent, polled.exchange.ended) }
            if polled.mayHaveLostToken {
                lost = polled
            } else if let firstCopy = polled.firstCopy, firstCopy.mayHaveActed {
                lost = firstCopy
            }
            switch polled.answer {
            case .signedIn where serviceClock.isOver(polled):
                failures = 0
                let name = polled.exchange.operation.name
                deadToken = .failed("\(ours: name) answered with a token that had already expired")
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .signedIn:
                see(token: polled, due: due)
                return
            case .pending, .expired, .blocked:
                failures = 0
                // A code that still waits has served for nothing.
                if case .pending = polled.answer { lost = nil }
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .slow(let pause):
                try check(pause, askedBy: polled, codeEnds: order.ends)
                let earliest = lane.now + Backoff.afterThrottle(pause, using: &tv.dice)
                due = max(earliest, pace.next(due: due, ended: polled.exchange.ended))
            case .slower(let by):
                failures = 0
                noteSlowed(polled, after: answered ?? order.start, order.issued)
                pace.widen(by: by)
                slowedDown += by
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .codeOver where siblingToken != nil:
                if let siblingToken { see(token: siblingToken, due: due) }
                return
            case .codeOver where mayBeSiblings:
                mayBeSiblings = false
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .codeOver:
                throw deadToken ?? ranOut(order, asked: asked, reported: true, after: lost)
            case .denied where hasRefused: throw .refusedByViewer
            // A service that asks for an interval is not asked more often than that.
            case .fault where order.issued.pollInterval != nil:
                pace.slowDown()
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .unanswered(let error, _)
            where order.issued.pollInterval != nil && error.kind != .stopped
                && error.kind != .hostNotAllowed:
                pace.slowDown()
                due = pace.next(due: due, ended: polled.exchange.ended)
            // "Honour Retry-After, else treat as timeout" (device-grant-rfc8628.md § 4).
            case .unavailable(let pause):
                try check(pause, askedBy: polled, codeEnds: order.ends)
                failures += 1
                let longer =
                    order.issued.pollInterval == nil
                    ? max(pause, Backoff.afterFailure(failures)) : pause
                let earliest = lane.now + Backoff.afterThrottle(longer, using: &tv.dice)
                due = max(earliest, pace.next(due: due, ended: polled.exchange.ended))
            case .fault:
                failures += 1
                due = lane.now + Backoff.afterFailure(failures)
            case .unanswered(let error, _):
                if error.kind == .stopped || error.kind == .hostNotAllowed {
                    throw .refused(polled)
                }
                failures += 1
                due = lane.now + Backoff.afterFailure(failures)
            default: throw .refused(polled)
            }
            if settled { throw deadToken ?? undelivered(polled) }
        }
    }

    /// Notes a slow_down in response to a poll that kept the interval (RFC 8628, 3.5): each lengthens every later wait. The gap
    /// counts from the previous response, so the server saw at least as much. With several poll loops it saw more polls.
    @inline(never)
    private func noteSlowed(_ polled: Answered, after last: Instant, _ issued: IssuedCode) {
        guard morePollers.isEmpty, let interval = issued.pollInterval else { return }
        let (gap, asked) = (polled.exchange.sent - last, interval + slowedDown)
        guard gap >= asked else { return }
        note(
            .slowedThoughKept,
            "after \(ours: Self.words(gap)); the interval was \(ours: Self.words(asked))")
    }

    /// One poll; a stale token is renewed and the poll replayed once, and faults come back to the
    /// cadence. `poller` is the TV, or another poll loop of it.
    @inline(never)
    func pollOnce(
        _ issued: IssuedCode?, due: Instant, from poller: Screen
    ) async throws(StopReason) -> Answered {
        let renewed = tv.renewAt
        let credential = try await credential(of: tv)
        // A new access token takes its time at the service: that is no lateness of the rig's.
        let planned = tv.renewAt == renewed ? due : max(due, lane.now)
        guard var call = dialect.poll(issued, terms.polling.asks, credential) else {
            throw .unknownStep
        }
        // A device code serves once: of several loops, and of polls after the success, all but one are to be
        // turned down. What a session's code has led to it may show after its end, or not (rest-v2.md, B24).
        call.provoked =
            dialect.pages != nil && (pollersEnd != nil || !morePollers.isEmpty)
            || hasSessions && pollersEnd != nil && isCodeOver
        let polled = await lane.send(call, from: poller.device, planned: planned)
        switch polled.answer {
        case .staleToken where terms.usesBearer: tv.token = nil
        case .staleClient where terms.usesBearer: forget(tv)
        default: return polled
        }
        let fresh = try await self.credential(of: tv)
        guard let again = dialect.poll(issued, terms.polling.asks, fresh) else { return polled }
        let replayed = await lane.send(again, from: poller.device)
        // A fresh token was turned down: a new client, once (rest-v2.md § 12.3).
        guard case .staleToken = replayed.answer, mayRegisterAnew else { return replayed }
        forget(tv)
        let registered = try await self.credential(of: tv)
        guard let last = dialect.poll(issued, terms.polling.asks, registered) else {
            return replayed
        }
        return await lane.send(last, from: poller.device)
    }

    /// The settle phase is over and the token has not come; `last`: what the TV was answered then.
    private func undelivered(_ last: Answered) -> StopReason {
        if phoneDone == nil {
            return .abandoned("the run ended before the viewer signed in", by: .run)
        }
        let error: Untrusted =
            last.exchange.outcome.isError ? "; the last poll: \(StopReason.refusal(last))" : ""
        let what: Untrusted =
            if hasRefused {
                "the viewer had refused, and the TV was not told before the run ended"
            } else if plan.kind.firstScreen.hasWebView {
                "the web view had signed in, and the device saw no token before the run ended"
            } else {
                "the phone had signed in, and the TV saw no token before the run ended"
            }
        return .failed(what + error)
    }

    /// The first sight of a token. Where a person pressed for it, the wait from the sign-in to the
    /// press is that person's own.
    private func see(token polled: Answered, due: Instant) {
        let isFirst = record.tokenSeen == nil
        seeToken(at: polled.exchange.ended, due: due, sent: polled.exchange.begun)
        if isFirst, terms.polling.button != nil, let phoneDone = record.phoneDone, due > phoneDone {
            record.viewerTime += due - phoneDone
        }
        traces.signedIn = true
        if case .signedIn(let tag, let session) = polled.answer {
            if let session { tv.session = session }
            remember(tag?.mvpd)
        }
        tokenEnd = end(of: polled)
        note(signInBy: polled)
    }
}

extension Rig.Polling {
    /// Between presses of the Continue button, where there is one.
    var button: Distribution? {
        if case .button(let time) = mode { time } else { nil }
    }
}
