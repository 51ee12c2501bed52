internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// One living room: a first screen, a second screen, and the viewer between them. An actor on its
/// lane, so its flows share state without locks and calls between them enqueue nothing.
actor Household {
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    let lane: Lane
    let terms: RunConfiguration
    /// What its kind speaks, and registers its clients with.
    let dialect: any Dialect
    let statement: Secret
    var plan: HouseholdPlan
    let shift: LaneScheduler
    let tv: Screen
    /// Further poll loops of the TV, for test benches: the same TV on connections of their own.
    let morePollers: [Screen]
    /// Connections of the TV's own for what it plays at the same time: one for each resource.
    let players: [Screen]
    /// The household's phones; empty where a web view of the first screen is what signs in.
    let phones: [Screen]
    /// The browser that is in use: one of the phones, or the first screen itself.
    private(set) var phone: Screen
    var tries = 0
    var record: HouseholdRecord
    /// The sign-in under way is the one that `record` times: the first whose token the TV saw.
    var isTimed = true
    /// The last response of the sign-in under way reached the phone.
    var phoneDone: Instant? {
        willSet { noteDelay() }
        didSet {
            guard isTimed else { return }
            record.phoneDone = phoneDone
            if let phoneDone { lateAtPhone = late(by: phoneDone) }
        }
    }
    /// It signs in before the load: nothing that it does counts.
    var isPreparing = false

    /// The TV's screen, as the viewer sees it: each code shown, until the TV is done.
    var shownCodes = Signal<IssuedCode>()
    /// What the TV shows now; nil once it has its token or the code is over.
    var codeOnScreen: Code?
    /// For how long a rate limit of this run had delayed either when the code was shown, or when that was counted last.
    private var delayBefore = (phone: Duration.zero, tv: Duration.zero)
    /// What `delayByRig` would be when the code was shown, counted from the beginning.
    private var rigBefore = (held: Duration.zero, late: Duration.zero)
    /// For how long the rig had been late when the time of the sign-in began.
    private var lateBefore = (tv: Duration.zero, phones: Duration.zero)
    /// The same when the phone was done.
    private var lateAtPhone = (tv: Duration.zero, phones: Duration.zero)
    /// When the newest code expires, by the lifetime that came with it.
    var codeEnd: Instant?
    /// For how long the TV waited for the response with its code.
    var codeWait: Duration = .zero
    /// The code that polls are for.
    var polledCode: IssuedCode?
    /// The code that the TV showed before, where the viewer asked for another.
    var formerCode: Code?
    /// The service has ended the code that the TV polls for by giving it another.
    var isCodeReplaced = false
    /// When further poll loops stop; nil while the TV waits for its token.
    var pollersEnd: Instant?
    /// Throttled after its token, the TV polls no more until then, whatever it does meanwhile.
    var pollsFrom = Instant.start
    /// What another poll loop of the TV was given, where a code serves once.
    var siblingToken: Answered?
    /// Somebody looks at the TV and signs in with the next code that it shows.
    var isWatched = false
    /// Whether a viewer of this household may still sign in.
    private(set) var expectsViewer = true
    /// When that last ended.
    private var viewerDone = Instant.start
    /// The viewer has refused the device, or is about to: a poll may hear of it.
    var hasRefused = false
    /// How the last login ended, where that was not by the way back to the app, or not by a page that confirmed a decision.
    var loginEnd: Untrusted?
    /// What was said to the last assertion or decision, where that was neither yes nor no: the check decides then, or
    /// what the TV is told.
    var lostAssertion: Untrusted?
    /// Set when the viewer walks away: the TV stops at its next poll.
    var viewerLeft: StopReason?
    var loan = AccountLoan.none
    /// Accounts of a file that logins of a driven household have, by their number in it.
    var driven: [Int: AccountPool.Lease] = [:]
    /// What it has to take back before it goes, if the rig cleans up.
    var traces = Traces()
    /// The platform's account framework on the first screen; asked only where the rig has it.
    var accounts: SubscriberAccounts
    /// The configuration, once the first screen has asked for it.
    var knownProviders: [Provider]?
    /// What the phone was last offered.
    var offeredOnPhone: [Provider] = []
    /// It logged out, and has not signed in since.
    var isLoggedOut = false
    /// Platform pickers shown before the sign-in under way.
    var pickersBefore = 0
    /// Counts its events.
    var events = 0
    /// The SDK under the app, where the first screen has one.
    var sdk: AccessEnabler
    var sdkApp = SDKAppState()
    /// The service's clock, as its codes tell it.
    var serviceClock = CodeClock()
    /// By how much `slow_down` has lengthened the poll interval of the code (RFC 8628, 3.5).
    var slowedDown: Duration = .zero
    /// When the token that the last poll saw expires.
    var tokenEnd: Instant?
    /// It was authorized for something, by itself and not by an SDK.
    var hasAuthorized = false
    /// Until when it is authorized for what, as the service says; without a word of it, not at all.
    var authorizedUntil: [String: Instant] = [:]
    /// Resources that the newest authorization was denied for.
    var denied: Set<String> = []
    /// How often it has signed in again because the service had forgotten it.
    var restarts = 0
    var hasSessions: Bool { dialect.hasSessions }
    /// Providers that the TV is signed in with, in protocols with sessions; the newest last.
    var signedInAt: [String] = []
    /// The sign-in under way is one more, at a provider that is none of these.
    var isAtAnotherProvider = false
    /// Of one more sign-in: whether the TV is signed in with that provider already.
    func isSignedIn(at provider: String) -> Bool {
        isAtAnotherProvider && signedInAt.contains(provider)
    }
    /// What the platform's account framework last said.
    var partnerStatus: PartnerStatus?
    /// For whose account, as the platform calls the provider, the service has made a profile.
    var vouchedBy: String?
    var heldToken: HeldToken?
    /// Where it shares a home.
    let home: Home?

    init(_ plan: HouseholdPlan, terms: RunConfiguration, lane: Lane, shift: LaneScheduler) {
        self.plan = plan
        self.terms = terms
        let dialect = terms.dialect(of: plan.kind)
        self.dialect = dialect
        statement = terms.statement(of: plan.kind)
        self.lane = lane
        self.shift = shift
        home = plan.home.map { home in
            let known = shift.homes[home.first] ?? Home()
            shift.homes[home.first] = known
            return known
        }
        let counter = Device.Counter()
        let seed = plan.pollSeed
        let identities = plan.kind.firstScreen.hasWebView ? [] : plan.secondScreens
        let tv = Screen(
            device: Device(
                id: DeviceID(household: plan.index, role: .firstScreen),
                identity: plan.firstScreen, dialect: dialect, counter: counter),
            seed: seed.child("tv waits"))
        morePollers = (1..<max(1, terms.polling.pollers)).map { index in
            Screen(
                device: Device(
                    id: DeviceID(household: plan.index, role: .firstScreen, index: index),
                    identity: plan.firstScreen, dialect: dialect, counter: counter),
                seed: seed.child("poller waits", index))
        }
        self.tv = tv
        let playing = plan.activities.contains(.playAtOnce) ? terms.resources.count : 0
        players = (0..<playing).map { number in
            Screen(
                device: Device(
                    id: DeviceID(
                        household: plan.index, role: .firstScreen,
                        index: max(1, terms.polling.pollers) + number),
                    identity: plan.firstScreen, dialect: dialect, counter: counter),
                seed: seed.child("player waits", number))
        }
        phones = identities.enumerated().map { position, identity in
            Screen(
                device: Device(
                    id: DeviceID(household: plan.index, role: .secondScreen, index: position),
                    identity: identity, dialect: dialect, counter: counter),
                seed: seed.child("phone waits", position))
        }
        phone = phones.first ?? tv
        accounts = SubscriberAccounts(plan, terms: terms, at: lane.now)
        sdk = AccessEnabler(
            hasWebView: plan.kind.firstScreen.hasWebView, hasPlatform: plan.kind.platform != nil)
        record = HouseholdRecord(
            household: plan.index, kind: plan.kind.name, lane: lane.index, arrived: lane.now)
        // Of two who sign in at once either may be first.
        if plan.second == nil, plan.kind.platform?.succeeds == true {
            record.signOn.asked = .platform
        }
    }

    /// The whole life: both screens at once, until both are done.
    func live() async {
        if plan.preparation != nil {
            guard await prepare() else { return await leave() }
            record.arrived = lane.now
        }
        noteRecord()
        async let viewer: Void = watchAndSignIn()
        await firstScreenLife()
        shownCodes.finish()
        await viewer
        noteSignInAfterLastPoll()
        if terms.cleansUp {
            // Its logout would end the other's sign-in as well.
            do { try await waitForStayer() } catch {}
        }
        await leave()
    }

    private func leave() async {
        if terms.cleansUp { await cleanUp() }
        // The service may have throttled a phone after its TV was done, or what cleans up.
        if record.ended != nil, record.throttled != tv.device.throttled { noteRecord() }
        leaveHome()
        giveBackAccount()
        lane.retire(tv.device)
        for poller in morePollers + players { lane.retire(poller.device) }
        for phone in phones { lane.retire(phone.device) }
    }

    /// A sign-in is timed from the first code; one by code after one on the platform is not timed.
    func showCode(at instant: Instant) {
        noteDelay()
        if record.codeShown == nil, record.tokenSeen == nil {
            record.codeShown = instant
            lateBefore = late(by: instant)
        }
        delayBefore = (phone.device.delayed, tv.device.delayed)
        rigBefore = (held, tv.device.householdLateness.total)
    }

    /// Takes what a rate limit of this run, or the rig's lateness, has delayed the phone, or the web view, since the code was shown out of the
    /// service's part of the sign-in. What the phone asks once it is done delays no token.
    private func noteDelay() {
        if record.codeShown != nil, record.tokenSeen == nil, phoneDone == nil {
            record.viewerTime += phone.device.delayed - delayBefore.phone
        }
        delayBefore.phone = phone.device.delayed
    }

    /// The TV has its token, from a poll that was due at `due` and sent at `sent`: its own wait for a rate limit, or for a
    /// late rig, counts from when the phone was done. Where it was not done yet, both waited at the same time.
    func seeToken(at instant: Instant, due: Instant? = nil, sent: Instant? = nil) {
        guard record.tokenSeen == nil else { return }
        var polled = Duration.zero
        if let due, let sent, phone.device !== tv.device {
            let ready = max(due, record.phoneDone ?? due)
            polled = min(tv.device.delayed - delayBefore.tv, max(.zero, sent - ready))
        }
        let before = record.viewerTime
        noteDelay()
        record.viewerTime = max(record.viewerTime, before + polled)
        record.tokenSeen = instant
        noteLateness(by: instant, ofPoll: (sent ?? instant) - (due ?? sent ?? instant))
        tv.device.isSignedIn = true
    }

    /// The time of a sign-in counts from now on.
    func beginTiming() {
        record.signOn.began = lane.now
        lateBefore = late(by: lane.now)
    }

    /// For how long the rig was late with requests of the TV, and with those of phones; a web view is both.
    private func late(by instant: Instant) -> (tv: Duration, phones: Duration) {
        func late(_ role: DeviceID.Role) -> Duration {
            tv.device.householdLateness(of: role).total(by: instant)
        }
        return (late(.firstScreen), late(phone.device === tv.device ? .firstScreen : .secondScreen))
    }

    /// There was a token at `instant`, from a poll that was so late. Until the phone is done, polls that are late delay nothing,
    /// and from then on nothing that the phone asks does.
    private func noteLateness(by instant: Instant, ofPoll late: Duration) {
        let now = self.late(by: instant)
        if record.phoneDone != nil {
            record.rigLateness.inVisibility = max(.zero, now.tv - lateAtPhone.tv)
            record.rigLateness.inSignIn =
                max(.zero, lateAtPhone.phones - lateBefore.phones) + record.rigLateness.inVisibility
        } else if record.codeShown != nil, phone.device !== tv.device {
            // The service was done before its response reached the phone.
            record.rigLateness.inSignIn = now.phones - lateBefore.phones + max(.zero, late)
        } else {
            record.rigLateness.inSignIn = now.tv - lateBefore.tv
        }
    }

    /// For how long, since the code was shown, rate limits of this run have delayed the phones, and the rig was late with requests
    /// of whichever device.
    var delayByRig: (held: Duration, late: Duration) {
        (held - rigBefore.held, tv.device.householdLateness.total - rigBefore.late)
    }

    private var held: Duration {
        (phones.isEmpty ? [phone] : phones).reduce(.zero) { $0 + $1.device.held(by: lane.now) }
    }

    /// Where it is now; of a household that prepares nobody has heard yet.
    func noteRecord() {
        guard !isPreparing else { return }
        record.throttled = tv.device.throttled
        if record.hasSignedIn { tv.device.isSignedIn = true }
        lane.note(record)
    }

    /// Keeps the shift's count of viewers who may still sign in.
    func expect(aViewer isExpected: Bool) {
        guard isExpected != expectsViewer else { return }
        expectsViewer = isExpected
        if !isExpected { viewerDone = lane.now }
        isExpected ? shift.viewerIsBack() : shift.viewerIsDone()
    }

    /// Whether the settle phase is over for a TV that polls now and began to wait for that at `asked`: the whole of it has
    /// passed since this household's own viewer was done, who may have been back.
    func hasSettled(since asked: Instant) -> Bool {
        !expectsViewer && shift.hasSettled(since: asked, done: viewerDone)
    }

    /// Each try of the viewer is on the next phone.
    func takeNextPhone() {
        // The last is the second viewer's, where there is one.
        let own = plan.second == nil ? phones[...] : phones.dropLast()
        guard !own.isEmpty else { return }
        noteDelay()
        phone = own[tries % own.count]
        delayBefore.phone = phone.device.delayed
        tries += 1
    }

    /// Records that the household got so far; stages are never taken back.
    func reach(_ stage: Stage) {
        guard stage > record.stage else { return }
        record.stage = stage
        noteRecord()
    }

    private func firstScreenLife() async {
        do throws(StopReason) {
            try await firstScreen()
        } catch {
            settleFate(error)
        }
        if record.fate == .running { record.fate = .signedIn }
        record.ended = lane.now
        noteRecord()
    }

    /// Words as they may be kept, without fingerprints: one cause has the same words for all households.
    func shown(_ words: Untrusted) -> String {
        let text = lane.gate(of: tv.device).text(words)
        return text.contains("(secret #")
            ? text.replacing(#/\(secret #[0-9a-f]+\)/#, with: "(secret)") : text
    }

    /// Somebody signs in with `account`: whatever answers from here on may repeat its password.
    func expectEchoes(of account: Account) {
        tv.device.secrets.note(account.password)
        tv.device.secrets.note(name: account.user)
        if let userID = account.userID { tv.device.secrets.note(name: userID) }
    }

    /// Whom the service kept from going on has failed, also after its sign-in (`hasSignedIn`); people who
    /// stop after it have not.
    private func settleFate(_ halt: StopReason) {
        let wasSignedIn = record.hasSignedIn
        switch halt {
        case .failed(let cause):
            record.fate = .failed
            record.cause = shown(cause)
        // Each time the sign-in had run out as it said it would: the service kept nobody from anything.
        case .signedOut(let cause) where isSignInOver:
            leave(by: .viewer)
            record.cause = shown("\(cause)\(ours: HouseholdRecord.signInExpired)")
        case .signedOut(let cause):
            record.fate = .failed
            record.cause =
                restarts == 0
                ? shown(cause) : shown("\(cause), \(restarts) new sign-ins notwithstanding")
        case .abandoned(let cause, let who):
            leave(by: who)
            record.cause = shown(cause)
        case .unknownStep:
            record.fate = .failed
            record.cause = "\(dialect.name) has no step that this kind of household needs"
        case .stopped:
            let lost = shift.lostCause
            if lost == nil || wasSignedIn { leave(by: .run) } else { record.fate = .failed }
            record.cause = lost ?? HouseholdRecord.stopped
        }
    }

    /// Who has signed in before has not abandoned anything.
    private func leave(by who: HouseholdRecord.Abandonment) {
        guard record.hasSignedIn else {
            (record.fate, record.abandonedBy) = (.abandoned, who)
            return
        }
        if record.fate == .running { record.fate = .signedIn }
    }
}

extension SubscriberAccounts {
    /// The account that the rig's script gives the device, with the household's own provider.
    fileprivate init(_ plan: HouseholdPlan, terms: RunConfiguration, at now: Instant) {
        var own = PlatformProviderID.drawn(plan.providerDraw)
        if case .choose(let id?) = plan.kind.platform?.picker {
            own = .ofProvider(id)
        } else if let id = RunConfiguration.choice(of: terms.ownProviders, at: plan.providerDraw) {
            own = .ofProvider(id)
        }
        self.init(
            plan.kind.platform ?? .withheld, own: own,
            subject: plan.account.user, cancelsLogin: plan.viewer.cancels, at: now)
    }
}
