import Checker
import Dialects
import Journal
import Reports
import Testing

/// Homes whose TV and phone have one address, against the stand-in in virtual time.
@Suite("A home is one address")
struct HomeTests {
    @Test(
        "TV and phone have one limit, what that does to sign-ins is in the report, and nobody is accused"
    )
    func shared() throws {
        let run = try Rehearsal(RigFiles.read("throttled.yaml"))
        let refused = try run.exchanges().filter { $0.outcome == .throttled }
        #expect(Set(refused.map(\.device.role)) == [.firstScreen, .secondScreen])
        let findings = try JudgeTests.findings(run)
        #expect(findings[.throttleContract].checked > 0)
        #expect(findings[.throttleContract].violations == 0)
        let throttling = try #require(try run.summary().throttling)
        // Not judged while it goes on, so that its header knows no limits: households are told apart.
        #expect(throttling.limit == "household")
        #expect(throttling.limits == 8)
        #expect(throttling.requests == refused.count)
        #expect(throttling.delayed == throttling.signIns)
        for record in try run.households() {
            let own = refused.filter { $0.device.household == record.household }
            #expect(record.throttled?.total == own.count)
            #expect(record.throttled?.firstScreen == own.count { $0.device.role == .firstScreen })
        }
        // Each with an address of its own, the same people wait less.
        let apart = try Rehearsal(RigFiles.read("throttled.yaml", ["forwarded-for": "per-device"]))
        let other = try #require(try apart.summary().throttling)
        #expect(other.requests < throttling.requests)
    }

    @Test("a limit below the one that the service is held to is told by home")
    func stingy() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "throttled.yaml",
                [
                    "policies.throttle.burst": "10", "standin.throttle": "{rate: 1/s, burst: 3}",
                    "shows": "[]",
                ]))
        let found = try JudgeTests.findings(run)[.throttleContract]
        #expect(found.violations > 0)
        #expect(
            found.examples.first?.contains("requests of its household; a burst of 10 is allowed")
                == true)
    }
}
