import Dialects
import Journal
import Rigs
import Statistics
import Synchronization
import TestSupport
import Vocabulary

@testable import Devices
@testable import Lanes

/// What a scripted service does with one request.
enum Scripted: Sendable {
    case answer(Int, String = "", type: String = "application/json")
    /// Answers 404 (not yet) after this time instead of 10 ms.
    case slow(Duration)
    /// Answers with this status, and asks to wait so many seconds (`Retry-After`).
    case asks(Int, toWait: String)
    case lost(TransportError.Kind)
    /// The rig itself sent it so long after it was due.
    indirect case late(Duration, Scripted)

    static func redirect(_ location: String) -> Scripted {
        .answer(302, location, type: "location")
    }
}

/// One request as the service saw it.
struct Seen: Sendable {
    var operation: OperationName
    var role: DeviceID.Role
    var index: Int
    var at: Instant
    var bearer: String?
    var deviceInfo: String?
}

/// A transport that answers from a table: what is not scripted goes as it should, and a TV without a
/// scripted token polls for ever.
final class Script: Transport {
    private unowned let lane: Lane
    private var table: [OperationName: [Scripted]]
    private let codeLifetime: Duration
    private(set) var seen: [Seen] = []
    private var tokens = 0
    private var underWay: [Int: (Transfer) -> Void] = [:]
    private(set) var mostPolls = 0
    private var polls = 0

    static let origin = Origin(scheme: .http, host: "127.0.0.1", port: 80)
    static let timeout: Duration = .seconds(10)

    init(_ lane: Lane, _ table: [OperationName: [Scripted]], codeLifetime: Duration) {
        self.lane = lane
        self.table = table
        self.codeLifetime = codeLifetime
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let number = seen.count
        seen.append(
            Seen(
                operation: call.operation, role: device.id.role, index: device.id.index,
                at: lane.now,
                bearer: call.headers["Authorization"],
                deviceInfo: call.headers["X-Device-Info"]))
        let isPoll = call.operation == .pollToken
        if isPoll {
            polls += 1
            mostPolls = max(mostPolls, polls)
        }
        underWay[number] = completion
        let sent = lane.now
        let (wait, result) = next(call, from: device)
        lane.at(sent + wait) { [self] in
            guard let completion = underWay.removeValue(forKey: number) else { return }
            if isPoll { polls -= 1 }
            completion(
                Transfer(sent: sent, firstByte: lane.now, ended: lane.now, result: result))
        }
    }

    func retire(_ device: Device) {}

    func abort() {
        for (_, completion) in underWay.sorted(by: { $0.key < $1.key }) {
            let error = TransportError(.stopped, "the run was stopped")
            completion(Transfer(sent: nil, firstByte: nil, ended: lane.now, result: .lost(error)))
        }
        underWay = [:]
    }

    private func next(_ call: Call, from device: Device) -> (Duration, Transfer.Result) {
        var scripted: Scripted
        if let first = table[call.operation]?.first {
            scripted = first
            table[call.operation]?.removeFirst()
        } else {
            scripted = usual(call.operation)
        }
        if case .late(let lateness, let answer) = scripted {
            let due = Instant(nanoseconds: lane.now.nanoseconds - lateness.nanoseconds)
            device.noteLateness(from: due, to: lane.now)
            scripted = answer
        }
        switch scripted {
        case .late: preconditionFailure("a request is late once")
        case .answer(let status, let location, "location"):
            return (
                .milliseconds(10),
                .answered(Reply(status: status, headers: ["Location": location]))
            )
        case .answer(let status, let body, let type):
            return (
                .milliseconds(10),
                .answered(
                    Reply(status: status, headers: ["Content-Type": type], body: Array(body.utf8)))
            )
        case .slow(let duration): return (duration, .answered(Reply(status: 404)))
        case .asks(let status, let wait):
            return (
                .milliseconds(10),
                .answered(
                    Reply(
                        status: status,
                        headers: ["Content-Type": "application/json", "Retry-After": wait],
                        body: [UInt8]("{}".utf8)))
            )
        case .lost(let kind):
            let wait: Duration = kind == .timeout ? Self.timeout : .milliseconds(10)
            return (wait, .lost(TransportError(kind, "as scripted")))
        }
    }

    private func usual(_ operation: OperationName) -> Scripted {
        switch operation {
        case .registerClient: return .answer(201, #"{"client_id":"c","client_secret":"s"}"#)
        case .accessToken:
            tokens += 1
            return .answer(201, #"{"access_token":"t\#(tokens)","expires_in":21600}"#)
        case .registrationCode:
            let expires = codeLifetime.nanoseconds / 1_000_000 + 1000
            return .answer(201, #"{"code":"ABCDEF","generated":1000,"expires":\#(expires)}"#)
        case .registrationRecord: return .answer(200, #"{"code":"ABCDEF"}"#)
        case .configuration:
            return .answer(200, #"{"requestor":{"mvpds":[{"id":"A"}]}}"#)
        case .authenticate: return .redirect("http://127.0.0.1/SAMLAssertionConsumer")
        case .assertion: return .redirect("https://demo.test/done")
        case .checkAuthentication: return .answer(403, #"{"status":403,"message":"none"}"#)
        case .pollToken: return .answer(404)
        case .profiles, .profilesByMVPD, .profilesByCode:
            return .answer(200, #"{"profiles":{}}"#)
        case .createSession:
            let expires = codeLifetime.nanoseconds / 1_000_000 + 1000
            return .answer(
                200,
                #"{"actionName":"authenticate","actionType":"interactive","reasonType":"none","#
                    + #""url":"/api/v2/authenticate/DEMOTV/ABCDEF1","code":"ABCDEF1","#
                    + #""sessionId":"s","serviceProvider":"DEMOTV","notBefore":"1000","#
                    + #""notAfter":"\#(expires)"}"#)
        default: return .answer(200, "{}")
        }
    }

    /// A profile, as polls of REST V2 see it.
    static let profile = Scripted.answer(
        200,
        #"{"profiles":{"A":{"notBefore":1000,"notAfter":1767776000000,"issuer":"A","type":"regular","#
            + #""attributes":{"userID":{"value":"u","state":"plain"}}}}}"#)

    /// The token, as a poll sees it.
    static let token = Scripted.answer(
        200, #"{"requestor":"DEMOTV","mvpd":"A","userId":"u","expires":"1767776000000"}"#)
}

/// One household in front of a script, in virtual time.
struct Scene {
    let seen: [Seen]
    let record: HouseholdRecord
    /// As it was handed over in the course of the run.
    let records: [HouseholdRecord]
    let exchanges: [Exchange]
    /// Polls that were under way together.
    let mostPolls: Int

    /// When the TV polled, since its code was shown, in seconds.
    var polls: [Double] {
        let shown = record.codeShown ?? .start
        return seen.filter { $0.operation == .pollToken }.map {
            Double(($0.at - shown).nanoseconds) / 1e9
        }
    }

    func count(_ operation: OperationName, _ role: DeviceID.Role = .firstScreen) -> Int {
        seen.count { $0.operation == operation && $0.role == role }
    }

    /// `polls` are what polls get, then 404. The viewer comes after three hours unless told
    /// otherwise: too late for any code here.
    init(
        polls: [Scripted] = [], _ table: [OperationName: [Scripted]] = [:],
        every: String = "5s", codeLifetime: Duration = .seconds(1800), viewer: String = "3h",
        givesUp: String = "0%", settle: String = "15s", bench: String = "",
        after: String? = nil, code: String = "", requests: String = "{}", speaksV2: Bool = false,
        load: String? = nil, firstScreen: String = "", perSecond: Double? = nil
    ) throws {
        let text = """
            rig: scene
            target: {base: embedded\(speaksV2 ? ", protocol: adobe-pass-v2" : "")}
            load: \(load ?? "{closed: {households: 1}, settle: \(settle)}")
            kinds:
              - name: home
                requests: \(requests)
                \(firstScreen.isEmpty ? "" : "first-screen: \(firstScreen)")
                viewer: {notices-code: \(viewer), signs-in: 1s, gives-up: \(givesUp)}
            polling: {every: \(every), jitter: 0%\(bench)}
            \(after.map { "after-sign-in: \($0)" } ?? "")
            \(code.isEmpty ? "" : "code: \(code)")
            """
        let rig = try Rig.read(text, file: "scene.yaml").rig
        let dialect: any Dialect =
            speaksV2
            ? V2(
                origin: Script.origin, serviceProvider: "DEMOTV", domain: "demo.test",
                redirectURL: "https://demo.test/done")
            : V1(
                origin: Script.origin, requestor: "DEMOTV", domain: "demo.test",
                redirectURL: "https://demo.test/done")
        let sink = Collected()
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: "scene", fingerprinter: Fingerprinter(key: 1)), sink: sink)
        let script = Script(
            lane, table.merging([.pollToken: polls]) { $1 }, codeLifetime: codeLifetime)
        lane.use(script)
        if let perSecond { lane.hold(to: RateLimits(perSecond: perSecond)) }
        Coordinator(
            Plan(rig, seed: rig.seed),
            terms: RunConfiguration(rig, statement: Secret("s")) { _ in dialect }, lanes: [lane]
        ).run()
        let batches = sink.batches
        seen = script.seen
        exchanges = batches.flatMap(\.exchanges)
        mostPolls = script.mostPolls
        records = batches.flatMap(\.households)
        record =
            records.last
            ?? HouseholdRecord(
                household: -1, kind: "", lane: 0, arrived: .start)
    }
}
