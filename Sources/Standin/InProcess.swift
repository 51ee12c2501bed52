public import Dialects
internal import Journal
public import Lanes
public import Statistics

/// The transport of virtual lanes: the service in the same process, behind a seeded network.
///
///     sent            service acts        firstByte = ended
///      ├── latency ──▶┤── after ──▶┤── latency ──▶┤
///
/// What is lost becomes a timeout: the device cannot know whether the service acted. Each device
/// has dice of its own, so that another one more or less does not change its weather, and the service draws by
/// the household of each request (`DrawKey`). Everything runs on the lane.
public final class InProcess: Transport {
    /// The service behind the network; for its counters.
    public private(set) var service: Service
    /// Gets what the service's faults have done.
    private let truth: ([TruthEvent]) -> Void
    private let lane: Lane
    private let network: Network
    private let latency: Distribution.Sampler
    private let seed: Seed
    private let timeout: Duration
    /// The same, to be added to instants.
    private let timeoutNanoseconds: Int64
    private var underWay = Passages()

    /// What a device has on this transport, from its first request until it is retired.
    fileprivate final class DeviceChannel {
        var dice: Dice
        private(set) var route: Route
        /// The connection has broken: the next request needs another.
        var isBroken = false

        init(dice: Dice, connection: Int) {
            self.dice = dice
            route = Self.route(connection)
        }

        /// Takes the connection for one request more; `number` is that of the next one.
        func use(orAnew number: () -> Int) -> Route {
            if isBroken { (route, isBroken) = (Self.route(number()), false) }
            defer { route.reused = true }
            return route
        }

        private static func route(_ connection: Int) -> Route {
            Route(connection: connection, local: "in-process", remote: "in-process")
        }
    }

    /// One exchange on its way.
    fileprivate final class Passage {
        fileprivate(set) var id: UInt64 = 0
        let completion: (Transfer) -> Void
        let sent: Instant
        /// When no answer is awaited any longer.
        let deadline: Instant
        let link: DeviceChannel
        let route: Route
        /// In nanoseconds.
        let backLatency: Int64
        let losesReply: Bool
        /// What is to reach the service, until it does.
        private var arrival: (request: ServiceRequest, at: InProcess)?

        init(
            completion: @escaping (Transfer) -> Void, sent: Instant, deadline: Instant,
            over link: DeviceChannel, route: Route, backLatency: Int64, losesReply: Bool
        ) {
            self.completion = completion
            self.sent = sent
            self.deadline = deadline
            self.link = link
            self.route = route
            self.backLatency = backLatency
            self.losesReply = losesReply
        }

        /// The service gets the request at `instant`. The timer holds nothing but the passage: a closure over
        /// one reference needs no memory of its own.
        func send(_ request: ServiceRequest, over network: InProcess, arriving instant: Instant) {
            arrival = (request, network)
            network.lane.at(instant) { self.arrive() }
        }

        private func arrive() {
            guard let (request, network) = arrival.take() else { return }
            network.feed(request)
        }
    }

    /// Belongs to `lane`, which is told to use it separately. `timeout` is what a client waits for
    /// an answer from sending. `truth` gets what the service's faults do, on the lane.
    public init(
        lane: Lane, service: consuming Service, network: Network, seed: Seed, timeout: Duration,
        truth: @escaping ([TruthEvent]) -> Void = { _ in }
    ) {
        self.truth = truth
        self.lane = lane
        self.service = service
        self.network = network
        latency = Distribution.Sampler(network.latency)
        self.seed = seed
        self.timeout = timeout
        timeoutNanoseconds = Instant(timeout).nanoseconds
    }

    public func start(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        let link = link(of: device)
        // Four draws for each exchange, needed or not: what happens to one does not shift the next.
        let there = latency.nanoseconds(using: &link.dice)
        let back = latency.nanoseconds(using: &link.dice)
        let losesRequest = link.dice.chance(network.loss)
        let losesReply = link.dice.chance(network.loss)
        let now = lane.now
        let passage = Passage(
            completion: completion, sent: now, deadline: now.later(timeoutNanoseconds),
            over: link, route: link.use { connection(of: device) }, backLatency: back,
            losesReply: losesReply)
        underWay.add(passage)
        if losesRequest || there >= timeoutNanoseconds { expire(passage) }
        guard !losesRequest else { return }
        passage.send(
            ServiceRequest(
                id: RequestID(passage.id), method: call.method, target: call.address.target,
                headers: call.headers, body: call.body, peer: "127.0.0.1",
                drawKey: DrawKey(household: device.id.household, request: device.nextRequest())),
            over: self, arriving: now.later(there))
    }

    public func retire(_ device: Device) {
        device.transportSlot = nil
    }

    public func abort() {
        for passage in underWay.removeAll() {
            let error = TransportError(.stopped, "the run was stopped")
            passage.completion(
                Transfer(
                    sent: passage.sent, firstByte: nil, ended: lane.now, result: .lost(error),
                    route: passage.route))
        }
    }

    private func link(of device: Device) -> DeviceChannel {
        if let link = device.transportSlot as? DeviceChannel { return link }
        let id = device.id
        let dice = seed.child("network", id.household)
            .child("device", Int(id.role.rawValue) << 32 | id.index).generator()
        let link = DeviceChannel(dice: dice, connection: connection(of: device))
        device.transportSlot = link
        return link
    }

    /// The number of its next connection: by whose it is, whoever else is there.
    private func connection(of device: Device) -> Int {
        let id = device.id
        let number = (device.nextConnection() & 63) << 6 | (id.index & 31) << 1
        return id.household << 12 | number | Int(id.role.rawValue)
    }

    /// The service is given a request. A fault may leave it unanswered, or answer it when it acts.
    private func feed(_ request: ServiceRequest) {
        let isAnswered = take(service.on(request, at: lane.now))
        if !isAnswered, let passage = underWay[request.id.value] { expire(passage) }
    }

    /// The effects are put on the lane. Whether they answer what led to them.
    private func take(_ effects: [Effect]) -> Bool {
        var isAnswered = false
        for effect in effects {
            switch effect {
            case .again(let deed, at: let instant):
                lane.at(instant) { _ = self.take(self.service.on(deed, at: self.lane.now)) }
            case .reply(let reply, to: let id, after: let delay):
                isAnswered = true
                send(reply, to: id.value, after: delay)
            case .reset(let id):
                isAnswered = true
                reset(id.value)
            }
        }
        let events = service.takeTruth()
        if !events.isEmpty { truth(events) }
        return isAnswered
    }

    private func send(_ reply: Reply, to id: UInt64, after delay: Duration) {
        guard let passage = underWay[id] else { return }
        let left = delay == .zero ? lane.now : lane.now + delay
        let arrival = left.later(passage.backLatency)
        guard !passage.losesReply, arrival <= passage.deadline else { return expire(passage) }
        lane.at(arrival) { self.complete(id, .answered(reply)) }
    }

    /// The connection breaks; the device hears of it as it would of an answer.
    private func reset(_ id: UInt64) {
        guard let passage = underWay[id] else { return }
        lane.at(lane.now.later(passage.backLatency)) {
            passage.link.isBroken = true
            // As a device with sockets sees it (`TransferFailure`).
            let error =
                passage.route.reused
                ? TransportError(.staleConnection, "a kept connection was reset")
                : TransportError(.connectionLost, "the connection was reset")
            self.complete(id, .lost(error))
        }
    }

    /// A timer only for exchanges that are known to fail: the others cannot, and most are others.
    private func expire(_ passage: Passage) {
        let id = passage.id
        lane.at(passage.deadline) {
            guard self.underWay[id] != nil else { return }
            let error = TransportError(.timeout, "no answer within \(self.timeout)")
            self.complete(id, .lost(error))
        }
    }

    private func complete(_ id: UInt64, _ result: Transfer.Result) {
        guard let passage = underWay.remove(id) else { return }
        let now = lane.now
        var transfer = Transfer(
            sent: passage.sent, firstByte: nil, ended: now, result: result, route: passage.route)
        if case .answered(let reply) = result {
            transfer.firstByte = now
            transfer.bytesReceived = reply.body.count
        }
        passage.completion(transfer)
    }
}

/// The exchanges under way, each in a slot that its id names: found without hashing.
///
/// ```text
/// id   | count of requests (40 bits) | slot (24 bits) |
/// ```
private struct Passages {
    private var slots: [InProcess.Passage?] = []
    private var free: [Int] = []
    private var requests: UInt64 = 0

    private static let slotBits: UInt64 = 24
    private static let slotMask: UInt64 = 1 << slotBits - 1

    /// Takes a passage up and gives it its id. Ids grow with time.
    mutating func add(_ passage: InProcess.Passage) {
        let slot = free.popLast() ?? slots.count
        precondition(slot <= Self.slotMask, "more requests under way than slots can be named")
        requests += 1
        passage.id = requests << Self.slotBits | UInt64(slot)
        if slot == slots.count { slots.append(passage) } else { slots[slot] = passage }
    }

    /// Nil when it has ended.
    subscript(id: UInt64) -> InProcess.Passage? {
        let slot = Int(id & Self.slotMask)
        guard slot < slots.count, let passage = slots[slot], passage.id == id else { return nil }
        return passage
    }

    mutating func remove(_ id: UInt64) -> InProcess.Passage? {
        guard let passage = self[id] else { return nil }
        let slot = Int(id & Self.slotMask)
        slots[slot] = nil
        free.append(slot)
        return passage
    }

    /// Everything, in the order in which it was begun.
    mutating func removeAll() -> [InProcess.Passage] {
        let passages = slots.compactMap { $0 }.sorted { $0.id < $1.id }
        slots = []
        free = []
        return passages
    }
}
