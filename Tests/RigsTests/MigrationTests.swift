import Dialects
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Rigs

@Suite("A rig of REST V1 becomes one of V2")
struct MigrationTests {
    private static let surroundings = RigSurroundings(secrets: .omitted)

    private static func migrated(_ name: String) throws -> (old: String, new: Migration) {
        let old = try String(contentsOf: Repository.rigs.appending(path: name), encoding: .utf8)
        return (
            old, try Migration.rewriting(old, file: "rigs/\(name)", with: surroundings)
        )
    }

    /// A rig of V1 with these lines, rewritten.
    private static func rewritten(
        _ lines: String, target: String = "{base: embedded}"
    ) throws -> Migration {
        let text =
            "rig: sample\ntarget: \(target)\nload: {closed: {households: 2}}\n\(lines)\n"
        return try Migration.rewriting(text, file: "rigs/sample.yaml", with: surroundings)
    }

    @Test(
        "the new rig and what is told of each line are as they were reviewed",
        arguments: ["smoke", "premiere", "temp-pass", "platform-sign-on"])
    func golden(name: String) throws {
        let (_, new) = try Self.migrated("\(name).yaml")
        let remarks = new.remarks.map { "# \($0)\n" }.joined()
        try Golden.expect(
            "\(remarks)---\n\(new.text)", is: "migration/\(name).yaml")
    }

    @Test("a rig of the AccessEnabler SDK alone is refused with the reason")
    func sdk() throws {
        let errors = #expect(throws: RigErrors.self) { try Self.migrated("sdk-tvos.yaml") }
        try Golden.expect(
            "\(try #require(errors))\n", is: "migration/sdk-tvos.txt")
    }

    /// Of V1, and not of the SDK alone.
    static let movable = RigFileTests.files.filter { name in
        guard
            let text = try? String(
                contentsOf: Repository.rigs.appending(path: name), encoding: .utf8),
            let rig = try? Rig.read(text, file: "rigs/\(name)", with: surroundings).rig
        else { return false }
        return rig.protocols.contains(.adobePassV1)
            && !rig.kinds.allSatisfy(\.firstScreen.isSDK)
    }

    @Test(
        "each rig of V1 becomes a valid one that speaks V2 only, with all its comments",
        arguments: movable)
    func valid(name: String) throws {
        let (old, new) = try Self.migrated(name)
        let reading = try Rig.read(new.text, file: "rigs/\(name)", with: Self.surroundings)
        #expect(reading.rig.protocols == [.adobePassV2])
        func comments(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { $0.hasPrefix("#") }
        }
        #expect(comments(new.text) == comments(old))
        #expect(!new.remarks.isEmpty)
        #expect(new.remarks.allSatisfy { $0.place.line > 0 })
    }

    @Test("a rig of V2 has nothing to be rewritten")
    func already() throws {
        let errors = #expect(throws: RigErrors.self) {
            try Self.rewritten("", target: "{base: embedded, protocol: adobe-pass-v2}")
        }
        #expect(try #require(errors).description.contains("speaks adobe-pass-v2 already"))
    }

    @Test(
        "a threshold goes on about the same step",
        arguments: [
            ("poll-token p99 < 200ms", "profiles-by-code p99 < 200ms"),
            ("check-code service p95 < 1s", "profiles-by-code service p95 < 1s"),
            ("registration-code errors < 1%", "create-session errors < 1%"),
            ("registration-record p50 < 1s", "resume-session p50 < 1s"),
            ("check-authentication p95 < 1s", "profiles p95 < 1s"),
            ("token-exchange p95 < 1s", "sso-profile p95 < 1s"),
            ("media-token p95 < 1s", "authorize p95 < 1s"),
            ("authorize p95 < 1s", "authorize p95 < 1s"),
            ("sign-in p95 < 8s", "sign-in p95 < 8s"),
            ("user-metadata p95 < 1s", nil), ("delete-final == 0", nil),
            ("delete-registration p95 < 1s", nil), ("free-preview p95 < 1s", nil),
        ] as [(String, String?)])
    func thresholds(old: String, new: String?) throws {
        let migration = try Self.rewritten("thresholds:\n  - errors < 1%\n  - \(old)")
        let lines = migration.text.split(separator: "\n").filter { $0.hasPrefix("  - ") }
        #expect(lines == ["  - errors < 1%"] + (new.map { ["  - \($0)"] } ?? []))
        #expect(migration.remarks.contains { $0.action == .removed } == (new == nil))
    }

    @Test(
        "a check asks for what V2 answers in that case",
        arguments: [
            ("poll-token pending", "profiles-by-code pending"),
            ("poll-token 404", "profiles-by-code pending"),
            ("poll-token 200 >= 3", "profiles-by-code ok >= 3"),
            ("poll-token 503", "profiles-by-code 503"),
            ("check-code 403", "profiles-by-code pending"),
            ("registration-code 201", "create-session 200"),
            ("registration-record 404", "resume-session 400"), ("logout 204", "logout 200"),
            ("authorize 403 reason denied", "authorize not-entitled reason denied"),
            ("authorize 403", "authorize 403"), ("media-token 403", "authorize not-entitled"),
            ("poll-token <= 12", nil), ("check-code == 0", nil),
            ("token-exchange 204", "sso-profile 201"),
            ("registration-code == 0", "create-session == 0"),
            ("authenticate 429", "authenticate 429"),
            ("poll-token 410", nil), ("delete-registration 204", nil),
            ("violation delete-final", nil),
        ] as [(String, String?)])
    func checks(old: String, new: String?) throws {
        let migration = try Self.rewritten("shows: [households signed-in, \(old)]")
        let wanted = (["households signed-in"] + (new.map { [$0] } ?? [])).joined(separator: ", ")
        #expect(migration.text.contains("shows: [\(wanted)]\n"))
    }

    @Test("what is left of the checks is to be looked at, for V2 has other requests")
    func checksAreDoubtful() throws {
        func checks(_ lines: String) throws -> [Migration.Remark] {
            try Self.rewritten(lines).remarks
                .filter { $0.action == .check && $0.what.hasPrefix("shows: ") }
        }
        let found = try checks("shows: [households signed-in, registration-code == 8]")
        #expect(found.count == 1 && found[0].what.contains("'screenrig simulate'"))
        #expect(try checks("shows: [delete-registration 204]").isEmpty)
        #expect(try checks("promises: {one-token: observe}").isEmpty)
    }

    @Test("lines about a kind keep the kind, however they are quoted")
    func kinds() throws {
        let migration = try Self.rewritten(
            """
            kinds: [{name: tv}, {name: app, first-screen: sdk-ios}]
            thresholds:
              - kind "tv": poll-token p99 < 1s   # slow
              - 'kind "tv": media-token p99 < 1s'
              - kind "app": errors < 1%
            shows: ["kind \\"tv\\": poll-token pending", event setToken]
            """)
        #expect(migration.text.contains("\nkinds: [{name: tv}]\n"))
        #expect(migration.text.contains("  - kind \"tv\": profiles-by-code p99 < 1s   # slow\n"))
        #expect(migration.text.contains("  - 'kind \"tv\": authorize p99 < 1s'\n"))
        #expect(!migration.text.contains("\"app\""))
        #expect(
            migration.text.contains("shows: [\"kind \\\"tv\\\": profiles-by-code pending\"]\n"))
    }

    @Test("what is left empty goes with its key")
    func empties() throws {
        let migration = try Self.rewritten(
            """
            code: {ttl: 6s}     # short
            polling:
              every: 5s
              target: checkauthn

            # what follows
            after-sign-in: [user-metadata, authorization-token]
            policies:
              gone-decays: false
            """, target: "{base: embedded, format: xml, auth: none}")
        #expect(
            migration.text == """
                rig: sample
                target: {base: embedded, protocol: adobe-pass-v2}
                load: {closed: {households: 2}}
                polling:
                  every: 5s

                # what follows

                """)
    }

    @Test("how requests of V1 look goes; what both protocols know stays")
    func requests() throws {
        let migration = try Self.rewritten(
            """
            kinds:
              - name: home
                requests:
                  first-screen: {format: suffix, user-agent: TV/1.0, parameters: {appId: a}}
                  second-screen: {auth: none}
              - name: other
                requests: {second-screen: {device-info: none}}
            """)
        #expect(
            migration.text.hasSuffix(
                """
                kinds:
                  - name: home
                    requests:
                      first-screen: {user-agent: TV/1.0}
                  - name: other

                """), "\(migration.text)")
        #expect(migration.remarks.filter { $0.action == .removed }.count == 4)
    }

    @Test("activities: one decision has the media token in it")
    func activities() throws {
        func after(_ list: String) throws -> String {
            let text = try Self.rewritten("after-sign-in: \(list)").text
            return text.split(separator: "\n").last { $0.hasPrefix("after-sign-in: ") }
                .map { String($0.dropFirst(15)) } ?? ""
        }
        #expect(try after("[media-token, {logout: 20%}]") == "[authorize, {logout: 20%}]")
        #expect(try after("[media-token, authorize]") == "[authorize]")
        #expect(try after("[preauthorize-code, play-at-once]") == "[preauthorize, play-at-once]")
        #expect(try after("[user-metadata, authorize, {watch: 1s}]") == "[authorize, {watch: 1s}]")
    }

    @Test("what cannot be rewritten is named: statements, target files, a TempPass")
    func named() throws {
        let surroundings = RigSurroundings(
            secrets: .omitted,
            contents: { $0 == "rigs/t.yaml" ? "target: {base: http://127.0.0.1:1}" : nil })
        let migration = try Migration.rewriting(
            """
            rig: sample
            target:
              from: t.yaml
              software-statement: ${S}
            load: {closed: {households: 2}}
            kinds:
              - name: trial
                temp-pass: true
            """, file: "rigs/sample.yaml", with: surroundings)
        #expect(migration.text.contains("target:\n  protocol: adobe-pass-v2\n  from: t.yaml\n"))
        let told = migration.remarks.filter { $0.action == .check }.map(\.what)
        #expect(told.count == 3)
        for word in ["t.yaml", "api:client:v2", "TempPass"] {
            #expect(told.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test("race plans that delete go, others stay")
    func races() throws {
        let migration = try Self.rewritten(
            "race: {plans: [poll-authenticate, poll-delete, preview-logout]}")
        #expect(migration.text.contains("race: {plans: [poll-authenticate]}\n"))
        let alone = try Self.rewritten("race: {plans: [poll-delete], for: 5s}")
        #expect(alone.text.contains("race: {for: 5s}\n"))
    }

    @Test(
        "a plan of the rig's own goes where V2 lacks a step of it, and only there",
        arguments: [
            ("preauthorize-code", true), ("delete-registration", true), ("free-preview", true),
            ("preauthorize", false), ("check-code", false), ("login-start", false),
        ])
    func ownPlans(step: String, goes: Bool) throws {
        let migration = try Self.rewritten(
            """
            race:
              plans:
                - poll-poll
                - name: mine
                  actors:
                    tv: [registration-code, poll-token]
                    phone: [\(step), authenticate]
                  sweep: [tv.poll-token, phone.authenticate]
            """)
        #expect(migration.text.contains("name: mine") != goes)
        #expect(migration.text.contains("- poll-poll"))
    }

    @Test("a value that others repeat by its name is written once")
    func aliases() throws {
        let migration = try Self.rewritten(
            """
            kinds:
              - name: old
                first-screen: sdk-tvos
                viewer: {gives-up: 0%}
              - name: one
                viewer: &calm {gives-up: 0%}
              - name: other
                viewer: *calm
            shows: [poll-token pending]
            """)
        #expect(
            migration.text.contains(
                """
                kinds:
                  - name: one
                    viewer: &calm {gives-up: 0%}
                  - name: other
                    viewer: *calm
                shows: [profiles-by-code pending]
                """))
    }

    @Test("every operation of V1 either has a counterpart or a reason why not")
    func operations() {
        for operation in OperationName.allCases where operation.isOfV1 {
            #expect(operation.counterpartsInV2.allSatisfy { $0.isOfV2 })
            if operation.counterpartsInV2.isEmpty {
                #expect(!RigRewriter.reason(for: operation).isEmpty)
            }
        }
        #expect(Set(ProtocolName.adobePassV2.operations).count == 18)
    }
}
