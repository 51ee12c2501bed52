import Foundation
import TestSupport
import Testing

@Suite("Words of peers")
struct UntrustedTests {
    /// Each of these says why: a new one is a hole in the gate, or another parser.
    private static let readers = [
        "Sources/Journal/OutputGate.swift",  // the gate itself
        "Sources/Devices/HTMLPage+Untrusted.swift",  // parses pages
    ]

    @Test("only the gate and parsers read them")
    func readers() throws {
        let root = Repository.root
        let files = try #require(
            FileManager.default.enumerator(atPath: root.appending(path: "Sources").path))
        var found: [String] = []
        for case let name as String in files where name.hasSuffix(".swift") {
            let path = "Sources/\(name)"
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            if text.contains("@_spi(Untrusted) internal import")
                || text.contains("@_spi(Untrusted) public import")
            {
                found.append(path)
            }
        }
        #expect(found.sorted() == Self.readers.sorted())
    }
}
