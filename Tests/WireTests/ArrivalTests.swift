import CCurl
import Dialects
import Dispatch
import Glibc
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing
import Vocabulary

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
        arguments: engines, [false, true])
    func busyLane(_ engine: TransportOptions.Engine, isSecure: Bool) throws {
        let files = isSecure ? try Certificates(["server"]) : nil
        let sent = DispatchSemaphore(value: 0)
        let server = try server(files, sent)
        defer { server.stop() }
        let port = server.port
        var settings = WireSettings(engine: engine)
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

    @Test("is that over HTTP/2, too, also of several that one connection brings at once")
    func busyLaneOfHTTP2() throws {
        let isRight = try Bench.runOverHTTP2 { bench, port in
            _ = await bench.exchange(secure(port), from: plainDevice(0))
            for pause in 1...20 {
                var ready = Instant.start
                let transfers = await withUnsafeContinuation {
                    (flow: UnsafeContinuation<[Transfer], Never>) in
                    var transfers: [Transfer] = []
                    for number in 1...3 {
                        bench.transport.start(secure(port), from: plainDevice(number)) {
                            transfers.append($0)
                            if transfers.count == 3 { flow.resume(returning: transfers) }
                        }
                    }
                    usleep(UInt32(pause * 10_000))
                    ready = bench.lane.now
                }
                let areRight = transfers.allSatisfy {
                    guard let sent = $0.sent, let firstByte = $0.firstByte else { return false }
                    return sent <= firstByte && firstByte <= $0.ended && $0.ended <= ready
                }
                if areRight { return true }
            }
            return false
        }
        #expect(isRight)
    }

    @Test(
        "is known of what libcurl reads by itself only if nothing more has come before it was done",
        arguments: [false, true])
    func readByLibcurl(hasMore: Bool) throws {
        let goOn = DispatchSemaphore(value: 0)
        let sent = DispatchSemaphore(value: 0)
        let isOver = Flag()
        let server = RoughServer { visit in
            while true {
                goOn.wait()
                if isOver.isRaised { break }
                visit.send("x")
                sent.signal()
            }
        }
        defer { server.stop() }
        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        let table = ConnectionTable(lane: 0, loop: loop)
        var address = curl_sockaddr()
        (address.family, address.socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
        let connection = try #require(table.open(address, for: nil))
        defer { table.close(connection.descriptor) }
        #expect(Loopback.connect(connection.descriptor, to: server.port))
        defer {
            isOver.raise()
            goOn.signal()
        }
        func bringOne() {
            goOn.signal()
            sent.wait()
        }
        #expect(table.unread(connection.descriptor) == nil)
        // The kernel begins to stamp a moment after it was first asked to.
        var known: UnreadBytes?
        for _ in 0..<1_000 where known == nil {
            bringOne()
            known = table.unread(connection.descriptor)
        }
        let unread = try #require(known)
        if hasMore { bringOne() }
        unread.confirm()
        #expect((connection.reading == nil) == hasMore)
        if let reading = connection.reading { #expect(reading.arrived <= reading.began) }
        unread.forget()
        #expect(connection.reading == nil)
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
