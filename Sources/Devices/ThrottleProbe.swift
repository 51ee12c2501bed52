internal import Dialects
public import Journal
public import Lanes
public import Rigs
internal import Synchronization

/// Finds out what a service throttles by, before anybody is accused of throttling wrongly
/// (rest-v1.md § 14):
///
///     polls under a forwarded address, until one is told 429
///     the same device under another address:  passes -> by forwarded address
///     another device under that address:      passes -> by device
///     neither passes                                 -> by the address of the peer
///
/// Twelve polls are one more than a burst of 10 and its first lets through; where they take long,
/// one more for each second, since as many have leaked out meanwhile.
public struct ThrottleProbe: Sendable {
    /// What was found, and how.
    public struct ProbeFinding: Sendable, Hashable {
        public var key: ThrottleKey
        /// Polls that were sent under the first address.
        public var polls: Int
        /// Why it did not come so far, in words; empty when it did.
        public var detail: String

        public init(_ key: ThrottleKey, polls: Int = 0, detail: String = "") {
            self.key = key
            self.polls = polls
            self.detail = detail
        }
    }

    private let terms: RunConfiguration
    private let dialect: any Dialect
    private let statement: Secret
    private let identity: DeviceIdentity
    /// Of no device of the run: their buckets are to be as they were.
    private let addresses: [String]

    /// A device like the first of `plan`, with another id. `salt` chooses two addresses that no household has:
    /// buckets that an earlier preflight filled are not met again; those of a `shard` are no other's. Nil for a plan
    /// without households or addresses.
    public init?(
        _ plan: Plan, terms: RunConfiguration, salt: UInt64, for shard: Shard? = nil
    ) {
        addresses = plan.spareAddresses(salt: salt, for: shard)
        guard let first = plan.household(0), addresses.count == 2 else { return nil }
        self.terms = terms
        dialect = terms.dialect(of: first.kind)
        statement = terms.statement(of: first.kind)
        identity = Self.another(first.firstScreen)
    }

    /// Runs on `lane` until it knows; the lane must have nothing else to do. Blocks its thread.
    public func find(on lane: Lane) -> ProbeFinding {
        let found = Mutex(ProbeFinding(.unknown, detail: "it was stopped"))
        // Safe to use after `run`, which returns when the flow has ended.
        lane.start { [self] in
            let finding = await find(from: lane)
            found.withLock { $0 = finding }
        }
        lane.run { true }
        return found.withLock { $0 }
    }

    private func find(from lane: Lane) async -> ProbeFinding {
        let tv = screen(identity, 0, 0)
        do throws(Obstacle) {
            let bearer = try await bearer(of: tv, on: lane)
            let began = lane.now
            var polls = 0
            while polls < enough(after: lane.now - began) {
                polls += 1
                if try await isThrottled(tv, bearer, on: lane) {
                    let key = try await secondOpinion(bearer, on: lane)
                    return ProbeFinding(key, polls: polls)
                }
            }
            return ProbeFinding(.nothing, polls: polls)
        } catch {
            return ProbeFinding(.unknown, detail: lane.gate(of: tv).text(error.words))
        }
    }

    /// Two polls in a row: one may pass because a second has gone by.
    private func secondOpinion(
        _ bearer: Secret?, on lane: Lane
    ) async throws(Obstacle) -> ThrottleKey {
        let same = screen(identity, 1, 1)
        if try await passesTwice(same, bearer, on: lane) { return .forwardedAddress }
        let other = screen(Self.another(identity, by: 1), 2, 1)
        return try await passesTwice(other, bearer, on: lane) ? .device : .peerAddress
    }

    private func passesTwice(
        _ tv: Device, _ bearer: Secret?, on lane: Lane
    ) async throws(Obstacle) -> Bool {
        for _ in 0..<2 where try await isThrottled(tv, bearer, on: lane) { return false }
        return true
    }

    // MARK: Requests

    /// What kept it from finding out.
    private struct Obstacle: Error {
        var words: Untrusted

        init(_ words: Untrusted) { self.words = words }
        init(_ answered: Answered) { words = StopReason.refusal(answered) }
    }

    /// Nobody is signed in: "not yet" is as good as a token.
    private func isThrottled(
        _ tv: Device, _ bearer: Secret?, on lane: Lane
    ) async throws(Obstacle) -> Bool {
        let credential = Credential(device: tv.identity, bearer: bearer)
        let probe = IssuedCode(code: Code("PROBE"), lifetime: .zero)
        guard let call = dialect.poll(probe, terms.polling.target, credential) else {
            throw Obstacle("\(ours: dialect.name) has no polls")
        }
        let answered = await lane.send(call, from: tv)
        if answered.exchange.outcome == .throttled { return true }
        guard answered.exchange.delivery.status.map({ $0 < 500 }) ?? false else {
            throw Obstacle(answered)
        }
        return false
    }

    private func bearer(of tv: Device, on lane: Lane) async throws(Obstacle) -> Secret? {
        guard terms.usesBearer, let client = try await client(of: tv, on: lane),
            let call = dialect.accessToken(client, as: identity)
        else { return nil }
        let answered = await lane.send(call, from: tv)
        guard case .accessToken(let token) = answered.answer else { throw Obstacle(answered) }
        return token.bearer
    }

    private func client(
        of tv: Device, on lane: Lane
    ) async throws(Obstacle) -> ClientCredentials? {
        if case .given(let client) = terms.clients { return client }
        guard let call = dialect.registerClient(statement, as: identity) else {
            return nil
        }
        let answered = await lane.send(call, from: tv)
        guard case .client(let client) = answered.answer else { throw Obstacle(answered) }
        return client
    }

    private func enough(after spent: Duration) -> Int {
        let rule = dialect.throttle ?? (perSecond: 1, burst: 10)
        let polls = rule.burst + 2
        return min(2 * polls, polls + Int(spent.seconds * rule.perSecond))
    }

    // MARK: Devices

    private func screen(_ identity: DeviceIdentity, _ household: Int, _ address: Int) -> Device {
        var identity = identity
        identity.forwardedFor = addresses[address]
        return Device(
            id: DeviceID(household: household, role: .firstScreen), identity: identity,
            dialect: dialect, counter: Device.Counter())
    }

    /// The same device with another id of the same make.
    private static func another(_ identity: DeviceIdentity, by turn: Int = 0) -> DeviceIdentity {
        let half = identity.id.count / 2 + turn
        return DeviceIdentity(
            id: String(identity.id.dropFirst(half) + identity.id.prefix(half)),
            info: identity.info, userAgent: identity.userAgent,
            forwardedFor: identity.forwardedFor)
    }
}
