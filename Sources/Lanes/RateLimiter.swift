internal import Journal
internal import Vocabulary

/// Who waits to send, and who may go next. First come, first served, but for those whose own host or
/// new connection is what they wait for: they let others pass.
struct RateLimiter<Traveller> {
    /// What a request uses up.
    struct Need: Hashable {
        /// The host, if it has a ceiling of its own.
        var host: String?
        var connects: Bool
    }

    /// One who may go, and since when.
    struct Admission {
        var traveller: Traveller
        var since: Instant
    }

    private struct Ticket {
        var number: Int
        var asked: Instant
        var traveller: Traveller
    }

    /// Those with the same need, oldest first.
    private struct NeedQueue {
        var need: Need
        var tickets: [Ticket] = []
        var head = 0

        var first: Ticket? { head < tickets.count ? tickets[head] : nil }

        mutating func removeFirst() {
            head += 1
            guard head * 2 > tickets.count, head > 32 || head == tickets.count else { return }
            tickets.removeFirst(head)
            head = 0
        }
    }

    private let ceilings: RateLimits
    /// From when on new connections come faster.
    private let began: Instant
    private var all = RequestSpacing()
    private var hosts: [String: RequestSpacing] = [:]
    private var connections = RequestSpacing()
    private var queues: [NeedQueue] = []
    private var lastNumber = 0
    private(set) var waiting = 0

    init(_ ceilings: RateLimits, from began: Instant = .start) {
        self.ceilings = ceilings
        self.began = began
    }

    func need(host: String, connects: Bool) -> Need {
        Need(
            host: ceilings.perHost[host] == nil ? nil : host,
            connects: connects && ceilings.connections != nil)
    }

    mutating func add(_ traveller: Traveller, _ need: Need, at now: Instant) {
        lastNumber += 1
        waiting += 1
        let ticket = Ticket(number: lastNumber, asked: now, traveller: traveller)
        if let position = queues.firstIndex(where: { $0.need == need }) {
            queues[position].tickets.append(ticket)
        } else {
            queues.append(NeedQueue(need: need, tickets: [ticket]))
        }
    }

    /// The next who may go at this instant; nil when nobody may.
    mutating func leave(at now: Instant) -> Admission? {
        var best: (position: Int, ticket: Ticket)?
        for (position, queue) in queues.enumerated() {
            guard let ticket = queue.first, opens(queue.need) <= now else { continue }
            if best == nil || ticket.number < best?.ticket.number ?? 0 {
                best = (position, ticket)
            }
        }
        guard let (position, ticket) = best else { return nil }
        let need = queues[position].need
        let since = max(opens(need), ticket.asked)
        queues[position].removeFirst()
        waiting -= 1
        use(need, at: now)
        return Admission(traveller: ticket.traveller, since: since)
    }

    /// When somebody may go; nil when nobody waits.
    var next: Instant? {
        queues.compactMap { $0.first == nil ? nil : opens($0.need) }.min()
    }

    /// Everybody, in the order in which they came; nobody waits any more.
    mutating func removeAll() -> [Traveller] {
        let tickets = queues.flatMap { $0.tickets[$0.head...] }.sorted { $0.number < $1.number }
        queues = []
        waiting = 0
        return tickets.map(\.traveller)
    }

    private func opens(_ need: Need) -> Instant {
        var opens = ceilings.perSecond == nil ? Instant.start : all.next
        if let host = need.host { opens = max(opens, hosts[host]?.next ?? .start) }
        if need.connects { opens = max(opens, connections.next) }
        return opens
    }

    private mutating func use(_ need: Need, at now: Instant) {
        if let rate = ceilings.perSecond { all.take(at: now, rate: rate) }
        if let host = need.host, let rate = ceilings.perHost[host] {
            hosts[host, default: RequestSpacing()].take(at: now, rate: rate)
        }
        if need.connects, let ramp = ceilings.connections {
            connections.take(at: now, rate: ramp.rate(at: .start + (now - began)))
        }
    }
}
