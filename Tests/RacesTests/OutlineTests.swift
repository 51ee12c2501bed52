import Statistics
import Testing

@testable import Races
@testable import Rigs

@Suite struct OutlineTests {
    @Test(
        "orders that a seed draws share one outline, and it says what their schedules say themselves",
        arguments: RacePlan.catalogue.flatMap(\.variants))
    func orders(variant: RacePlan.Variant) {
        let reach = RaceTerms().offsets
        let schedules = (0..<8).map { number in
            OrderExplorer.draw(variant, seed: Seed(UInt64(number)), offsets: reach).variant.schedule
        }
        let outlines = TrialOutline.outlines(of: schedules)
        #expect(outlines.count == schedules.count)
        for (schedule, outline) in zip(schedules, outlines) {
            #expect(outlines[0].fits(schedule))
            #expect(outline.clusters.map(\.cluster.members) == schedule.clusters.map(\.members))
            #expect(
                outline.clusters.map(\.isRaced)
                    == schedule.clusters.map { $0.isRaced(in: schedule) })
            #expect(outline.finalReads == schedule.finalReads)
            #expect(outline.readers == schedule.readers && outline.polling == schedule.polling)
            #expect(outline.rooms == schedule.ops.map { schedule[actor: $0.actor]?.household ?? 0 })
        }
    }

    @Test("schedules that differ in more than offsets have outlines of their own")
    func others() throws {
        let schedule = try #require(RacePlan.named("poll-authenticate")?.variants.first?.schedule)
        var fresh = schedule
        fresh.ops[0].connection = .fresh
        var phone = schedule
        phone.actors[0].household += 1
        for other in [fresh, phone] {
            #expect(!TrialOutline(schedule).fits(other) && TrialOutline(other).fits(other))
        }
        let mixed = TrialOutline.outlines(of: [schedule, fresh, schedule, fresh])
        #expect(mixed[1].fits(fresh) && mixed[3].fits(fresh) && mixed[2].fits(schedule))
    }
}
