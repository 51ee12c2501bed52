import Dialects
import Glibc
import Journal
import Lanes
import Synchronization
import Vocabulary
import Wire

/// How many exchanges one lane carries per second, in a closed loop: each connection sends its next
/// GET when the answer to the last one is there.
///
///     exchanges URL [bare|lane] [direct|multi] [CONNECTIONS] [SECONDS] [per-device|fresh] [SOURCES]
///
/// `bare` is the transport alone; `lane` has flows that await `Lane.send`, and drops what is recorded.
/// `fresh` makes a connection for each. SOURCES: a range of local addresses, `127.1.0.0/16`.
@main
struct Exchanges {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let address = WebAddress(arguments[1]) else {
            print(
                "exchanges URL [bare|lane] [direct|multi] [CONNECTIONS] [SECONDS] [fresh] [SOURCES]"
            )
            return
        }
        let isBare = arguments.count < 3 || arguments[2] == "bare"
        let isMulti = arguments.count > 3 && arguments[3] == "multi"
        let connections = arguments.count > 4 ? Int(arguments[4])! : 100
        let seconds = arguments.count > 5 ? Double(arguments[5])! : 5
        let isFresh = arguments.count > 6 && arguments[6] == "fresh"
        let sources = arguments.count > 7 ? SourceAddresses([arguments[7]]) : nil
        WireLimits.raiseDescriptorLimit()

        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        let dialect = V1(
            origin: address.origin, requestor: "DEMOTV", domain: "demo.test",
            redirectURL: "https://demo.test/done")
        let lane = Lane(
            index: 0, loop: loop,
            exchangeBuilder: ExchangeBuilder(
                run: "bench", fingerprinter: Fingerprinter(key: 1)),
            sink: Dropped())
        let transport = try CurlTransport(
            lane: lane, loop: loop,
            settings: WireSettings(
                connections: isFresh ? .fresh : .perDevice, engine: isMulti ? .multi : .direct,
                sources: sources, tls: TransportOptions.TLS(verifies: false)))
        lane.use(transport)

        let load = Load(
            lane: lane, transport: transport, dialect: dialect, address: address,
            seconds: seconds)
        for number in 1...connections {
            lane.start { await isBare ? load.bare(number) : load.flow(number) }
        }
        lane.run { true }
        load.report()
    }
}

struct Dropped: HistorySink {
    func append(_ batch: Batch) {}
}

/// Safe because everything runs on the lane's thread.
final class Load: @unchecked Sendable {
    private let lane: Lane
    private let transport: CurlTransport
    private let dialect: V1
    private let address: WebAddress
    private let seconds: Double
    private let until: Instant
    private var began: Instant?
    private var last = Instant.start
    private var usage = rusage()
    private var answered = 0
    private var failed = 0

    init(
        lane: Lane, transport: CurlTransport, dialect: V1, address: WebAddress, seconds: Double
    ) {
        self.lane = lane
        self.transport = transport
        self.dialect = dialect
        self.address = address
        self.seconds = seconds
        until = lane.now + .milliseconds(Int(seconds * 1000) + 500)
    }

    private func device(_ number: Int) -> Device {
        let info = DeviceInfo(
            model: "AppleTV14,1", osName: "tvOS", osVersion: "17.4",
            primaryHardwareType: "SetTopBox")
        return Device(
            id: DeviceID(household: number, role: .firstScreen),
            identity: DeviceIdentity(
                id: "d\(number)", info: info, userAgent: "screenrig", forwardedFor: nil),
            dialect: dialect, counter: Device.Counter())
    }

    private var call: Call { Call(.checkAuthentication, .get, address) }

    /// The first half second warms up.
    private func count(_ isAnswered: Bool, at instant: Instant) -> Bool {
        if began == nil, instant + .milliseconds(Int(seconds * 1000)) > until {
            began = instant
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        }
        if began != nil {
            if isAnswered { answered += 1 } else { failed += 1 }
            last = instant
        }
        return instant < until
    }

    func bare(_ number: Int) async {
        let device = device(number)
        let call = call
        await withUnsafeContinuation { flow in
            next(call, device) { flow.resume() }
        }
    }

    private func next(_ call: Call, _ device: Device, _ end: @escaping () -> Void) {
        transport.start(call, from: device) { [self] transfer in
            var isAnswered = false
            if case .answered(let reply) = transfer.result { isAnswered = reply.status == 200 }
            if count(isAnswered, at: transfer.ended) { next(call, device, end) } else { end() }
        }
    }

    func flow(_ number: Int) async {
        let device = device(number)
        let call = call
        var goesOn = true
        while goesOn {
            let exchange = await lane.send(call, from: device).exchange
            goesOn = count(exchange.delivery.status == 200, at: exchange.ended)
        }
    }

    func report() {
        guard let began else { return print("nothing was answered") }
        var now = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &now)
        let length = (last - began) / .seconds(1)
        func microseconds(_ after: timeval, _ before: timeval) -> Double {
            Double(after.tv_sec - before.tv_sec) * 1e6 + Double(after.tv_usec - before.tv_usec)
        }
        let user = microseconds(now.ru_utime, usage.ru_utime) / Double(max(answered, 1))
        let system = microseconds(now.ru_stime, usage.ru_stime) / Double(max(answered, 1))
        print(
            "\(Int(Double(answered) / length)) req/s, \(failed) failed,",
            "\(Int(user * 100)) + \(Int(system * 100)) us/100 of CPU per request,",
            "\(now.ru_maxrss / 1024) MB at most, \(residentKilobytes() / 1024) MB now")
    }
}

/// Of this process, by the kernel's account.
func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let fields = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
}
