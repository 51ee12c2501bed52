import Checker
import Dialects
import Journal
import Vocabulary

/// A history told in milliseconds, exchange by exchange, as the journal would bring it.
struct Story {
    enum Who: Hashable {
        case tv, phone, otherPhone

        func device(of household: Int) -> DeviceID {
            switch self {
            case .tv: DeviceID(household: household, role: .firstScreen)
            case .phone: DeviceID(household: household, role: .secondScreen)
            case .otherPhone: DeviceID(household: household, role: .secondScreen, index: 1)
            }
        }
    }

    /// The service's clock at the run's zero, in epoch milliseconds.
    static let epoch: Int64 = 1_760_000_000_000

    var rules = Rules()
    var exchanges: [Exchange] = []
    /// When households ended.
    var ends: [Int: Double] = [:]

    static let alice = Tag(mvpd: "DemoCable", user: "alice")
    static let bob = Tag(mvpd: "DemoCable", user: "bob")

    @discardableResult
    mutating func tell(
        _ who: Who, _ operation: OperationName, at: Double, took: Double = 4,
        _ result: Observation.Result = .success, in household: Int = 7, code: String? = "AAAAAA1",
        tag: Tag? = nil, expires: Int64? = nil, generated: Int64? = nil, record: String? = nil,
        resource: String? = nil, secret: UInt64? = nil, outcome: Outcome? = nil,
        status: Int? = nil, lost: Bool = false, refused: Bool = false, evidence: Headers = [:],
        deviations: [Deviation] = [], mvpd: String? = nil, subject: String? = nil,
        profiles: [Profile] = [], reason: String? = nil
    ) -> Int {
        let sent = Instant(nanoseconds: Int64(at * 1e6))
        let first = Instant(nanoseconds: Int64((at + took) * 1e6))
        let code = code.map(Code.init)
        let status = status ?? Self.status(operation, result)
        let error = TransportError(.connectionLost, "cut")
        let delivery: Delivery =
            lost ? .unknown(error) : refused ? .refused(error) : .answered(status: status)
        let usual: Outcome =
            lost || refused
            ? .transport
            : status == 429
                ? .throttled
                : status >= 500
                    ? .serverError
                    : result == .denied && status >= 400
                        ? .rejected : result == .absent || result == .expired ? .pending : .ok
        exchanges.append(
            Exchange(
                lane: household % 2, sequence: exchanges.count + 1,
                device: who.device(of: household), operation: operation, code: code,
                mvpd: mvpd, subject: subject, planned: sent, sent: sent,
                firstByte: lost || refused ? nil : first, ended: first,
                delivery: delivery, outcome: outcome ?? usual, reason: reason,
                observation: Observation(
                    lost || refused ? .none : result, tag: tag, code: code, resource: resource,
                    generated: generated, expires: expires, record: record, profiles: profiles),
                fingerprint: secret.map { Fingerprint(value: $0) }, deviations: deviations,
                evidence: evidence))
        return exchanges.count - 1
    }

    private static func status(_ operation: OperationName, _ result: Observation.Result) -> Int {
        switch (operation, result) {
        case (.assertion, .denied), (.assertion, .none): 302
        case (_, .denied): 400
        case (_, .absent): 404
        case (_, .expired): 410
        default: 200
        }
    }

    /// The service's `Date` three seconds into a story, so many seconds off.
    static func date(_ seconds: Int64) -> String {
        // Thu, 09 Oct 2025 08:53:20 GMT is `epoch`.
        let second = (8 * 60 + 53) * 60 + 23 + seconds
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "Thu, 09 Oct 2025 \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    // MARK: Chapters

    /// A code, made 1 ms before the answer; it lives for `life` seconds.
    mutating func code(
        _ code: String = "AAAAAA1", at: Double = 0, took: Double = 4, life: Int64 = 1800,
        in household: Int = 7, skew: Int64 = 0, record: String? = nil
    ) {
        let generated = Self.epoch + Int64(at) + 2 + skew
        tell(
            .tv, .registrationCode, at: at, took: took, in: household, code: code,
            expires: generated + life * 1000, generated: generated,
            record: record ?? "record of \(code) in \(household)")
    }

    mutating func assertion(
        _ tag: Tag = alice, at: Double, took: Double = 4, by who: Who = .phone,
        in household: Int = 7, code: String? = "AAAAAA1", _ result: Observation.Result = .none,
        status: Int? = nil, lost: Bool = false, evidence: Headers = [:]
    ) {
        tell(
            who, .assertion, at: at, took: took, result, in: household, code: code, tag: tag,
            status: status, lost: lost, evidence: evidence)
    }

    mutating func poll(
        at: Double, took: Double = 4, _ tag: Tag? = nil, in household: Int = 7,
        code: String = "AAAAAA1", expires: Int64 = epoch + 21_600_000, evidence: Headers = [:]
    ) {
        tell(
            .tv, .pollToken, at: at, took: took, tag == nil ? .absent : .success, in: household,
            code: code, tag: tag, expires: tag == nil ? nil : expires, evidence: evidence)
    }

    mutating func check(
        at: Double, _ result: Observation.Result = .success, in household: Int = 7,
        code: String = "AAAAAA1", by who: Who = .phone
    ) {
        tell(
            who, .checkCode, at: at, result, in: household, code: code,
            status: result == .success ? 200 : 403)
    }

    /// A sign-in as it should be, from the code to the sign-out.
    static func clean(in household: Int = 7, tag: Tag = alice, code: String = "AAAAAA1") -> Story {
        var story = Story()
        story.live(in: household, tag: tag, code: code)
        return story
    }

    mutating func live(in household: Int, tag: Tag, code: String, from: Double = 0) {
        tell(.tv, .checkAuthentication, at: from, .absent, in: household, code: nil, status: 403)
        self.code(code, at: from + 10, in: household)
        poll(at: from + 5_000, in: household, code: code)
        tell(.phone, .registrationRecord, at: from + 6_000, in: household, code: code)
        tell(.phone, .authenticate, at: from + 7_000, in: household, code: code)
        assertion(tag, at: from + 8_000, in: household, code: code)
        check(at: from + 8_010, in: household, code: code)
        poll(at: from + 10_000, tag, in: household, code: code)
        tell(.tv, .userMetadata, at: from + 10_010, in: household, code: nil)
        tell(.tv, .preauthorize, at: from + 10_020, in: household, code: nil)
        tell(.tv, .authorize, at: from + 10_030, in: household, code: nil, resource: "demo-1")
        tell(
            .tv, .mediaToken, at: from + 10_040, in: household, code: nil, tag: tag,
            expires: Self.epoch + Int64(from) + 430_000, resource: "demo-1",
            secret: UInt64(household) << 20 | UInt64(from) + 1)
        tell(.tv, .logout, at: from + 20_000, in: household, code: nil, status: 204)
        tell(
            .tv, .checkAuthentication, at: from + 21_000, .absent, in: household, code: nil,
            status: 403)
    }

    // MARK: Judging

    /// Numbers each household's exchanges in the order of their sending.
    var told: [Exchange] {
        var numbered: [Exchange] = []
        for household in Set(exchanges.map(\.device.household)).sorted() {
            let own = exchanges.filter { $0.device.household == household }
                .sorted { $0.sent < $1.sent }
            for (position, var exchange) in own.enumerated() {
                exchange.sequence = position + 1
                numbered.append(exchange)
            }
        }
        return numbered.sorted { ($0.ended, $0.sequence) < ($1.ended, $1.sequence) }
    }

    var findings: Findings {
        let judge = Judge(rules)
        for exchange in told { judge.take(exchange) }
        for (household, ended) in ends.sorted(by: { $0.key < $1.key }) {
            var record = HouseholdRecord(
                household: household, kind: "", lane: household % 2, arrived: .start)
            record.ended = Instant(nanoseconds: Int64(ended * 1e6))
            judge.take(record)
        }
        return judge.finish()
    }

    /// What each violation says, with its standing.
    var sentences: [String] { findings.violations.map(\.sentence) }
}

extension Story {
    /// A TV that sees its sign-in, and 30 ms later does not; `change` comes after.
    static func flap(_ change: (inout Story) -> Void = { _ in }) -> Story {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050)
        change(&story)
        return story
    }
}
