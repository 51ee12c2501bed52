import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker
@testable import Races

/// What of a run a case keeps, and how its requests hang together.
@Suite("Cases out of runs")
struct ExtractionTests {
    private static let phone = DeviceID(household: 7, role: .secondScreen)
    private static let tv = DeviceID(household: 7, role: .firstScreen)

    /// Times in milliseconds; an answer takes 4.
    private func exchange(
        _ number: Int, _ operation: OperationName, at sent: Int64, by device: DeviceID = tv,
        code: String? = nil, mvpd: String? = nil, _ observation: Observation = Observation(.success)
    ) -> Exchange {
        var made = Exchange(
            lane: 0, sequence: number, device: device, operation: operation,
            planned: .start, sent: Instant(nanoseconds: sent * 1_000_000),
            ended: Instant(nanoseconds: (sent + 4) * 1_000_000),
            delivery: .answered(status: 200), outcome: .ok, observation: observation)
        made.firstByte = made.ended
        made.code = code.map(Code.init)
        made.mvpd = mvpd
        return made
    }

    private func session(_ number: Int, _ code: String, _ mvpd: String, at sent: Int64) -> Exchange
    {
        exchange(
            number, .createSession, at: sent, mvpd: mvpd,
            Observation(.success, code: Code(code), generated: 1_000, expires: 3_500))
    }

    private func login(
        _ number: Int, _ code: String, _ mvpd: String, at sent: Int64,
        _ result: Observation.Result = .none
    ) -> Exchange {
        exchange(
            number, .assertion, at: sent, by: Self.phone, code: code,
            Observation(result, tag: Tag(mvpd: mvpd, user: "ann")))
    }

    private func schedule(
        of life: [Exchange], _ invariant: Invariant, _ conflict: [Int]
    ) throws -> Schedule {
        let violation = Violation(
            invariant: invariant, certainty: .certain, source: .documented, standing: .fails,
            household: 7, exchanges: conflict, operations: [], signature: "", at: 0, sentence: "")
        return try #require(ScheduleExtractor(life, violation).schedule)
    }

    @Test("what is about a code's end waits for it, and as long as it did")
    func codeEnd() throws {
        let life = [
            session(1, "AAAAAA1", "A", at: 10),
            exchange(2, .sessionByCode, at: 4_512, by: Self.phone, code: "AAAAAA1"),
        ]
        let ops = try schedule(of: life, .expiryRespected, [1, 2]).ops
        #expect(ops.map(\.step) == [.createSession, .expire, .sessionByCode])
        #expect(ops[1].anchor == .init(.absolute, of: "create-session"))
        #expect(ops[2].anchor == .init(.lastByteSent, of: "expire"))
        // 2.5 s after the middle of the first request.
        #expect(ops[2].offset == .milliseconds(2_000))
    }

    @Test("two logins have a code each, and what comes last is not made ready before the second")
    func providers() throws {
        let life = [
            session(1, "AAAAAA1", "A", at: 10), login(2, "AAAAAA1", "A", at: 100),
            session(3, "BBBBBB2", "B", at: 1_000), login(4, "BBBBBB2", "B", at: 1_100),
            exchange(5, .logout, at: 2_000, mvpd: "B"),
            exchange(6, .profilesByMVPD, at: 2_050, mvpd: "A", Observation(.absent)),
        ]
        let ops = try schedule(of: life, .providerIndependence, [2, 5, 6]).ops
        #expect(
            ops.map(\.step) == [
                .createSession, .authenticate, .createSession, .authenticate, .logout,
                Step(.profilesByMVPD),
            ])
        #expect(ops.map { $0[arg: "provider"] } == ["0", "0", "1", "1", "1", "0"])
        #expect(ops[4].anchor == .init(.firstReplyByte, of: "authenticate-2"))
        #expect(ops[5].anchor == .init(.firstReplyByte, of: "logout"))
        #expect(ops[5].offset == .milliseconds(46))
    }

    @Test("no case takes the file of another")
    func names() {
        var (first, second, names) = (Case.sample, Case.sample, [String: Int]())
        first.count(in: &names)
        second.count(in: &names)
        #expect(first.name == Case.sample.name && second.name == Case.sample.name + "-2")
    }

    @Test("a logout on another device of the identity is played there")
    func loggedOutElsewhere() throws {
        func identified(_ exchange: Exchange) -> Exchange {
            var made = exchange
            made.subject = "olga"
            return made
        }
        let life = [
            identified(session(1, "AAAAAA1", "A", at: 10)), login(2, "AAAAAA1", "A", at: 100),
            identified(exchange(3, .profilesByMVPD, at: 2_050, mvpd: "A")),
        ]
        let other = DeviceID(household: 8, role: .firstScreen)
        let elsewhere = [
            identified(exchange(1, .profiles, at: 1_000, by: other)),
            identified(exchange(2, .logout, at: 2_000, by: other, mvpd: "A")),
        ]
        let violation = Violation(
            invariant: .singleLogout, certainty: .certain, source: .documented, standing: .fails,
            household: 7, exchanges: [3], operations: [], signature: "", at: 0, sentence: "")
        var story = ScheduleExtractor(life, violation)
        #expect(story.shownAfterLogout?.sequence == 3)
        story.add(ending: elsewhere[1], of: elsewhere)
        let schedule = try #require(story.schedule)
        #expect(
            schedule.ops.map(\.step) == [
                .createSession, .authenticate, Step(.profiles), .logout, Step(.profilesByMVPD),
            ])
        #expect(schedule.ops.map(\.actor) == ["tv", "phone", "other-tv", "other-tv", "tv"])
        #expect(schedule.ops.map { $0[arg: "identity"] } == ["1", nil, "1", "1", "1"])
        #expect(schedule.ops[4].anchor == .init(.firstReplyByte, of: "logout"))
        #expect(schedule.ops[4].offset == .milliseconds(46))
    }

    @Test(
        "of two logins with one code each keeps its provider, and what told its phone that it had taken effect"
    )
    func confirmed() throws {
        let other = DeviceID(household: 7, role: .secondScreen, index: 1)
        func login(_ number: Int, _ user: String, _ mvpd: String, by device: DeviceID) -> Exchange {
            exchange(
                number, .assertion, at: Int64(number) * 100, by: device, code: "AAAAAA1",
                Observation(.none, tag: Tag(mvpd: mvpd, user: user)))
        }
        let life = [
            exchange(1, .registrationCode, at: 10, Observation(.success, code: Code("AAAAAA1"))),
            login(2, "ann", "A", by: Self.phone),
            exchange(3, .checkCode, at: 300, by: Self.phone, code: "AAAAAA1"),
            login(4, "ben", "B", by: other),
            exchange(5, .checkCode, at: 500, by: other, code: "AAAAAA1"),
            exchange(
                6, .pollToken, at: 3_000, code: "AAAAAA1",
                Observation(.success, tag: Tag(mvpd: "B", user: "u-1"))),
        ]
        let ops = try schedule(of: life, .linearizable, [6]).ops
        #expect(
            ops.map(\.step) == [
                .registrationCode, .authenticate, Step(.checkCode), .authenticate, Step(.checkCode),
                .pollToken,
            ])
        #expect(ops.map { $0[arg: "provider"] } == [nil, nil, nil, "1", nil, nil])
        #expect(ops.map { $0[arg: "account"] } == [nil, nil, nil, "2", nil, nil])
    }

    @Test("what is asked about an older session brings that session along")
    func olderSession() throws {
        let life = [
            session(1, "AAAAAA1", "A", at: 10), session(2, "BBBBBB2", "A", at: 1_000),
            exchange(3, .sessionByCode, at: 1_500, by: Self.phone, code: "AAAAAA1"),
        ]
        let ops = try schedule(of: life, .sessionSuperseded, [2, 3]).ops
        #expect(ops.map(\.step) == [.createSession, .createSession, .sessionByCode])
        #expect(ops.map { $0[arg: "code"] } == [nil, nil, "create-session"])
    }

    @Test("what a temporary pass was asked for names it, on a device that asks for no session")
    func pass() throws {
        let life = [
            exchange(1, .profilesByMVPD, at: 10, mvpd: "TryPass", Observation(.absent)),
            exchange(
                2, .authorize, at: 100, mvpd: "TryPass",
                Observation(.success, record: "authorize temporary")),
            exchange(
                3, .authorize, at: 2_000, mvpd: "TryPass",
                Observation(.success, record: "authorize temporary")),
        ]
        let ops = try schedule(of: life, .tempPassBudget, [2, 3]).ops
        #expect(ops.map { $0[arg: "pass"] } == ["0", "0"])
    }

    @Test("the platform's user and the phone's, where they are two, stay two")
    func accounts() throws {
        func signIn(
            _ number: Int, _ operation: OperationName, by device: DeviceID = Self.tv,
            as user: String,
            at sent: Int64
        ) -> Exchange {
            exchange(
                number, operation, at: sent, by: device,
                code: operation == .assertion ? "AAAAAA1" : nil,
                Observation(.none, tag: Tag(mvpd: "A", user: user)))
        }
        let code = exchange(
            2, .registrationCode, at: 100, Observation(.success, code: Code("AAAAAA1")))
        for phone in ["ann", "bob"] {
            let life = [
                signIn(1, .tokenExchange, as: "ann", at: 10), code,
                signIn(3, .assertion, by: Self.phone, as: phone, at: 150),
                exchange(4, .pollToken, at: 200),
            ]
            let ops = try schedule(of: life, .oneToken, [1, 3, 4]).ops
            #expect(
                ops.prefix(3).map(\.step) == [.tokenExchange, .registrationCode, .authenticate])
            #expect(ops[0][arg: "account"] == nil)
            #expect(ops[2][arg: "account"] == (phone == "ann" ? nil : "2"))
        }
    }

    @Test("a media token that another household had got brings that household along")
    func mediaTokenOfAnother() throws {
        func life(_ household: Int, at: Int64, _ secret: UInt64) -> [Exchange] {
            let tv = DeviceID(household: household, role: .firstScreen)
            let phone = DeviceID(household: household, role: .secondScreen)
            let code = "AAAAAA\(household)"
            var media = exchange(4, .mediaToken, at: at + 90, by: tv)
            media.fingerprint = Fingerprint(value: secret)
            return [
                exchange(
                    1, .registrationCode, at: at, by: tv, Observation(.success, code: Code(code))),
                exchange(
                    2, .assertion, at: at + 30, by: phone, code: code,
                    Observation(.none, tag: Tag(mvpd: "A", user: "user-\(household)"))),
                exchange(3, .authorize, at: at + 60, by: tv), media,
            ]
        }
        let (own, other) = (life(7, at: 1_000, 5), life(2, at: 10, 5))
        let violation = Violation(
            invariant: .authorizationGates, certainty: .certain, source: .documented,
            standing: .fails, household: 7, exchanges: [4], operations: [], signature: "", at: 0,
            sentence: "")
        var story = ScheduleExtractor(own, violation)
        #expect(story.media == own[3])
        story.add(given: other[3], of: other)
        let made = try #require(story.schedule)
        #expect(made.rooms == 2 && story.conflictIDs == ["media-token", "media-token-2"])
        #expect(
            made.ops.filter { $0.actor.hasPrefix("other-") }.map(\.step) == [
                .registrationCode, .authenticate, .authorize, .mediaToken,
            ])
    }

    @Test("a login whose assertion leads on before it leads back is one")
    func ledOn() throws {
        let life = [
            session(1, "AAAAAA1", "A", at: 10),
            login(2, "AAAAAA1", "A", at: 100, .ledOn),
            login(3, "AAAAAA1", "A", at: 110, .ledBack),
            exchange(4, .profilesByCode, at: 200, code: "AAAAAA1", Observation(.absent)),
        ]
        let ops = try schedule(of: life, .signInVisible, [3, 4]).ops
        #expect(ops.map(\.step) == [.createSession, .authenticate, .profilesByCode])
        #expect(ops[2].offset == .milliseconds(86))
    }
}
