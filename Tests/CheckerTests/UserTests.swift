import Dialects
import Journal
import Testing

@testable import Checker

/// Who a TV is signed in as, where the service has names of its own for users: nobody is accused for
/// being called otherwise than the login, and nobody gets away with being somebody else.
@Suite("Users that are learned")
struct UserTests {
    private typealias Tag = Dialects.Tag

    private static func user(_ name: String, at mvpd: String = "DemoCable") -> Tag {
        Tag(mvpd: mvpd, user: name)
    }

    /// One viewer's account and what the service calls its user.
    private struct Person {
        var account: Tag
        var user: Tag
        /// What the accounts file says that the service calls the user.
        var listed: String?

        init(_ login: String, _ user: String, at mvpd: String = "DemoCable", listed: String? = nil)
        {
            account = Tag(mvpd: mvpd, user: login)
            self.user = Tag(mvpd: mvpd, user: user)
            self.listed = listed
        }
    }

    private static let ann = Person("ann", "u-11")
    private static let ben = Person("ben", "u-22")
    private static let cy = Person("cy", "u-33")

    @Test(
        "who was shown before a login was sent is not signed in by it, though it was turned down",
        arguments: [true, false])
    func shownBefore(knowsUsers: Bool) {
        var story = Self.story()
        story.rules.knowsUsers = knowsUsers
        let user = knowsUsers ? Self.ann.account : Self.ann.user
        story.code()
        story.assertion(Self.ann.account, at: 7_000, .denied, status: 409)
        story.poll(at: 9_000, user)
        #expect(story.findings.violations.map(\.invariant) == [.errorsHaveNoEffect])
        story.poll(at: 5_000, user)
        #expect(!story.findings.violations.map(\.invariant).contains(.errorsHaveNoEffect))
        #expect(!story.findings.violations.isEmpty)
    }

    @Test("a user is no effect of a login that was turned down where it is another household's")
    func anothersThanRejected() throws {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0)
        story.code("BBBBBB2", at: 100, in: 2)
        let denied = Tag(mvpd: "DemoCable", user: "ben")
        story.assertion(denied, at: 4_000, in: 2, code: "BBBBBB2", .denied, status: 409)
        story.poll(at: 5_000, Self.ann.user, in: 2, code: "BBBBBB2")
        #expect(Self.accused(story) == ["token-isolation 2 certain"])
        let sentence = try #require(story.sentences.first)
        #expect(sentence.contains("the sign-in of u-11 at DemoCable"))
        #expect(sentence.hasSuffix("household 1 signed in as that user"))
        // The same account in turn: its user may be what the login left behind.
        var turn = Self.story()
        Self.live(&turn, Self.ann, in: 1, from: 0)
        turn.code("BBBBBB2", at: 10_000, in: 2)
        turn.assertion(
            Self.ann.account, at: 14_000, in: 2, code: "BBBBBB2", .denied, status: 409)
        turn.poll(at: 15_000, Self.ann.user, in: 2, code: "BBBBBB2")
        #expect(Self.accused(turn) == ["errors-have-no-effect 2 certain"])
    }

    @Test("nor where the accounts file calls the user of that login otherwise")
    func listedOtherThanRejected() {
        for (listed, promise) in [
            ("u-22", "token-isolation"), ("u-11", "errors-have-no-effect"),
        ] {
            var story = Self.story()
            story.code()
            story.tell(
                .phone, .assertion, at: 7_000, .denied, tag: Self.user(listed), record: "ben",
                status: 409)
            story.poll(at: 9_000, Self.ann.user)
            #expect(Self.accused(story) == ["\(promise) 7 certain"])
        }
    }

    @Test("a code of two TVs shows one the login of the other, and no rejected login of its own")
    func codeOfTwo() {
        var story = Self.story()
        story.session(at: 0)
        story.session(at: 1, in: 8)
        story.login(Self.ben.account, at: 100, in: 8)
        story.pollCode(at: 2_000, Story.shown(Self.ben.user, from: 1_102))
        story.resume(at: 200)
        story.tell(.phone, .authenticate, at: 210)
        story.assertion(Self.ann.account, at: 2_200, .denied, status: 409)
        story.see([Story.shown(Self.ben.user, from: 1_102)], at: 4_000)
        let found = story.findings.violations.map(\.invariant)
        #expect(found.contains(.codeUnique))
        #expect(!found.contains(.errorsHaveNoEffect))
    }

    // MARK: Logins that only a household of this run has

    @Test(
        "whoever has another household's login for a name is that household's user at any provider")
    func anothersLogin() throws {
        let first = Person("viewer-1", "viewer-1", at: "DemoSatellite")
        let second = Person("viewer-2", "viewer-2")
        let third = Person("viewer-3", "viewer-3")
        let shown = Self.user("viewer-1")
        func story(_ invents: Bool) -> Story {
            var story = Self.story()
            story.rules.inventsLogins = invents
            Self.live(&story, first, in: 1, from: 0)
            Self.live(&story, second, in: 2, from: 100, shown: [shown, shown])
            return story
        }
        #expect(story(false).sentences == [])
        var known = story(true)
        #expect(Self.accused(known) == ["token-isolation 2 certain"])
        #expect(try #require(known.sentences.first).contains("which is the login of household 1"))
        Self.live(&known, third, in: 3, from: 200, shown: [shown, shown])
        #expect(
            Self.accused(known) == ["token-isolation 2 certain", "token-isolation 3 certain"])
        #expect(known.sentences.allSatisfy { $0.contains("which is the login of household 1") })
        // Another TV of that home, whose viewer signs in at the other provider.
        Self.live(&known, Person("viewer-1", "viewer-1"), in: 4, from: 300)
        #expect(known.sentences.count == 2)
    }

    @Test("one sign-in's provider with another's user, both of one household, is nobody else's")
    func mixedAtHome() throws {
        var story = Self.bothWays()
        story.poll(at: 2_000, Self.user("viewer-1-second"), in: 1, code: "CCCCCC1")
        #expect(Self.accused(story) == ["one-token 1 certain"])
        let sentence = try #require(story.sentences.first)
        #expect(
            sentence.hasSuffix(
                "which is the login of another account of this household: the provider of one sign-in with the "
                    + "user of the other"))
    }

    /// A household that signs in through the platform, and at another provider by the code.
    private static func bothWays() -> Story {
        var story = Self.story()
        story.rules.inventsLogins = true
        story.code("CCCCCC1", at: 0, in: 1)
        story.tell(
            .tv, .tokenExchange, at: 900, in: 1, code: nil, tag: Self.user("viewer-1"), status: 204)
        story.assertion(
            Self.user("viewer-1-second", at: "DemoNet"), at: 1_000, in: 1, code: "CCCCCC1")
        return story
    }

    private static func story() -> Story {
        var story = Story()
        story.rules.knowsUsers = false
        return story
    }

    /// From the code to the logout; `shown`: as whom the TV is told that it is signed in.
    private static func live(
        _ story: inout Story, _ person: Person, in household: Int, from: Double,
        shown: [Tag]? = nil, media: Tag? = nil,
        metadata: (user: String?, household: String?) = (nil, nil)
    ) {
        let code = "C\(household % 10)\(Int(from / 1_000) + 10000)"
        story.code(code, at: from, in: household)
        var account = person.account
        if let listed = person.listed { account.user = listed }
        story.tell(
            .phone, .assertion, at: from + 1_000, .none, in: household, code: code, tag: account,
            record: person.listed == nil ? nil : person.account.user, status: 302)
        story.check(at: from + 1_010, in: household, code: code)
        for (number, tag) in (shown ?? [person.user, person.user]).enumerated() {
            story.poll(
                at: from + 2_000 + Double(number) * 100, tag, in: household, code: code,
                expires: Story.epoch + Int64(from) + 21_600_000)
        }
        if let media {
            story.tell(
                .tv, .authorize, at: from + 2_900, in: household, code: nil, resource: "demo-1")
            story.tell(
                .tv, .mediaToken, at: from + 2_950, in: household, code: nil, tag: media,
                expires: Story.epoch + Int64(from) + 430_000, resource: "demo-1",
                secret: UInt64(household) << 32 | UInt64(from))
        }
        if metadata.user != nil || metadata.household != nil {
            story.tell(
                .tv, .userMetadata, at: from + 2_960, in: household, code: nil,
                tag: metadata.user.map { Tag(mvpd: "", user: $0) }, record: metadata.household)
        }
        story.tell(.tv, .logout, at: from + 3_000, in: household, code: nil, status: 204)
        story.tell(
            .tv, .checkAuthentication, at: from + 3_100, .absent, in: household, code: nil,
            status: 403)
        story.ends[household] = from + 3_200
    }

    private static func accused(_ story: Story) -> [String] {
        story.findings.violations.map { violation in
            let certainty =
                switch violation.certainty {
                case .certain: "certain"
                case .given: "given a bound"
                case .suspicion: "suspicion"
                }
            return "\(violation.invariant) \(violation.household) \(certainty)"
        }
    }

    // MARK: Nobody is accused

    @Test("a household that signs out and in again, under names of the service's own")
    func again() {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0)
        Self.live(&story, Self.ann, in: 1, from: 10_000)
        #expect(story.sentences == [])
        #expect(story.findings[.tokenIsolation].note == "users learned from sign-ins")
        // The login is never compared, whatever it looks like: here it is another account's user.
        var crossed = Self.story()
        Self.live(&crossed, Person("u-22", "u-11"), in: 1, from: 0)
        Self.live(&crossed, Person("u-11", "u-22"), in: 2, from: 20)
        Self.live(&crossed, Person("u-22", "u-11"), in: 1, from: 10_000)
        #expect(crossed.sentences == [])
    }

    @Test("accounts that households have in turn, and at once")
    func turns() {
        for pause in [5_000.0, 50.0] {
            var story = Self.story()
            for household in 1...4 {
                Self.live(
                    &story, household % 2 == 0 ? Self.ann : Self.ben, in: household,
                    from: Double(household) * pause)
            }
            #expect(story.sentences == [])
        }
    }

    @Test("two of one provider on one device: nobody knows which is which")
    func two() {
        var story = Self.story()
        story.code()
        story.code("BBBBBB2", at: 20)
        story.rules.policies.newCode = .keep
        story.assertion(Self.ann.account, at: 1_000, took: 50)
        story.assertion(Self.ben.account, at: 1_010, took: 50, by: .otherPhone, code: "BBBBBB2")
        story.poll(at: 1_040, Self.ben.user)
        story.poll(at: 2_000, Self.ann.user)
        story.poll(at: 3_000, Self.ann.user)
        #expect(story.sentences == [])
        // A third is none of them.
        story.poll(at: 4_000, Self.cy.user)
        #expect(Self.accused(story) == ["token-isolation 7 certain"])
    }

    @Test("a sign-in that a poll overlapped")
    func overlapped() {
        var story = Self.story()
        story.code()
        story.poll(at: 1_000, took: 100, Self.ann.user)
        story.assertion(Self.ann.account, at: 1_050, took: 80)
        story.poll(at: 2_000, Self.ann.user)
        #expect(story.sentences == [])
    }

    @Test("a service that has a new name at each sign-in")
    func renamed() {
        var story = Self.story()
        for (number, person) in [Self.ann, Self.ben, Self.cy].enumerated() {
            for turn in 0..<3 {
                var person = person
                person.user.user += "-\(turn)"
                Self.live(
                    &story, person, in: number + 1,
                    from: Double(number) * 20 + Double(turn) * 10_000)
            }
        }
        #expect(story.sentences == [])
        #expect(
            story.findings[.tokenIsolation].note
                == "users learned from sign-ins; not compared between sign-ins: for 3 of 3 "
                + "accounts the service returned another user at each")
    }

    @Test("metadata and media tokens that have other names for users than tokens")
    func otherNames() {
        var story = Self.story()
        for (number, person) in [Self.ann, Self.ben].enumerated() {
            for turn in [0.0, 10_000.0] {
                Self.live(
                    &story, person, in: number + 1, from: Double(number) * 20 + turn,
                    media: Tag(mvpd: "DemoCable", user: "m-\(person.user.user)"),
                    metadata: ("x-\(person.user.user)", "one subscription"))
            }
        }
        #expect(story.sentences == [])
    }

    @Test("a device that was signed in when it came")
    func preSignedIn() {
        var story = Self.story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, in: 1, code: nil)
        story.poll(at: 100, Self.ben.user, in: 1)
        story.tell(.tv, .logout, at: 200, in: 1, code: nil, status: 204)
        Self.live(&story, Self.ann, in: 1, from: 1_000)
        #expect(story.sentences == [])
        #expect(story.findings.preSignedIn == 1)
    }

    // MARK: The accounts file

    @Test("a user-id column that most accounts contradict accuses nobody, and is reported")
    func wrongColumn() {
        var story = Self.story()
        for (number, person) in [Self.ann, Self.ben, Self.cy].enumerated() {
            var person = person
            person.listed = number == 0 ? person.user.user : "id-\(number)"
            for turn in [0.0, 10_000.0] {
                Self.live(&story, person, in: number + 1, from: Double(number) * 20 + turn)
            }
        }
        #expect(story.sentences == [])
        #expect(
            story.findings.columnNote
                == "user-id column ignored: for 2 of 3 accounts the service returned another "
                + "user than the accounts file")
        #expect(
            story.findings[.tokenIsolation].note
                == story.findings.columnNote.map { $0 + "; users learned from sign-ins" })
    }

    @Test(
        "by the column a single sign-in tells, whatever else names that user",
        arguments: [false, true])
    func column(isEverywhere: Bool) {
        var story = Self.story()
        let people = [Self.ann, Self.ben, Self.cy].map { person in
            var person = person
            person.listed = person.user.user
            return person
        }
        Self.live(&story, people[0], in: 1, from: 0)
        Self.live(&story, people[1], in: 2, from: 20)
        Self.live(
            &story, people[2], in: 3, from: 40, shown: [Self.user("u-99")],
            media: isEverywhere ? Self.user("u-99") : nil,
            metadata: (isEverywhere ? "u-99" : nil, nil))
        #expect(
            story.sentences == [
                "household 3: the TV's poll-token #4 returned user u-99 at DemoCable, but "
                    + "the accounts file has another user-id for the account"
            ])
        #expect(story.findings[.tokenIsolation].note == "users known from the accounts file")
        // Everybody is somebody else of the file: that is no wrong column.
        var mixed = Self.story()
        for number in 0..<3 {
            Self.live(
                &mixed, people[number], in: number + 1, from: Double(number) * 20,
                shown: [people[(number + 1) % 3].user])
        }
        #expect(mixed.findings[.tokenIsolation].violations == 3)
    }

    // MARK: Somebody else

    @Test("a TV that is signed in as another account's user", arguments: [true, false])
    func wrongTV(victimFirst: Bool) {
        var story = Self.story()
        Self.live(&story, Self.ann, in: victimFirst ? 1 : 5, from: 0)
        Self.live(&story, Self.ben, in: 3, from: 20, shown: [Self.ann.user])
        #expect(
            story.sentences == [
                "household 3: the TV's poll-token #4 returned user u-11 at DemoCable, "
                    + "as household \(victimFirst ? 1 : 5) was, which signed in with another account: "
                    + "one of the two got the other's user"
            ])
        #expect(Self.accused(story) == ["token-isolation 3 certain"])
        #expect(story.findings.failing == 1)
    }

    @Test("one shard does not speak for the households of the others")
    func oneShard() {
        var story = Self.story()
        story.rules.part = .shard
        Self.live(&story, Self.ann, in: 1, from: 0)
        Self.live(&story, Self.ben, in: 3, from: 20, shown: [Self.ann.user])
        #expect(
            story.sentences.first?.hasSuffix(
                "one of the two got the other's user, or both that of another shard's household")
                == true, "\(story.sentences)")
        var other = Self.story()
        other.rules.part = .shard
        Self.live(&other, Self.ann, in: 1, from: 0, shown: [Self.user("u-11", at: "DemoSat")])
        #expect(
            other.sentences.first?.hasSuffix(
                "no other household of this shard is known to have signed in as that user; the users of other shards' households are "
                    + "not known here") == true, "\(other.sentences)")
    }

    /// A TV that the platform signs in, and what its media token names.
    private static func vouch(
        _ story: inout Story, _ person: Person, in household: Int, shown: Tag, from: Double
    ) {
        var account = person.account
        if let listed = person.listed { account.user = listed }
        story.tell(
            .tv, .tokenExchange, at: from, in: household, code: nil, tag: account,
            record: person.listed == nil ? nil : person.account.user, status: 204)
        story.tell(.tv, .authorize, at: from + 100, in: household, code: nil, resource: "demo-1")
        story.tell(
            .tv, .mediaToken, at: from + 200, in: household, code: nil, tag: shown,
            expires: Story.epoch + 430_000, resource: "demo-1", secret: UInt64(household) << 32)
        story.ends[household] = from + 300
    }

    /// Two households by code, whose media tokens name users as their tokens do.
    private static func byCode(mediaAt mvpd: String = "DemoCable") -> Story {
        var story = Self.story()
        for (number, person) in [Self.ann, Self.ben].enumerated() {
            Self.live(
                &story, person, in: number + 1, from: Double(number) * 20,
                media: Tag(mvpd: mvpd, user: person.user.user), metadata: (person.user.user, nil))
        }
        return story
    }

    @Test("a media token at another provider than the platform's sign-in is not that sign-in's")
    func mediaElsewhere() {
        func sentences(_ mvpd: String, ann: String = "DemoCable") -> [String] {
            var story = Self.story()
            Self.vouch(&story, Self.ann, in: 1, shown: Self.user("u-11", at: ann), from: 0)
            Self.vouch(
                &story, Person("ben", "u-22", at: "DemoNet"), in: 2,
                shown: Self.user("u-22", at: mvpd), from: 600)
            return story.sentences
        }
        #expect(sentences("DemoNet") == [])
        #expect(sentences("DEMONET") == [], "it may be another spelling")
        #expect(
            sentences("DemoCable") == [
                "household 2: the TV's media-token #3 returned user u-22 at DemoCable, but the household signed "
                    + "in at DemoNet"
            ])
        #expect(sentences("DemoCable", ann: "DemoNet").count == 2, "each has the other's")
    }

    @Test("another household's user outweighs a mixed one of the same household")
    func mixedBesideStranger() {
        var story = Self.bothWays()
        story.poll(at: 2_000, Self.user("viewer-2"), in: 1, code: "CCCCCC1")
        story.poll(at: 2_100, Self.user("viewer-1-second"), in: 1, code: "CCCCCC1")
        Self.live(&story, Person("viewer-2", "viewer-2"), in: 2, from: 100)
        #expect(Self.accused(story) == ["token-isolation 1 certain"])
    }

    @Test("a TV that the platform signed in is told another household's user")
    func platform() {
        func told(
            _ shown: [(household: Int, person: Person, user: Tag)], at mvpd: String = "DemoCable"
        )
            -> [String]
        {
            var story = Self.byCode(mediaAt: mvpd)
            for (household, person, user) in shown {
                Self.vouch(
                    &story, person, in: household, shown: user, from: Double(household) * 600)
            }
            return story.sentences
        }
        let dan = Person("dan", "u-44")
        #expect(told([(9, Self.cy, Self.cy.user)]) == [])
        #expect(
            told([(9, Self.cy, Self.ann.user)]) == [
                "household 9: the TV's media-token #3 returned user u-11 at DemoCable, which belongs to "
                    + "another account: household 1 signed in with that account"
            ])
        #expect(
            told([(9, Self.cy, Self.user("u-99"))]) == [],
            "nobody knows what the service calls that user")
        #expect(
            told([(8, dan, Self.user("u-99")), (9, Self.cy, Self.user("u-99"))]) == [
                "household 9: the TV's media-token #3 returned user u-99 at DemoCable, as household 8 was, "
                    + "which signed in with another account: one of the two got the other's user"
            ])
        // Media tokens that spell the provider otherwise are not compared with tokens.
        let other = Tag(mvpd: "DEMOCABLE", user: "u-11")
        #expect(told([(9, Self.cy, other)], at: "DEMOCABLE") == [])
    }

    @Test("platform TVs whose media tokens name another household's login are told whose it is")
    func loginAtPlatform() {
        var story = Self.story()
        story.rules.inventsLogins = true
        let home = Person("viewer-1", "viewer-1", at: "DemoSatellite")
        Self.live(&story, home, in: 1, from: 0)
        for household in 2...4 {
            let name = "viewer-\(household)"
            Self.vouch(
                &story, Person(name, name), in: household,
                shown: Self.user(household == 4 ? name : "viewer-1"), from: 600 * Double(household))
        }
        #expect(
            story.sentences
                == [2, 3].map {
                    "household \($0): the TV's media-token #3 returned user viewer-1 at DemoCable, which is "
                        + "the login of household 1"
                })
    }

    /// Household 2 is given the user of household 3, which comes after it.
    @Test("of two platform TVs with one user, who came first is not therefore right")
    func thiefBeforeOwner() {
        func told(inventsLogins: Bool) -> [String] {
            var story = Self.story()
            story.rules.inventsLogins = inventsLogins
            for household in 1...3 {
                let shown = household == 2 ? 3 : household
                let (name, user) = ("viewer-\(household)", inventsLogins ? "viewer" : "u")
                Self.vouch(
                    &story, Person(name, "\(user)-\(household)"), in: household,
                    shown: Self.user("\(user)-\(shown)"), from: 600 * Double(household))
            }
            return story.sentences
        }
        #expect(
            told(inventsLogins: true) == [
                "household 2: the TV's media-token #3 returned user viewer-3 at DemoCable, which is the login of "
                    + "household 3"
            ])
        #expect(
            told(inventsLogins: false) == [
                "household 3: the TV's media-token #3 returned user u-3 at DemoCable, as household 2 was, which "
                    + "signed in with another account: one of the two got the other's user"
            ])
    }

    @Test("a household by code that got a platform TV's user is accused, and not that TV")
    func innocent() {
        var story = Self.byCode()
        Self.live(
            &story, Self.cy, in: 3, from: 40, media: Self.user("u-44"), metadata: ("u-44", nil))
        Self.vouch(&story, Person("dan", "u-44"), in: 9, shown: Self.user("u-44"), from: 6_000)
        #expect(Set(story.findings.violations.map(\.household)) == [3])
    }

    @Test("a column that most platform TVs contradict accuses nobody", arguments: [1, 2])
    func platformColumn(wrong: Int) {
        var story = Self.byCode()
        for number in 0..<3 {
            let user = "u-4\(number)"
            Self.vouch(
                &story, Person("p\(number)", user, listed: user), in: number + 7,
                shown: Self.user(number < wrong ? "u-9\(number)" : user),
                from: 6_000 + Double(number) * 100)
        }
        let accused = story.findings.violations
        #expect(accused.map(\.household) == (wrong == 1 ? [7] : []))
        #expect(
            accused.allSatisfy { $0.sentence.contains("the accounts file has another user-id") })
        #expect((story.findings.columnNote != nil) == (wrong == 2))
    }

    @Test("a poll that went astray before the victim's own names the household that made it")
    func astray() {
        func told(_ ask: (Person) -> (media: Tag?, user: String?)) -> [String] {
            var story = Self.story()
            for (number, person) in [Self.ben, Self.ann, Self.cy].enumerated() {
                Self.live(
                    &story, person, in: number + 1, from: Double(number) * 20,
                    shown: person.account == Self.ben.account ? [Self.ann.user] : nil,
                    media: ask(person).media, metadata: (ask(person).user, nil))
            }
            return story.sentences
        }
        let found = [
            "household 1: the TV's poll-token #4 returned user u-11 at DemoCable, which belongs to "
                + "another account: household 2 signed in with that account"
        ]
        #expect(told { ($0.user, nil) } == found)
        #expect(told { (nil, $0.user.user) } == found)
        // The victim's own poll went astray as well.
        var story = Self.story()
        Self.live(&story, Self.ben, in: 1, from: 0, shown: [Self.ann.user], media: Self.ben.user)
        Self.live(&story, Self.ann, in: 2, from: 20, shown: [Self.cy.user], media: Self.ann.user)
        Self.live(&story, Self.cy, in: 3, from: 40, media: Self.cy.user)
        Self.live(&story, Self.ben, in: 4, from: 20_000, media: Self.ben.user)
        #expect(
            story.sentences == found + [
                "household 2: the TV's poll-token #4 returned user u-33 at DemoCable, which belongs "
                    + "to another account: household 3 signed in with that account"
            ])
        // Where nothing else names users, the order of the answers decides, and says so.
        #expect(
            told { _ in (nil, nil) } == [
                "household 2: the TV's poll-token #4 returned user u-11 at DemoCable, as household 1 "
                    + "was, which signed in with another account: one of the two got the other's user"
            ])
    }

    /// Eight households, whose tokens name the user of the next one in as many of them.
    private static func crowd(astray: Int, otherwiseNamed step: Int = 0) -> Story {
        let people = (0..<8).map { Person("a\($0)", "u-\($0)") }
        var story = Self.story()
        for (number, person) in people.enumerated() {
            let other = people[(number + step) % 8].user
            live(
                &story, person, in: number + 1, from: Double(number) * 20,
                shown: number < astray ? [people[number + 1].user] : nil, media: other,
                metadata: (other.user, nil))
        }
        return story
    }

    @Test("where most polls go astray, media tokens and metadata that agree tell whose they were")
    func mostAstray() {
        for astray in [3, 5, 6] {
            let story = Self.crowd(astray: astray)
            #expect(
                story.findings.violations.map(\.household).sorted() == Array(1...astray),
                "\(story.sentences)")
            #expect(story.sentences.allSatisfy { $0.contains("belongs to another account") })
        }
        // Media tokens and metadata that have numbers of their own for all users.
        #expect(Self.crowd(astray: 0, otherwiseNamed: 3).sentences == [])
    }

    @Test("a leak before the true user, and after")
    func leak() {
        for shown in [[Self.ann.user, Self.ben.user], [Self.ben.user, Self.ann.user]] {
            var story = Self.story()
            Self.live(&story, Self.ann, in: 1, from: 0)
            Self.live(&story, Self.ben, in: 3, from: 20, shown: shown)
            #expect(Self.accused(story) == ["token-isolation 3 certain"])
        }
    }

    @Test(
        "of two users that a TV was shown, the one that another household was shown as is the wrong one"
    )
    func leakFirst() {
        for hasMetadata in [false, true] {
            var story = Self.story()
            Self.live(
                &story, Self.ann, in: 1, from: 0,
                metadata: (hasMetadata ? Self.ann.user.user : nil, nil))
            Self.live(
                &story, Self.ben, in: 3, from: 20, shown: [Self.ann.user, Self.ben.user],
                metadata: (hasMetadata ? Self.ben.user.user : nil, nil))
            #expect(
                story.sentences == [
                    "household 3: the TV's poll-token #4 returned user u-11 at DemoCable, which belongs to "
                        + "another account: household 1 signed in with that account"
                ])
            #expect(story.findings.violations.first?.times == 1)
        }
        // A user of one household only is no evidence for either.
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0, shown: [Self.ann.user, Self.cy.user])
        #expect(
            story.sentences == [
                "household 1: the TV's poll-token #5 returned the sign-in of u-33 at DemoCable, the TV's "
                    + "poll-token #4 had returned u-11 at DemoCable; there were fewer sign-ins than users; no "
                    + "other household of this run is known to have signed in as that user"
            ])
    }

    @Test("two homes that are rightly shown a user are not accused for one stranger in one of them")
    func strangerAmongMany() {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0)
        Self.live(&story, Self.ben, in: 2, from: 20, shown: [Self.ann.user])
        Self.live(&story, Self.ann, in: 4, from: 10_000, shown: [Self.ann.user, Self.cy.user])
        #expect(
            Set(Self.accused(story)) == ["token-isolation 2 certain", "token-isolation 4 certain"])
    }

    @Test("a leak teaches nothing: the account is judged by what it is on its other devices")
    func unlearned() {
        var story = Self.story()
        Self.live(&story, Self.ben, in: 1, from: 0, shown: [Self.ann.user])
        Self.live(&story, Self.ann, in: 2, from: 20)
        Self.live(&story, Self.ben, in: 3, from: 10_000)
        Self.live(&story, Self.ann, in: 4, from: 10_020)
        #expect(Self.accused(story) == ["token-isolation 1 certain"])
    }

    @Test("before anybody signed in: a leak has a name, a phantom none")
    func early() {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0)
        story.code("EEEEEE1", at: 2_050, in: 2)
        story.poll(at: 2_500, Self.ann.user, in: 2, code: "EEEEEE1")
        #expect(
            story.sentences == [
                "household 2: the TV's poll-token #2 returned the sign-in of u-11 at "
                    + "DemoCable before this household had signed in; household 1 signed in as "
                    + "that user"
            ])
        #expect(Self.accused(story) == ["token-isolation 2 certain"])
        story.exchanges[story.exchanges.count - 1].observation.tag = Self.user("u-77")
        #expect(Self.accused(story) == ["no-token-before-sign-in 2 certain"])
    }

    @Test("in turn, a wrong user is certain; at once it is a suspicion")
    func sharing() {
        for (pause, verdict) in [(5_000.0, "certain"), (20.0, "suspicion")] {
            var story = Self.story()
            Self.live(&story, Self.ann, in: 1, from: 0)
            Self.live(&story, Self.ben, in: 2, from: pause)
            Self.live(&story, Self.ann, in: 3, from: 2 * pause)
            Self.live(&story, Self.ben, in: 4, from: 3 * pause, shown: [Self.ann.user])
            #expect(Self.accused(story) == ["token-isolation 4 \(verdict)"])
        }
    }

    @Test("an account that is another user at a later sign-in")
    func changed() {
        var story = Self.story()
        for (number, person) in [Self.ann, Self.ben, Self.cy].enumerated() {
            Self.live(&story, person, in: number + 1, from: Double(number) * 20)
            Self.live(
                &story, person, in: number + 1, from: Double(number) * 20 + 10_000,
                shown: number == 2 ? [Self.user("u-44")] : nil)
        }
        #expect(
            story.sentences == [
                "household 3: the TV's poll-token #11 returned user u-44 at DemoCable, but "
                    + "the TV's poll-token #4 had returned user u-33 at DemoCable, with the same account: one "
                    + "of the two is wrong"
            ])
    }

    @Test("a stranger may be whoever signed in and was never shown, and that is said")
    func nameless() throws {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0)
        // Its token goes to household 3, whose viewer has not signed in yet.
        Self.live(&story, Self.ben, in: 2, from: 10_000, shown: [])
        story.code("C3", at: 10_000, in: 3)
        story.poll(at: 12_000, Self.ben.user, in: 3, code: "C3")
        let found = try #require(story.findings.violations.first { $0.household == 3 })
        #expect(
            found.sentence
                == "household 3: the TV's poll-token #2 returned the sign-in of u-22 at DemoCable "
                + "before this household had signed in; it may be the user of household 2, whose "
                + "user no response tells for certain")
        #expect(found.invariant == .noTokenBeforeSignIn)
        #expect(found.companions.contains(.tokenIsolation))
        #expect(story.findings.result(of: .tokenIsolation) != .kept)
    }

    @Test("of two users that a TV was shown, its own login is never the wrong one")
    func ownLogin() {
        var story = Self.story()
        story.rules.inventsLogins = true
        let (other, own) = (Person("viewer-1", "viewer-1"), Person("viewer-3", "viewer-3"))
        Self.live(&story, other, in: 1, from: 0, shown: [])
        Self.live(&story, own, in: 3, from: 20, shown: [other.user, own.user])
        #expect(
            story.sentences == [
                "household 3: the TV's poll-token #4 returned the sign-in of viewer-1 at DemoCable, the TV's "
                    + "poll-token #5 returned that of viewer-3 at DemoCable, which is this household's; "
                    + "household 1 signed in as that user"
            ])
    }

    @Test("the household's own user at another provider is no other household's")
    func ownUserElsewhere() {
        for knowsUsers in [false, true] {
            var story = Self.story()
            story.rules.knowsUsers = knowsUsers
            Self.live(
                &story, Person("viewer-1", "viewer-1"), in: 1, from: 0,
                shown: [Self.user("viewer-1", at: "DemoSat")])
            #expect(Self.accused(story) == ["one-token 1 certain"])
            // It is, where another signed in there as that.
            Self.live(
                &story, Person("viewer-1", "viewer-1", at: "DemoSat"), in: 2, from: 20)
            #expect(Self.accused(story) == ["token-isolation 1 certain"])
        }
    }

    @Test("the provider is known, whoever the user is")
    func provider() {
        var story = Self.story()
        Self.live(&story, Self.ann, in: 1, from: 0, shown: [Self.user("u-11", at: "DemoSat")])
        #expect(
            story.sentences == [
                "household 1: the TV's poll-token #4 returned a sign-in at DemoSat (user "
                    + "u-11); this household signed in at DemoCable; no other household of this run "
                    + "is known to have signed in as that user"
            ])
        #expect(Self.accused(story) == ["token-isolation 1 certain"])
    }

    @Test("REST V2: a profile at a provider where nobody of this household signed in")
    func otherProvider() {
        var story = Self.story()
        Self.live(profile: Self.user("u-11", at: "DemoSat"), of: Self.ann, in: 1, &story)
        #expect(
            story.sentences == [
                "household 1: the TV's profiles-by-code #6 returned a sign-in at DemoSat (user "
                    + "u-11); this household signed in at DemoCable; no other household of this run "
                    + "is known to have signed in as that user"
            ])
        #expect(Self.accused(story) == ["no-token-before-sign-in 1 certain"])
        let owner = Person("dan", "u-11", at: "DemoSat")
        Self.live(profile: owner.user, of: owner, in: 2, &story, from: 60_000)
        #expect(Self.accused(story) == ["token-isolation 1 certain"])
    }

    @Test("REST V2: a profile of the name that was typed, at another provider")
    func typedElsewhere() {
        var story = Self.story()
        let elsewhere = Tag(mvpd: "DemoSat", user: Self.ann.account.user)
        Self.live(profile: elsewhere, of: Self.ann, in: 1, &story)
        #expect(Self.accused(story) == ["provider-independence 1 certain"])
        let owner = Person("dan", elsewhere.user, at: elsewhere.mvpd)
        Self.live(profile: owner.user, of: owner, in: 2, &story, from: 60_000)
        #expect(Self.accused(story) == ["token-isolation 1 certain"])
    }

    /// The same in REST V2, up to the TV's poll that shows this profile.
    private static func live(
        profile user: Tag, of person: Person, in household: Int, _ story: inout Story,
        from: Double = 0
    ) {
        let code = "C\(household)00000"
        story.see(at: from, in: household)
        story.session(code, at: from + 10, in: household)
        story.resume(at: from + 7_000, in: household, code: code, mvpd: person.account.mvpd)
        story.tell(.phone, .authenticate, at: from + 7_010, in: household, code: code)
        story.assertion(person.account, at: from + 8_000, in: household, code: code)
        story.pollCode(
            at: from + 10_000, Story.shown(user, from: Int64(from) + 8_002), in: household,
            code: code)
    }

    @Test("two logins of one user are told apart, unless the accounts file says that they are one")
    func aliases() {
        var story = Self.story()
        let other = Person("ann@example.test", "u-11")
        for turn in 0..<2 {
            Self.live(&story, Self.ann, in: turn * 2 + 1, from: Double(turn) * 20_000)
            Self.live(&story, other, in: turn * 2 + 2, from: Double(turn) * 20_000 + 10_000)
        }
        #expect(Self.accused(story) == ["token-isolation 2 certain", "token-isolation 4 certain"])
        var told = Self.story()
        for turn in 0..<2 {
            for (number, login) in ["ann", "ann@example.test"].enumerated() {
                Self.live(
                    &told, Person(login, "u-11", listed: "u-11"), in: turn * 2 + number + 1,
                    from: Double(turn * 2 + number) * 10_000)
            }
        }
        #expect(told.sentences == [])
    }

    @Test("two users within one life of a code, whoever is who")
    func oneOwner() {
        var story = Self.story()
        story.code()
        story.assertion(Self.ann.account, at: 1_000, took: 50)
        story.assertion(Self.ben.account, at: 1_010, took: 50, by: .otherPhone)
        story.poll(at: 1_100, Self.ben.user)
        story.poll(at: 1_200, Self.ann.user)
        #expect(story.findings.violations.map(\.invariant) == [.oneOwner])
    }

    // MARK: What else names users

    @Test("user metadata and media tokens of another account")
    func metadata() {
        func told(media: Tag? = nil, metadata: (user: String?, household: String?)) -> [String] {
            var story = Self.story()
            for (number, person) in [Self.ann, Self.ben, Self.cy].enumerated() {
                Self.live(
                    &story, person, in: number + 1, from: Double(number) * 20, media: person.user,
                    metadata: (person.user.user, "h-\(number)"))
            }
            Self.live(
                &story, Self.cy, in: 3, from: 10_000, media: media ?? Self.cy.user,
                metadata: metadata)
            return Self.accused(story)
        }
        #expect(told(metadata: ("u-33", "h-2")) == [])
        #expect(told(metadata: ("u-11", "h-2")) == ["token-isolation 3 certain"])
        #expect(told(metadata: ("u-33", "h-0")) == ["token-isolation 3 certain"])
        #expect(
            told(media: Self.ann.user, metadata: ("u-33", "h-2")) == ["token-isolation 3 certain"])
    }

    @Test("user metadata where logins are the users")
    func knownMetadata() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.tell(.tv, .userMetadata, at: 2_100, code: nil, tag: Tag(mvpd: "", user: "alice"))
        #expect(story.sentences == [])
        story.tell(.tv, .userMetadata, at: 2_200, code: nil, tag: Tag(mvpd: "", user: "bob"))
        #expect(story.findings.violations.map(\.invariant) == [.tokenIsolation])
    }
}
