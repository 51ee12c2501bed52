import Formats
import Foundation
import Journal
import Signing
import TestSupport
import Testing

@Suite("Secrets stay secret", .ownThread)
struct SecretTests {
    private static let rig = """
        rig: secrets
        target:
          base: embedded
          software-statement: ${SR_STATEMENT}
          headers:
            X-Waf: "${SR_WAF}"
            X-File: "${file:TOKEN}"
        load: {closed: {households: 5}, settle: 1s}
        kinds:
          - name: home
            viewer: {notices-code: 100ms, signs-in: 100ms, gives-up: 0%}
        accounts: {file: accounts.csv}
        polling: {every: 3s}
        after-sign-in: [user-metadata, authorize, media-token, {logout: 100%}]
        validity: {on-breach: warn}

        """

    private static let people = (1...5).map { "planted-person-\($0)@home.test" }

    /// A run in which households are violated and errors have examples, so that requests and replies
    /// are kept; and every secret that went over the wire in it, as the wire had it.
    private func planted(isNoisy: Bool = true) async throws
        -> (folder: TestFolder, secrets: [String], words: String)
    {
        let folder = TestFolder()
        let statement = Signing.demoSoftwareStatement()
        let planted = ["SR_STATEMENT": statement, "SR_WAF": "waf-7d1e55c0-planted"]
        _ = try folder.write("file-secret-90ab-planted\n", to: "token.txt")
        let passwords = (1...5).map { "pass-word-\($0)-planted" }
        let accounts = zip(Self.people, passwords).map { "DemoCable,\($0),\($1)\n" }.joined()
        let list = try folder.write("mvpd,user,password\n" + accounts, to: "accounts.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: list)
        _ = try folder.write(
            Self.rig.replacing("TOKEN", with: folder.path("token.txt")), to: "secrets.yaml")
        let ended = try await Command(
            [
                "run", "secrets.yaml", "--seed", "1", "--out", "run", "--fault",
                "partial-logout:keep=authz+media",
            ] + (isNoisy ? ["--fault", "noisy"] : []), in: folder, environment: planted
        ).ended()
        #expect([0, 1].contains(ended.code), "\(ended.output)\(ended.errors)")
        let signature = try #require(statement.split(separator: ".").last.map(String.init))
        return (
            folder,
            passwords + [statement, signature, "waf-7d1e55c0-planted", "file-secret-90ab-planted"],
            ended.output + ended.errors
        )
    }

    @Test("a planted secret is in no file of the run, no archive, no export, no word of a command")
    func nowhere() async throws {
        let (folder, secrets, words) = try await planted()
        var told = words
        let shared = try await Command.run(
            "report", "run", "--share", "run/shared.zip", in: folder)
        #expect(shared.code == 0, "\(shared.output)\(shared.errors)")
        told += shared.output + shared.errors
        for format in ["har", "jsonl", "curl"] {
            for household in 0..<5 {
                let export = try await Command.run(
                    "export", "run", "--household", "\(household)", "--format", format, in: folder)
                #expect(export.code == 0, "\(export.errors)")
                _ = try folder.write(export.output, to: "run/export-\(household).\(format)")
            }
        }
        for secret in secrets {
            #expect(!told.contains(secret))
            for file in try folder.holding(secret, under: "run") {
                Issue.record("\(secret.prefix(12))... is in \(file)")
            }
        }
        // What is no secret is there: the search does find things.
        #expect(try folder.holding("register-client", under: "run").count > 3)
        #expect(try folder.holding("${SR_WAF}", under: "run").contains("history.sqlite"))
        // Messages were kept, with fingerprints in the place of what was asked for above.
        let first = try folder.read("run/export-0.jsonl")
        for part in ["Bearer (secret #", "client_secret", "password=(secret #"] {
            #expect(first.contains(part), "\(part)")
        }
        if try Run(folder, "run").number("exchanges", "errors") ?? 0 > 0 {
            #expect(try folder.holding("(secret #", under: "run").contains("report.html"))
        }
    }

    @Test("whatever an answer was given as a token is in no file either", arguments: [true, false])
    func tokens(isNoisy: Bool) async throws {
        let (folder, _, _) = try await planted(isNoisy: isNoisy)
        // No JWT, no SAML document and no bearer can be told from others by its name alone.
        for mark in ["eyJhbGciOi", "PHNhbWxwOlJlc3BvbnNl", "<samlp:Response", "Bearer ey"] {
            #expect(try folder.holding(mark, under: "run") == [], "\(mark)")
        }
        let pattern = #/"(access_token|client_secret|serializedToken)"\s*:\s*"([^"]*)"/#
        var plain = ""
        for household in 0..<5 {
            let export = try await Command.run(
                "export", "run", "--household", "\(household)", "--format", "har", in: folder)
            plain += export.output.replacing("\\\"", with: "\"")
        }
        let found = plain.matches(of: pattern)
        // What noise leaves of a household whose messages are kept depends on the machine's pace.
        #expect(isNoisy || found.count > 2)
        for match in found { #expect(match.2.hasPrefix("(secret #"), "\(match.0)") }
    }

    @Test("an archive to be shared names nobody, and calls the same one the same throughout")
    func shared() async throws {
        let (folder, _, _) = try await planted()
        // In the run itself people have their names: the search below does find them.
        #expect(try folder.holding("planted-person-1", under: "run").contains("history.sqlite"))
        let history = try History(path: folder.path("run"))
        var devices: Set<String> = []
        try history.messages { message in
            for found in message.url.matches(of: #/deviceId=([^&]+)/#) {
                devices.insert(String(found.1))
            }
        }
        // Of how many households messages are kept depends on the machine's pace.
        #expect(!devices.isEmpty)
        let shared = try await Command.run("report", "run", "--share", "out.zip", in: folder)
        #expect(shared.code == 0, "\(shared.errors)")
        let archive = String(
            decoding: try Data(contentsOf: folder.url.appending(path: "out.zip")), as: UTF8.self)
        for name in Self.people + ["planted-person"] + devices.sorted() {
            #expect(!archive.contains(name), "\(name)")
        }
        #expect(!archive.contains("history.sqlite\u{0}") && !archive.contains("SQLite format 3"))
        #expect(!archive.contains("deviceId=") || archive.contains("deviceId=device-"))
        for file in ["report.html", "summary.json", "households.csv", "violations.csv"] {
            #expect(archive.contains("run-shared/\(file)"))
        }
    }
}

extension Data {
    /// Whether these bytes stand anywhere in it. Thousands of them are looked for in files of megabytes, for which `range(of:)`
    /// would take a fiftieth of the whole suite's time.
    func holds(_ wanted: Data) -> Bool { span.first(wanted.span) != nil }
}

extension TestFolder {
    /// Files under `name` that hold these bytes anywhere.
    func holding(_ text: String, under name: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted().filter {
            guard let data = try? Data(contentsOf: url.appending(path: "\(name)/\($0)")) else {
                return false
            }
            return data.holds(wanted)
        }
    }
}
