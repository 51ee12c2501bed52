internal import Dialects

/// The history hash: 128 bits over the canonical form of every exchange, every state of a household
/// and every event of a device, whatever the order in which they were handed over and the lane that did:
/// the same households give the same hash on one lane and on several, and so do the histories of parts. Each
/// item has a hash of its own, and these are added. A household's own order is in its numbers and instants.
///
/// ```text
/// exchanges   e1 + e2 + e3 ...   128 bits --+
/// households  h1 + h2 + ...      128 bits --+--> 128 bits, in hexadecimal
/// events      d1 + d2 + ...      128 bits --+
/// ```
struct HistoryDigest: Sendable {
    private var exchanges = UInt128(0)
    private var households = UInt128(0)
    private var events = UInt128(0)

    /// Of the canonical form and of how it comes to 128 bits: another one gives other hashes. 1 was one stream for
    /// each lane, in its order.
    private static let version: UInt64 = 2

    /// Not a secret: two people with the same rig and seed must get the same hash.
    private static let key = SipHash.HashKey(
        low: 0x7363_7265_656e_7269, high: 0x672f_6869_7374_6f72)

    mutating func add(_ batch: [Exchange]) {
        // Read where they lie: there is one for each request.
        let batch = batch.span
        for position in batch.indices {
            var hash = Self.start
            hash.put(batch[position])
            exchanges &+= Self.end(hash)
        }
    }

    mutating func add(_ household: HouseholdRecord) {
        households &+= Self.hash { $0.put(household) }
    }

    mutating func add(_ event: DeviceEvent) {
        events &+= Self.hash { $0.put(event) }
    }

    /// The hash of all that was added so far, 32 hexadecimal digits.
    var value: String {
        let whole = Self.hash { all in
            all.update(word: Self.version)
            for sum in [exchanges, households, events] {
                all.update(word: UInt64(truncatingIfNeeded: sum >> 64))
                all.update(word: UInt64(truncatingIfNeeded: sum))
            }
        }
        return hexadecimal(UInt64(truncatingIfNeeded: whole >> 64))
            + hexadecimal(UInt64(truncatingIfNeeded: whole))
    }

    @inline(__always)
    private static func hash(_ put: (inout SipHash) -> Void) -> UInt128 {
        var hash = start
        put(&hash)
        return end(hash)
    }

    private static var start: SipHash { SipHash(key: key, wide: true) }

    private static func end(_ hash: consuming SipHash) -> UInt128 {
        let (first, second) = hash.finish128()
        return UInt128(first) << 64 | UInt128(second)
    }
}

/// The canonical form: every field in the order of its declaration, texts with their length before
/// them, what is absent as a word that nothing else is. A secret is there as its fingerprint.
extension SipHash {
    @inline(__always)
    fileprivate mutating func put(_ exchange: Exchange) {
        put([
            exchange.sequence, exchange.device.household,
            Int(exchange.device.role.rawValue) << 32 | exchange.device.index,
            Int(exchange.operation.rawValue) << 8 | Int(exchange.outcome.rawValue),
        ])
        put(exchange.code?.text)
        put([
            Int(exchange.planned.nanoseconds), Int(exchange.begun.nanoseconds),
            Int(exchange.sent.nanoseconds), Int(exchange.firstByte?.nanoseconds ?? .min),
            Int(exchange.ended.nanoseconds),
        ])
        switch exchange.delivery {
        case .answered(let status): put(status)
        case .refused(let error): put(-1, error)
        case .unknown(let error): put(-2, error)
        }
        put(exchange.reason)
        put(exchange.observation)
        update(word: exchange.fingerprint?.value ?? 0)
        put(exchange.deviations.count)
        for deviation in exchange.deviations {
            put(deviation.rule)
            put(deviation.found)
            put(deviation.source.rawValue)
        }
        put(exchange.route)
        put(exchange.evidence.fields.count)
        for field in exchange.evidence.fields {
            put(field.name)
            put(field.value)
        }
        put([exchange.bytesSent, exchange.bytesReceived, exchange.provoked ? 1 : 0])
        // As before there were connections: virtual time has none, and its hashes stay.
        if let connect = exchange.connect {
            put(Int(connect.wholeNanoseconds))
            put((exchange.tls?.wholeNanoseconds).map { Int($0) } ?? .min)
        }
        // As before there were profiles: hashes of protocols without any stay.
        if exchange.mvpd != nil || exchange.subject != nil {
            put(exchange.mvpd)
            put(exchange.subject)
        }
        let profiles = exchange.observation.profiles
        guard !profiles.isEmpty else { return }
        put(profiles.count)
        for profile in profiles {
            put(profile.mvpd)
            put(profile.user)
            put(profile.kind?.rawValue)
            put(profile.issuer)
            put(Int(profile.notBefore))
            put(Int(profile.notAfter))
        }
    }

    fileprivate mutating func put(_ event: DeviceEvent) {
        put(event.device.household)
        put(Int(event.device.role.rawValue) << 32 | event.device.index)
        put(event.sequence)
        put(event.at)
        put(event.name)
        put(event.detail)
    }

    fileprivate mutating func put(_ household: HouseholdRecord) {
        put(household.household)
        put(household.kind)
        put(household.arrived)
        put(Int(household.stage.rawValue) << 8 | Int(household.fate.rawValue))
        put(household.cause)
        put(household.codeShown)
        put(household.phoneDone)
        put(household.tokenSeen)
        put(Int(household.viewerTime.wholeNanoseconds))
        put(household.polls)
        put(household.ended)
        // As before there were denials: hashes of runs without any stay.
        if household.denials > 0 { put(household.denials) }
        // As before it was kept: hashes of runs in which only viewers left stay.
        if household.abandonedBy == .service {
            put(Int(HouseholdRecord.Abandonment.service.rawValue))
        }
        // As before there were paths: what has nothing but one keeps its hash.
        if !household.signOn.isPlain { put(household.signOn) }
    }

    private mutating func put(_ signOn: SignOnRecord) {
        put(signOn.asked?.name)
        put(signOn.paths.count)
        for path in signOn.paths { put(path.name) }
        put(signOn.began)
        put(signOn.steps)
        put(signOn.prompts << 32 | signOn.pickers)
        put(signOn.codes.joined(separator: " "))
        put(signOn.silentRelogins)
        put(signOn.diversion)
    }

    @inline(__always)
    private mutating func put(_ observation: Observation) {
        put(Int(observation.result.rawValue) << 1 | (observation.tag == nil ? 0 : 1))
        if let tag = observation.tag {
            put(tag.mvpd)
            put(tag.user)
        }
        put(observation.code?.text)
        put(observation.resource)
        put(observation.generated.map { Int($0) } ?? .min)
        put(observation.expires.map { Int($0) } ?? .min)
        put(observation.record)
    }

    @inline(__always)
    private mutating func put(_ route: Route) {
        put(
            route.connection << 3 | (route.reused ? 4 : 0)
                | (route.tlsResumed.map { $0 ? 2 : 1 } ?? 0))
        put(route.local)
        put(route.remote)
        put(route.httpVersion)
    }

    private mutating func put(_ mark: Int, _ error: TransportError) {
        put(mark)
        put(error.kind.rawValue)
        put(error.detail)
    }

    /// Side by side, so that the state of the hash stays in registers.
    @inline(__always)
    private mutating func put<let count: Int>(_ numbers: InlineArray<count, Int>) {
        for position in numbers.indices {
            update(word: UInt64(bitPattern: Int64(numbers[position])))
        }
    }

    @inline(__always)
    private mutating func put(_ number: Int) {
        update(word: UInt64(bitPattern: Int64(number)))
    }

    @inline(__always)
    private mutating func put(_ instant: Instant?) {
        update(word: UInt64(bitPattern: instant?.nanoseconds ?? .min))
    }

    private mutating func put(_ text: String?) {
        guard let text else { return update(word: .max) }
        update(word: UInt64(text.utf8.count))
        update(text)
    }
}
