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
    private var underWay = Passages()

    /// What a device has on this transport, from its first request until it is retired.
    private final class DeviceChannel {
        var dice: Dice
        var route: Route

        init(dice: Dice, connection: Int) {
            self.dice = dice
            route = Route(connection: connection, local: "in-process", remote: "in-process")
        }
    }

    /// One exchange on its way.
    fileprivate final class Passage {
        fileprivate(set) var id: UInt64 = 0
        let completion: (Transfer) -> Void
        let sent: Instant
        let route: Route
        let backLatency: Duration
        let losesReply: Bool

        init(
            completion: @escaping (Transfer) -> Void, sent: Instant, route: Route,
            backLatency: Duration, losesReply: Bool
        ) {
            self.completion = completion
            self.sent = sent
            self.route = route
            self.backLatency = backLatency
            self.losesReply = losesReply
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
    }

    public func start(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        let link = link(of: device)
        // Four draws for each exchange, needed or not: what happens to one does not shift the next.
        let there = latency.sample(using: &link.dice)
        let back = latency.sample(using: &link.dice)
        let losesRequest = link.dice.chance(network.loss)
        let losesReply = link.dice.chance(network.loss)
        let now = lane.now
        let id = underWay.add(
            Passage(
                completion: completion, sent: now,
                route: link.route,
                backLatency: back, losesReply: losesReply))
        link.route.reused = true
        if losesRequest || there >= timeout { expire(id, at: now + timeout) }
        guard !losesRequest else { return }
        let request = ServiceRequest(
            id: RequestID(id), method: call.method, target: call.address.target,
            headers: call.headers, body: call.body, peer: "127.0.0.1",
            drawKey: DrawKey(household: device.id.household, request: device.nextRequest()))
        lane.at(now + there) { self.feed(.request(request)) }
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
        // Numbered by whose they are, whoever else is there.
        let number = (device.nextConnection() & 63) << 6 | (id.index & 31) << 1
        let connection = id.household << 12 | number | Int(id.role.rawValue)
        let link = DeviceChannel(dice: dice, connection: connection)
        device.transportSlot = link
        return link
    }

    /// The service is given something, and its effects are put on the lane.
    private func feed(_ input: Input) {
        var isAnswered = false
        for effect in service.on(input, at: lane.now) {
            switch effect {
            case .again(let input, at: let instant): lane.at(instant) { self.feed(input) }
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
        // A fault may leave a request unanswered, or answer it when it acts.
        if case .request(let request) = input, !isAnswered,
            let passage = underWay[request.id.value]
        {
            expire(request.id.value, at: passage.sent + timeout)
        }
    }

    private func send(_ reply: Reply, to id: UInt64, after delay: Duration) {
        guard let passage = underWay[id] else { return }
        let arrival = lane.now + delay + passage.backLatency
        let deadline = passage.sent + timeout
        guard !passage.losesReply, arrival <= deadline else {
            expire(id, at: deadline)
            return
        }
        lane.at(arrival) { self.complete(id, .answered(reply)) }
    }

    /// The connection breaks; the device hears of it as it would of an answer.
    private func reset(_ id: UInt64) {
        guard let passage = underWay[id] else { return }
        lane.at(lane.now + passage.backLatency) {
            let error = TransportError(.connectionLost, "the connection was reset")
            self.complete(id, .lost(error))
        }
    }

    /// A timer only for exchanges that are known to fail: the others cannot, and most are others.
    private func expire(_ id: UInt64, at deadline: Instant) {
        lane.at(deadline) {
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

    /// Takes a passage up and gives its id. Ids grow with time.
    mutating func add(_ passage: InProcess.Passage) -> UInt64 {
        let slot = free.popLast() ?? slots.count
        precondition(slot <= Self.slotMask, "more requests under way than slots can be named")
        requests += 1
        passage.id = requests << Self.slotBits | UInt64(slot)
        if slot == slots.count { slots.append(passage) } else { slots[slot] = passage }
        return passage.id
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
