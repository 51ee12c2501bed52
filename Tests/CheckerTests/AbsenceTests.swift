import Dialects
import Testing
import Vocabulary

@testable import Checker

/// Calls that need a sign-in tell of it too, and calls that need an authorization tell of that.
@Suite("What gated calls tell")
struct AbsenceTests {
    /// Signed in, seen by a poll, confirmed to the phone.
    private func signedIn() -> Story {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.check(at: 1_500)
        story.poll(at: 2_000, Story.alice)
        return story
    }

    private func authorized(_ resource: String = "demo-1") -> Story {
        var story = signedIn()
        story.authorize(resource, at: 3_000)
        return story
    }

    static let gated: [OperationName] = [
        .userMetadata, .preauthorize, .authorize, .authorizationToken, .mediaToken,
    ]

    @Test("each call that needs a sign-in shows one that was lost", arguments: gated)
    func lost(operation: OperationName) throws {
        var story = signedIn()
        story.gated(operation, at: 5_000, .unauthenticated)
        let found = try story.only()
        #expect(found.invariant == .tokenMonotonic)
        #expect(
            found.signature
                == "token-monotonic: poll-token success > \(operation.name) unauthenticated")
        #expect(found.companions == [.linearizable])
    }

    @Test("after a sign-out, or at the sign-in's end, it tells of nothing wrong", arguments: gated)
    func ended(operation: OperationName) {
        var story = signedIn()
        story.tell(.tv, .logout, at: 4_000, code: nil, status: 204)
        story.gated(operation, at: 5_000, .unauthenticated)
        #expect(story.sentences == [])
        var late = Story()
        late.code()
        late.assertion(at: 1_000)
        late.poll(at: 2_000, Story.alice, expires: Story.epoch + 4_000)
        late.gated(operation, at: 5_000, .unauthenticated)
        #expect(late.sentences == [])
    }

    @Test("before anybody signed in it tells of nothing wrong", arguments: gated)
    func before(operation: OperationName) {
        var story = Story()
        story.gated(operation, at: 0, .unauthenticated)
        story.code(at: 10)
        #expect(story.sentences == [])
    }

    @Test("lost to one call and there for the next: there again", arguments: gated)
    func back(operation: OperationName) throws {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.gated(operation, at: 5_000, .unauthenticated)
        story.poll(at: 6_000, Story.alice)
        #expect(try story.only().invariant == .signInVisible)
    }

    @Test("the phone was told done, and a call that needs the sign-in was refused for want of one")
    func late() throws {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.check(at: 1_500)
        story.gated(.userMetadata, at: 5_000, .unauthenticated)
        #expect(try story.only().invariant == .signInVisible)
    }

    @Test("a refusal that names another reason tells nothing", arguments: gated)
    func denied(operation: OperationName) {
        var story = signedIn()
        story.gated(operation, at: 5_000, .denied)
        #expect(story.sentences == [])
    }

    // MARK: Of the code

    @Test(
        "once the code has ended its check tells nothing of the sign-in",
        arguments: [OperationName.checkCode, .preauthorizeCode])
    func endedCode(operation: OperationName) {
        var story = signedIn()
        story.tell(.tv, .deleteRegistration, at: 3_000, status: 204)
        story.tell(.phone, operation, at: 4_000, .absent, status: 403)
        story.poll(at: 5_000, Story.alice)
        #expect(story.sentences == [])
        var short = Story()
        short.code(life: 3)
        short.assertion(at: 1_000)
        short.check(at: 1_500)
        short.poll(at: 2_000, Story.alice)
        short.tell(.phone, operation, at: 4_000, .absent, status: 403)
        short.poll(at: 5_000, Story.alice)
        #expect(short.sentences == [])
    }

    @Test(
        "while the code lives, its check that takes back a yes shows a lost sign-in",
        arguments: [OperationName.checkCode, .preauthorizeCode])
    func unbound(operation: OperationName) throws {
        var story = signedIn()
        story.tell(.phone, operation, at: 4_000, .absent, status: 403)
        let found = try story.only()
        #expect(found.invariant == .tokenMonotonic)
        #expect(found.operations == [.checkCode, operation])
    }

    @Test("a sign-out, or another sign-in, takes the code's yes back")
    func replaced() {
        var story = signedIn()
        story.tell(.tv, .logout, at: 3_000, code: nil, status: 204)
        story.tell(.phone, .checkCode, at: 4_000, .absent, status: 403)
        #expect(story.sentences == [])
        var other = signedIn()
        other.tell(.tv, .tokenExchange, at: 3_000, code: nil, tag: Story.bob, status: 204)
        other.tell(.phone, .checkCode, at: 4_000, .absent, status: 403)
        #expect(other.sentences == [])
    }

    // MARK: Authorizations

    static let playing: [OperationName] = [.authorize, .authorizationToken, .mediaToken]

    @Test("granted, and then not authorized without a cause", arguments: playing)
    func lostAuthorization(operation: OperationName) throws {
        var story = authorized()
        story.gated(operation, at: 5_000, .unauthorized)
        let found = try story.only()
        #expect(found.invariant == .authorizationGates)
        #expect(found.operations == [.authorize, operation])
        #expect(found.gap == 1_996_000_000)
        #expect(found.level == .monotonicReads)
    }

    @Test("of another resource it tells nothing", arguments: playing)
    func otherResource(operation: OperationName) {
        var story = authorized()
        story.gated(operation, at: 5_000, .unauthorized, resource: "demo-2")
        story.gated(.mediaToken, at: 6_000, resource: "demo-1", secret: 1)
        #expect(story.sentences == [])
    }

    @Test("nine resources are nine: none is taken for another")
    func manyResources() throws {
        var story = signedIn()
        for number in 1...11 where number != 9 {
            story.authorize("demo-\(number)", at: 3_000 + Double(number) * 10)
        }
        story.gated(.mediaToken, at: 4_000, .unauthorized, resource: "demo-9")
        story.gated(.mediaToken, at: 4_100, resource: "demo-10", secret: 10)
        #expect(story.sentences == [])
        story.gated(.authorizationToken, at: 5_000, .unauthorized, resource: "demo-11")
        #expect(try story.only().invariant == .authorizationGates)
    }

    @Test("a media token without an authorization of its resource, beyond the eighth too")
    func ungrantedMedia() throws {
        var story = signedIn()
        for number in 1...9 { story.authorize("demo-\(number)", at: 3_000 + Double(number) * 10) }
        story.gated(.mediaToken, at: 4_000, resource: "demo-10", secret: 10)
        #expect(try story.only().invariant == .authorizationGates)
    }

    static let causes: [(String, @Sendable (inout Story) -> Void)] = [
        ("logout", { $0.tell(.tv, .logout, at: 4_000, code: nil, status: 204) }),
        ("lost logout", { $0.tell(.tv, .logout, at: 4_000, code: nil, lost: true) }),
        (
            "another sign-in",
            { $0.tell(.tv, .tokenExchange, at: 4_000, code: nil, tag: bob, status: 204) }
        ),
        ("a refusal by the provider", { $0.gated(.authorize, at: 4_000, .denied) }),
    ]
    private static let bob = Story.bob

    @Test("a cause between explains it", arguments: 0..<causes.count)
    func explained(cause: Int) {
        for operation in [OperationName.authorizationToken, .mediaToken] {
            var story = authorized()
            Self.causes[cause].1(&story)
            story.gated(operation, at: 5_000, .unauthorized)
            #expect(story.sentences == [], "\(Self.causes[cause].0)")
        }
    }

    @Test("an authorization that has run out is gone rightly, and early wrongly")
    func expired() throws {
        var story = signedIn()
        story.authorize(at: 3_000, expires: Story.epoch + 4_500)
        story.gated(.mediaToken, at: 5_000, .unauthorized)
        story.gated(.authorizationToken, at: 5_100, .expired)
        #expect(story.sentences == [])
        var early = authorized()
        early.gated(.authorizationToken, at: 5_000, .expired)
        #expect(try early.only().invariant == .expiryRespected)
    }

    @Test(
        "played after the authorization had run out",
        arguments: [.authorizationToken, .mediaToken] as [OperationName])
    func overdue(operation: OperationName) throws {
        var story = signedIn()
        story.authorize(at: 3_000, expires: Story.epoch + 4_500)
        story.gated(operation, at: 9_000, secret: 1)
        let found = try story.only()
        #expect(found.invariant == .authorizationGates)
        story.authorize(at: 8_000)
        #expect(story.sentences == [])
    }

    @Test("an answer under way while it was authorized may come before that")
    func overlapping() {
        var story = signedIn()
        story.authorize(at: 3_000, took: 100)
        story.gated(.mediaToken, at: 3_050, .unauthorized)
        #expect(story.sentences == [])
    }

    @Test("several resources at once")
    func atOnce() {
        var story = signedIn()
        for number in 1...6 { story.authorize("demo-\(number)", at: 3_000, took: 50) }
        for number in 1...6 {
            story.gated(
                .mediaToken, at: 3_060, resource: "demo-\(number)", secret: UInt64(number))
        }
        #expect(story.sentences == [])
    }

    @Test("a device that came signed in may have been authorized before")
    func preSignedIn() {
        var story = Story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, code: nil)
        story.gated(.authorizationToken, at: 1_000)
        story.gated(.mediaToken, at: 2_000, secret: 1)
        #expect(story.sentences == [])
    }
}

/// DELETE tells of a code's end as a read of it does.
@Suite("What a deletion tells")
struct DeletionTests {
    @Test("a yes to the deletion of a code that had run out does no harm")
    func overdue() {
        var story = Story()
        story.code(life: 3)
        story.tell(.tv, .deleteRegistration, at: 9_000, status: 204)
        story.tell(.tv, .deleteRegistration, at: 9_500, status: 204)
        #expect(story.sentences == [])
        #expect(story.findings.strongestLevel == .linearizable)
    }

    @Test("nor to that of a code which a newer one took the place of, or of one deleted before")
    func dead() {
        var story = Story()
        story.code("AAAAAA1", at: 0)
        story.code("BBBBBB2", at: 1_000)
        story.tell(.tv, .deleteRegistration, at: 2_000, code: "AAAAAA1", status: 204)
        story.tell(.tv, .deleteRegistration, at: 3_000, code: "AAAAAA1", status: 204)
        #expect(story.sentences == [])
    }

    @Test("a code that is gone early, as its deletion says, has expired too early")
    func early() throws {
        for result in [Observation.Result.absent, .expired] {
            var story = Story()
            story.code()
            story.tell(.tv, .deleteRegistration, at: 5_000, result)
            let found = try story.only()
            #expect(found.invariant == .expiryRespected)
            #expect(found.companions == [.linearizable])
        }
    }

    @Test("gone at its time, or after a deletion that was answered or lost, is right")
    func right() {
        var story = Story()
        story.code(life: 3)
        story.tell(.tv, .deleteRegistration, at: 9_000, .absent)
        #expect(story.sentences == [])
        var again = Story()
        again.code()
        again.tell(.tv, .deleteRegistration, at: 5_000, status: 204)
        again.tell(.tv, .deleteRegistration, at: 6_000, .absent)
        #expect(again.sentences == [])
        var lost = Story()
        lost.code()
        lost.tell(.tv, .deleteRegistration, at: 5_000, lost: true)
        lost.tell(.tv, .deleteRegistration, at: 6_000, .absent)
        #expect(lost.sentences == [])
    }

    @Test(
        "a copy of a request that was sent again may have taken effect: the other is right with it")
    func sentAgain() {
        var story = Story()
        story.code()
        story.assertion(at: 3_000)
        story.poll(at: 6_000, Story.alice)
        story.tell(.tv, .logout, at: 9_000, took: 1, code: nil, outcome: .resent, lost: true)
        story.tell(.tv, .logout, at: 9_002, .absent, code: nil)
        story.tell(.tv, .checkAuthentication, at: 10_000, .absent, code: nil)
        #expect(story.sentences == [])
        // Nothing else than the first copy can have done it.
        story.exchanges.remove(at: 3)
        story.exchanges.remove(at: 3)
        #expect(story.sentences != [])
    }

    @Test("said to be gone by a deletion, and then found: ended states stay ended")
    func back() throws {
        var story = Story()
        story.code(life: 3)
        story.tell(.tv, .deleteRegistration, at: 9_000, .absent)
        story.tell(.tv, .registrationRecord, at: 10_000, record: "record of AAAAAA1 in 7")
        #expect(story.findings.failing == 1)
    }
}

extension Story {
    /// A call that needs a sign-in, about a resource where it needs an authorization.
    mutating func gated(
        _ operation: OperationName, at: Double, _ result: Observation.Result = .success,
        resource: String = "demo-1", secret: UInt64? = nil
    ) {
        let plays = AbsenceTests.playing.contains(operation)
        let status =
            switch result {
            case .success: 200
            case .unauthorized: operation == .authorizationToken ? 404 : 403
            case .expired: 410
            default: 403
            }
        tell(
            .tv, operation, at: at, result, code: nil, resource: plays ? resource : nil,
            secret: secret, outcome: result == .success ? .ok : .rejected, status: status)
    }

    mutating func authorize(
        _ resource: String = "demo-1", at: Double, took: Double = 4,
        expires: Int64 = epoch + 86_400_000
    ) {
        tell(
            .tv, .authorize, at: at, took: took, code: nil, expires: expires, resource: resource)
    }
}
