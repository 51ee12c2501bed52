import Dialects
import Testing
import Vocabulary

@testable import Rigs

@Suite("Operations of protocols, in rigs")
struct ProtocolOperationTests {
    private static let second = "{base: embedded, protocol: adobe-pass-v2}"

    @Test(
        "every operation but those of a connection is of a protocol, and every step is of one name")
    func operations() {
        for operation in OperationName.allCases {
            let own = ProtocolName.allCases.filter { $0.operations.contains(operation) }
            #expect(own.isEmpty == operation.isOfConnection, "\(operation)")
        }
        #expect(
            ProtocolName.adobePassV1.counterparts(of: .profilesByCode) == [.checkCode, .pollToken])
        #expect(ProtocolName.adobePassV2.counterparts(of: .pollToken) == [.profilesByCode])
        #expect(ProtocolName.adobePassV2.counterparts(of: .userMetadata).isEmpty)
    }

    @Test(
        "a line about an operation that nobody asks for is refused, with what to write instead",
        arguments: [
            ("thresholds: [poll-token p99 < 1s]", "write profiles-by-code"),
            ("shows: [registration-record 404]", "write resume-session or session-by-code"),
            ("shows: [user-metadata 200]", "remove this line"),
            ("nightly: {series: [registration-code p95]}", "write create-session"),
        ])
    func refused(lines: String, remedy: String) throws {
        let errors = #expect(throws: RigErrors.self) {
            try Rig.sample(lines, target: Self.second)
        }
        let text = try #require(errors).description
        #expect(text.contains("is not asked in adobe-pass-v2; \(remedy)"), "\(text)")
        _ = try Rig.sample(lines)
    }

    @Test("none of them may be shown, and a kind is held to its own protocol")
    func accepted() throws {
        _ = try Rig.sample("shows: [poll-token == 0]", target: Self.second)
        let kinds = "kinds: [{name: old}, {name: new, protocol: adobe-pass-v2}]\n"
        _ = try Rig.sample(
            kinds + "thresholds: ['poll-token p99 < 1s', 'kind \"new\": profiles-by-code p99 < 1s']"
        )
        #expect(throws: RigErrors.self) {
            try Rig.sample(kinds + "thresholds: ['kind \"new\": poll-token p99 < 1s']")
        }
    }

    @Test("nights follow the poll and the request for a code of each protocol")
    func series() throws {
        let kinds = "kinds: [{name: old}, {name: new, protocol: adobe-pass-v2}]"
        func names(_ rig: Rig) -> [String] { rig.nightly.series.map(\.text) }
        #expect(try names(Rig.sample()) == Series.defaults.map(\.text))
        #expect(
            try names(Rig.sample(target: Self.second)) == [
                "sign-in-service p95", "token-visibility p95", "profiles-by-code p99",
                "create-session p95", "errors",
            ])
        #expect(
            try names(Rig.sample(kinds)) == [
                "sign-in-service p95", "token-visibility p95", "poll-token p99",
                "profiles-by-code p99", "registration-code p95", "create-session p95", "errors",
            ])
    }

    @Test("the protocols of a run are joined by a plus, and read back from older histories")
    func joined() throws {
        let rig = try Rig.sample("kinds: [{name: a}, {name: b, protocol: adobe-pass-v2}]")
        #expect(rig.protocolNames == "adobe-pass-v1+adobe-pass-v2")
        for text in [rig.protocolNames, "adobe-pass-v1, adobe-pass-v2"] {
            #expect(ProtocolName.names(joined: text) == ["adobe-pass-v1", "adobe-pass-v2"])
        }
    }

    @Test(
        "polls faster than the protocol allows are warned about, in either",
        arguments: [ProtocolName.adobePassV1, .adobePassV2])
    func pollFloor(name: ProtocolName) throws {
        func warnings(_ every: String) throws -> [String] {
            let text = """
                rig: polls
                target: {base: embedded, protocol: \(name.rawValue)}
                load: {closed: {households: 1}}
                polling: {every: \(every)}
                """
            return try Rig.read(text, file: "polls.yaml").warnings.map { "\($0)" }
        }
        #expect(try warnings("3s").isEmpty)
        let told = try warnings("2s")
        #expect(
            told.count == 1 && told[0].contains("minimum of 3 s in \(name.rawValue)"), "\(told)")
    }
}
