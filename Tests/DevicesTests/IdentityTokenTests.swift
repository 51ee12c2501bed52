import Journal
import Testing
import Vocabulary

@testable import Devices

@Suite("Identity tokens")
struct IdentityTokenTests {
    @Test(
        "are renewed a second or more before their end, whatever their life",
        arguments: [1, 2, 4, 10, 3_600] as [Int64])
    func renewal(life: Int64) {
        for started in stride(from: 1_760_000_000_000 as Int64, to: 1_760_000_001_000, by: 50) {
            // A token of instant zero: its times are in whole seconds.
            let end = started / 1000 + life
            let renewed = Household.HeldToken.renewal(
                end: end, life: .seconds(life), startedMilliseconds: started)
            let left = Duration.milliseconds(end * 1000 - started) - (renewed - .start)
            #expect(left >= .seconds(1) && left >= .seconds(life) / 10)
            #expect(left <= max(.seconds(1), .seconds(life) / 10))
        }
    }
}
