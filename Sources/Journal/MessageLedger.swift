/// Which requests and replies a history keeps: all of a household in which something is wrong, that of
/// the first error of each sort, and all of the first household of each kind, to compare with.
struct MessageLedger {
    private let gate: OutputGate
    private var shelf = MessageShelf()
    private var kinds: Set<String> = []
    /// What was secret in the messages of a household.
    private var known: [Int: KnownSecrets] = [:]
    /// To be written.
    private(set) var fresh: [KeptMessage] = []

    init(_ gate: OutputGate) { self.gate = gate }

    mutating func take(_ messages: [Message]) {
        guard !messages.isEmpty else { return }
        var released: [Int: [Message]] = [:]
        var order: [Int] = []
        for message in shelf.add(messages) {
            if released[message.household] == nil { order.append(message.household) }
            released[message.household, default: []].append(message)
        }
        for household in order { keep(released[household] ?? []) }
    }

    /// The first household of its kind is kept whole.
    mutating func note(_ record: HouseholdRecord) {
        if kinds.insert(record.kind).inserted { keepWhole(record.household) }
    }

    mutating func keepWhole(_ household: Int) { keep(shelf.want(household)) }

    /// That of one exchange.
    mutating func keep(_ exchange: Exchange) {
        guard let message = shelf.message(exchange.device.household, exchange.sequence) else {
            return
        }
        keep([message])
    }

    mutating func wrote() { fresh.removeAll(keepingCapacity: true) }

    /// Of one household.
    private mutating func keep(_ messages: [Message]) {
        guard let household = messages.first?.household else { return }
        fresh += KeptMessage.kept(
            messages, gate, knowing: &known[household, default: KnownSecrets()])
    }
}
