import Dialects
import Testing

@testable import Rigs

@Suite("Secrets that a rig holds")
struct RigSecretsTests {
    /// A row of the format with the scalar that stands in it, alone or in a list or map.
    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var key: KeyRow
        var scalar: ScalarForm
        var value: String
        var testDescription: String { path }
    }

    static let rows: [Row] = rows(Rig.keys.map(\.row), "")

    private static func rows(_ keys: [KeyRow], _ path: String) -> [Row] {
        keys.flatMap { key in
            rows(key.shape, key, path + key.name, around: { $0 })
        }
    }

    private static func rows(
        _ shape: Shape, _ key: KeyRow, _ path: String, around outside: (String) -> String
    ) -> [Row] {
        switch shape {
        case .scalar(let scalar):
            [Row(path: path, key: key, scalar: scalar, value: outside("\"${PLANTED}\""))]
        case .map(let keys), .one(of: let keys): rows(keys, path + ".")
        case .named(let inner): rows(inner, key, path, around: { outside("{a: \($0)}") })
        case .list(let inner): rows(inner, key, path, around: { outside("[\($0)]") })
        case .either(let shapes): shapes.flatMap { rows($0, key, path, around: outside) }
        case .choice: []
        }
    }

    /// What the environment gives a row, and the secret in it.
    private static func known(_ row: Row, _ planted: String) -> [Secret] {
        let surroundings = RigSurroundings(environment: ["PLANTED": planted])
        var reader = ValueReader(file: "a.yaml", surroundings)
        var problems: [RigProblem] = []
        if let tree = YAMLTree.read(row.value, file: "a.yaml", problems: &problems) {
            row.key.tries(tree, &reader)
        }
        return reader.secrets
    }

    @Test(
        "what the environment gives is a secret in every key that takes a text, a secret or a proxy",
        arguments: rows.filter { ["text", "secret", "proxy"].contains($0.scalar.name) })
    func every(row: Row) {
        let isProxy = row.scalar.name == "proxy"
        let known = Self.known(row, isProxy ? "http://me:pl%40nted@a.test:1" : "pl@nted")
        #expect(known.contains(Secret("pl@nted")) == !Self.shown.contains(row.path))
    }

    /// Names that answers are compared by and reports speak of.
    private static let shown: Set<String> = [
        "rig", "known.ticket", "kinds.name", "kinds.requestor", "kinds.platform-sign-on.filter",
        "kinds.platform-sign-on.featured", "race.plans.name", "standin.providers.id",
        "standin.providers.proxy", "standin.requestors", "standin.domains", "target.requestor",
        "target.domain", "target.resources",
        "target.mvpds.id", "target.clients.id", "kinds.temp-pass.provider",
        "standin.degrade.mvpd", "target.degrade.mvpd", "standin.degrade.message",
        "target.degrade.message", "target.device-grant.client",
        "target.device-grant.other-client",
        "target.device-grant.scope", "target.device-grant.claim",
        "target.device-grant.approve-button", "target.device-grant.refuse-button",
        "target.device-grant.approved-when", "target.device-grant.refused-when",
        "target.device-grant.phone.path", "target.device-grant.phone.failed-when",
    ]

    @Test("a rig hands all of them on: those that stand within a text, and a proxy's password")
    func whole() throws {
        let given = RigSurroundings(environment: [
            "S": "state.ment", "PW": "s3cret", "H": "waf-17", "P": "http://me:p%2Fw@a.test:1",
        ])
        let rig = try Rig.sample(
            target: "{software-statement: \"${S}\", clients: {id: me, secret: \"${PW}\"}, "
                + "headers: {Authorization: \"Bearer ${H}\"}, proxy: \"${P}\"}", with: given)
        #expect(
            Set(rig.secrets)
                == Set(
                    ["state.ment", "s3cret", "waf-17", "p%2Fw", "p/w", "me:p/w"].map(Secret.init)))
        #expect(try Rig.sample(target: "{proxy: \"http://me@a.test:1\"}").secrets.isEmpty)
    }

    @Test("a proxy's password that cannot be read is not shown", arguments: ["--set", "file"])
    func malformed(place: String) {
        let proxy = "http://me:hunter2/@a b"
        let given = RigSurroundings(
            overrides: place == "--set" ? [("target.proxy", proxy)] : [],
            environment: ["PW": "hunter2"])
        for text in [proxy, "http://me:${PW}/@a b"] {
            let error = #expect(throws: RigErrors.self) {
                try Rig.sample(
                    target: place == "--set" ? "{base: embedded}" : "{proxy: \"\(text)\"}",
                    with: given)
            }
            #expect(error?.description.contains("hunter2") == false)
        }
    }
}
