internal import Dialects
internal import Journal
internal import NIOCore

/// Where a reply goes: a connection, or a stream of one.
protocol Waiting: AnyObject {
    func send(_ reply: Reply)
    /// Breaks the connection instead.
    func reset()
}

/// The service on its event loop. Everything here runs on that loop.
final class ServiceLoop {
    private(set) var service: Service
    let bodyLimit: Int
    /// What the connection whose turn it is will send. One for all: it is empty between turns.
    var output = ByteBuffer()
    /// Gets what the service's faults have done.
    private let truth: (@Sendable ([TruthEvent]) -> Void)?
    private let loop: any EventLoop
    private let origin = NIODeadline.now()
    private var requests: UInt64 = 0
    /// Requests that were not answered at once.
    private var waiting: [UInt64: any Waiting] = [:]

    init(
        loop: any EventLoop, service: Service, bodyLimit: Int,
        truth: (@Sendable ([TruthEvent]) -> Void)? = nil
    ) {
        self.truth = truth
        self.loop = loop
        self.service = service
        self.bodyLimit = bodyLimit
    }

    /// The service's time: nanoseconds since it was started.
    private var now: Instant {
        Instant(nanoseconds: (NIODeadline.now() - origin).nanoseconds)
    }

    /// `question`: see `Service.on(_:asking:at:)`.
    func take(
        method: Method?, target: String, headers: Headers, body: [UInt8], peer: String,
        asking question: inout (any ProtocolQuestion)?, from caller: any Waiting
    ) {
        requests += 1
        let id = requests
        let request = ServiceRequest(
            id: RequestID(id), method: method, target: target, headers: headers, body: body,
            peer: peer)
        var isAnswered = false
        for effect in service.on(request, asking: &question, at: now) {
            switch effect {
            case .reply(let reply, let to, after: .zero) where to.value == id:
                isAnswered = true
                caller.send(reply)
            case .reset(let to) where to.value == id:
                isAnswered = true
                caller.reset()
            default: perform(effect)
            }
        }
        if !isAnswered { waiting[id] = caller }
        tell()
    }

    private func tell() {
        guard let truth else { return }
        let events = service.takeTruth()
        if !events.isEmpty { truth(events) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .reply(let reply, to: let id, after: let delay):
            after(delay) { engine in engine.waiting.removeValue(forKey: id.value)?.send(reply) }
        case .again(let deed, at: let instant):
            after(instant - now) { engine in
                for effect in engine.service.on(deed, at: engine.now) { engine.perform(effect) }
                engine.tell()
            }
        case .reset(let id): waiting.removeValue(forKey: id.value)?.reset()
        }
    }

    private func after(_ delay: Duration, _ deed: @escaping @Sendable (ServiceLoop) -> Void) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: TimeAmount(max(.zero, delay))) { deed(bound.value) }
    }
}
