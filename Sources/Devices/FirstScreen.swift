internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// What the TV does (rest-v1.md §§ 10, 11, 15, 16).
extension Household {
    func firstScreen() async throws(Halt) {
        let checked = try await ask(tv) { terms.dialect.checkAuthentication($0) }
        reach(.registered)
        switch checked.answer {
        case .signedIn:
            record.fate = .preSignedIn
            traces.signedIn = true
            reach(.signedIn)
        case .pending, .expired: try await signIn()
        default: throw .refused(checked)
        }
        for activity in plan.activities { try await perform(activity) }
    }

    /// From a fresh code to the token.
    private func signIn() async throws(Halt) {
        // Before there is a code: it would run out while the household waits for an account.
        if !plan.viewer.givesUp { try await takeAccount() }
        var issued = try await issueCode()
        if plan.asksForNewCode {
            // The viewer asks for another code at once: the first is never typed in.
            try await nap(.seconds(1))
            traces.codes.removeLast()
            issued = try await issueCode()
        }
        let shown = lane.now
        if record.codeShown == nil { record.codeShown = shown }
        reach(.codeShown)
        codeOnScreen = issued.code
        polledCode = issued.code
        shownCodes.send(issued)
        defer { codeOnScreen = nil }
        try await pollAll(issued, since: shown)
        reach(.signedIn)
        if terms.code.deletesAfter {
            try await optional { terms.dialect.delete(issued.code, $0) }
            traces.codes.removeAll { $0.code == issued.code }
            // A test bench looks whether it is gone; a true TV does not.
            if terms.polling.afterSuccess > .zero {
                _ = try await ask(tv) { credential throws(Halt) in
                    guard let call = terms.dialect.record(of: issued.code, credential) else {
                        throw .unknownStep
                    }
                    return call
                }
            }
        }
    }

    private func issueCode() async throws(Halt) -> IssuedCode {
        let answered = try await ask(tv) {
            terms.dialect.issueCode($0, lifetime: terms.code.lifetime, mvpd: nil)
        }
        guard case .code(let issued) = answered.answer else { throw .refused(answered) }
        traces.codes.append(Traces.Issued(code: issued.code, until: lane.now + issued.lifetime))
        return issued
    }

    /// Polls until the token is there, and stops by the rules of rest-v1.md § 15. The code's end is
    /// reckoned from its life, not from the service's clock.
    func poll(_ issued: IssuedCode, since shown: Instant) async throws(Halt) {
        var pace = PollPlan(terms.polling, seed: plan.pollSeed.child("poll"))
        let codeEnds = shown + issued.lifetime
        var due = pace.first(after: shown)
        var failures = 0
        while true {
            let settled = shift.settleEnds.map { $0 <= due } ?? false
            if due >= codeEnds { throw .abandoned("the code ran out before the viewer signed in") }
            try await nap(due - lane.now)
            if let viewerLeft { throw viewerLeft }
            record.polls += 1
            let polled = try await pollOnce(issued.code, due: due, from: tv)
            switch polled.answer {
            case .signedIn:
                if record.tokenSeen == nil { record.tokenSeen = polled.exchange.ended }
                traces.signedIn = true
                return
            case .pending, .expired, .blocked:
                failures = 0
                due = pace.next(due: due, ended: polled.exchange.ended)
            case .slow(let pause):
                let earliest = lane.now + Backoff.afterThrottle(pause, using: &tv.dice)
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
            if settled { throw undelivered }
        }
    }

    /// One poll; a stale token is renewed and the poll replayed once, and faults come back to the
    /// cadence. `poller` is the TV, or another poll loop of it.
    func pollOnce(
        _ code: Code, due: Instant, from poller: Screen
    ) async throws(Halt) -> Answered {
        let credential = try await credential(of: tv)
        let call = terms.dialect.poll(code, terms.polling.target, credential)
        let polled = await lane.send(call, from: poller.device, planned: due)
        switch polled.answer {
        case .staleToken where terms.usesBearer: tv.token = nil
        case .staleClient where terms.usesBearer: forget(tv)
        default: return polled
        }
        let renewed = try await self.credential(of: tv)
        return await lane.send(
            terms.dialect.poll(code, terms.polling.target, renewed), from: poller.device)
    }

    /// The settle phase is over and the token has not come.
    private var undelivered: Halt {
        record.phoneDone == nil
            ? .abandoned("nobody signed in before the run ended")
            : .failed("the phone had signed in, and the TV saw no token before the run ended")
    }

    private func perform(_ activity: PlannedActivity) async throws(Halt) {
        let dialect = terms.dialect
        let resource = terms.resources.first ?? ""
        switch activity {
        case .userMetadata: try await optional { dialect.userMetadata($0) }
        case .preauthorize: try await optional { dialect.preauthorize(terms.resources, $0) }
        case .authorize:
            let answered = try await ask(tv) { dialect.authorize(resource, $0) }
            guard case .done = answered.answer else { throw .refused(answered) }
        case .mediaToken:
            try await optional { dialect.mediaToken(resource, $0) }
            reach(.playing)
        case .watch(let duration): try await nap(duration)
        case .logout: try await logout()
        case .again:
            if record.stage < .loggedOut { try await logout() }
            try await signIn()
        }
    }

    /// A step that a protocol may lack, or whose answer changes nothing for the device.
    private func optional(_ make: (Credential) -> Call?) async throws(Halt) {
        let answered: Answered
        do throws(Halt) {
            answered = try await ask(tv) { credential throws(Halt) in
                guard let call = make(credential) else { throw .unknownStep }
                return call
            }
        } catch .unknownStep {
            return
        }
        switch answered.answer {
        case .done, .decisions, .media: return
        // After a logout a refusal is as it should be: the rig asked for it.
        default: if traces.signedIn { throw .refused(answered) }
        }
    }

    private func logout() async throws(Halt) {
        let answered = try await ask(tv) { terms.dialect.logout($0) }
        guard case .done = answered.answer else { throw .refused(answered) }
        traces.signedIn = false
        reach(.loggedOut)
        await pollOn()
    }
}
