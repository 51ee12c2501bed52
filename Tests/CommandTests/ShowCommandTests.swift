import Foundation
import TestSupport
import Testing

@Suite("show", .ownThread)
struct ShowCommandTests {
    private func simulated(_ options: String...) async throws -> TestFolder {
        let folder = TestFolder()
        let ended = try await Command(
            ["simulate", Command.rig("links.yaml"), "--out", "run"] + options, in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        return folder
    }

    @Test(
        "a report links to the pages that it has; any other is made on request, and both have links"
    )
    func page() async throws {
        let folder = try await simulated()
        let report = try folder.read("run/report.html")
        let named = report.matches(of: #/href="(households/\d+\.html)"/#).map { String($0.1) }
        #expect(!named.isEmpty)
        for name in Set(named) {
            #expect(try folder.read("run/\(name)").contains("https://tempo.example/trace/"))
        }
        #expect(report.contains("https://kibana.example/?q="))
        let made = try await Command.run("show", "run", "--household", "5", in: folder)
        #expect(made.code == 0 && made.output == "run/households/5.html\n", "\(made.errors)")
        let page = try folder.read("run/households/5.html")
        #expect(
            page.contains("The TV showed code") && page.contains("https://tempo.example/trace/"))
        let elsewhere = try await Command.run(
            "show", "run/history.sqlite", "--household", "5", "--out", "h.html", in: folder)
        #expect(elsewhere.output == "h.html\n")
        let alone = try folder.read("h.html")
        #expect(alone.contains("The TV showed code") && !alone.contains("href=\"../"))
    }

    @Test("a household that is not there, or was not recorded, is said with its remedy")
    func troubles() async throws {
        let folder = try await simulated("--record", "aggregates")
        let unknown = try await Command.run("show", "run", "--household", "4711", in: folder)
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("no household 4711 in this run; the run has 6, 0 to 5"))
        let missing = try await Command.run("show", "nowhere", "--household", "1", in: folder)
        #expect(missing.code == 3)
    }
}
