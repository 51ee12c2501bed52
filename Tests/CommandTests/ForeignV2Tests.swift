import Foundation
import TestSupport
import Testing

/// Tests/Foreign/v2, a service of REST V2 that was written from the protocol page by a reader who had not seen
/// this project's codecs, and the client that checks it.
@Suite(
    "A foreign service of REST V2",
    .enabled(if: ForeignServer.hasPython, "needs python3, for the server in Tests/Foreign"),
    .ownThread)
struct ForeignV2Tests {
    @Test("it keeps the page, flow by flow, and each of its faults can be seen")
    func keepsThePage() async throws {
        let script = Repository.root.appending(path: "Tests/Foreign/v2/check.py").path
        let checked = try await Command(
            ["python3", script], in: TestFolder(), program: "/usr/bin/env"
        ).ended(within: .seconds(300))
        #expect(checked.code == 0, "\(checked.output)\(checked.errors)")
        #expect(checked.output.contains(", 0 failed"), "\(checked.output)")
    }
}
