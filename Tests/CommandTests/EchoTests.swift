import Foundation
import TestSupport
import Testing

/// Runs against Tests/Foreign/echo.py, which repeats every secret that it meets in every writing, everywhere.
@Suite(
    "A service that repeats secrets",
    .enabled(if: ForeignServer.hasPython, "needs python3, for the server in Tests/Foreign"),
    .ownThread)
struct EchoTests {
    private static let rig = """
        rig: echoes
        target:
          base: BASE
          software-statement: ${SR_STATEMENT}
          timeout: 3s
          headers: {X-Waf: "${SR_WAF}"}
        load: {closed: {households: 40}, settle: 1s}
        kinds:
          - name: home
            viewer: {notices-code: 10ms, signs-in: 10ms, gives-up: 0%}
        accounts: {file: accounts.csv}
        polling: {every: 3s}
        after-sign-in: [user-metadata, authorize, media-token, authorization-token, media-token]
        validity: {on-breach: warn}
        race: {trials: 12}

        """

    private static let statement =
        "eyJhbGciOiJSUzI1NiJ9." + String(repeating: "c29mdHdhcmUtc3RhdGVtZW50", count: 12)
        + ".sig-planted_1"

    /// The folder of a run of `arguments` against the server, with all that it printed, and what the server said.
    private func said(
        _ arguments: [String]
    ) async throws -> (folder: TestFolder, needles: [Data], sent: Int) {
        let folder = TestFolder()
        let script = Repository.root.appending(path: "Tests/Foreign/echo.py").path
        let server = try Command(
            ["python3", script, folder.path("needles")], in: folder, program: "/usr/bin/env")
        let rig = Self.rig.replacing("BASE", with: try await server.url())
        _ = try folder.write(rig, to: "echo.yaml")
        let accounts = (1...40).map { "DemoCable,ann-\($0),Pl4n&ed <\($0)>/é\u{27}+x$\n" }
        let list = try folder.write("mvpd,user,password\n" + accounts.joined(), to: "accounts.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: list)
        let ended = try await Command(
            arguments, in: folder,
            environment: ["SR_STATEMENT": Self.statement, "SR_WAF": "waf-7d1e55c0-planted"]
        ).ended()
        #expect(ended.code < 4, "\(ended.output)\(ended.errors)")
        try FileManager.default.createDirectory(
            atPath: folder.path("run"), withIntermediateDirectories: true)
        _ = try folder.write(ended.output + ended.errors, to: "run/printed")
        let lines = try folder.read("needles").split(separator: "\n")
        let needles = lines.compactMap { Data(hexadecimal: $0) }
        return (folder, needles, lines.count)
    }

    @Test(
        "no secret is in any file or word, however and wherever the service repeats it",
        arguments: [
            ["run", "echo.yaml", "--out", "run"],
            ["try", "echo.yaml", "--out", "run"], ["try", "echo.yaml", "--bodies", "--out", "run"],
            ["race", "echo.yaml", "--for", "3s", "--out", "run"],
        ])
    func nowhere(arguments: [String]) async throws {
        let (folder, needles, sent) = try await said(arguments)
        // The service has said a lot.
        #expect(sent == needles.count && sent > (arguments[0] == "run" ? 300 : 20), "\(sent)")
        if arguments[0] == "run" {
            for format in ["har", "jsonl", "curl"] {
                for household in 0..<16 {
                    let export = try await Command.run(
                        "export", "run", "--household", "\(household)", "--format", format,
                        in: folder)
                    _ = try folder.write(
                        export.output + export.errors, to: "run/export-\(household).\(format)")
                }
            }
        }
        var marks = 0
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path("run")) {
            guard let data = try? Data(contentsOf: folder.url.appending(path: "run/\(file)")) else {
                continue
            }
            if data.holds(Data("(secret #".utf8)) { marks += 1 }
            for needle in needles where data.holds(needle) {
                Issue.record("\(file) holds \(String(decoding: needle.prefix(60), as: UTF8.self))")
            }
        }
        // A race may have had nothing to tell.
        #expect(marks > 0 || arguments[0] == "race")
    }
}

extension Data {
    fileprivate init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        self.init()
        for place in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            append(byte)
        }
    }
}
