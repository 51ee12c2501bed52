import Dialects
import Journal
import Vocabulary

/// Lives as `rigs/second-screen.yaml` makes them, as the journal would bring them: a TV that asks
/// for a code and polls, a phone that signs in, playback, a sign-out.
struct Lives {
    /// Of all households, in the order in which they ended.
    private(set) var exchanges: [Exchange] = []
    private(set) var records: [HouseholdRecord] = []

    /// `polls`: how often each TV asks before its phone is done. Arrivals are `gap` milliseconds
    /// apart.
    init(households: Int, polls: Int, gap: Double) {
        for household in 0..<households {
            live(household, from: Double(household) * gap, polls: polls)
        }
        exchanges.sort { ($0.ended, $0.device.household) < ($1.ended, $1.device.household) }
        var sequences = [Int](repeating: 0, count: households)
        for position in exchanges.indices {
            let household = exchanges[position].device.household
            sequences[household] += 1
            exchanges[position].sequence = sequences[household]
        }
    }

    /// The life of one household.
    init(only household: Int, polls: Int) {
        live(household, from: 0, polls: polls)
        for position in exchanges.indices { exchanges[position].sequence = position + 1 }
    }

    private mutating func live(_ household: Int, from start: Double, polls: Int) {
        let tv = DeviceID(household: household, role: .firstScreen)
        let phone = DeviceID(household: household, role: .secondScreen)
        let code = Code("C" + String(household, radix: 36, uppercase: true))
        let tag = Tag(mvpd: "DemoCable", user: "viewer-\(household)")
        let epoch: Int64 = 1_767_225_600_000 + Int64(start)
        tell(tv, .registerClient, start, Observation(.success))
        tell(tv, .accessToken, start + 5, Observation(.success))
        tell(tv, .checkAuthentication, start + 10, Observation(.absent))
        tell(
            tv, .registrationCode, start + 15,
            Observation(
                .success, code: code, generated: epoch + 17, expires: epoch + 1_800_017,
                record: "7cc001c1-0000-4000-8000-\(household)"), code)
        var time = start + 20
        for _ in 0..<polls {
            time += 5_000
            tell(tv, .pollToken, time, Observation(.absent, code: code), code)
        }
        tell(
            phone, .registrationRecord, time + 10,
            Observation(
                .success, code: code, generated: epoch + 17, expires: epoch + 1_800_017,
                record: "7cc001c1-0000-4000-8000-\(household)"), code)
        tell(phone, .configuration, time + 20, Observation(.success))
        tell(phone, .authenticate, time + 30, Observation(.success, code: code), code)
        tell(phone, .mvpdLogin, time + 40, Observation(.none), code)
        tell(phone, .mvpdLogin, time + 4_000, Observation(.none), code)
        tell(phone, .assertion, time + 4_010, Observation(.none, tag: tag, code: code), code)
        tell(phone, .checkCode, time + 4_020, Observation(.success, code: code), code)
        let expires = epoch + Int64(time - start) + 21_600_000
        for step in 1...2 {
            tell(
                tv, .pollToken, time + 4_000 + Double(step) * 1_000,
                Observation(.success, tag: tag, code: code, expires: expires), code)
        }
        time += 8_000
        tell(tv, .userMetadata, time, Observation(.success))
        tell(tv, .preauthorize, time + 10, Observation(.success))
        tell(tv, .authorize, time + 20, Observation(.success, resource: "demo-1"))
        tell(
            tv, .mediaToken, time + 30,
            Observation(.success, tag: tag, resource: "demo-1", expires: expires))
        exchanges[exchanges.count - 1].fingerprint = Fingerprint(value: UInt64(household) + 1)
        tell(tv, .logout, time + 40, Observation(.success))
        tell(tv, .checkAuthentication, time + 50, Observation(.absent))
        var record = HouseholdRecord(
            household: household, kind: "living room", lane: 0,
            arrived: Instant(nanoseconds: Int64(start * 1e6)))
        record.ended = Instant(nanoseconds: Int64((time + 54) * 1e6))
        records.append(record)
    }

    private mutating func tell(
        _ device: DeviceID, _ operation: OperationName, _ at: Double, _ observation: Observation,
        _ code: Code? = nil
    ) {
        let sent = Instant(nanoseconds: Int64(at * 1e6))
        let ended = Instant(nanoseconds: Int64((at + 4) * 1e6))
        let isPending = observation.result == .absent
        exchanges.append(
            Exchange(
                lane: 0, sequence: 0, device: device, operation: operation, code: code,
                planned: sent, sent: sent, firstByte: ended, ended: ended,
                delivery: .answered(status: isPending ? 404 : 200),
                outcome: isPending ? .pending : .ok, observation: observation,
                route: Route(
                    connection: 1, reused: true, local: "127.0.0.1:40312",
                    remote: "127.0.0.1:18480"),
                evidence: [
                    "X-Request-Id": "8f7fd036-0164-440d-b509-c2f31f6bcb18", "Server": "stand-in",
                ],
                bytesReceived: 120))
    }
}
