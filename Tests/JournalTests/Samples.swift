import Dialects
import Statistics
import TestSupport
import Vocabulary

@testable import Journal

/// Random but legal exchanges, households and batches, from a seed.
struct Samples {
    var dice: Dice

    init(_ seed: Seed) { dice = seed.child("samples").generator() }

    mutating func exchange(
        lane: Int = 0, household: Int = 7, sequence: Int = 1, around second: Int = 3,
        clean: Bool = false
    ) -> Exchange {
        let planned = Instant(nanoseconds: Int64(second) * 1_000_000_000 + number(1_000_000_000))
        let sent = planned + .nanoseconds(number(5_000_000))
        let ended = sent + .nanoseconds(number(dice.chance(0.05) ? 30_000_000_000 : 200_000_000))
        let delivery = clean ? .answered(status: 200) : delivery()
        let outcome: Outcome =
            clean ? .ok : delivery.error?.outcome ?? [.ok, .pending, .rejected][dice.below(3)]
        let connect: Duration? = maybe { .nanoseconds($0.number(3_000_000)) }
        return Exchange(
            lane: lane, sequence: sequence, device: device(household),
            // Those of connections are nobody's requests, and the last.
            operation: OperationName.allCases[dice.below(OperationName.allCases.count - 2)],
            code: maybe { Code("AB\($0.number(99))") }, planned: planned,
            begun: planned + .nanoseconds(number(900_000)), sent: sent,
            firstByte: delivery.status == nil
                ? nil : sent + .nanoseconds((ended - sent).nanoseconds / 2),
            ended: ended, delivery: delivery, outcome: outcome, reason: maybe { $0.word() },
            observation: observation(), fingerprint: maybe { Fingerprint(value: $0.dice.next()) },
            deviations: list { Deviation(rule: $0.word(), found: $0.word(), source: .reading) },
            route: route(), evidence: Headers(list { Headers.Field($0.word(), $0.word()) }),
            bytesSent: Int(number(4_000)), bytesReceived: Int(number(40_000)),
            provoked: dice.chance(0.1), connect: connect,
            tls: connect.flatMap { _ in maybe { .nanoseconds($0.number(2_000_000_000)) } })
    }

    mutating func household(_ number: Int, lane: Int = 0, kind: String = "family")
        -> HouseholdRecord
    {
        var record = HouseholdRecord(
            household: number, kind: kind, lane: lane, arrived: instant())
        record.stage = Stage.allCases[dice.below(Stage.allCases.count)]
        record.fate = HouseholdRecord.Fate.allCases[dice.below(5)]
        record.cause = dice.chance(0.5) ? "" : word()
        record.codeShown = maybe { $0.instant() }
        record.phoneDone = maybe { $0.instant() }
        record.tokenSeen = maybe { $0.instant() }
        record.viewerTime = .nanoseconds(self.number(9_000_000_000))
        record.polls = dice.below(100)
        record.throttled = maybe {
            ThrottledRequests(
                firstScreen: $0.dice.below(9), secondScreens: $0.dice.below(9),
                beforeSignIn: $0.dice.below(9))
        }
        record.ended = maybe { $0.instant() }
        record.rigLateness = SignInLateness(
            inSignIn: .nanoseconds(number + 2), inVisibility: .nanoseconds(number + 1))
        return record
    }

    /// Several lanes' batches of `seconds` seconds, mingled, with exchanges that end late.
    mutating func batches(lanes: Int, seconds: Int, perBatch: Int = 20) -> [Batch] {
        var all: [Batch] = []
        for second in 0..<seconds {
            for lane in 0..<lanes {
                var batch = Batch(
                    lane: lane, through: Instant(.seconds(second + 1)))
                for _ in 0..<perBatch {
                    let household = dice.below(10) * lanes + lane
                    batch.exchanges.append(
                        exchange(
                            lane: lane, household: household, around: max(0, second - dice.below(3))
                        ))
                }
                let household = dice.below(10) * lanes + lane
                batch.households.append(
                    self.household(household, lane: lane, kind: Self.kind(of: household)))
                batch.health = LaneHealth(
                    lane: lane, from: Instant(.seconds(second)),
                    through: Instant(.seconds(second + 1)), turns: dice.below(100),
                    busy: .milliseconds(dice.below(900)),
                    longestTurn: .microseconds(dice.below(900)))
                all.append(batch)
            }
        }
        return all
    }

    /// The kind that a household keeps for life.
    static func kind(of household: Int) -> String {
        household.isMultiple(of: 2) ? "family" : "flat share"
    }

    static func header(lanes: Int = 1) -> HistoryHeader {
        HistoryHeader(
            run: "smoke-20261121T070000Z", runID: RunID(of: Seed(1)), rigName: "smoke",
            rigSource: "name: smoke\n# \"quoted\"\n",
            seed: .max, startedMicroseconds: 1_795_244_400_000_000, target: "http://127.0.0.1:8080",
            protocolName: "adobe-pass-v1", version: "0.1.0", isVirtual: true, lanes: lanes,
            kinds: ["family", "flat share"], plannedHouseholds: nil, load: "50/s for 40 s",
            thresholds: ["errors < 1%", "poll-token p99 < 250ms"], shows: ["media-token"],
            validLatenessNanoseconds: 10_000_000, validBusy: 0.9, breachFails: true)
    }

    static let profile = Profile(
        mvpd: "DemoCable", user: "u-\"8f31\"", kind: .regular, issuer: "DemoCable",
        notBefore: 1_760_000_100_000, notAfter: 1_767_776_100_000)

    static let end = HistoryEnd(
        ended: Instant(.seconds(60)), interrupted: false, failure: "", cpuPercent: 12.5,
        historyHash: "",
        standstills: [
            Standstill(noticed: Instant(.seconds(7)), length: .milliseconds(1_500)),
            Standstill(noticed: Instant(.seconds(9)), length: .seconds(60)),
        ], stalls: [Standstill(noticed: Instant(.seconds(8)), length: .milliseconds(2_250))])

    // MARK: Pieces

    mutating func number(_ bound: Int) -> Int64 { Int64(dice.below(bound)) }

    mutating func word() -> String {
        let words = [
            "", "Server", "x", "it's \"so\"", "back\\slash", "line\nbreak\ttab\r\u{1}", "ünïcode 🂡",
            "a=b; c", "{}[],:", "e\u{301}",
        ]
        return words[dice.below(words.count)]
    }

    private mutating func instant() -> Instant { Instant(nanoseconds: number(60_000_000_000)) }

    private mutating func maybe<Value>(_ make: (inout Samples) -> Value) -> Value? {
        dice.chance(0.5) ? make(&self) : nil
    }

    private mutating func list<Value>(_ make: (inout Samples) -> Value) -> [Value] {
        (0..<dice.below(3)).map { _ in make(&self) }
    }

    private mutating func device(_ household: Int) -> DeviceID {
        switch dice.below(3) {
        case 0: DeviceID(household: household, role: .firstScreen)
        default: DeviceID(household: household, role: .secondScreen, index: dice.below(3))
        }
    }

    private mutating func delivery() -> Delivery {
        let kinds = TransportError.Kind.allCases
        let error = TransportError(kinds[dice.below(kinds.count)], word())
        switch dice.below(8) {
        case 0: return .refused(error)
        case 1: return .unknown(error)
        default: return .answered(status: [200, 201, 302, 404, 429, 503][dice.below(6)])
        }
    }

    private mutating func observation() -> Observation {
        let results = Observation.Result.allCases
        return Observation(
            results[dice.below(results.count)],
            tag: maybe { Tag(mvpd: $0.word(), user: $0.word()) },
            code: maybe { Code("C\($0.number(9))") }, resource: maybe { $0.word() },
            generated: maybe { $0.number(1 << 42) }, expires: maybe { $0.number(1 << 42) },
            record: maybe { $0.word() })
    }

    private mutating func route() -> Route {
        Route(
            connection: dice.below(1_000), reused: dice.chance(0.5),
            local: dice.chance(0.5) ? "127.0.0.1:40312" : "", remote: "[::1]:8080",
            httpVersion: dice.chance(0.5) ? "1.1" : "2", tlsResumed: maybe { $0.dice.chance(0.5) })
    }
}

extension TestFolder {
    var history: String { path("history.sqlite") }
}

extension History {
    func allExchanges() throws -> [Exchange] {
        var all: [Exchange] = []
        try exchanges { all.append($0) }
        return all
    }

    func allHouseholds() throws -> [HouseholdRecord] {
        var all: [HouseholdRecord] = []
        try households { all.append($0) }
        return all
    }

    func allCells() throws -> [Cell] {
        var all: [Cell] = []
        try cells { all.append($0) }
        return all
    }
}
