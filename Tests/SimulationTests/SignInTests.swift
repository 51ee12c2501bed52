import Dialects
import Journal
import Reports
import Statistics
import Testing
import Vocabulary

@Suite("Living rooms sign in")
struct SignInTests {
    /// Rigs in which nobody gives up and nothing is lost.
    static let clean = [
        "closed.yaml", "poisson.yaml", "premiere-ramp.yaml", "reference.yaml",
        "second-screen.yaml", "smoke.yaml", "staging.yaml", "twenty.yaml", "xml.yaml",
    ]

    @Test("every household of a clean rig signs in, without an error", arguments: clean)
    func everybody(name: String) throws {
        let run = try Rehearsal.standard(name)
        let records = try run.households()
        #expect(!records.isEmpty)
        for record in records {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
            #expect(record.stage >= .signedIn)
        }
        let summary = try run.summary()
        #expect(summary.exchanges.errors == 0, "\(summary.errors)")
        #expect(summary.exitStatus == .passed, "\(summary.headline)")
    }

    @Test("a device that goes too fast is throttled, waits, and signs in all the same")
    func throttled() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "smoke.yaml",
                ["polling.every": "200ms", "kinds.0.viewer.notices-code": "fixed 10s"]))
        let exchanges = try run.exchanges()
        let throttled = exchanges.filter { $0.outcome == .throttled }
        #expect(!throttled.isEmpty)
        #expect(try run.households().allSatisfy { $0.fate == .signedIn })
        #expect(try run.summary().exchanges.errors == 0)
        // rest-v1.md § 14: at least a second after a 429, then it is admitted again.
        for refused in throttled {
            let next = exchanges.first {
                $0.device == refused.device && $0.planned >= refused.ended
                    && $0.sequence > refused.sequence
            }
            let again = try #require(next)
            #expect(again.sent - refused.ended >= .seconds(1))
            #expect(again.sent - refused.ended <= .seconds(2) + .milliseconds(200))
        }
    }

    @Test("late viewers and viewers who leave cost their household, nobody else's")
    func expiry() throws {
        let run = try Rehearsal.standard("code-expiry.yaml")
        for record in try run.households() {
            switch record.kind {
            case "in time": #expect(record.fate == .signedIn, "\(record)")
            case "gone":
                #expect(record.fate == .abandoned)
                #expect(record.cause == "the viewer gave up")
            default: #expect(record.fate != .signedIn, "\(record)")
            }
        }
    }

    @Test("with a wrong statement nobody gets anywhere, and the first failure says why")
    func wrongStatement() throws {
        let run = try Rehearsal(RigFiles.read("twenty.yaml"), statement: Secret("not.a.statement"))
        let summary = try run.summary()
        #expect(summary.households.failed == 20)
        #expect(
            summary.firstFailure
                == "20 of 20 register-client requests got 400 invalid_software_statement")
        #expect(summary.outcome == .fail && summary.exitStatus == .failed)
        #expect(
            summary.explanations.first?.contains("register-client requests got 400") == true,
            "\(summary.explanations)")
        #expect(
            try run.households().allSatisfy {
                $0.cause == "register-client answered 400 invalid_software_statement"
            })
    }

    @Test("a TV that asks for a new code signs in with the second")
    func newCode() throws {
        let run = try Rehearsal(RigFiles.read("xml.yaml", ["code.new-code": "100%"]))
        let exchanges = try run.exchanges()
        for record in try run.households() {
            let own = exchanges.filter { $0.device.household == record.household }
            let issued = own.filter { $0.operation == .registrationCode }.compactMap(\.code)
            #expect(issued.count == 2)
            let typed = own.first { $0.operation == .registrationRecord }?.code
            #expect(typed == issued.last)
            #expect(record.fate == .signedIn)
        }
    }

    @Test(
        "a household that signs in again is timed by its first sign-in, on phone and TV alike",
        arguments: ["again", "relaunch"], ["smoke.yaml", "v2-smoke.yaml"])
    func signsInAgain(how: String, rig: String) throws {
        let run = try Rehearsal(
            RigFiles.read(
                rig, ["after-sign-in": "[authorize, {logout: 100%}, {\(how): 100%}]"]))
        let once = try Rehearsal(
            RigFiles.read(rig, ["after-sign-in": "[authorize, {logout: 100%}]"])
        ).households()
        let polls = try run.exchanges().filter {
            $0.operation.isPoll && $0.outcome == .ok && $0.device.role == .firstScreen
        }
        let records = try run.households()
        #expect(records.count == once.count)
        for record in records {
            #expect(record.signOn.paths == [.code, .code], "\(record)")
            let seen = try #require(record.tokenSeen)
            #expect(seen == polls.first { $0.device.household == record.household }?.ended)
            let done = try #require(record.phoneDone)
            #expect(done <= seen && record.tokenVisibility == seen - done)
        }
        let longest = records.compactMap(\.tokenVisibility).max() ?? .zero
        #expect(longest > .seconds(1))
    }

    @Test("no device has two exchanges under way", arguments: Seed.samples(3))
    func noOverlap(seed: Seed) throws {
        let run = try Rehearsal(
            RigFiles.read(
                "twenty.yaml", seed: seed.value,
                ["standin.network.loss": "5%", "standin.network.latency": "uniform(1ms, 4s)"]))
        var latest: [DeviceID: Instant] = [:]
        for exchange in try run.exchanges().sorted(by: { $0.sent < $1.sent }) {
            #expect(exchange.sent >= latest[exchange.device] ?? .start, "\(exchange.device)")
            latest[exchange.device] = exchange.ended
        }
    }

    @Test(
        "when 5 % of all messages are lost, every household still comes to an end",
        arguments: Seed.samples(5))
    func loss(seed: Seed) throws {
        let run = try Rehearsal(
            RigFiles.read("twenty.yaml", seed: seed.value, ["standin.network.loss": "5%"]))
        let records = try run.households()
        #expect(records.count == 20)
        #expect(records.allSatisfy { $0.fate != .running && $0.ended != nil })
        #expect(records.count { $0.fate == .signedIn } >= 15, "\(records.map(\.cause))")
        let summary = try run.summary()
        let timeouts = summary.operations.reduce(0) { sum, row in
            sum + (row.outcomes.first { $0.name == "timeout" }?.count ?? 0)
        }
        #expect(timeouts > 0)
        #expect(summary.exchanges.sent == summary.exchanges.completed + timeouts)
    }

    @Test(
        "a lost answer is asked for again, and the household signs in all the same",
        arguments: [
            OperationName.registerClient, .accessToken, .checkAuthentication, .registrationCode,
            .registrationRecord, .configuration, .authenticate, .mvpdLogin, .checkCode,
            .pollToken, .authorize, .mediaToken,
        ])
    func lostAnswer(operation: OperationName) throws {
        let run = try Rehearsal(RigFiles.read("smoke.yaml")) {
            Between($0, loses: operation)
        }
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
        }
        let lost = try run.exchanges().filter { $0.outcome == .transport }
        #expect(!lost.isEmpty && lost.allSatisfy { $0.operation == operation })
        #expect(try run.exchanges().count { $0.operation == .checkCode } >= 8)
    }

    @Test("a lost answer of an assertion that counted still leads to check-code")
    func lostAssertion() throws {
        let run = try Rehearsal(RigFiles.read("smoke.yaml")) { Between($0, loses: .assertion) }
        let records = try run.households()
        #expect(records.allSatisfy { $0.fate == .signedIn })
        #expect(records.allSatisfy { $0.phoneDone != nil })
    }

    @Test("when everything is lost the run ends, and says that nothing answered")
    func silence() throws {
        let run = try Rehearsal(RigFiles.read("twenty.yaml", ["standin.network.loss": "100%"]))
        let summary = try run.summary()
        #expect(summary.exitStatus == .couldNotRun)
        #expect(
            summary.firstFailure == "100 of 100 register-client requests got no response (timeout)")
        #expect(summary.households.failed == 20)
        #expect(run.counted.allSatisfy { $0.requests == 0 })
    }
}
