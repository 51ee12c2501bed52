import Dialects
import Testing

@testable import Rigs

@Suite("Rigs of the OAuth device grant")
struct DeviceGrantRigTests {
    private func rig(_ target: String, _ more: String = "") throws -> Rig {
        try Rig.read(
            """
            rig: t
            target: {base: "http://127.0.0.1:1", protocol: oauth-device-grant, \(target)}
            load: {closed: {households: 1}}
            \(more)
            """, file: "t.yaml", with: RigSurroundings(environment: ["S": "s3cret"])
        ).rig
    }

    private func problems(_ target: String, _ more: String = "") -> [String] {
        do {
            _ = try rig(target, more)
            return []
        } catch let errors as RigErrors {
            return errors.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("a preset is taken whole, and other keys change one setting each")
    func presets() throws {
        let terms = try rig(
            "device-grant: {client: box, preset: django-oauth-toolkit, userinfo: /who/}"
        ).target.deviceGrant
        var expected = DeviceGrantTerms.Preset.djangoOAuthToolkit.terms
        expected.client = "box"
        expected.userinfo = "/who/"
        #expect(terms == expected)
        #expect(try rig("device-grant: {}").target.deviceGrant == DeviceGrantTerms())
    }

    @Test("an unknown server is described by its paths and the words of its pages")
    func own() throws {
        let terms = try rig(
            """
            device-grant: {client: tv, secret: "${S}", authentication: basic, device-authorization: /d, token: /t, \
            approve-button: "go=yes", approved-when: [welcome]}
            """
        ).target.deviceGrant
        #expect(terms.authentication == .basic)
        #expect(terms.secret == Secret("s3cret"))
        #expect(terms.deviceAuthorization == "/d")
        #expect(terms.approvedWhen == ["welcome"])
    }

    @Test(
        "what cannot work is refused with a remedy",
        arguments: [
            ("device-grant: {discovery: none}", "give both device-authorization and token"),
            ("device-grant: {token: /t}", "device-authorization and token belong together"),
            ("device-grant: {authentication: basic}", "add 'secret'"),
            ("device-grant: {approve-button: yes}", "NAME=VALUE"),
            ("device-grant: {client: a, other-client: a}", "client_id of another app"),
            ("device-grant: {other-secret: s}", "in clear text"),
            ("device-grant: {phone: [{for: login, path: /l}]}", "add one with 'for: approve'"),
        ])
    func refused(target: String, remedy: String) {
        let found = problems(target)
        #expect(found.count == 1)
        #expect(found.first?.contains(remedy) ?? false, "\(found)")
    }

    @Test(
        "at the embedded stand-in a rig of another server keeps its app, and has the stand-in's pages"
    )
    func embedded() throws {
        let text = """
            rig: t
            target:
              base: https://id.example
              allow: [id.example]
              protocol: oauth-device-grant
              device-grant: {preset: django-allauth, client: radio, opens: complete}
            load: {closed: {households: 1}}
            """
        let given = RigSurroundings(target: .embedded)
        let terms = try Rig.read(text, file: "t.yaml", with: given).rig.target.deviceGrant
        #expect(terms.client == "radio" && terms.opens == .complete && terms.scope == "openid")
        #expect(terms.approvedWhen == ["Device connected"] && terms.userSource == .userinfo)
        #expect(terms.metadata(hasAddresses: false) == [.oauth, .openid])
    }

    @Test("what the protocol does not have is refused")
    func unknown() {
        #expect(
            problems("requestor: X", "kinds: [{temp-pass: true}]").contains {
                $0.contains("oauth-device-grant has no temp-pass")
            })
        let broken = """
            rig: t
            target: {protocol: oauth-device-grant}
            load: {closed: {households: 1}}
            standin: {interval: 1500ms}
            """
        #expect(throws: RigErrors.self) { try Rig.read(broken, file: "t.yaml") }
        let other = """
            rig: t
            target: {base: "http://127.0.0.1:1"}
            load: {closed: {households: 1}}
            kinds: [{viewer: {refuses: 10%}}]
            """
        #expect(throws: RigErrors.self) { try Rig.read(other, file: "t.yaml") }
    }

    @Test("the rig that init writes has its blanks listed, and reads once they are filled in")
    func template() throws {
        let text = RigTemplate.text(for: "mine.yaml", protocolName: .oauthDeviceGrant)
        #expect(throws: RigErrors.self) { try Rig.read(text, file: "mine.yaml") }
        let filled = text.replacing("base: ???", with: "base: https://id.example/realms/tv")
            .replacing("client: ???", with: "client: tv").replacing(
                "      - ???", with: "      - welcome"
            )
            .replacing("- ???", with: "- id.example")
            .replacing("accounts: {file: accounts.csv}", with: "accounts: generated")
        let rig = try Rig.read(filled, file: "mine.yaml").rig
        #expect(rig.target.deviceGrant.userSource == .idToken)
        #expect(rig.protocols == [.oauthDeviceGrant])
    }
}
