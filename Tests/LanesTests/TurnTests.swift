import Dialects
import Dispatch
import Foundation
import Journal
import TestSupport
import Testing

@testable import Lanes

/// Answers each call at once, on the lane.
private final class Prompt: Transport {
    private unowned let lane: Lane
    init(_ lane: Lane) { self.lane = lane }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let now = lane.now
        lane.at(now) {
            completion(
                Transfer(
                    sent: now, firstByte: now, ended: now, result: .answered(Reply(status: 404))))
        }
    }

    func retire(_ device: Device) {}
    func abort() {}
}

@Suite("What a lane is at")
struct TurnTests {
    /// What another thread sees of a lane whose reader does not come to an end, with the file that its
    /// process would leave.
    @Test func aReaderThatDoesNotEndIsNamedFromOutside() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "turns-\(UUID())").path
        let record = TurnRecord(lanes: 2, path: path)
        let seen = look(at: record, lane: 1)
        #expect(seen.phase == .reading)
        #expect(seen.began > 0)
        #expect(seen.exchange == .init(household: 17, sequence: 1, operation: .mvpdLogin))
        #expect(
            seen.sentence
                == "lane 1 was reading the response of exchange 1 of household 17 (mvpd-login)")
        let left = LaneTurn.left(at: path)
        #expect(left.map(\.lane) == [0, 1])
        #expect(left[0] == LaneTurn(lane: 0, phase: .waiting))
        #expect(left[1].phase == .waiting, "the lane has come to rest since")
        #expect(left[1].exchange == seen.exchange)
        record.remove()
        #expect(LaneTurn.left(at: path).isEmpty)
    }

    /// Runs a lane with one exchange, whose reader waits until the lane was looked at.
    private func look(at record: TurnRecord, lane index: Int) -> LaneTurn {
        let origin = Origin(scheme: .http, host: "127.0.0.1")
        let lane = Lane(
            index: index, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: "r", fingerprinter: Fingerprinter(key: 1)),
            sink: Collected())
        lane.use(Prompt(lane))
        lane.keepTurns(in: record)
        let (reads, looked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        lane.observe { _, _, _, _ in
            reads.signal()
            looked.wait()
        }
        let call = Call(.mvpdLogin, .get, WebAddress(origin: origin, target: "/login"))
        lane.start { _ = await lane.send(call, from: plainDevice(17)) }
        let ended = DispatchGroup()
        DispatchQueue(label: "lane").async(group: ended) { lane.run { true } }
        reads.wait()
        let turn = lane.turn
        looked.signal()
        ended.wait()
        return turn
    }

    @Test(
        arguments: [
            [], [0, 0, 0], [9, 0, 0, 0, 0, 0], [2, 1, 1, -4, 0, 3], [2, 1, 1, 4, 0, 999],
            [2, 1, 1, 4, .min, 1],
        ] as [[Int64]])
    func wordsOfNoLaneAreNoTurn(_ words: [Int64]) {
        #expect(LaneTurn(lane: 0, words: words) == nil)
    }

    @Test func aFileFromElsewhereTellsNothing() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "turns-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for numbers: [Int64] in [[], [1], [LaneTurn.mark, .max], [LaneTurn.mark, 1000]] {
            let bytes = numbers.withUnsafeBytes { Data($0) } + Data(repeating: 1, count: 61)
            try bytes.write(to: URL(filePath: path))
            #expect(LaneTurn.left(at: path).isEmpty)
        }
    }

    @Test func aLongTurnIsToldOnce() {
        var turns = LongTurns()
        let second: Int64 = 1_000_000_000
        let busy = LaneTurn(
            lane: 0, phase: .reading, began: 10 * second,
            exchange: .init(household: 3, sequence: 4, operation: .pollToken))
        #expect(turns.look([busy], at: 11 * second).isEmpty)
        #expect(
            turns.look([busy, LaneTurn(lane: 1, phase: .waiting)], at: 13 * second) == [
                "lane 0 was reading the response of exchange 4 of household 3 (poll-token) for at least 3 s"
            ])
        #expect(turns.look([busy], at: 14 * second).isEmpty)
        turns.giveUp([busy])
        #expect(turns.sentences.count == 2)
        #expect(turns.sentences[1].hasPrefix("the run was ended without waiting for lane 0: "))
    }
}
