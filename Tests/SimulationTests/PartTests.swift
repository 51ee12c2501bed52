import Devices
import Foundation
import Journal
import Rigs
import Runner
import Statistics
import Synchronization
import TestSupport
import Testing

/// A household is the same alone, in a part of a plan, on one of several lanes and in the whole plan: whatever is
/// drawn for it hangs on the seed and on itself.
@Suite("A household is the same whoever else is there")
struct PartTests {
    private struct Life: Equatable {
        var exchanges: [Exchange] = []
        var events: [DeviceEvent] = []
        var record: HouseholdRecord?
    }

    /// Of each household, without the number of its lane.
    private static func lives(_ batches: [Batch]) -> [Int: Life] {
        var lives: [Int: Life] = [:]
        for batch in batches {
            for var exchange in batch.exchanges {
                exchange.lane = 0
                lives[exchange.device.household, default: Life()].exchanges.append(exchange)
            }
            for var record in batch.households {
                record.lane = 0
                lives[record.household, default: Life()].record = record
            }
            for event in batch.events {
                lives[event.device.household, default: Life()].events.append(event)
            }
        }
        return lives
    }

    /// Plays the parts `numbers` of `count`, one after the other, each by itself.
    private static func play(_ rig: Rig, _ numbers: [Int], of count: Int) throws -> [Int: Life] {
        var all: [Int: Life] = [:]
        for number in numbers {
            let venue = Venue(virtual: rig)
            let collected = Collected()
            let lanes = try venue.lanes(recordingTo: collected)
            var terms = try venue.configuration(of: rig)
            terms.startedMicroseconds = Venue.virtualEpoch
            let plan = Plan(rig, seed: rig.seed, run: venue.run).part(number, of: count)
            Coordinator(plan, terms: terms, lanes: lanes).run()
            all.merge(lives(collected.batches)) { first, _ in
                Issue.record("a household is in two parts")
                return first
            }
        }
        return all
    }

    /// Rigs in which no TV polls on when nobody can sign in any more: until when it does hangs on all households of
    /// the part (`load.settle`).
    private static let rigs = [
        "smoke.yaml", "device-grant.yaml", "v2-smoke.yaml", "v2-fire-tv.yaml",
        "v2-two-providers.yaml", "replicas.yaml",
        "sdk-tvos.yaml", "two-viewers.yaml", "platform-sign-on.yaml", "returning.yaml",
    ].filter { RigFiles.names.contains($0) }

    @Test("parts together are the whole, household by household", arguments: rigs)
    func parts(name: String) throws {
        for seed in Seed.samples(3) {
            let rig = try RigFiles.read(
                name, seed: seed.value,
                ["load.settle": "40m", "standin.network.loss": "1%"],
                limit: 16)
            let whole = try Self.play(rig, [0], of: 1)
            #expect(!whole.isEmpty)
            for count in [2, 3, 8] {
                let parts = try Self.play(rig, Array(0..<count), of: count)
                #expect(parts.keys.sorted() == whole.keys.sorted())
                for (household, life) in whole {
                    #expect(
                        parts[household] == life,
                        "household \(household) in parts of \(count), seed \(seed)")
                }
            }
        }
    }

    @Test("a household alone is as in the whole")
    func alone() throws {
        let rig = try RigFiles.read(
            "smoke.yaml", ["load.settle": "40m", "standin.network.loss": "2%"], limit: 8)
        let count = try #require(Plan(rig, seed: rig.seed).households)
        let whole = try Self.play(rig, [0], of: 1)
        for number in 0..<count {
            #expect(try Self.play(rig, [number], of: count) == whole.filter { $0.key == number })
        }
    }
}
