import Dialects
import Journal
import Statistics
import TestSupport
import Testing

@testable import Devices
@testable import Rigs

@Suite struct AccountTests {
    private static func list(
        _ users: Int, mvpd: String = "DemoCable", atOnce: Int? = 1,
        onExhausted: AccountList.Exhausted = .wait
    ) -> AccountList {
        AccountList(
            file: "accounts.csv",
            entries: (0..<users).map { number in
                let user = "user-\(number)"
                return AccountList.Entry(
                    mvpd: mvpd,
                    account: Account(
                        user: user, password: Secret("secret-\(number)")),
                    place: "accounts.csv:\(number + 2)")
            }, atOnce: atOnce, onExhausted: onExhausted)
    }

    /// Takes every user and password but those of `locked`.
    private static func provider(
        _ turns: FakeTarget.Turn..., refusing locked: Set<String> = []
    ) -> ([String], Int) -> FakeTarget.Turn {
        { fields, _ in
            guard let user = fields.first(where: { $0.hasPrefix("customer=") }) else {
                return .page("plain")
            }
            let isLocked = locked.contains(String(user.dropFirst(9)))
            return .page(isLocked ? "keycloak-refused" : "hand-over")
        }
    }

    @Test("every household has an account of its own while it lives, in turn")
    func exclusive() throws {
        let run = try FakeRun(
            "after-sign-in: [{watch: 1m}]", households: 6, accounts: Self.list(2),
            provider: Self.provider())
        #expect(run.fates == Array(repeating: .signedIn, count: 6))
        // Two at a time: three rounds of a minute and a few seconds.
        #expect(run.ended.seconds > 180)
        let again = try FakeRun(
            "after-sign-in: [{watch: 1m}]", households: 6, accounts: Self.list(2),
            provider: Self.provider())
        #expect(run.ledger.exchanges == again.ledger.exchanges)
    }

    @Test("an exhausted pool fails a household where the rig says so, with the cause")
    func exhausted() throws {
        let run = try FakeRun(
            households: 3, accounts: Self.list(2, onExhausted: .fail), provider: Self.provider())
        #expect(run.fates.filter { $0 == .failed }.count == 1)
        #expect(
            run.causes.contains(
                "all 2 accounts for DemoCable in accounts.csv are in use (on-exhausted: fail)"))
    }

    @Test("an account that fails three times is not used again, however many want it at once")
    func ceiling() throws {
        for atOnce in [nil, 50, 1] as [Int?] {
            let run = try FakeRun(
                households: 20, accounts: Self.list(1, atOnce: atOnce),
                provider: Self.provider(refusing: ["user-0"]))
            let tries = run.target.calls.count { $0 == "POST /check.php" }
            #expect(tries == 3)
            #expect(
                run.causes.filter {
                    $0.hasPrefix("the account in accounts.csv:2 was turned down: the provider's")
                }.count == 3)
            #expect(
                run.causes.filter {
                    $0
                        == "no account for DemoCable is left: each had 3 failed logins "
                        + "(accounts.csv:2)"
                }.count == 17)
            #expect(run.terms.accounts?.givenUp.count == 1)
        }
    }

    @Test("a login that ends on a page and that the service never confirms counts as failed")
    func refusedWithoutForm() throws {
        let run = try FakeRun(
            households: 20, accounts: Self.list(1), stopAfter: .seconds(600),
            provider: { fields, _ in
                fields.contains { $0.hasPrefix("customer=") }
                    ? .page("signed-in").signing(in: false) : .page("plain")
            })
        #expect(run.target.calls.count { $0 == "POST /check.php" } == 3)
        #expect(
            run.causes.count { $0.contains("is left: each had 3 failed logins (accounts.csv:2)") }
                == 17)
        #expect(run.terms.accounts?.givenUp.count == 1)
    }

    @Test("one locked account among good ones costs three households, and no more")
    func oneLocked() throws {
        let run = try FakeRun(
            households: 30, accounts: Self.list(3), provider: Self.provider(refusing: ["user-1"]))
        #expect(run.fates.filter { $0 == .failed }.count == 3)
        #expect(run.fates.filter { $0 == .signedIn }.count == 27)
    }

    @Test("a provider that the configuration does not offer is named")
    func notOffered() throws {
        let run = try FakeRun(
            accounts: Self.list(1, mvpd: "OtherCable"), provider: Self.provider())
        #expect(
            run.causes == [
                "the service's configuration does not offer OtherCable, the provider of the "
                    + "account in accounts.csv:2; it offers DemoCable, DemoSat"
            ])
    }

    @Test("a household that waits for an account ends when the run is stopped")
    func stopped() throws {
        let run = try FakeRun(
            "after-sign-in: [{watch: 1h}]", households: 3, accounts: Self.list(1),
            stopAfter: .seconds(60), provider: Self.provider())
        #expect(run.causes.allSatisfy { $0 == "the run was stopped" })
        #expect(run.ended.seconds <= 66)
    }

    // MARK: The pool itself

    @Test("those who wait are served in the order in which they came, and those who left are not")
    func order() throws {
        let pool = AccountPool(Self.list(1))
        guard case .lent(let first) = pool.request(1, of: "DemoCable") else {
            Issue.record("nothing lent")
            return
        }
        for household in 2...4 {
            guard case .wait = pool.request(household, of: "DemoCable") else {
                Issue.record("\(household) need not wait")
                return
            }
        }
        pool.leave(2)
        pool.noteSuccess(of: first)
        pool.giveBack(first)
        guard case .wait = pool.request(4, of: "DemoCable"),
            case .lent(let next) = pool.request(3, of: "DemoCable")
        else {
            Issue.record("3 was before 4")
            return
        }
        pool.noteNothing(of: next)
        // 4 leaves with the account put aside for it: 5 gets it.
        pool.giveBack(next)
        pool.leave(4)
        guard case .lent = pool.request(5, of: "DemoCable") else {
            Issue.record("5 waits behind nobody")
            return
        }
    }

    /// Two lines of one provider, one of another.
    @Test(
        "a login that a race drives has an account of its provider, until it was turned down too often"
    )
    func driven() {
        var list = Self.list(2)
        list.entries += Self.list(1, mvpd: "DemoSat").entries
        let pool = AccountPool(list)
        func taken(_ turn: Int, _ mvpd: String?) -> AccountPool.Lease? {
            guard case .lent(let lease) = pool.take(turn, of: mvpd) else { return nil }
            return lease
        }
        for turn in 0..<6 {
            let leases = [taken(turn, "DemoSat"), taken(turn, "DemoCable")].compactMap(\.self)
            #expect(leases.map(\.entry.mvpd) == ["DemoSat", "DemoCable"])
            #expect(leases.last?.position == turn % 2)
            // One at a time has it: the next in turn is lent, and then none.
            #expect(taken(turn, "DemoCable")?.position == (turn + 1) % 2)
            #expect(taken(turn, "DemoCable") == nil)
            for lease in leases {
                pool.noteSuccess(of: lease)
                pool.giveBack(lease)
            }
            pool.giveBack(.init(position: (turn + 1) % 2, entry: list.entries[(turn + 1) % 2]))
        }
        // Nobody knows whether the third to fifth would go well: an account is locked after fewer than a race has trials.
        let fresh = AccountPool(Self.list(1, atOnce: nil))
        let leases = (0..<3).compactMap { turn -> AccountPool.Lease? in
            guard case .lent(let lease) = fresh.take(turn, of: nil) else { return nil }
            return lease
        }
        guard leases.count == 3, case .wait = fresh.take(3, of: nil) else {
            Issue.record("more logins than an account bears")
            return
        }
        for lease in leases { fresh.noteFailure(of: lease) }
        guard case .never(let why) = fresh.take(4, of: "DemoCable"),
            case .never(let none) = fresh.take(4, of: "DemoDish")
        else {
            Issue.record("an account that was given up is lent")
            return
        }
        #expect(why.hasPrefix("no account for DemoCable is left: each had 3 failed logins"))
        #expect(none == "accounts.csv has no account for DemoDish")
    }

    @Test("a client that all share is registered once, however many devices begin at a time")
    func sharedClient() throws {
        let run = try FakeRun(
            target: "clients: shared, ", households: 8, provider: Self.provider())
        #expect(run.fates == Array(repeating: .signedIn, count: 8))
        let clients = run.ledger.exchanges.filter { $0.operation == .registerClient }
        #expect(clients.count == 1)
        let apart = try FakeRun(households: 8, provider: Self.provider())
        #expect(apart.ledger.exchanges.filter { $0.operation == .registerClient }.count == 8)
    }

    @Test("a success takes earlier failures back")
    func forgiven() {
        let pool = AccountPool(Self.list(1))
        for round in 0..<12 {
            guard case .lent(let lease) = pool.request(round, of: "DemoCable") else {
                Issue.record("given up in round \(round)")
                return
            }
            if round % 3 == 2 { pool.noteSuccess(of: lease) } else { pool.noteFailure(of: lease) }
            pool.giveBack(lease)
        }
        #expect(pool.givenUp == [])
    }
}

@Suite struct CleanUpTests {
    private static var login: ([String], Int) -> FakeTarget.Turn {
        FakeRun.script(.page("plain"), .page("hand-over"))
    }

    private static func cleaning(_ run: FakeRun) -> [String] {
        run.ledger.exchanges.filter(\.provoked).map(\.operation.name)
    }

    @Test("a household logs out and deletes its code before it goes, without a word in its fate")
    func takesBack() throws {
        let run = try FakeRun("clean-up: true", provider: Self.login)
        #expect(Self.cleaning(run) == ["logout", "delete-registration"])
        #expect(run.fates == [.signedIn])
        #expect(try FakeRun(provider: Self.login).ledger.exchanges.allSatisfy { !$0.provoked })
    }

    @Test("what a household took back itself is not taken back again")
    func nothingLeft() throws {
        let run = try FakeRun(
            "clean-up: true\ncode: {delete-after: true}\nafter-sign-in: [{logout: 100%}]",
            provider: Self.login)
        #expect(Self.cleaning(run) == [])
    }

    @Test("a household that failed before the sign-in deletes its code")
    func failed() throws {
        let run = try FakeRun("clean-up: true", provider: FakeRun.script(.page("script-only")))
        #expect(Self.cleaning(run) == ["delete-registration"])
        #expect(run.fates == [.failed])
    }

    @Test("an interrupted run cleans up within its grace")
    func interrupted() throws {
        let run = try FakeRun(
            "clean-up: true\nafter-sign-in: [{watch: 1h}]", households: 5,
            stopAfter: .seconds(60)
        ) { fields, _ in
            fields.contains { $0.hasPrefix("pwd=") } ? .page("hand-over") : .page("plain")
        }
        #expect(Self.cleaning(run).count { $0 == "logout" } == 5)
        #expect(Self.cleaning(run).count { $0 == "delete-registration" } == 5)
        #expect(run.ended.seconds > 62 && run.ended.seconds < 65)
        #expect(run.fates == Array(repeating: .signedIn, count: 5))
    }
}

@Suite struct LoginProgramTests {
    /// Answers at once, and keeps the questions.
    final class Program: UserProgram, @unchecked Sendable {
        // Safe because a virtual run has one thread.
        private(set) var questions: [String] = []
        private let answer: ProgramAnswer?

        init(_ answer: ProgramAnswer?) { self.answer = answer }

        func ask(_ question: String, _ answered: @escaping @Sendable (ProgramAnswer) -> Void) {
            questions.append(question)
            if let answer { answered(answer) }
        }
    }

    @Test("a program gets the page and the account, and its form goes on")
    func form() throws {
        let program = Program(
            .output(
                #"{"form": {"action": "/done", "fields": {"a": "1 2", "b": ""}}, "cookies": {"S": "x"}}"#
            ))
        let run = try FakeRun("login: {command: ./login.py}", program: program) { _, number in
            number == 0
                ? .page("script-only")
                : FakeTarget.Turn.page("hand-over").when("POST /done", ["a=1 2", "b="])
        }
        #expect(run.target.complaints == [])
        #expect(run.fates == [.signedIn])
        #expect(run.target.cookies == ["S=x"])
        let question = try #require(program.questions.first)
        for part in [
            #""url": "http://idp.test/login?SAMLRequest=q""#, "\"user\": \"\(FakeRun.user)\"",
            #""mvpd": "Demo"#, #""page": "<!doctype html>"#,
        ] {
            #expect(question.contains(part), "\(part)")
        }
    }

    @Test(
        "what a program may say, and what becomes of it",
        arguments: [
            (#"{"failed": "no such user"}"#, "the login program says 'no such user'"),
            (
                "oops",
                "the login program did not answer with JSON, but printed 4 bytes of something else"
            ),
            (
                "{}",
                "the login program answered neither 'form' nor 'url' nor 'cookies' nor 'failed'"
            ),
            (
                #"{"url": "mailto:x"}"#,
                "the login program answered a 'url' that is not an http or https address"
            ),
            (
                #"{"form": {"fields": {}}}"#,
                "the login program answered a form without a usable action"
            ),
        ])
    func answers(answer: String, cause: String) throws {
        let run = try FakeRun(
            "login: {command: ./login.py}", program: Program(.output(answer)),
            provider: FakeRun.script(.page("script-only")))
        #expect(run.causes == [cause])
    }

    @Test("a program that never answers is given up, and holds up nobody")
    func silent() throws {
        let run = try FakeRun(
            "login: {command: ./login.py}", program: Program(nil),
            provider: FakeRun.script(.page("script-only")))
        #expect(run.causes == ["the login program did not answer within 90 s"])
    }

    @Test("pages to pass are passed without the program")
    func passes() throws {
        let program = Program(.output(#"{"url": "/next"}"#))
        let run = try FakeRun(
            "login: {command: ./login.py}", program: program,
            provider: FakeRun.script(
                .page("shibboleth-storage"), .page("refresh"), .page("script-only"),
                .page("hand-over")))
        #expect(program.questions.count == 1)
        #expect(run.fates == [.signedIn])
    }
}
