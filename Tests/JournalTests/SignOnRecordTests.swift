import Foundation
import GRDB
import TestSupport
import Testing

@testable import Journal

@Suite("Paths of sign-ins are kept with their households")
struct SignOnRecordTests {
    private static let signOn = SignOnRecord(
        asked: .platform, paths: [.code, .platform], began: Instant(.seconds(2)),
        steps: "1-2-6-7-8-9-10", prompts: 2, pickers: 1, codes: ["VSA403", "VSA403", "VSError-2"],
        silentRelogins: 3, diversion: "step 9: token-exchange answered 400")

    private func write(_ signOns: [SignOnRecord], to path: String) throws {
        let writer = try HistoryWriter(path: path, header: Samples.header(), waits: true)
        var batch = Batch(lane: 0, through: Instant(.seconds(9)))
        for (household, signOn) in signOns.enumerated() {
            var record = HouseholdRecord(
                household: household, kind: "family", lane: 0, arrived: .start)
            record.signOn = signOn
            record.codeShown = Instant(.seconds(3))
            record.tokenSeen = Instant(.seconds(7))
            record.polls = 4
            batch.households.append(record)
        }
        writer.append(batch)
        _ = writer.finish(Samples.end)
    }

    @Test("everything that a platform and an SDK said is read back")
    func roundTrip() throws {
        let scratch = TestFolder()
        try write([Self.signOn, SignOnRecord(), SignOnRecord(paths: [.pass])], to: scratch.history)
        let records = try History(path: scratch.history).allHouseholds()
        #expect(
            records.map(\.signOn) == [Self.signOn, SignOnRecord(), SignOnRecord(paths: [.pass])])
    }

    @Test("a history of version 1, which knew no paths, is still read")
    func older() throws {
        let scratch = TestFolder()
        try write([Self.signOn], to: scratch.history)
        let database = try DatabaseQueue(path: scratch.history)
        try database.write { database in
            for column in [
                "asked_path", "paths", "began_ns", "steps", "prompts", "pickers", "codes",
                "silent_relogins", "diversion",
            ] {
                try database.execute(sql: "ALTER TABLE households DROP COLUMN \(column)")
            }
            try database.execute(
                sql: "UPDATE meta SET value = 'screenrig/history/1' WHERE key = 'schema'")
        }
        try database.close()
        let history = try History(path: scratch.history)
        let record = try #require(try history.allHouseholds().first)
        #expect(record.signOn == SignOnRecord())
        #expect(record.polls == 4 && record.signIn == .seconds(4))
        #expect(try history.allExchanges().isEmpty)
    }

    @Test("a header with a throttle key that nobody knows is refused, and says which")
    func throttleKey() throws {
        let scratch = TestFolder()
        try write([Self.signOn], to: scratch.history)
        let database = try DatabaseQueue(path: scratch.history)
        try database.write {
            try $0.execute(sql: "INSERT INTO meta VALUES ('throttled_by', 'shoe-size')")
        }
        try database.close()
        let error = #expect(throws: JournalError.self) { try History(path: scratch.history) }
        #expect(error?.description.contains("'throttled_by' is 'shoe-size'") == true)
    }

    @Test("a sign-in on the platform is timed from its first question, others from their code")
    func times() {
        var record = HouseholdRecord(household: 0, kind: "family", lane: 0, arrived: .start)
        record.signOn = SignOnRecord(paths: [.platform], began: Instant(.seconds(2)))
        #expect(record.signInByPath == nil)
        record.tokenSeen = Instant(.seconds(7))
        record.viewerTime = .seconds(1)
        #expect(record.signInByPath == .seconds(5) && record.signInByPathService == .seconds(4))
        record.signOn.paths = [.code, .platform]
        #expect(record.signInByPath == nil)
        record.codeShown = Instant(.seconds(4))
        #expect(record.signInByPath == .seconds(3))
        record.signOn.paths = [.webView]
        #expect(record.signInByPath == .seconds(3))
    }

    @Test(
        "a household is diverted that signed in by another path, for a reason",
        arguments: [
            ([SignInPath.code], "step 9", SignInPath.platform, SignInPath?.some(.code)),
            ([.platform], "step 9", .platform, nil), ([.code], "", .platform, nil),
            ([.code], "step 9", nil, nil), ([], "step 9", .platform, nil),
            ([.platform, .webView], "step 9", .platform, .webView),
        ])
    func diverted(
        paths: [SignInPath], reason: String, asked: SignInPath?, other: SignInPath?
    ) {
        var record = HouseholdRecord(household: 0, kind: "family", lane: 0, arrived: .start)
        record.signOn = SignOnRecord(asked: asked, paths: paths, diversion: reason)
        #expect(record.divertedTo == other)
    }
}
