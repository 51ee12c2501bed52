import Dialects
import Journal
import Reports
import Rigs
import Standin
import Testing
import Vocabulary

/// Counts by operation and status, whoever counted.
private struct Counts: Equatable, CustomStringConvertible {
    struct Key: Hashable {
        var operation: OperationName
        var status: Int
    }
    var values: [Key: Int] = [:]

    mutating func add(_ operation: OperationName, _ status: Int, _ count: Int = 1) {
        values[Key(operation: operation, status: status), default: 0] += count
    }

    func renamed(_ operation: OperationName, to other: OperationName) -> Counts {
        var renamed = Counts()
        for (key, count) in values {
            renamed.add(key.operation == operation ? other : key.operation, key.status, count)
        }
        return renamed
    }

    var description: String {
        values.map { "\($0.key.operation) \($0.key.status): \($0.value)" }.sorted()
            .joined(separator: ", ")
    }
}

@Suite("Everybody who counts comes to the same")
struct AgreementTests {
    @Test(
        "history, summary and the stand-in agree about every operation and household",
        arguments: RigFiles.names)
    func agree(name: String) throws {
        let run = try Rehearsal.standard(name)
        try expectSameCounts(run)
        try expectSameDeeds(run)
        try expectSameHouseholds(run)
        // In virtual time nothing is late.
        #expect(try run.exchanges().allSatisfy { $0.lateness == .zero && $0.sent >= $0.planned })
        #expect(try run.summary().rigHealth.valid)
    }

    /// Cells, exchanges, summary and the stand-in's own counters, by operation and status. A TV that
    /// polls the boolean check looks to the service like one that checks (rest-v1.md § 15).
    private func expectSameCounts(_ run: Rehearsal) throws {
        var ofCells = Counts()
        try run.history.cells { cell in
            for (status, count) in cell.statuses { ofCells.add(cell.key.operation, status, count) }
        }
        var ofExchanges = Counts()
        // A summary counts from where the load begins.
        var ofLoad = Counts()
        let begins = Instant(run.rig.preparation)
        for exchange in try run.exchanges() {
            let status = try #require(exchange.delivery.status, "all are answered: \(exchange)")
            ofExchanges.add(exchange.operation, status)
            if exchange.ended >= begins { ofLoad.add(exchange.operation, status) }
        }
        let summary = try run.summary()
        var ofSummary = Counts()
        for row in summary.operations {
            let operation = try #require(OperationName(name: row.name))
            for status in row.statuses {
                ofSummary.add(operation, try #require(Int(status.name)), status.count)
            }
        }
        var ofStandin = Counts()
        for row in run.counted.flatMap(\.rows) {
            ofStandin.add(try #require(row.operation), row.status, row.count)
        }
        #expect(ofCells == ofExchanges)
        #expect(ofSummary == ofLoad)
        let asServed =
            run.rig.polling.target == .check
            ? ofExchanges.renamed(.pollToken, to: .checkAuthentication) : ofExchanges
        #expect(ofStandin == asServed)
        #expect(summary.exchanges.sent == ofLoad.values.values.reduce(0, +))
        #expect(summary.exchanges.completed == summary.exchanges.sent)
    }

    /// What the stand-in handed out is what devices took.
    private func expectSameDeeds(_ run: Rehearsal) throws {
        let counted = try #require(run.counted.first)
        let exchanges = try run.exchanges()
        func answered(_ operation: OperationName, _ status: Int) -> Int {
            exchanges.count { $0.operation == operation && $0.delivery.status == status }
        }
        let codes = exchanges.count {
            $0.observation.result == .success && $0.observation.code != nil
                && [.registrationCode, .createSession, .partnerRequest, .deviceAuthorization]
                    .contains($0.operation)
        }
        #expect(counted.codesIssued == codes)
        // A login that its viewer cancelled, or whose code ran out, comes back with a 302 as well.
        let accepted = exchanges.count {
            $0.operation == .assertion && $0.delivery.status == 302
                && $0.observation.result != .denied
        }
        let made =
            accepted + answered(.tokenExchange, 204) + answered(.freePreview, 204)
            + answered(.ssoProfile, 201) + answered(.approval, 200)
        if !run.rig.protocols.contains(.adobePassV2) {
            #expect(counted.signIns == made)
        } else {
            // There a cancelled login comes back as any other does (rest-v2.md § 5.4).
            #expect(counted.signIns <= made)
        }
        let decisions = exchanges.count {
            $0.operation == .authorize && $0.fingerprint != nil
        }
        #expect(counted.mediaTokens == answered(.mediaToken, 200) + decisions)
        #expect(counted.throttled == exchanges.count { $0.outcome == .throttled })
        #expect(counted.requests == exchanges.count)
    }

    private func expectSameHouseholds(_ run: Rehearsal) throws {
        let records = try run.households()
        let households = try run.summary().households
        #expect(households.started == records.count)
        #expect(households.signedIn == records.count { $0.hasSignedIn })
        #expect(households.failed == records.count { $0.fate == .failed })
        #expect(households.abandoned == records.count { $0.fate == .abandoned })
        #expect(households.running == 0)
        let throttled = records.compactMap { $0.throttled?.total }.reduce(0, +)
        #expect(throttled == (try run.exchanges()).count { $0.outcome == .throttled })
        let begins = Instant(run.rig.preparation)
        let polls = try run.exchanges().filter { $0.ended >= begins }.count {
            $0.operation.step(onFirstScreen: $0.device.role == .firstScreen) == .poll
        }
        #expect(records.reduce(0) { $0 + $1.polls } == polls)
    }
}
