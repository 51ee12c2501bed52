import Dialects
import Glibc
import Journal
import Lanes
import Synchronization
import TestSupport
import Vocabulary

@testable import Wire

/// One live lane with its transport, and a story that runs on it.
///
/// Safe because a story uses it on the lane's thread only.
final class Bench: @unchecked Sendable {
    let lane: Lane
    let transport: CurlTransport

    private init(
        _ settings: WireSettings, environment: [String: String],
        lookup: @escaping NameTable.Lookup, sink: any HistorySink
    ) throws {
        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        let exchangeBuilder = ExchangeBuilder(
            run: "test", fingerprinter: Fingerprinter(key: 1))
        lane = Lane(index: 3, loop: loop, exchangeBuilder: exchangeBuilder, sink: sink)
        transport = try CurlTransport(
            lane: lane, loop: loop, settings: settings, environment: environment, lookup: lookup)
        lane.use(transport)
    }

    /// Runs `story` on a lane of its own and returns what it returns.
    static func run<Value: Sendable>(
        engine: TransportOptions.Engine? = nil, _ settings: WireSettings = WireSettings(),
        environment: [String: String] = [:],
        lookup: @escaping NameTable.Lookup = NameTable.system,
        into sink: any HistorySink = Nowhere(),
        _ story: @escaping @Sendable (Bench) async -> Value
    ) throws -> Value {
        var settings = settings
        if let engine { settings.engine = engine }
        let bench = try Bench(settings, environment: environment, lookup: lookup, sink: sink)
        let result = Mutex<Value?>(nil)
        let box = Box(result: result)
        bench.lane.start {
            let value = await story(bench)
            box.result.withLock { $0 = value }
        }
        bench.lane.run { true }
        return box.result.withLock { $0! }
    }

    /// The same beside a server of HTTP/2 on `port`, over one connection for all devices.
    static func runOverHTTP2<Value: Sendable>(
        _ story: @escaping @Sendable (_ bench: Bench, _ port: Int) async -> Value
    ) throws -> Value {
        let files = try Certificates(["server"])
        let server = try TidyServer(.http2, certificates: files)
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(
            connections: .pooled, http: .http2, tls: .init(ca: files.path("ca.pem")))
        return try run(settings) { await story($0, port) }
    }

    private final class Box<Value: Sendable>: Sendable {
        let result: Mutex<Value?>
        init(result: consuming Mutex<Value?>) { self.result = result }
    }

    /// One exchange, as the transport tells it.
    func exchange(_ call: Call, from device: Device) async -> Transfer {
        await withUnsafeContinuation { flow in
            transport.start(call, from: device) { flow.resume(returning: $0) }
        }
    }

    /// All of them at once, each from its device; in the order given.
    func exchange(_ calls: [(call: Call, device: Device)]) async -> [Transfer] {
        await withUnsafeContinuation { flow in
            var transfers = [Transfer?](repeating: nil, count: calls.count)
            var left = calls.count
            for (position, (call, device)) in calls.enumerated() {
                transport.start(call, from: device) { transfer in
                    transfers[position] = transfer
                    left -= 1
                    if left == 0 { flow.resume(returning: transfers.map { $0! }) }
                }
            }
        }
    }
}

/// What is true of an exchange is true with either.
let engines: [TransportOptions.Engine] = [.direct, .multi]

func get(
    _ port: Int, _ target: String = "/", host: String = "127.0.0.1", scheme: Origin.Scheme = .http
) -> Call {
    Call(
        .pollToken, .get,
        WebAddress(origin: Origin(scheme: scheme, host: host, port: port), target: target))
}

extension Transfer {
    var reply: Reply? { if case .answered(let reply) = result { reply } else { nil } }
    var refusal: TransportError? { if case .refused(let error) = result { error } else { nil } }
    var loss: TransportError? { if case .lost(let error) = result { error } else { nil } }
}

/// Sockets of this process whose other end is that port: other suites, which run at the same time,
/// have thousands of their own.
func openSockets(to port: Int) -> Int {
    (0..<Int32(clamping: WireLimits.descriptors().soft)).count { descriptor in
        Loopback.peer(of: descriptor).map { Int(UInt16(bigEndian: $0.sin_port)) } == port
    }
}
