import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker

/// I9 to I12 and I14.
@Suite("Invariants: ends, errors and gates")
struct EndInvariantTests {
    @Test("I9: a code that answers after its end")
    func late() throws {
        var story = Story()
        story.code(life: 10)
        story.tell(.phone, .registrationRecord, at: 10_030)
        let found = try story.only()
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #2 found code AAAAAA1 valid "
                + "at least 24 ms after its expiry (created by the TV's registration-code #1)")
        #expect(found.certainty == .given("both clocks drift less than 100 ppm"))
        story.rules.policies.sweepLag = .milliseconds(30)
        #expect(story.sentences == [])
    }

    @Test(
        "I9: within the window of its expiry a code may answer either way",
        arguments: [9_999.0, 10_003.0])
    func boundary(at: Double) {
        for result in [Observation.Result.success, .absent] {
            var story = Story()
            story.code(life: 10)
            story.tell(.phone, .registrationRecord, at: at, took: 1, result)
            #expect(story.sentences == [], "\(at) \(result)")
        }
    }

    @Test("I9: a code that is gone before its end")
    func early() throws {
        var story = Story()
        story.code(life: 10)
        story.tell(.phone, .registrationRecord, at: 8_000, .absent)
        let found = try story.only()
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #2 reported code AAAAAA1 as "
                + "gone, at least 1994 ms before its expiry; nothing this household did had ended it (created "
                + "by the TV's registration-code #1)")
        #expect(found.invariant == .expiryRespected)
    }

    @Test("I9: a sign-in by a code that was over")
    func lateSignIn() throws {
        var story = Story()
        story.code(life: 10)
        story.assertion(at: 10_030)
        story.poll(at: 11_000, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the phone's assertion #2 signed in by code AAAAAA1 at least "
                + "24 ms after its expiry; the TV's poll-token #3 returned the sign-in")
    }

    @Test("I9: a token shown after its own expiry, and one gone shortly before")
    func tokenExpiry() throws {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        let expires = Story.epoch + 21_000
        story.poll(at: 2_000, Story.alice, expires: expires)
        story.poll(at: 21_010, Story.alice, expires: expires)
        let found = try story.only()
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 returned a sign-in at least 3.89 ms "
                + "after the expiry in the same response")
        story.exchanges.removeLast()
        story.poll(at: 20_980)
        let early = try story.only()
        #expect(early.invariant == .expiryRespected)
        #expect(
            early.sentence
                == "household 7: the TV's poll-token #4 returned \"not signed in\", at least "
                + "9.9 ms before the expiry of the sign-in that the TV\'s poll-token #3 had "
                + "returned")
        story.exchanges.removeLast()
        story.poll(at: 21_030)
        #expect(story.sentences == [])
    }

    /// Signed in at 1 s; the poll at 2 s names an expiry at 21 s.
    private static func expiring(_ story: inout Story) {
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice, expires: Story.epoch + 21_000)
        story.served(at: 3_000)
    }

    @Test(
        "I9: an expired sign-in that still serves a request",
        arguments: [
            .authorize, .mediaToken, .userMetadata, .preauthorize, .checkAuthentication,
        ] as [OperationName])
    func served(operation: OperationName) throws {
        var story = Story()
        Self.expiring(&story)
        story.tell(.tv, operation, at: 21_010, code: nil, resource: "demo-1")
        let found = try story.only()
        #expect(found.invariant == .expiryRespected)
        #expect(found.standing == .fails)
        #expect(
            found.sentence
                == "household 7: the TV's \(operation) #5 was served by a sign-in at least 3.89 ms after "
                + "the expiry that the TV's poll-token #3 had returned; there was no sign-in in between"
        )
    }

    private static let notServed: [ProfileCase] = [
        ProfileCase("it was under way at the expiry") {
            expiring(&$0)
            $0.served(at: 20_990, took: 500)
        },
        ProfileCase("within the skew of the clocks") {
            expiring(&$0)
            $0.served(at: 21_005)
        },
        ProfileCase("the service says no") {
            expiring(&$0)
            $0.served(at: 22_000, .unauthenticated)
        },
        ProfileCase("clean-up may be late") {
            $0.rules.policies.sweepLag = .seconds(2)
            expiring(&$0)
            $0.served(at: 22_000)
        },
        ProfileCase("a sign-in since then, never shown") {
            expiring(&$0)
            $0.code("BBBBBB2", at: 10_000)
            $0.assertion(at: 21_500, code: "BBBBBB2")
            $0.served(at: 22_000)
        },
        ProfileCase("one that may still take effect") {
            expiring(&$0)
            $0.code("BBBBBB2", at: 10_000)
            $0.assertion(at: 15_000, code: "BBBBBB2", lost: true)
            $0.served(at: 22_000)
        },
        ProfileCase("a newer sign-in that lives longer") {
            expiring(&$0)
            $0.code("BBBBBB2", at: 10_000)
            $0.assertion(at: 15_000, code: "BBBBBB2")
            $0.poll(
                at: 16_000, Story.alice, code: "BBBBBB2", expires: Story.epoch + 36_000)
            $0.served(at: 22_000)
        },
        ProfileCase("no expiry was ever named") {
            expiring(&$0)
            $0.exchanges[2].observation.expires = nil
            $0.served(at: 22_000)
        },
    ]

    @Test(
        "I9: a request that an expired sign-in need not have served accuses nobody",
        arguments: notServed)
    func unserved(one: ProfileCase) {
        #expect(one.story.sentences == [])
    }

    @Test("I10: a sign-in that outlives its sign-out")
    func logout() throws {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.poll(at: 20_500, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .logoutFinal)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #14 still returned the sign-in 496 ms "
                + "after the TV's logout #13 had been confirmed; there was no sign-in in between")
    }

    @Test("a household that was never answered was put to no test")
    func unanswered() {
        var story = Story()
        story.tell(.tv, .registrationCode, at: 0, .none, code: nil, lost: true)
        #expect(story.findings[.linearizable].checked == 0)
        #expect(story.findings[.linearizable].households == 0)
        story.code(at: 100)
        #expect(story.findings[.linearizable].checked == 1)
    }

    @Test(
        "I10: that the code has led to a sign-in stays true after the sign-out; a poll then is accused"
    )
    func checkAfterLogout() throws {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.check(at: 20_500)
        #expect(story.sentences == [])
        #expect(story.findings[.logoutFinal].exposure?.delays.count == 0, "nor has anybody looked")
        story.poll(at: 20_700, Story.alice)
        let found = try story.only()
        #expect(found.source == .documented && found.standing == .fails && found.times == 1)
        #expect(found.sentence.contains("the TV's poll-token #15"), "\(found.sentence)")
    }

    @Test("I10: after a token that came too late, \"not signed in\" is right")
    func goneAfterStale() throws {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.poll(at: 20_500, Story.alice)
        story.poll(at: 21_500)
        let found = try story.only()
        #expect(found.invariant == .logoutFinal)
        #expect(!found.companions.contains(.tokenMonotonic), "\(found.companions)")
    }

    @Test("I3, I4: a check of a code after the sign-out promises the TV nothing")
    func checkedLate() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.tell(.tv, .logout, at: 9_000, code: nil, status: 204)
        story.check(at: 9_500)
        for number in 0..<8 { story.poll(at: 10_000 + Double(number) * 5_000) }
        #expect(story.sentences == [])
    }

    @Test("I10: a poll that was under way during the sign-out is not counted")
    func logoutOverlap() {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.poll(at: 20_002, took: 500, Story.alice)
        #expect(story.sentences == [])
    }

    @Test("I10, I14: a media token after the sign-out")
    func mediaAfterLogout() throws {
        var story = Story.clean()
        story.tell(
            .tv, .mediaToken, at: 22_000, code: nil, tag: Story.alice,
            expires: Story.epoch + 430_000, resource: "demo-1", secret: 99)
        let found = try story.only()
        #expect(found.invariant == .logoutFinal)
        #expect(found.companions.sorted() == [.tokenMonotonic, .authorizationGates, .linearizable])
    }

    @Test("I11: a deleted code answers, or signs in")
    func deleted() throws {
        var story = Story()
        story.code()
        story.tell(.tv, .deleteRegistration, at: 1_000)
        story.tell(.phone, .registrationRecord, at: 2_000)
        let found = try story.only()
        #expect(found.invariant == .deleteFinal)
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #3 found code AAAAAA1 valid "
                + "996 ms after the TV's delete-registration #2 had deleted it")
        story.exchanges.removeLast()
        story.assertion(at: 3_000)
        story.poll(at: 4_000, Story.alice)
        let signedIn = try story.only()
        #expect(signedIn.invariant == .deleteFinal)
        #expect(
            signedIn.sentence
                == "household 7: the phone's assertion #3 signed in by code AAAAAA1 1996 ms "
                + "after the TV's delete-registration #2 had deleted it; the TV's poll-token "
                + "#4 returned the sign-in")
    }

    @Test("I11: a deletion and a sign-in at once may come in either order")
    func deletedAtOnce() {
        var story = Story()
        story.code()
        story.tell(.tv, .deleteRegistration, at: 3_000, took: 20)
        story.assertion(at: 3_010, took: 20)
        story.poll(at: 4_000, Story.alice)
        #expect(story.sentences == [])
    }

    @Test("I12: refused, and done all the same")
    func errors() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied, status: 400)
        story.poll(at: 10_000, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 returned a sign-in that the phone's "
                + "assertion #2 had rejected, 1996 ms before")
    }

    @Test("I12: a sign-out that was refused, and done all the same")
    func refusedLogout() throws {
        var story = Story.clean()
        story.exchanges.removeLast(2)
        story.tell(.tv, .logout, at: 20_000, .denied, code: nil)
        story.poll(at: 20_500)
        let found = try story.only()
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #14 returned no sign-in 10.5 s after the "
                + "TV's media-token #12 had returned one; the only sign-out in between, the "
                + "TV's logout #13, was rejected"
        )
    }

    @Test("I12: a 5xx, a timeout or a reset may have been done, or not", arguments: [true, false])
    func unknown(isDone: Bool) {
        for lost in [true, false] {
            var story = Story()
            story.code()
            story.assertion(at: 8_000, .none, status: 500, lost: lost)
            story.poll(at: 10_000, isDone ? Story.alice : nil)
            story.poll(at: 20_000, isDone ? Story.alice : nil)
            #expect(story.sentences == [])
        }
    }

    @Test("I14: a media token that nobody authorized, or of another resource")
    func gates() throws {
        var story = Story.clean()
        let authorize = story.exchanges.firstIndex { $0.operation == .authorize }!
        story.exchanges[authorize].observation.resource = "demo-2"
        let found = try story.only()
        #expect(found.invariant == .authorizationGates)
        #expect(
            found.sentence
                == "household 7: the TV's media-token #12 issued a media token for demo-1 "
                + "without any authorization")
    }

    @Test("I14: one media token for two households, two resources, or twice")
    func binding() throws {
        var story = Story.clean()
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2", from: 30_000)
        let media = story.exchanges.indices.filter { story.exchanges[$0].operation == .mediaToken }
        story.exchanges[media[1]].fingerprint = story.exchanges[media[0]].fingerprint
        #expect(
            try story.only().sentence
                == "household 8: the TV's media-token #12 returned the media token that "
                + "household 7 had got (its request #12)")

        // Judged sooner, given later: household 8 is accused all the same.
        let judge = Judge(story.rules)
        for household in [8, 7] {
            for exchange in story.told where exchange.device.household == household {
                judge.take(exchange)
            }
        }
        let others = judge.finish().violations
        let other = try #require(others.count == 1 ? others[0] : nil)
        #expect(other.household == 8 && other.exchanges == [12])
        #expect(
            other.sentence
                == "household 8: request #12 returned the media token that household 7 had "
                + "got (its request #12)")

        var twice = Story.clean()
        var second = twice.exchanges[twice.exchanges.firstIndex { $0.operation == .mediaToken }!]
        second.sent = second.sent + .milliseconds(100)
        second.ended = second.ended + .milliseconds(100)
        second.firstByte = second.ended
        twice.exchanges.append(second)
        let found = try twice.only()
        #expect(
            found.sentence
                == "household 7: the TV's media-token #13 returned for demo-1 the same media "
                + "token as request #12")
        #expect(found.source == .policy)
        twice.rules.policies.mediaReuse = .untilExpiry
        #expect(twice.sentences == [])
    }

    @Test("I14: a media token that was over when it came")
    func born() throws {
        var story = Story.clean()
        let media = story.exchanges.firstIndex { $0.operation == .mediaToken }!
        story.exchanges[media].observation.expires = Story.epoch + 10_000
        let found = try story.only()
        #expect(found.invariant == .authorizationGates)
        #expect(
            found.sentence
                == "household 7: the TV's media-token #12 issued a media token for demo-1 "
                + "that had expired at least 34.99 ms before")
    }

    @Test("I9: an authorization that was over when it came")
    func bornAuthorization() throws {
        var story = Story.clean()
        let granted = story.exchanges.firstIndex { $0.operation == .authorize }!
        story.exchanges[granted].observation.expires = Story.epoch + 9_000
        let found = try #require(story.findings.violations.first)
        #expect(found.invariant == .expiryRespected && found.exchanges == [11])
        #expect(found.sentence.contains("granted an authorization for demo-1 that had expired at"))
    }

    @Test(
        "I12: of a login that came back with an error and one that was refused, the refused is named"
    )
    func refusedRather() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied)
        story.poll(at: 8_100)
        story.assertion(Story.bob, at: 8_200, by: .otherPhone, .denied, status: 400)
        story.tell(.tv, .authorize, at: 8_300, code: nil, resource: "demo-1")
        let found = try story.only()
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(found.sentence.contains("phone-2's assertion #4"), "\(found.sentence)")
    }
}

extension Story {
    /// A playback that is authorized, or not.
    fileprivate mutating func served(
        at: Double, took: Double = 4, _ result: Observation.Result = .success
    ) {
        tell(
            .tv, .authorize, at: at, took: took, result, code: nil, resource: "demo-1",
            status: result == .success ? 200 : 403)
    }
}
