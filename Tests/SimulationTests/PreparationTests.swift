import Journal
import Reports
import Rigs
import Testing

/// Households that are signed in before the load begins, against the stand-in in virtual time.
@Suite("Before the load")
struct PreparationTests {
    /// The rig with all its households.
    private static func rig(_ overrides: KeyValuePairs<String, String> = [:]) throws -> Rig {
        try RigFiles.read("returning.yaml", overrides, limit: 1_000)
    }

    @Test(
        "who returns has signed in before, arrives with the load, and is in no figure of a sign-in")
    func returns() throws {
        let run = try Rehearsal(Self.rig())
        let begins = Instant(run.rig.preparation)
        let records = try run.households()
        #expect(records.count == 60 && records.allSatisfy { $0.arrived >= begins })
        let returned = records.filter { $0.fate == .preSignedIn }
        #expect(returned.count == 22)
        #expect(returned.allSatisfy { $0.signIn == nil && $0.stage == .playing && $0.polls == 0 })
        let known = Set(returned.map(\.household))
        let exchanges = try run.exchanges()
        for exchange in exchanges where known.contains(exchange.device.household) {
            // Yesterday's phones sleep.
            #expect(exchange.device.role == .firstScreen || exchange.ended < begins)
        }
        let summary = try run.summary()
        let preparation = try #require(summary.preparation)
        #expect(preparation.signedIn == 22 && preparation.notSignedIn == 0)
        #expect(preparation.requests == exchanges.count { $0.ended < begins })
        #expect(summary.exchanges.sent == exchanges.count { $0.ended >= begins })
        #expect(summary.signIn?.count == 38)
        #expect(summary.stages.first?.name == "before the load")
        #expect(summary.notes.count == 2 && summary.notes.first == preparation.sentence)
        let mix = try #require(summary.notes.last)
        #expect(
            mix.hasPrefix("request mix: ") && mix.contains("22 of 60 households arrived signed in"))
        #expect(summary.kinds.map(\.returning) == [22] && summary.kinds.map(\.households) == [60])
        #expect(summary.kinds[0].requests == summary.exchanges.sent)
    }

    @Test(
        "errors before the load are in no group of errors, however the run is recorded",
        arguments: ["all", "aggregates"])
    func errorsBefore(record: String) throws {
        let run = try Rehearsal(
            Self.rig(["record": record, "faults": "[noisy]", "shows": "[]", "thresholds": "[]"]))
        let summary = try run.summary()
        let preparation = try #require(summary.preparation)
        #expect(preparation.errors > 0)
        for operation in summary.operations {
            let errors = summary.errors.filter { $0.operation == operation.name }
            let count = errors.reduce(0) { $0 + $1.count }
            #expect(
                record == "all" ? count == operation.errors : count <= operation.errors,
                "\(operation.name) \(errors)")
        }
        #expect(!summary.errors.isEmpty)
    }

    @Test("households are told by the provider that they chose, or that their token names")
    func byProvider() throws {
        let summary = try Rehearsal(Self.rig()).summary()
        #expect(summary.providers.map(\.mvpd) == ["DemoCable", "DemoSat"])
        #expect(summary.providers.reduce(0) { $0 + $1.households } == 60)
        #expect(summary.providers.reduce(0) { $0 + $1.preSignedIn } == 22)
        #expect(summary.providers.reduce(0) { $0 + ($1.signIn?.count ?? 0) } == 38)
    }

    @Test("who could not sign in before arrives as a newcomer, and the report says so")
    func couldNot() throws {
        let run = try Rehearsal(
            Self.rig(
                [
                    "load.arrivals.1.hold": "1s", "standin.code-ttl": "4s", "code.ttl": "4s",
                    "kinds.0.returning": "100%", "kinds.0.viewer.gives-up": "0%",
                    "faults": "[lost-authentication]", "shows": "[]",
                ]))
        let preparation = try #require(try run.summary().preparation)
        #expect(preparation.signedIn == 0 && preparation.notSignedIn == 10)
        #expect(preparation.sentence.contains("10 could not, and arrived as new ones"))
        let records = try run.households()
        #expect(records.count == 10 && records.allSatisfy { $0.fate != .preSignedIn })
        #expect(
            records.allSatisfy { $0.codeShown.map { $0 >= Instant(run.rig.preparation) } ?? true })
    }

    @Test("a run that is stopped before its load ends at once, and no household has arrived")
    func stopped() throws {
        let at = Instant(.seconds(6))
        let run = try Rehearsal(Self.rig(), stop: (at: at, grace: .seconds(30)))
        #expect(run.end.ended < at + .seconds(5))
        #expect(try run.households().isEmpty)
        let summary = try run.summary()
        #expect(summary.households.started == 0 && summary.exchanges.sent == 0)
        #expect(summary.outcome == .aborted)
    }
}
