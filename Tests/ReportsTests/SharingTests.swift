import Foundation
import Statistics
import TestSupport
import Testing

@testable import Rendering
@testable import Reports

@Suite("Sharing")
struct SharingTests {
    @Test("the archive is what its format says", arguments: Seed.samples(5))
    func zip(seed: Seed) throws {
        var dice = seed.generator()
        let files = (0..<4).map { index in
            (
                name: "folder/file-\(index).txt",
                bytes: (0..<dice.below(3_000)).map { _ in UInt8(dice.below(256)) }
            )
        }
        let folder = TestFolder()
        try Data(Zip.archive(files)).write(to: URL(filePath: folder.path + "/a.zip"))
        // Python's reader checks headers, directory and sums.
        let unpacked = try Program(
            ["python3", "-m", "zipfile", "-e", "a.zip", "out"], in: folder.url)
        #expect(unpacked.status == 0)
        for file in files {
            let bytes = try Data(contentsOf: URL(filePath: folder.path + "/out/" + file.name))
            #expect([UInt8](bytes) == file.bytes)
        }
    }

    @Test("the checksum is that of the standard's example")
    func checksum() {
        #expect(Zip.checksum(Array("123456789".utf8)) == 0xcbf4_3926)
        #expect(Zip.checksum([]) == 0)
    }

    @Test("one name has one pseudonym everywhere, in an address too; a longer one is met first")
    func pseudonyms() {
        var pseudonyms = Pseudonyms()
        pseudonyms.meet("ann@home.test", "person")
        pseudonyms.meet("ann@home.test.example", "person")
        pseudonyms.meet("ann@home.test", "person")
        pseudonyms.meet("box 9", "device")
        pseudonyms.meet("tv", "device")
        pseudonyms.meet("(secret #0123456789abcdef)", "device")
        let text = "ann@home.test.example and ann@home.test at /x?u=ann%40home.test&d=box%209, tv"
        #expect(
            pseudonyms.replaced(text) == "person-2 and person-1 at /x?u=person-1&d=device-1, tv")
        #expect(pseudonyms.remains(in: text) == "ann@home.test.example")
        #expect(pseudonyms.remains(in: pseudonyms.replaced(text)) == nil)
    }
}
