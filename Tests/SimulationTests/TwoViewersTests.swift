import Dialects
import Journal
import Testing

@Suite("Two viewers sign in at once")
struct TwoViewersTests {
    @Test("both come as far as the service lets them, and no household fails")
    func both() throws {
        let run = try Rehearsal.standard("two-viewers.yaml")
        let exchanges = try run.exchanges()
        var overlapping = 0
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
            let own = exchanges.filter { $0.device.household == record.household }
            let signIns = own.filter { [.assertion, .tokenExchange].contains($0.operation) }
            #expect(Set(signIns.compactMap(\.observation.tag?.user)).count == signIns.count)
            if signIns.count == 2 { overlapping += 1 }
            // A token is somebody's who signed in here.
            for poll in own where poll.operation == .pollToken && poll.outcome == .ok {
                #expect(signIns.contains { $0.observation.tag == poll.observation.tag })
            }
        }
        #expect(overlapping >= 6)
        #expect(!exchanges.contains { $0.isError })
        #expect(try run.summary().exitStatus == .passed)
    }

    @Test("each on a screen of its own")
    func screens() throws {
        let run = try Rehearsal.standard("two-viewers.yaml")
        let logins = try run.exchanges().filter { $0.operation == .mvpdLogin }
        let byHousehold = Dictionary(grouping: logins, by: \.device.household)
        var pairs = 0
        for record in try run.households() where record.kind == "two phones" {
            let phones = Set((byHousehold[record.household] ?? []).map(\.device.index))
            if phones == [0, 1] { pairs += 1 }
        }
        #expect(pairs >= 3)
    }
}
