import Dialects
import Journal
import Lanes
import Rigs
import Statistics
import TestSupport
import Testing

@testable import Devices

/// A service that counts requests by one of their marks, as a leaky bucket of rate 1/s and burst 10
/// does (rest-v1.md § 14).
private final class Counting: Transport {
    enum Mark: Sendable { case forwarded, device, peer, none }

    private unowned let lane: Lane
    private let mark: Mark
    private let takes: Duration
    private let register: Int
    private var level: [String: (left: Double, at: Instant)] = [:]
    private(set) var addresses: [String] = []
    private(set) var polls = 0

    init(_ lane: Lane, by mark: Mark, takes: Duration, register: Int) {
        self.lane = lane
        self.mark = mark
        self.takes = takes
        self.register = register
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let sent = lane.now
        let reply = answer(call)
        lane.at(sent + takes) {
            completion(
                Transfer(
                    sent: sent, firstByte: self.lane.now, ended: self.lane.now,
                    result: .answered(reply)))
        }
    }

    private func answer(_ call: Call) -> Reply {
        let forwarded = call.headers["X-Forwarded-For"] ?? ""
        if addresses.last != forwarded { addresses.append(forwarded) }
        guard admits(call, forwarded) else {
            return Reply(
                status: 429, headers: ["Content-Type": "text/html"],
                body: Array("<html>slow</html>".utf8))
        }
        let (status, body) =
            switch call.operation {
            case .registerClient: (register, #"{"client_id":"c","client_secret":"s"}"#)
            case .accessToken: (201, #"{"access_token":"t","expires_in":21600}"#)
            default: (404, "{}")
            }
        if call.operation == .pollToken { polls += 1 }
        return Reply(
            status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }

    private func admits(_ call: Call, _ forwarded: String) -> Bool {
        let key: String? =
            switch mark {
            case .forwarded: forwarded
            case .device:
                String(call.address.query).split(separator: "&")
                    .first { $0.hasPrefix("deviceId=") }.map(String.init) ?? "unnamed"
            case .peer: "peer"
            case .none: nil
            }
        guard let key else { return true }
        let now = lane.now
        let last = level[key] ?? (0, now)
        let left = max(0, last.left - Double((now - last.at).nanoseconds) / 1e9)
        guard left <= 10 else { return false }
        level[key] = (left + 1, now)
        return true
    }

    func retire(_ device: Device) {}
    func abort() {}
}

@Suite("What a service throttles by")
struct ThrottleProbeTests {
    private func probe(
        by mark: Counting.Mark, takes: Duration = .milliseconds(20), register: Int = 201,
        salt: UInt64 = 7
    ) throws -> (finding: ThrottleProbe.ProbeFinding, service: Counting) {
        let rig = try Rig.read(
            "rig: probe\ntarget: {base: \"http://127.0.0.1\"}\nload: {closed: {households: 1}}\n",
            file: "probe.yaml"
        ).rig
        let dialect = V1(
            origin: Origin(scheme: .http, host: "127.0.0.1"), requestor: "DEMOTV",
            domain: "demo.test", redirectURL: "https://demo.test/done")
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: "probe", fingerprinter: Fingerprinter(key: 1)),
            sink: Nowhere())
        let service = Counting(lane, by: mark, takes: takes, register: register)
        lane.use(service)
        let terms = RunConfiguration(rig, statement: Secret("s")) { _ in dialect }
        let probe = try #require(
            ThrottleProbe(Plan(rig, seed: rig.seed), terms: terms, salt: salt))
        return (probe.find(on: lane), service)
    }

    @Test(
        "is told from the second address, also where answers take half a second",
        arguments: [
            (Counting.Mark.forwarded, ThrottleKey.forwardedAddress), (.device, .device),
            (.peer, .peerAddress), (.none, .nothing),
        ], [Duration.milliseconds(20), .milliseconds(500)])
    private func found(case: (Counting.Mark, ThrottleKey), takes: Duration) throws {
        let (finding, service) = try probe(by: `case`.0, takes: takes)
        #expect(finding.key == `case`.1)
        #expect(finding.polls <= 24 && service.polls <= 28)
        #expect(finding.detail.isEmpty)
    }

    @Test("is asked under addresses of no device, and others with each run")
    func addresses() throws {
        let first = try probe(by: .forwarded, salt: 1).service.addresses
        #expect(Set(first).count == 2)
        #expect(first.allSatisfy { $0.hasPrefix("198.18.") || $0.hasPrefix("198.19.") })
        let others = try probe(by: .forwarded, salt: 2).service.addresses
        #expect(first != others)
    }

    @Test("stays unknown where the service lets nobody in, and says why")
    func unknown() throws {
        let (finding, service) = try probe(by: .none, register: 400)
        #expect(finding.key == .unknown)
        #expect(finding.detail.hasPrefix("register-client answered 400"))
        #expect(service.polls == 0)
    }
}
