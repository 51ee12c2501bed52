internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What viewers do wrong. The service has to turn each of these down, and is not blamed for it: the
/// requests are marked as provoked (rigs/reference.yaml, `thresholds`).
extension Household {
    /// Types the code that the TV showed before, or one that nobody was given, is told so, and looks at the TV
    /// again. `mvpd`: the provider that its session would be given (rest-v2.md § 5.3). Nothing where a code is typed into a
    /// page (`passGrant`).
    @inline(never)
    func mistypeCode(_ code: Code, mvpd: String? = nil) async throws(StopReason) {
        let wrong = formerCode ?? code.mistyped
        let isTyped = try await provoke(phone) {
            guard let mvpd else { return dialect.record(of: wrong, $0) }
            return dialect.completeSession(wrong, mvpd: mvpd, $0)
        }
        if isTyped { try await human(Self.secondLook) }
    }

    /// Comes back to a code that has run out. There is no signing in with it.
    @inline(never)
    func comeTooLate(_ issued: IssuedCode) async throws(StopReason) {
        let began = lane.now
        try await nap(issued.lifetime + Self.secondLook)
        noteViewerTime(since: began)
        try await provoke(phone) { dialect.record(of: issued.code, $0) }
        throw .abandoned("the viewer typed the code after it had expired", by: .viewer)
    }

    /// Goes as far as the provider's page, and cancels there. The code stays good (rest-v1.md § 6.3).
    @inline(never)
    func cancelLogin(_ issued: IssuedCode, provider: String?) async throws(StopReason) {
        try await walkLogin(issued, provider: provider, as: person, cancels: true)
        phoneDone = nil
    }

    /// Types the code in once more, after it has served: it is spent (rest-v1.md § 6.3, BOUND).
    @inline(never)
    func typeAgain(_ issued: IssuedCode, provider: String?) async throws(StopReason) {
        try await human(Self.secondLook)
        try await provoke(phone) { dialect.record(of: issued.code, $0) }
        try await provoke(phone) { dialect.authenticate(issued, mvpd: provider, $0) }
    }

    /// Types the code as people type: the service may take it, or not.
    @inline(never)
    func typeInSmallLetters(_ code: Code) async throws(StopReason) {
        note(.habit, "small-letters")
        try await provoke(phone) { dialect.record(of: code.small, $0) }
        try await human(Self.secondLook)
    }

    /// Chooses a provider of which they have no account, looks at its page, and goes back.
    @inline(never)
    func chooseWrongProvider(
        _ issued: IssuedCode, insteadOf own: String
    ) async throws(StopReason) {
        // Where the TV is signed in there is no login to look at.
        let offered = offeredOnPhone.filter { !$0.isTempPass && !isSignedIn(at: $0.id) }
        guard let other = offered.first(where: { $0.id != own })?.id else { return }
        note(.habit, "changes-provider")
        if hasSessions {
            guard case .login = try await completeSession(issued.code, mvpd: other, on: phone)
            else { return }
        }
        try await cancelLogin(issued, provider: other)
        takeNextPhone()
    }

    /// The TV is in standby: it asks for nothing, and its connections are gone.
    @inline(never)
    func sleepInStandby() async throws(StopReason) {
        note(.habit, "tv-sleeps")
        lane.retire(tv.device)
        try await nap(standby)
    }

    /// What the phone has open breaks, and it has no network for a while.
    @inline(never)
    func loseNetwork() async throws(StopReason) {
        note(.habit, "loses-network")
        lane.retire(phone.device)
        try await human(Self.outage)
    }

    /// The viewer closes the app, and opens it again: it looks whether it is signed in, and asks for another
    /// code. The former lives on, and nobody sees it any more.
    @inline(never)
    func reopen(mvpd: String?) async throws(StopReason) -> IssuedCode? {
        note(.habit, "reopens-app")
        try await nap(.seconds(1))
        lane.retire(tv.device)
        _ = try await askIfKnown(tv) { dialect.checkAuthentication($0) }
        return try await issueCode(mvpd: mvpd)
    }

    /// What the device has kept is gone; it is the same device.
    func resetApp() {
        note(.habit, "resets-app")
        (tv.client, tv.token, tv.session, tv.endpoints) = (nil, nil, nil, nil)
        signedInAt = []
        vouchedBy = nil
        // It was all that there was of the sign-in.
        if dialect.pages != nil { traces.signedIn = false }
    }

    /// How long a TV is in standby.
    var standby: Duration { terms.polling.every * 3 }
    /// Reading seven characters off a TV and typing them again.
    static let secondLook: Duration = .seconds(2)
    /// How long a phone is without a network.
    static let outage: Duration = .seconds(3)

    /// Asks for what ought to be turned down; whatever is answered, the story goes on. False where the protocol has no
    /// such request.
    @discardableResult
    private func provoke(
        _ screen: Screen, _ make: (Credential) -> Call?
    ) async throws(StopReason) -> Bool {
        do throws(StopReason) {
            _ = try await ask(screen, isProvoked: true, make)
        } catch {
            if case .stopped = error { throw error }
            if case .unknownStep = error { return false }
        }
        return true
    }
}

extension Code {
    /// In small letters, with a blank in the middle.
    var small: Code {
        let letters = text.lowercased()
        let middle = letters.index(letters.startIndex, offsetBy: letters.count / 2)
        return Code("\(letters[..<middle]) \(letters[middle...])")
    }

    /// The code with its last character replaced by the next one of the alphabet: a slip of a finger.
    var mistyped: Code {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        guard let last = text.last else { return Code("A") }
        let position = alphabet.firstIndex(of: last) ?? 0
        return Code(String(text.dropLast()) + String(alphabet[(position + 1) % alphabet.count]))
    }
}
