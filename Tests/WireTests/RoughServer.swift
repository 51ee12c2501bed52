import Glibc
import Synchronization

/// A server on loopback that does to each connection what a test says, well-behaved or not: bytes,
/// no protocol. One thread for each connection.
///
/// Safe because what threads share is behind a lock, and the descriptor of the listener is set once.
final class RoughServer: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private let accepted = Mutex(0)

    /// How many connections there have been.
    var connections: Int { accepted.withLock { $0 } }

    init(_ script: @escaping @Sendable (Visit) -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let code = bind(listener, $0, length)
                getsockname(listener, $0, &length)
                return code
            }
        }
        precondition(bound == 0 && listen(listener, 1024) == 0, "no loopback socket")
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
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
                }
            }
        }
    }

    /// Nobody is accepted any more, and nothing listens.
    func stop() {
        // The accepting thread closes it: a number that is free could be another test's listener.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A server that answers each request with 200 and `body`, keeping connections.
    static func plain(_ body: String = "{}") -> RoughServer {
        RoughServer { visit in
            while visit.request() != nil { visit.answer(body) }
        }
    }
}

/// One connection, from the server's side.
final class Visit {
    /// Counts connections of the server from 1.
    let number: Int
    private let descriptor: Int32
    private var buffered: [UInt8] = []
    private var isClosed = false

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    /// The next request with its body; nil when the client has gone.
    func request() -> String? {
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
    func swallow(atMost limit: Int) -> Int {
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
    func receive() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return Array(chunk[..<max(0, count)])
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ content: [UInt8]) {
        var bytes = content
        while !bytes.isEmpty {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return }
            bytes.removeFirst(count)
        }
    }

    func answer(_ body: String, status: String = "200 OK", headers: String = "") {
        send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Carries bytes to and from a port of loopback until either side ends.
    func relay(to port: Int) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { return }
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
    var peer: String {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getpeername(descriptor, $0, &length)
            }
        }
        let number = UInt32(bigEndian: address.sin_addr.s_addr)
        return [24, 16, 8, 0].map { String(number >> UInt32($0) & 255) }.joined(separator: ".")
    }

    /// The client reads the end of the answers, and may still send.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(descriptor)
    }

    /// Closes so that the client sees a reset.
    func reset() {
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
