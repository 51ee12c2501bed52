import Dialects
import Dispatch
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing

@testable import Wire

@Suite("When a response arrived", .serialized)
struct ArrivalTests {
    /// A server that says when it has sent a response.
    private func server(_ files: Certificates?, _ sent: DispatchSemaphore) throws -> RoughServer {
        guard let files else {
            return RoughServer { visit in
                while visit.request() != nil {
                    visit.answer("{}")
                    sent.signal()
                }
            }
        }
        return try .secure(files) { visit in
            while visit.hasRequest() {
                visit.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                sent.signal()
            }
        }
    }

    @Test(
        "is when it reached this machine, not when a busy lane came to read it",
        arguments: [false, true])
    func busyLane(isSecure: Bool) throws {
        let files = isSecure ? try Certificates(["server"]) : nil
        let sent = DispatchSemaphore(value: 0)
        let server = try server(files, sent)
        defer { server.stop() }
        let port = server.port
        var settings = WireSettings(engine: .direct)
        if let files { settings.tls = .init(ca: files.path("ca.pem")) }
        let isRight = try Bench.run(settings) { bench in
            let device = plainDevice()
            let call = isSecure ? secure(port) : get(port)
            _ = await bench.exchange(call, from: device)
            sent.wait()
            // The kernel begins to stamp a moment after it was first asked to.
            for _ in 0..<1_000 {
                var ready = Instant.start
                let transfer = await withUnsafeContinuation { flow in
                    bench.transport.start(call, from: device) { flow.resume(returning: $0) }
                    // The lane does something else until long after the response has come.
                    sent.wait()
                    ready = bench.lane.now
                }
                guard let firstByte = transfer.firstByte, let left = transfer.sent else {
                    return false
                }
                if left <= firstByte, firstByte <= transfer.ended, transfer.ended <= ready {
                    return true
                }
            }
            return false
        }
        #expect(isRight)
    }

    @Test("is never before what a lane had handed over as all that has ended")
    func watermark() throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let sink = Collected()
        try Bench.run(WireSettings(engine: .direct), into: sink) { bench in
            await withUnsafeContinuation { (story: UnsafeContinuation<Void, Never>) in
                let over = Over(40)
                for number in 0..<40 {
                    bench.lane.start {
                        let device = plainDevice(number)
                        for _ in 0..<100 { _ = await bench.lane.send(get(port), from: device) }
                        if over.isLast() { story.resume() }
                    }
                }
            }
        }
        #expect(sink.exchanges.count == 4_000)
        var through = Instant.start
        for batch in sink.batches {
            #expect(batch.exchanges.allSatisfy { $0.ended >= through })
            through = batch.through
        }
    }
}

private final class Over: Sendable {
    private let left: Mutex<Int>
    init(_ count: Int) { left = Mutex(count) }

    func isLast() -> Bool {
        left.withLock {
            $0 -= 1
            return $0 == 0
        }
    }
}
