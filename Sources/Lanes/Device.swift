public import Dialects
public import Journal

/// A screen as its lane knows it: whose connections, cookies and address a request uses. Lives on
/// one lane.
public final class Device {
    public let id: DeviceID
    public let identity: DeviceIdentity
    /// By which answers to it are read.
    public let dialect: any Dialect
    public var cookies: CookieJar
    /// Numbers the exchanges of the household; shared by its devices.
    let counter: Counter
    /// The household's part of what correlates its requests with the service's records; nil until
    /// the first.
    var correlation: Correlation?
    private var connections = 0
    /// For the transport: its own bookkeeping of this device (connection slot).
    public var transportSlot: AnyObject?

    public init(id: DeviceID, identity: DeviceIdentity, dialect: any Dialect, counter: Counter) {
        self.id = id
        self.identity = identity
        self.dialect = dialect
        self.cookies = CookieJar()
        self.counter = counter
    }

    /// What its household has that a peer may repeat.
    public var secrets: KnownSecrets {
        get { counter.secrets }
        _modify { yield &counter.secrets }
    }

    /// What its household was throttled.
    public var throttled: ThrottledRequests {
        get { counter.throttled }
        set { counter.throttled = newValue }
    }

    /// Whether its household has its token: what is throttled from then on delays no sign-in.
    public var isSignedIn: Bool {
        get { counter.isSignedIn }
        set { counter.isSignedIn = newValue }
    }

    /// When its sign-in is over by the expiry that the service has given it; nil: not known. From then on the service must
    /// answer that there is no sign-in, which is no error.
    public var signInEnd: Instant? {
        get { counter.signInEnd }
        set { counter.signInEnd = newValue }
    }

    /// Whether its sign-in is over at that instant, by its own expiry.
    public func isSignInOver(at instant: Instant) -> Bool {
        signInEnd.map { instant >= $0 } ?? false
    }

    /// For how long a rate limit of this run, or the rig's own lateness, has delayed its requests: time in which at least
    /// one of them waited.
    public private(set) var delayed = Duration.zero
    /// Of that, the rig's lateness, where it did not wait for a limit at the same time.
    private var late = Duration.zero
    private var lateUntil = Instant.start
    /// For how long the rig was late with requests of any device of its household: what one stop holds up counts once.
    public var householdLateness: LateTime { counter.late }
    /// The same of its first screen, or of its second screens, alone.
    public func householdLateness(of role: DeviceID.Role) -> LateTime {
        role == .firstScreen ? counter.screenLate : counter.phonesLate
    }
    private var waiting = 0
    private var waitsSince = Instant.start

    /// The same, with the wait that goes on.
    public func delayed(by instant: Instant) -> Duration {
        waiting > 0 ? delayed + (instant - waitsSince) : delayed
    }

    /// For how long rate limits alone have delayed its requests.
    public func held(by instant: Instant) -> Duration { delayed(by: instant) - late }

    /// A request that was due at `due` was sent at `begun`. A millisecond is no delay to anybody.
    func noteLateness(from due: Instant, to begun: Instant) {
        guard begun - due > .milliseconds(1) else { return }
        counter.late.add(from: due, to: begun)
        if id.role == .firstScreen {
            counter.screenLate.add(from: due, to: begun)
        } else {
            counter.phonesLate.add(from: due, to: begun)
        }
        let since = max(due, lateUntil)
        guard waiting == 0, begun > since else { return }
        lateUntil = begun
        late += begun - since
        delayed += begun - since
    }

    func beginDelay(at instant: Instant) {
        if waiting == 0 { waitsSince = instant }
        waiting += 1
    }

    func endDelay(at instant: Instant) {
        waiting -= 1
        if waiting == 0 { delayed += instant - waitsSince }
    }

    /// Numbers the requests of its household from 1, for a transport that draws by them.
    public func nextRequest() -> Int {
        counter.requests += 1
        return counter.requests
    }

    /// Numbers its connections from 1, for a transport that has none of its own.
    public func nextConnection() -> Int {
        connections += 1
        return connections
    }

    func noteThrottled() {
        if id.role == .firstScreen {
            counter.throttled.firstScreen += 1
        } else {
            counter.throttled.secondScreens += 1
        }
        if !counter.isSignedIn { counter.throttled.beforeSignIn += 1 }
    }

    /// What the devices of a household have in common: the number of their last exchange, from 1, their
    /// secrets, and what the service throttled.
    public final class Counter {
        private var last = 0
        fileprivate var requests = 0
        fileprivate var secrets = KnownSecrets()
        fileprivate var throttled = ThrottledRequests()
        fileprivate var isSignedIn = false
        fileprivate var signInEnd: Instant?
        fileprivate var late = LateTime()
        fileprivate var screenLate = LateTime()
        fileprivate var phonesLate = LateTime()
        public init() {}

        func next() -> Int {
            last += 1
            return last
        }
    }
}
