import Foundation
import TestSupport
import Testing

/// Who TVs are signed in as, judged over a server of another process that has names of its own for
/// users.
@Suite("Users of somebody else's server", .ownThread)
struct UserTests {
    enum Column: CaseIterable {
        case none, right, wrong

        /// A line of the accounts file; the right ids are the stand-in's (SHA-256 of provider and login).
        func line(_ login: String, _ id: String) -> String {
            switch self {
            case .none: "DemoCable,\(login),secret"
            case .right: "DemoCable,\(login),secret,u-\(id)"
            case .wrong: "DemoCable,\(login),secret,member-\(login)"
            }
        }
    }

    private static let logins = [
        ("ann", "78f2f169d21b2a"), ("ben", "0f135aaf09c737"), ("cy", "408b4f28128f94"),
    ]

    private static func accounts(_ column: Column, in folder: TestFolder) throws -> String {
        let head = "mvpd,user,password" + (column == .none ? "" : ",user-id")
        let lines = logins.map { column.line($0.0, $0.1) }
        let path = try folder.write(
            ([head] + lines).joined(separator: "\n") + "\n", to: "accounts.csv")
        chmod(path, 0o600)
        return path
    }

    private static func run(
        _ column: Column, fault: [String] = [], in folder: TestFolder
    ) async throws -> (code: Int32, output: String, run: Run) {
        let server = try Command(
            ["serve", "--port", "0", "--no-throttle", "--policy", "user-ids=opaque"] + fault,
            in: folder)
        let url = try await server.url()
        let ended = try await Command(
            [
                "run", Command.rig("opaque-users.yaml"), "--target", url, "--out", "run", "--set",
                "accounts={file: \(try accounts(column, in: folder))}", "--set",
                "target.mvpds=[{id: DemoCable}]",
            ] + unhurried, in: folder
        ).ended()
        server.send(SIGINT)
        _ = try await server.ended()
        return (ended.code, ended.output + ended.errors, try Run(folder, "run"))
    }

    @Test(
        "accounts in turn, logouts and second sign-ins accuse nobody, whatever the file says",
        arguments: Column.allCases)
    func innocent(column: Column) async throws {
        let folder = TestFolder()
        let (code, output, run) = try await Self.run(column, in: folder)
        #expect(code == 0, "\(output)")
        #expect(run.number("households", "signedIn") == 8)
        #expect(run.statuses["assertion"]?["302"] == 16)
        #expect(try run.table("violations.csv").isEmpty, "\(output)")
        #expect(output.contains("user-id column ignored") == (column == .wrong), "\(output)")
    }

    @Test(
        "TVs that are signed in as somebody else fail the run",
        arguments: [Column.none, .right])
    func wrong(column: Column) async throws {
        let folder = TestFolder()
        let (code, output, run) = try await Self.run(
            column, fault: ["--fault", "device-blind-cache:ttl=60s"], in: folder)
        #expect(code == 1, "\(output)")
        let found = try run.table("violations.csv").compactMap { $0["invariant"] }
        #expect(found.contains("token-isolation"), "\(output)")
    }
}
