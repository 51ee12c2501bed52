import Journal
import Testing

@testable import Devices

@Suite("When nobody can sign in any more")
struct QuietTests {
    @Test("all lanes must have been quiet at that instant, however much has happened since")
    func lanes() {
        let quiet = Quiet(lanes: 2)
        func at(_ seconds: Int) -> Instant { Instant(.seconds(seconds)) }
        #expect(!quiet.wasQuiet(at: at(0)))
        quiet.note(true, on: 0, at: at(5))
        #expect(!quiet.wasQuiet(at: at(9)))
        quiet.note(true, on: 1, at: at(7))
        // Twice the same says nothing new.
        quiet.note(true, on: 1, at: at(8))
        #expect(!quiet.wasQuiet(at: at(6)))
        #expect(quiet.wasQuiet(at: at(7)))
        // Somebody comes back, and leaves.
        quiet.note(false, on: 0, at: at(10))
        quiet.note(true, on: 0, at: at(12))
        #expect(quiet.wasQuiet(at: at(9)))
        #expect(!quiet.wasQuiet(at: at(10)))
        #expect(!quiet.wasQuiet(at: at(11)))
        #expect(quiet.wasQuiet(at: at(12)))
    }
}
