import Checker
import Dialects
import Journal
import Lanes
import Rigs
import Statistics
import Testing
import Vocabulary

@testable import Devices

/// Devices, and the judge, ask no more of a protocol than it has.
@Suite("A protocol that lacks most steps")
struct SparseDialectTests {
    private static func life(
        _ defect: SparseService.Defect = .none, notices: String = "1s", more: String = ""
    ) throws -> Life {
        let rig = try Rig.read(
            """
            rig: sparse
            target: {base: "http://sparse.test", allow: [sparse.test]}
            load: {closed: {households: 1}}
            clean-up: false
            kinds: [{viewer: {notices-code: \(notices), signs-in: 1s, gives-up: 0%}}]
            \(more)
            """, file: "sparse.yaml"
        ).rig
        return try Life(rig) { _ in
            SparseDialect(origin: Origin(scheme: .http, host: "sparse.test"))
        } service: {
            SparseService($0, defect)
        }
    }

    @Test("is lived through without them: a code, a login, polls")
    func signsIn() throws {
        let life = try Self.life(notices: "20s")
        #expect(life.record.fate == .signedIn)
        #expect(
            life.operations(without: .pollToken) == [.registrationCode, .authenticate, .assertion])
        #expect(life.record.codeShown != nil && life.record.phoneDone != nil)
        #expect(life.findings.violations.isEmpty, "\(life.findings.violations)")
        #expect(life.findings[.signInDelivered].checked > 0)
        #expect(life.findings[.noTokenBeforeSignIn].checked > 0)
    }

    @Test(
        "and what follows a sign-in is what it has: nothing to authorize, to log out from or to delete"
    )
    func activities() throws {
        let life = try Self.life(
            more: """
                after-sign-in: [preauthorize, preauthorize-code, authorize, media-token, user-metadata, \
                {relaunch: 100%}, {logout: 100%}]
                code: {delete-after: true}
                """)
        #expect(life.record.fate == .signedIn, "\(life.record.cause)")
        #expect(life.record.stage == .loggedOut)
        #expect(
            life.operations(without: .pollToken) == [.registrationCode, .authenticate, .assertion])
    }

    @Test("polls keep the interval that the service asks for, and widen it when told")
    func intervals() throws {
        let calm = try Self.life(notices: "30s").polled
        #expect(zip(calm, calm.dropFirst()).allSatisfy { $1 - $0 > .seconds(5) })
        let slowed = try Self.life(.slowsDown, notices: "30s").polled
        #expect(zip(slowed, slowed.dropFirst()).allSatisfy { $1 - $0 > .seconds(9) })
    }

    @Test("a code that the service says is over ends the story as one that ran out")
    func over() throws {
        let life = try Self.life(notices: "2m", more: "code: {ttl: 60s}")
        #expect(life.record.fate == .abandoned)
        #expect(life.record.cause == "the code expired before the viewer signed in")
    }

    @Test("a login that is turned down is told with the service's word")
    func denied() throws {
        let life = try Self.life(.deniesSignIn)
        #expect(life.record.fate != .signedIn)
        #expect(life.findings.violations.isEmpty)
    }

    @Test("a sign-in that the TV never sees is found by the judge")
    func lost() throws {
        let life = try Self.life(.losesSignIn)
        #expect(life.record.fate != .signedIn)
        #expect(life.findings.violations.contains { $0.invariant == .signInDelivered })
    }

    @Test("kinds of one rig speak a protocol each")
    func kinds() throws {
        var rig = try Rig.read(
            """
            rig: both
            target: {base: "http://both.test", allow: [both.test], protocol: adobe-pass-v1}
            load: {closed: {households: 2}}
            kinds: [{name: one, weight: 1}, {name: two, weight: 1}]
            """, file: "both.yaml"
        ).rig
        rig.kinds[1].application = Application(
            protocolName: .usual, requestor: "OTHER", softwareStatement: Secret("other"))
        let origin = Origin(scheme: .http, host: "both.test")
        let terms = RunConfiguration(rig, statement: Secret("usual")) { application in
            application.requestor == "OTHER"
                ? SparseDialect(origin: origin)
                : application.protocolName.dialect(
                    at: origin, requestor: application.requestor, domain: "d",
                    redirectURL: "https://d/")
        }
        #expect(rig.kinds.map { terms.dialect(of: $0).name } == ["adobe-pass-v1", "sparse"])
        #expect(rig.kinds.map { terms.statement(of: $0).reveal() } == ["usual", "other"])
        #expect(rig.applications.map(\.requestor) == ["DEMOTV", "OTHER"])
    }
}
