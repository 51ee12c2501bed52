internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// What the TV does (rest-v1.md §§ 10, 11, 15, 16).
extension Household {
    func firstScreen() async throws(Halt) {
        if plan.kind.firstScreen.isSDK { return try await sdkLife() }
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

    /// From nothing to the token, by the first way that this household has.
    private func signIn() async throws(Halt) {
        if plan.kind.hasTempPass { return try await takePass() }
        if signsInBothWays { return try await signInBothWays() }
        var preselected: String?
        if plan.kind.platform != nil {
            switch try await signOnByPlatform() {
            case .signedIn: return
            case .regular(let mvpd): preselected = mvpd
            }
        }
        try await signInRegularly(preselected: preselected)
    }

    /// Step 10 of apple-sso.md § 1, and all there is for others.
    func signInRegularly(preselected: String?) async throws(Halt) {
        if plan.kind.firstScreen.hasWebView {
            try await signInOnDevice(preselected: preselected)
        } else {
            try await signInByCode(preselected: preselected)
        }
    }

    /// From a fresh code on the screen to the token.
    private func signInByCode(preselected: String?) async throws(Halt) {
        // Before there is a code: it would run out while the household waits for an account.
        if !plan.viewer.givesUp { try await takeAccount() }
        var issued = try await issueCode(mvpd: preselected)
        if plan.asksForNewCode {
            // The viewer asks for another code at once: the first is never typed in.
            try await nap(.seconds(1))
            traces.codes.removeLast()
            issued = try await issueCode(mvpd: preselected)
        }
        let shown = show(issued)
        defer { codeOnScreen = nil }
        try await pollAll(
            PollOrder(
                code: issued.code, start: shown, firstAfter: terms.polling.firstAfter,
                ends: shown + issued.lifetime,
                whenOver: .abandoned("the code ran out before the viewer signed in")))
        reach(.signedIn)
        if terms.code.deletesAfter { try await deleteCode(issued) }
    }

    /// Puts a code where viewers see it; the instant at which it was there.
    func show(_ issued: IssuedCode) -> Instant {
        let shown = lane.now
        if record.codeShown == nil { record.codeShown = shown }
        reach(.codeShown)
        codeOnScreen = issued.code
        polledCode = issued.code
        shownCodes.send(issued)
        return shown
    }

    func issueCode(mvpd: String?) async throws(Halt) -> IssuedCode {
        let answered = try await ask(tv) {
            terms.dialect.issueCode($0, lifetime: terms.code.lifetime, mvpd: mvpd)
        }
        guard case .code(let issued) = answered.answer else { throw .refused(answered) }
        traces.codes.append(Traces.Issued(code: issued.code, until: lane.now + issued.lifetime))
        return issued
    }

    func deleteCode(_ issued: IssuedCode) async throws(Halt) {
        try await optional { terms.dialect.delete(issued.code, $0) }
        traces.codes.removeAll { $0.code == issued.code }
        // A test bench looks whether it is gone; a true TV does not. A moment later: two things at the
        // same instant have no order.
        guard terms.polling.afterSuccess > .zero else { return }
        try await nap(.milliseconds(5))
        _ = try await ask(tv) { credential throws(Halt) in
            guard var call = terms.dialect.record(of: issued.code, credential) else {
                throw .unknownStep
            }
            call.provoked = true
            return call
        }
    }

    func perform(_ activity: PlannedActivity) async throws(Halt) {
        let dialect = terms.dialect
        switch activity {
        case .userMetadata: try await optional { dialect.userMetadata($0) }
        case .preauthorize: try await optional { dialect.preauthorize(terms.resources, $0) }
        // The phone's, which has done it.
        case .preauthorizeCode: break
        case .authorize: for resource in terms.resources { try await authorize(resource, on: tv) }
        case .authorizationToken:
            for resource in terms.resources {
                try await optional { dialect.authorizationToken(resource, $0) }
            }
        case .mediaToken:
            for resource in terms.resources {
                try await optional { dialect.mediaToken(resource, $0) }
            }
            reach(.playing)
        case .playAtOnce: try await playAtOnce()
        case .watch(let duration): try await nap(duration)
        case .logout: try await logout()
        case .again:
            if record.stage < .loggedOut { try await logout() }
            try await signIn()
        }
    }

    /// A step that a protocol may lack, or whose answer changes nothing for the device.
    func optional(
        on screen: Screen? = nil, _ make: (Credential) -> Call?
    ) async throws(Halt) {
        let answered: Answered
        do throws(Halt) {
            answered = try await ask(screen ?? tv) { credential throws(Halt) in
                guard let call = make(credential) else { throw .unknownStep }
                return call
            }
        } catch .unknownStep {
            return
        }
        switch answered.answer {
        case .done, .decisions, .media, .metadata: return
        default: throw .refused(answered)
        }
    }
}
