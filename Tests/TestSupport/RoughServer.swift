import Glibc
import Synchronization

/// A server on loopback that does to each connection what a test says, well-behaved or not: bytes,
/// no protocol. One thread for each connection.
///
/// Safe because what threads share is behind a lock, and the descriptor of the listener is set once.
public final class RoughServer: @unchecked Sendable {
    public let port: Int
    private let listener: Int32
    private let accepted = Mutex(0)
    private let ended = Mutex(0)

    /// How many connections there have been.
    public var connections: Int { accepted.withLock { $0 } }

    /// How many of them it has closed.
    public var closedConnections: Int { ended.withLock { $0 } }

    public init(_ script: @escaping @Sendable (Visit) -> Void) {
        let (listener, port) = Loopback.listening()
        (self.listener, self.port) = (listener, port)
        Thread.start { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 {
                    close(listener)
                    break
                }
                let number = accepted.withLock { count in
                    count += 1
                    return count
                }
                var one: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
                Thread.start {
                    let visit = Visit(descriptor, number: number)
                    script(visit)
                    visit.close()
                    self.ended.withLock { $0 += 1 }
                }
            }
        }
    }

    /// Nobody is accepted any more, and nothing listens.
    public func stop() {
        // The accepting thread closes it: a number that is free could be another test's listener.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A server that answers each request with 200 and `body`, keeping connections.
    public static func plain(_ body: String = "{}") -> RoughServer {
        RoughServer { visit in
            while visit.request() != nil { visit.answer(body) }
        }
    }
}

/// One connection, from the server's side.
public final class Visit {
    /// Counts connections of the server from 1.
    public let number: Int
    private let descriptor: Int32
    private var buffered: [UInt8] = []
    private var isClosed = false

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    /// The next request with its body; nil when the client has gone.
    public func request() -> String? {
        while true {
            if let head = String(decoding: buffered, as: UTF8.self).firstRange(of: "\r\n\r\n") {
                let text = String(decoding: buffered, as: UTF8.self)
                let length =
                    text.lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
                let total = text[..<head.upperBound].utf8.count + length
                if buffered.count >= total {
                    let request = String(decoding: buffered[..<total], as: UTF8.self)
                    buffered.removeFirst(total)
                    return request
                }
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count <= 0 { return nil }
            buffered += chunk[..<count]
        }
    }

    /// Reads and forgets: how many bytes came before the client went, at most `limit`.
    public func swallow(atMost limit: Int) -> Int {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var total = buffered.count
        while total < limit {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count <= 0 { break }
            total += count
        }
        return total
    }

    /// What comes next; nothing when the client has gone.
    public func receive() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return Array(chunk[..<max(0, count)])
    }

    public func send(_ text: String) { send(Array(text.utf8)) }

    public func send(_ content: [UInt8]) {
        var bytes = content
        while !bytes.isEmpty {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return }
            bytes.removeFirst(count)
        }
    }

    public func answer(_ body: String, status: String = "200 OK", headers: String = "") {
        send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Carries bytes to and from a port of loopback until either side ends.
    public func relay(to port: Int) {
        guard let other = Loopback.connected(to: port) else { return }
        defer { Glibc.close(other) }
        var sides = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        var chunk = [UInt8](repeating: 0, count: 65536)
        while poll(&sides, 2, -1) > 0 {
            for (side, from, to) in [(sides[0], descriptor, other), (sides[1], other, descriptor)]
            where side.revents != 0 {
                let count = recv(from, &chunk, chunk.count, 0)
                if count <= 0 { return }
                _ = Glibc.send(to, chunk, count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Where the client sends from.
    public var peer: String {
        let number = UInt32(bigEndian: Loopback.peer(of: descriptor)?.sin_addr.s_addr ?? 0)
        return [24, 16, 8, 0].map { String(number >> UInt32($0) & 255) }.joined(separator: ".")
    }

    /// The client reads the end of the answers, and may still send.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    public func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(descriptor)
    }

    /// Closes so that the client sees a reset.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

/// A detached thread for blocking work.
enum Thread {
    private final class Box {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
    }

    static func start(_ work: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let box = Unmanaged.passRetained(Box(work)).toOpaque()
        let code = pthread_create(
            &thread, &attributes,
            { box in
                Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().work()
                return nil
            }, box)
        precondition(code == 0, "no thread")
    }
}
