internal import Dispatch
internal import Glibc
internal import Lanes
internal import Synchronization

/// A service that costs next to nothing: every GET is answered with the same short JSON. On a thread
/// of its own, so that what is measured is the load and not the service.
///
/// Safe because `server` is used on `queue` only, but for its `wake`, which any thread may call;
/// the rest is constant or atomic.
public final class LoopbackService: @unchecked Sendable {
    /// Where it listens, on 127.0.0.1.
    public let port: Int
    private let server: Server
    private let queue = DispatchQueue(label: "screenrig.loopback", qos: .userInteractive)
    private let isStopping = Atomic(false)
    /// Its thread's processor clock, and whether there is one yet.
    private let clock = Atomic<Int32>(0)
    private let group = DispatchGroup()

    /// Listens at a free port, and answers from now on.
    public init() throws(CalibrationError) {
        server = try Server()
        port = server.port
        let ready = DispatchSemaphore(value: 0)
        queue.async(group: group) { [self] in
            var number: clockid_t = 0
            pthread_getcpuclockid(pthread_self(), &number)
            clock.store(number, ordering: .releasing)
            ready.signal()
            while !isStopping.load(ordering: .acquiring) { server.turn() }
            server.close()
        }
        ready.wait()
    }

    /// Processor time of its thread so far, in seconds. Not after `stop`.
    public var processor: Double {
        var time = timespec()
        clock_gettime(clock.load(ordering: .acquiring), &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Closes everything, and returns when its thread is done.
    public func stop() {
        isStopping.store(true, ordering: .releasing)
        server.wake()
        group.wait()
    }
}

/// The sockets of the service, and what it answers.
private final class Server: Readiness {
    let port: Int
    private let loop: LiveLoop
    private let listener: Int32
    /// How much of the end of a request each connection has brought: 0 to 3 bytes of CR LF CR LF.
    private var matched: [Int32: Int] = [:]
    private var inbox = [UInt8](repeating: 0, count: 16_384)
    private let answer: [UInt8]

    private static let body =
        #"{"requestor":"DEMOTV","mvpd":"DemoCable","status":"pending","#
        + #""filler":"\#(String(repeating: "x", count: 180))"}"#

    init() throws(CalibrationError) {
        answer = Array(
            """
            HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
            Content-Length: \(Self.body.utf8.count)\r\n\r\n\(Self.body)
            """.utf8)
        do {
            loop = try LiveLoop(origin: LiveLoop.monotonic())
        } catch {
            throw .noService("\(error)")
        }
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fd = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, length) == 0 && listen(fd, 4096) == 0
                    && getsockname(fd, $0, &length) == 0
            }
        }
        guard isListening else { throw .noService(String(cString: strerror(errno))) }
        port = Int(UInt16(bigEndian: address.sin_port))
        loop.watch(listener, for: .readable, by: self)
    }

    /// One wait, and what came of it.
    func turn() { loop.wait(until: nil) }

    func wake() { loop.wake() }

    func close() {
        for descriptor in matched.keys { end(descriptor) }
        loop.unwatch(listener)
        Glibc.close(listener)
    }

    func ready(_ descriptor: Int32, _ events: Events) {
        if descriptor == listener { accept() } else { serve(descriptor) }
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
            matched[descriptor] = 0
            loop.watch(descriptor, for: .readable, by: self)
        }
    }

    private func serve(_ descriptor: Int32) {
        let count = recv(descriptor, &inbox, inbox.count, 0)
        if count < 0, errno == EAGAIN { return }
        guard count > 0, var seen = matched[descriptor] else { return end(descriptor) }
        var requests = 0
        for byte in inbox[..<count] {
            let isWanted = byte == (seen.isMultiple(of: 2) ? 13 : 10)
            seen = isWanted ? seen + 1 : (byte == 13 ? 1 : 0)
            if seen == 4 { (seen, requests) = (0, requests + 1) }
        }
        matched[descriptor] = seen
        // A reader who lets answers pile up is none of ours.
        for _ in 0..<requests
        where send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL)) != answer.count {
            return end(descriptor)
        }
    }

    private func end(_ descriptor: Int32) {
        loop.forget(descriptor)
        matched[descriptor] = nil
        Glibc.close(descriptor)
    }
}

/// Why nothing could be measured.
public enum CalibrationError: Error, CustomStringConvertible {
    case noService(String)

    public var description: String {
        switch self {
        case .noService(let reason): "the loopback service cannot start: \(reason)"
        }
    }
}
