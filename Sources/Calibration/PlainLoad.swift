public import Dialects
internal import Journal
public import Lanes
internal import Statistics

/// One request over and over, from many callers on one lane: what a load generator without
/// households would send. First each caller asks once, to have its connection; then time is taken.
///
/// ```text
///   warm-up: one request of each caller, 64 at a time | measured: closed loop, or at a rate
/// ```
///
/// Safe because everything but the initializer runs on the lane's thread, or before and after the
/// lane runs.
public final class PlainLoad: @unchecked Sendable {
    /// What is asked, how fast and for how long.
    public struct LoadSettings: Sendable {
        public var call: Call
        /// Of all lanes together.
        public var callers: Int
        public var pace: Pace
        public var lasting: Duration
        public var keeping: Keeping
        /// Each request waits for the ceilings of its lane, the first of each caller too: then nothing
        /// is warmed up.
        public var isHeldBack: Bool
        /// The processor's clock, in seconds.
        public var processor: @Sendable () -> Double

        public init(
            call: Call, callers: Int, pace: Pace, lasting: Duration, keeping: Keeping,
            isHeldBack: Bool = false, processor: @escaping @Sendable () -> Double
        ) {
            self.call = call
            self.callers = callers
            self.pace = pace
            self.lasting = lasting
            self.keeping = keeping
            self.isHeldBack = isHeldBack
            self.processor = processor
        }
    }

    public private(set) var findings = LoadFindings()
    /// Nobody asks any more.
    public private(set) var isOver = false

    private let lane: Lane
    private let transport: any Transport
    private let terms: LoadSettings
    private let callers: [Caller]
    private var waiting: Int
    private var active: Int
    private var began = Instant.start
    private var ends = Instant.distantFuture
    private var lastEnd = Instant.start
    private var processorBegan = 0.0

    /// Handshakes under way at a time: more would only wait for each other.
    private static let warmingAtOnce = 64
    /// After an exchange that failed, so that a dead target is not asked in a frenzy.
    private static let respite: Duration = .milliseconds(10)

    /// This lane's part of the load: every `lanes`-th caller. `transport` is the lane's.
    public init(
        _ terms: LoadSettings, on lane: Lane, over transport: any Transport, part: Int = 0,
        of lanes: Int = 1
    ) {
        self.lane = lane
        self.transport = transport
        self.terms = terms
        let dialect = Device.plainDialect(for: terms.call)
        callers = stride(from: part, to: terms.callers, by: lanes).map {
            Caller($0, dialect)
        }
        waiting = callers.count
        active = callers.count
        // Safe because the load owns its callers, and outlives the lane's run.
        for caller in callers {
            caller.ended = { [unowned(unsafe) self, unowned(unsafe) caller] in ended(caller, $0) }
            caller.ask = { [unowned(unsafe) self, unowned(unsafe) caller] in ask(caller) }
        }
    }

    /// Sets the warm-up going. On the lane's thread, before it runs.
    public func begin() {
        if callers.isEmpty { isOver = true }
        if terms.isHeldBack { return measure() }
        for _ in 0..<min(Self.warmingAtOnce, callers.count) { warmNext() }
    }

    // MARK: Warm-up

    private func warmNext() {
        guard waiting > 0 else { return }
        waiting -= 1
        // By a timer, so that refusals, which come at once, do not nest.
        let caller = callers[waiting]
        lane.at(lane.now) { [self] in
            transport.start(terms.call, from: caller.device) { [self] transfer in
                caller.isConnected = transfer.isAnswered
                if !caller.isConnected { findings.fail("\(transfer.words)") }
                active -= 1
                if active == 0 { measure() } else { warmNext() }
            }
        }
    }

    /// Nothing is measured when nobody was answered.
    private func measure() {
        guard terms.isHeldBack || callers.contains(where: \.isConnected) else {
            isOver = true
            return
        }
        findings = LoadFindings()
        findings.connections = callers.count
        active = callers.count
        // Setting 50,000 flows going takes half a second, in which others would be late.
        began = lane.now + .milliseconds(1) + .microseconds(10 * callers.count)
        lane.at(began) { [self] in processorBegan = terms.processor() }
        lastEnd = began
        ends = began + terms.lasting
        for caller in callers { caller.free = began }
        // A closed loop begins at one instant as well: its first requests are due at `began`.
        if terms.keeping == .all || terms.isHeldBack {
            let home = Home(lane)
            for position in callers.indices {
                lane.start { [self] in await home.run(self, position) }
            }
        } else {
            for caller in callers { next(caller) }
        }
    }

    // MARK: Measured

    /// Who is behind its time queues with the others for a turn of the lane, by when it was due.
    private var isPaced: Bool { terms.pace != .closed }

    /// When this caller asks next; nil when its time is over.
    private func due(_ caller: Caller) -> Instant? {
        defer { caller.turn += 1 }
        guard let offset = terms.pace.due(caller.turn, of: caller.number, among: terms.callers)
        else { return caller.free < ends ? caller.free : nil }
        let due = Instant(nanoseconds: began.nanoseconds + offset)
        return due < ends ? due : nil
    }

    private func next(_ caller: Caller) {
        guard let due = due(caller) else { return leave() }
        caller.due = due
        if isPaced || due > lane.now { lane.at(due, caller.ask) } else { ask(caller) }
    }

    private func ask(_ caller: Caller) {
        // Who is behind waited for the service, not for the lane.
        if isPaced, caller.free <= caller.due { caller.due = lane.onGrid(caller.due) }
        caller.begun = lane.now
        transport.start(terms.call, from: caller.device, completion: caller.ended)
    }

    private func ended(_ caller: Caller, _ transfer: Transfer) {
        let hasFailed = !transfer.isAnswered
        // What a closed loop has under way at its end belongs to no whole second.
        if terms.pace != .closed || transfer.ended <= ends {
            findings.count(
                transfer, due: caller.due, free: caller.free, begun: caller.begun,
                keeps: terms.keeping != .none)
            lastEnd = max(lastEnd, transfer.ended)
        }
        caller.free = transfer.ended
        guard hasFailed else { return next(caller) }
        caller.free = transfer.ended + Self.respite
        lane.at(caller.free) { [self] in next(caller) }
    }

    /// The same, recorded as in a run.
    fileprivate func flow(_ position: Int) async {
        let caller = callers[position]
        while let due = due(caller) {
            if isPaced || due > lane.now, (try? await lane.sleep(until: due)) == nil { break }
            await exchange(caller, due: due)
            if caller.free > lane.now, (try? await lane.sleep(until: caller.free)) == nil { break }
        }
        leave()
    }

    /// By itself: what it needs in memory would else be held by each flow that sleeps.
    @inline(never)
    private func exchange(_ caller: Caller, due: Instant) async {
        let answered = await lane.send(terms.call, from: caller.device, planned: due)
        let ended = answered.exchange.ended
        if terms.pace != .closed || ended <= ends {
            findings.count(answered.exchange, free: caller.free)
            lastEnd = max(lastEnd, ended)
        }
        caller.free = ended
        if answered.exchange.delivery.status == nil { caller.free = ended + Self.respite }
    }

    private func leave() {
        active -= 1
        guard active == 0 else { return }
        let length = terms.pace == .closed ? terms.lasting : max(terms.lasting, lastEnd - began)
        findings.close(
            after: length.seconds, processor: processorBegan, terms.processor())
        isOver = true
    }
}

/// The actor of a load's flows, as a household is of its own: a flow without an actor is enqueued again after each
/// wait, to leave the actor on which its lane resumes it.
private actor Home {
    nonisolated let unownedExecutor: UnownedSerialExecutor

    init(_ lane: Lane) { unownedExecutor = lane.asUnownedSerialExecutor() }

    func run(_ load: PlainLoad, _ position: Int) async { await load.flow(position) }
}

/// One of those who ask.
private final class Caller {
    let number: Int
    let device: Device
    var turn = 0
    /// When the request under way was due, and handed over.
    var due = Instant.start
    var begun = Instant.start
    /// When its last answer was there.
    var free = Instant.start
    var isConnected = false
    /// Made once: a closure for each request would cost a tenth of it.
    var ended: (Transfer) -> Void = { _ in }
    var ask: () -> Void = {}

    init(_ number: Int, _ dialect: any Dialect) {
        self.number = number
        device = Device(plain: number, dialect)
    }
}

extension Device {
    /// What reads answers to a plain request, as a device does. Nothing is held against them, for the protocol's
    /// page says nothing of the request.
    static func plainDialect(for call: Call) -> any Dialect {
        ProtocolName.usual.dialect(
            at: call.address.origin, requestor: "plain", domain: "plain",
            redirectURL: "https://plain/")
    }

    private static let plainInfo = DeviceInfo(
        model: "AppleTV14,1", osName: "tvOS", osVersion: "17.4", primaryHardwareType: "SetTopBox")

    /// A device of no household: what it says of itself is of no interest to a plain service.
    convenience init(plain number: Int, _ dialect: any Dialect) {
        self.init(
            id: DeviceID(household: number, role: .firstScreen),
            identity: DeviceIdentity(
                id: "plain-\(number)", info: Self.plainInfo, userAgent: "screenrig",
                forwardedFor: nil),
            dialect: dialect, counter: Device.Counter())
    }
}

extension Transfer {
    fileprivate var isAnswered: Bool {
        if case .answered = result { true } else { false }
    }

    fileprivate var words: String {
        switch result {
        case .answered(let reply): "status \(reply.status)"
        case .refused(let error), .lost(let error): error.description
        }
    }
}
