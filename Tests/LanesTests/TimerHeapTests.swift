import Statistics
import Testing

@testable import Lanes

@Suite("the timer heap")
struct TimerHeapTests {
    /// A timer whose action says its number.
    private func push(_ heap: inout TimerHeap, due: Int64, number: Int, into said: Said) {
        heap.push(due: due, .call({ said.numbers.append(number) }, isDue: false))
    }

    private final class Said { var numbers: [Int] = [] }

    private func drain(_ heap: inout TimerHeap, dueBy instant: Int64) {
        while let timer = heap.pop(dueBy: instant) {
            if case .call(let action, _) = timer.action { action() }
        }
    }

    @Test("timers come out by instant, ties in the order of setting")
    func order() {
        var heap = TimerHeap()
        let said = Said()
        for (number, due) in [5, 1, 5, 3, 1, 5].enumerated() {
            push(&heap, due: Int64(due), number: number, into: said)
        }
        #expect(heap.next == 1)
        drain(&heap, dueBy: 4)
        #expect(said.numbers == [1, 4, 3])
        drain(&heap, dueBy: 100)
        #expect(said.numbers == [1, 4, 3, 0, 2, 5])
        #expect(heap.count == 0 && heap.next == nil)
    }

    @Test("agrees with a sorted array on random input", arguments: 0..<100)
    func twin(seed: Int) {
        var dice = Seed(UInt64(seed)).child("heap").generator()
        var heap = TimerHeap()
        var twin: [(due: Int64, number: Int)] = []
        let said = Said()
        var expected: [Int] = []
        var now: Int64 = 0
        for number in 0..<300 {
            if dice.next() % 3 != 0 {
                let due = now + Int64(dice.next() % 20)
                push(&heap, due: due, number: number, into: said)
                // Behind its equals: setting order.
                twin.insert((due, number), at: twin.firstIndex { $0.due > due } ?? twin.count)
            } else {
                now += Int64(dice.next() % 10)
                drain(&heap, dueBy: now)
                while let first = twin.first, first.due <= now {
                    expected.append(first.number)
                    twin.removeFirst()
                }
            }
            #expect(heap.next == twin.first?.due && heap.count == twin.count)
        }
        #expect(said.numbers == expected)
    }

    @Test("taking out the sleepers leaves the calls, still in order")
    func sleepers() async {
        let said = Said()
        var heap = TimerHeap()
        for (number, due) in [9, 2, 7, 2, 5].enumerated() {
            push(&heap, due: Int64(due), number: number, into: said)
        }
        #expect(heap.removeSleepers().isEmpty)
        drain(&heap, dueBy: 10)
        #expect(said.numbers == [1, 3, 4, 2, 0])
    }
}
