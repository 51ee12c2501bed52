import Dialects
import Statistics
import Testing

@testable import Journal

@Suite("The history hash")
struct HashTests {
    private func hash(_ batches: [Batch]) -> String {
        var digest = HistoryDigest()
        for batch in batches {
            digest.add(batch.exchanges)
            for household in batch.households { digest.add(household) }
        }
        return digest.value
    }

    private func batches(_ seed: Seed) -> [Batch] {
        var samples = Samples(seed)
        return samples.batches(lanes: 2, seconds: 2, perBatch: 5)
    }

    @Test("is equal for equal histories, however they are batched", arguments: Seed.samples(10))
    func equal(seed: Seed) {
        let batches = batches(seed)
        var single: [Batch] = []
        for batch in batches {
            single += batch.exchanges.map {
                Batch(lane: batch.lane, exchanges: [$0], through: batch.through)
            }
            single.append(
                Batch(lane: batch.lane, households: batch.households, through: batch.through))
        }
        #expect(hash(batches) == hash(single))
    }

    @Test("does not depend on which lane hands over, and when", arguments: Seed.samples(10))
    func lanes(seed: Seed) {
        let batches = batches(seed)
        var moved = batches.filter { $0.lane == 1 } + batches.filter { $0.lane == 0 }
        for position in moved.indices {
            moved[position].lane = 0
            moved[position].exchanges.reverse()
        }
        #expect(hash(batches) == hash(moved))
    }

    @Test("counts what comes twice, and what is missing", arguments: Seed.samples(10))
    func counted(seed: Seed) {
        let batches = batches(seed)
        var (more, less) = (batches, batches)
        more[0].exchanges.append(more[0].exchanges[0])
        less[0].exchanges.removeLast()
        #expect(Set([hash(batches), hash(more), hash(less)]).count == 3)
    }

    @Test("differs when two exchanges have each other's times", arguments: Seed.samples(10))
    func swapped(seed: Seed) {
        let batches = batches(seed)
        var changed = batches
        let (first, second) = (changed[0].exchanges[1], changed[0].exchanges[2])
        changed[0].exchanges[1].planned = second.planned
        changed[0].exchanges[2].planned = first.planned
        #expect(hash(batches) != hash(changed))
    }

    @Test("differs when anything of one exchange does", arguments: 0..<28)
    func exchange(change: Int) {
        var samples = Samples(Seed(8))
        var exchange = samples.exchange()
        exchange.observation = Observation(.none)
        let before = hash([Batch(lane: 0, exchanges: [exchange], through: .start)])
        switch change {
        case 0: exchange.sequence += 1
        case 1: exchange.device.household += 1
        case 2: exchange.device.index += 1
        case 3: exchange.operation = exchange.operation == .logout ? .connect : .logout
        case 4: exchange.code = Code("OTHER")
        case 5: exchange.planned.nanoseconds += 1
        case 6: exchange.sent.nanoseconds += 1
        case 7: exchange.firstByte = Instant(nanoseconds: 5)
        case 8: exchange.ended.nanoseconds += 1
        case 9: exchange.delivery = .answered(status: 418)
        case 10: exchange.delivery = .refused(TransportError(.proxy, "p"))
        case 11: exchange.delivery = .unknown(TransportError(.proxy, "p"))
        case 12: exchange.outcome = .blocked
        case 13: exchange.reason = "other"
        case 14: exchange.observation.result = .denied
        case 15: exchange.observation.tag = Tag(mvpd: "", user: "")
        case 16: exchange.observation.generated = 1
        case 17: exchange.observation.record = ""
        case 18: exchange.fingerprint = Fingerprint(value: 77)
        case 19: exchange.deviations.append(Deviation(rule: "r", found: "f"))
        case 20: exchange.route.connection += 1
        case 21: exchange.evidence.append("Via", "1.1 edge")
        case 22: exchange.bytesReceived += 1
        case 23: exchange.mvpd = ""
        case 24: exchange.subject = "viewer 1"
        case 25: exchange.observation.profiles = [Samples.profile]
        case 26:
            exchange.observation.profiles = [Samples.profile, Samples.profile]
            exchange.observation.profiles[1].notAfter += 1
        default: exchange.provoked.toggle()
        }
        #expect(before != hash([Batch(lane: 0, exchanges: [exchange], through: .start)]))
    }

    @Test("differs when anything of one household does", arguments: 0..<9)
    func household(change: Int) {
        var samples = Samples(Seed(8))
        var household = samples.household(3)
        let before = hash([Batch(lane: 0, households: [household], through: .start)])
        switch change {
        case 0: household.household += 1
        case 1: household.kind = "other"
        case 2: household.stage = household.stage == .arrived ? .playing : .arrived
        case 3: household.fate = household.fate == .failed ? .running : .failed
        case 4: household.cause += "!"
        case 5: household.codeShown = Instant(nanoseconds: 1)
        case 6: household.viewerTime += .nanoseconds(1)
        case 7: household.polls += 1
        default: household.ended = Instant(nanoseconds: 1)
        }
        #expect(before != hash([Batch(lane: 0, households: [household], through: .start)]))
    }
}
