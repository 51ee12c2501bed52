import Foundation
import Reports
import Testing

@Suite("No secret is written down")
struct SecretTests {
    @Test(
        "bearers, client secrets, passwords, assertions, cookies and media tokens are in no file",
        arguments: ["twenty.yaml", "xml.yaml"])
    func secrets(name: String) throws {
        var between: Between?
        let run = try Rehearsal(RigFiles.read(name)) { service in
            let made = Between(service)
            between = made
            return made
        }
        let written = try Report.write(
            run.history, thresholds: run.rig.thresholds, to: run.directory.path)
        #expect(written.errors.isEmpty)
        let secrets = try #require(between).secrets
        // Two devices each with a client and a token, a password and a login for each household.
        #expect(secrets.count > 6 * (try run.households().count), "\(secrets.count)")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: run.directory.path)
        let files = paths.filter { run.directory.appending(path: $0).isPlainFile }.sorted()
        #expect(files.contains { $0.hasPrefix("households/") })
        #expect(files.count >= 9)
        for file in files {
            let bytes = try Data(contentsOf: run.directory.appending(path: file))
            for secret in secrets where bytes.range(of: Data(secret.utf8)) != nil {
                Issue.record("\(secret.prefix(6))... is in \(file)")
            }
        }
    }
}

extension URL {
    fileprivate var isPlainFile: Bool {
        (try? resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
    }
}
