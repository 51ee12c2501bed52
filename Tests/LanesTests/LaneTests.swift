import Dialects
import Dispatch
import Foundation
import Glibc
import Journal
import Synchronization
import TestSupport
import Testing

@testable import Lanes

/// Answers each call after as many milliseconds as its path says; `/never` is never answered.
private final class Echo: Transport {
    private unowned let lane: Lane
    private var waiting: [(Transfer) -> Void] = []

    init(_ lane: Lane) { self.lane = lane }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let sent = lane.now
        guard let delay = Int(call.address.path.dropFirst()) else {
            waiting.append(completion)
            return
        }
        lane.at(sent + .milliseconds(delay)) { [lane] in
            completion(
                Transfer(
                    sent: sent, firstByte: lane.now, ended: lane.now,
                    result: .answered(Reply(status: 404))))
        }
    }

    func retire(_ device: Device) {}

    func abort() {
        let stopped = TransportError(.stopped, "stopped")
        for completion in waiting {
            completion(
                Transfer(sent: .start, firstByte: nil, ended: lane.now, result: .lost(stopped)))
        }
        waiting = []
    }
}

private final class Log: Sendable {
    private let held = Mutex<[String]>([])
    func say(_ text: String) { held.withLock { $0.append(text) } }
    var lines: [String] { held.withLock { $0 } }
}

/// Keeps its state on a lane, as households do.
private actor Household {
    nonisolated let lane: Lane
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }
    private let number: Int
    private let log: Log
    private var steps = 0

    init(_ number: Int, on lane: Lane, _ log: Log) {
        (self.number, self.lane, self.log) = (number, lane, log)
    }

    func live() async {
        let device = plainDevice(number)
        async let viewer: Void = view()
        for step in 1...5 {
            try? await lane.sleep(for: .milliseconds((number * 7 + step * 3) % 11))
            let answered = await lane.send(call("/\((number + step) % 4)"), from: device)
            count()
            log.say("\(number).\(step) \(answered.exchange.ended.nanoseconds) \(steps)")
        }
        await viewer
    }

    private func view() async {
        for step in 1...3 {
            try? await lane.sleep(for: .milliseconds((number * 5 + step) % 7))
            count()
            log.say("\(number) viewer \(step) \(lane.now.nanoseconds) \(steps)")
        }
    }

    private func count() { steps += 1 }
}

private func call(_ target: String) -> Call {
    let origin = Origin(scheme: .http, host: "127.0.0.1", port: 1)
    return Call(.pollToken, .get, WebAddress(origin: origin, target: target))
}

private func lane(_ loop: any LaneLoop, _ sink: Collected = Collected()) -> Lane {
    let exchangeBuilder = ExchangeBuilder(
        run: "r", fingerprinter: Fingerprinter(key: 1))
    let lane = Lane(index: 0, loop: loop, exchangeBuilder: exchangeBuilder, sink: sink)
    lane.use(Echo(lane))
    return lane
}

@Suite("a lane")
struct LaneTests {
    @Test("runs actors and child tasks in the same order twice in virtual time")
    func determinism() {
        let runs = (1...2).map { _ in
            let lane = lane(VirtualLoop())
            let log = Log()
            for number in 0..<50 {
                let household = Household(number, on: lane, log)
                lane.start { await household.live() }
            }
            lane.run { true }
            return log.lines
        }
        #expect(runs[0].count == 50 * 8)
        #expect(runs[0] == runs[1])
    }

    @Test("virtual time jumps: ten hours pass in no time, and a sleep ends when it is due")
    func virtualTime() {
        let lane = lane(VirtualLoop())
        let log = Log()
        lane.start {
            try? await lane.sleep(for: .seconds(36_000))
            log.say("\(lane.now.nanoseconds)")
            try? await lane.sleep(until: .start)
            log.say("\(lane.now.nanoseconds)")
        }
        lane.run { true }
        #expect(log.lines == ["36000000000000", "36000000000000"])
    }

    @Test("a stop wakes every sleeper, ends every exchange, and sends nothing more")
    func stop() {
        let sink = Collected()
        let lane = lane(VirtualLoop(), sink)
        let log = Log()
        lane.start {
            do throws(Stopped) { try await lane.sleep(for: .seconds(100)) } catch {
                log.say("woken at \(lane.now.nanoseconds)")
            }
            do throws(Stopped) { try await lane.sleep(for: .seconds(1)) } catch {
                log.say("no more sleep")
            }
            let answered = await lane.send(call("/1"), from: plainDevice())
            log.say("\(answered.exchange.delivery.error?.kind.rawValue ?? "sent")")
        }
        lane.start {
            let answered = await lane.send(call("/never"), from: plainDevice(2))
            log.say("lost: \(answered.exchange.delivery.error?.kind.rawValue ?? "no")")
        }
        lane.stop(at: .start + .seconds(50))
        lane.stop(at: .start + .seconds(5))
        lane.stop(at: .start + .seconds(70))
        lane.run { true }
        #expect(log.lines.first == "woken at 5000000000")
        #expect(
            Set(log.lines) == [
                "woken at 5000000000", "no more sleep", "stopped", "lost: stopped",
            ])
        #expect(sink.exchanges.count == 2)
        #expect(Set(sink.exchanges.map(\.outcome)) == [.notSent, .cutOff])
    }

    @Test("runs on until it is told that no flow will come")
    func finished() {
        let lane = lane(VirtualLoop())
        let log = Log()
        var left = 3
        func arrive() {
            guard left > 0 else { return }
            left -= 1
            lane.start { log.say("at \(lane.now.nanoseconds)") }
            lane.at(lane.now + .seconds(1)) { arrive() }
        }
        arrive()
        lane.run { left == 0 }
        #expect(log.lines == ["at 0", "at 1000000000", "at 2000000000"])
    }

    @Test("every exchange reaches the sink once, in time, and before its batch's mark")
    func batches() {
        let sink = Collected()
        let lane = lane(VirtualLoop(), sink)
        for household in 0..<40 {
            lane.start {
                let device = plainDevice(household)
                for _ in 1...60 { _ = await lane.send(call("/10"), from: device) }
            }
        }
        lane.run { true }
        #expect(sink.exchanges.count == 40 * 60)
        #expect(Set(sink.exchanges.map { "\($0.device.household)/\($0.sequence)" }).count == 2400)
        var mark = Instant.start
        for batch in sink.batches {
            #expect(batch.through >= mark && batch.exchanges.allSatisfy { $0.ended >= mark })
            #expect(batch.exchanges.allSatisfy { $0.ended <= batch.through })
            #expect(batch.health?.through == batch.through)
            mark = batch.through
        }
        let gaps = zip(sink.batches, sink.batches.dropFirst()).map { $1.through - $0.through }
        #expect(gaps.allSatisfy { $0 <= .milliseconds(110) })
    }

    @Test("the short slices of a lane are not those of a thread that it starts")
    func slices() throws {
        let lane = lane(try LiveLoop(origin: LiveLoop.monotonic()))
        let log = Log()
        lane.start {
            log.say(Self.slice)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                log.say(Self.slice)
                done.signal()
            }
            done.wait()
        }
        lane.run { true }
        guard log.lines.first == "100000" else {
            return print("skipped: this kernel has no slices that a thread may ask for")
        }
        #expect(log.lines.count == 2 && log.lines[1] != log.lines[0], "\(log.lines)")
    }

    /// Of the calling thread, in nanoseconds; empty where the kernel does not tell.
    private static var slice: String {
        let text = (try? String(contentsOfFile: "/proc/thread-self/sched", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("se.slice ") }
        return line?.split(separator: " ").last.map(String.init) ?? ""
    }

    @Test("a live lane takes work from other threads, and does it on its own")
    func otherThreads() throws {
        let lane = lane(try LiveLoop(origin: LiveLoop.monotonic()))
        let count = Mutex(0)
        let box = Counted(count)
        let queue = DispatchQueue(label: "others", attributes: .concurrent)
        for _ in 0..<4 {
            queue.async {
                for _ in 0..<500 {
                    lane.post {
                        lane.checkIsolated()
                        box.increment()
                    }
                }
            }
        }
        lane.run { box.value == 2000 }
        #expect(box.value == 2000)
    }

    @Test("what resumes on another thread comes back to the lane")
    func foreignResumption() throws {
        let lane = lane(try LiveLoop(origin: LiveLoop.monotonic()))
        let log = Log()
        lane.start {
            for step in 1...20 {
                await withUnsafeContinuation { (flow: UnsafeContinuation<Void, Never>) in
                    DispatchQueue.global().async { flow.resume() }
                }
                lane.checkIsolated()
                log.say("\(step)")
            }
        }
        lane.run { true }
        #expect(log.lines.count == 20)
    }

    @Test("a live lane wakes at the instant, never before, and is stopped from outside")
    func live() throws {
        let lane = lane(try LiveLoop(origin: LiveLoop.monotonic()))
        let log = Log()
        lane.start {
            let due = lane.now + .milliseconds(20)
            try? await lane.sleep(until: due)
            log.say(lane.now >= due ? "due" : "early")
            DispatchQueue.global().async { lane.stop(at: .start) }
            do throws(Stopped) { try await lane.sleep(for: .seconds(60)) } catch {
                log.say("stopped")
            }
        }
        lane.run { true }
        #expect(log.lines == ["due", "stopped"])
        #expect(lane.now < .start + .seconds(30))
    }

    @Test("a live lane with more overdue timers than a turn may start reads its sockets in between")
    func overload() throws {
        final class Watcher: Readiness {
            var startedBefore: [Int] = []
            var started = 0
            func ready(_ descriptor: Int32, _ events: Events) { startedBefore.append(started) }
        }
        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        let lane = lane(loop)
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let watcher = Watcher()
        loop.watch(ends[0], for: .writable, by: watcher)
        for position in 0..<1_000 {
            lane.at(.start + .nanoseconds(position)) { watcher.started += 1 }
        }
        lane.run { watcher.started == 1_000 }
        let steps = zip(watcher.startedBefore, watcher.startedBefore.dropFirst()).map { $1 - $0 }
        #expect(steps.count > 10 && steps.allSatisfy { $0 <= 64 })
    }

    @Test("a descriptor is reported to its watcher until it is unwatched")
    func readiness() throws {
        final class Watcher: Readiness {
            var seen: [Events] = []
            func ready(_ descriptor: Int32, _ events: Events) { seen.append(events) }
        }
        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let watcher = Watcher()
        loop.watch(ends[0], for: .writable, by: watcher)
        loop.wait(until: loop.now)
        #expect(watcher.seen == [.writable])
        loop.watch(ends[0], for: .readable, by: watcher)
        loop.wait(until: loop.now)
        #expect(watcher.seen.count == 1)
        var byte: UInt8 = 1
        write(ends[1], &byte, 1)
        loop.wait(until: loop.now)
        #expect(watcher.seen.last == .readable)
        close(ends[1])
        loop.wait(until: loop.now)
        #expect(watcher.seen.last?.isSuperset(of: .readable) == true)
        loop.unwatch(ends[0])
        loop.wait(until: loop.now)
        #expect(watcher.seen.count == 3)
        loop.watch(ends[0], for: .readable, by: watcher)
        loop.wait(until: loop.now)
        #expect(watcher.seen.count == 4)
    }
}

private final class Counted: Sendable {
    private let count: Mutex<Int>
    init(_ count: consuming Mutex<Int>) { self.count = count }
    func increment() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}
