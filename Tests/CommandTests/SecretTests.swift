import Foundation
import Rigs
import Signing
import Testing

@Suite("Secrets stay secret", .serialized, .ownThread)
struct SecretTests {
    @Test("a planted secret is in no file of the run directory, and in no word of the command")
    func planted() async throws {
        let folder = try Folder()
        let statement = Signing.demoSoftwareStatement()
        let planted = ["SR_STATEMENT": statement, "SR_WAF": "waf-7d1e55c0-planted"]
        _ = try folder.write("file-secret-90ab-planted\n", to: "token.txt")
        let rig = """
            rig: secrets
            target:
              base: embedded
              software-statement: ${SR_STATEMENT}
              headers:
                X-Waf: "${SR_WAF}"
                X-File: "${file:\(folder.path("token.txt"))}"
            load: {closed: {households: 3}, settle: 1s}
            kinds:
              - name: home
                viewer: {notices-code: 100ms, signs-in: 100ms, gives-up: 0%}
            polling: {every: 3s}
            after-sign-in: [authorize, media-token, {logout: 100%}]
            validity: {on-breach: warn}

            """
        let path = try folder.write(rig, to: "secrets.yaml")
        let ended = try await Command(
            ["run", "secrets.yaml", "--out", "run"], in: folder, environment: planted
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        // Passwords are a function of rig and seed.
        let read = try Rig.read(contentsOf: path, with: RigSurroundings(environment: planted)).rig
        let plan = Plan(read, seed: read.seed, run: "seed-\(read.seed)")
        let passwords = (0..<3).compactMap { plan.household($0)?.account.password.reveal() }
        #expect(passwords.count == 3)
        let signature = try #require(statement.split(separator: ".").last.map(String.init))
        let secrets =
            passwords + [statement, signature, "waf-7d1e55c0-planted", "file-secret-90ab-planted"]
        for secret in secrets {
            #expect(!(ended.output + ended.errors).contains(secret))
            for file in try folder.holding(secret, under: "run") {
                Issue.record("\(secret.prefix(12))... is in \(file)")
            }
        }
        // What is no secret is there: the search does find things.
        #expect(try folder.holding("register-client", under: "run").count > 3)
        #expect(try folder.holding("${SR_WAF}", under: "run").contains("history.sqlite"))
    }
}

extension Folder {
    /// Files under `name` that hold these bytes anywhere.
    func holding(_ text: String, under name: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted().filter {
            try Data(contentsOf: url.appending(path: "\(name)/\($0)")).range(of: wanted) != nil
        }
    }
}
