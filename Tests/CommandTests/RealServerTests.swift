import Foundation
import TestSupport
import Testing

/// Runs against a public authorization server that really runs, as Tests/RealServers/run.py does.
@Suite(
    "A public server",
    .enabled(if: ForeignServer.hasPython, "needs python3, for Tests/RealServers/run.py"),
    .ownThread)
struct RealServerTests {
    @Test(
        "households sign in at django-oauth-toolkit, and its own records bear out every accusation")
    func toolkit() async throws {
        let folder = TestFolder()
        let script = Repository.root.appending(path: "Tests/RealServers/run.py").path
        // What pip installs is kept for the next time.
        let ended = try await Command(
            [
                "python3", script, "--screenrig", Command.binary, "--work", folder.path("servers"),
                "--households", "60", "--rate", "2", "--users", "80", "django-oauth-toolkit",
            ], in: folder,
            environment: ["TMPDIR": FileManager.default.temporaryDirectory.path],
            program: "/usr/bin/env"
        ).ended(within: .seconds(600))
        if let skipped = ended.output.split(separator: "\n").first(where: {
            $0.contains(": skipped: ")
        }) {
            try Test.cancel("\(skipped)")
        }
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let bytes = Data(try folder.read("servers/results.json").utf8)
        let results = try JSONSerialization.jsonObject(with: bytes) as? [String: [String: Any]]
        let run = try #require(results?["django-oauth-toolkit"]?["run"] as? [String: Any])
        let records = try #require(run["records"] as? [String: Any])
        #expect(records["contradicted"] as? [String] == [])
        #expect(records["foreign"] as? Int == 0)
        // Known of this server: a device code serves again.
        let accused = (records["accusations"] as? [String: [String: Int]])?["device-code-once"]
        #expect(accused?["borne out"] == records["with token"] as? Int)
        let households = try #require(run["households"] as? [String: Int])
        #expect(households["signedIn"] == records["with token"] as? Int)
        #expect(households["failed"] == 0)
    }
}
