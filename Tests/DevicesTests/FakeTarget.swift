import Dialects
import Foundation
import Journal
import Lanes
import Rigs
import Statistics

@testable import Devices

/// A service and a provider in one, in process: the service does as rest-v1.md says, as far as one
/// household at a time needs, and the provider follows a script.
final class FakeTarget: Transport {
    /// What a provider does with its n-th request.
    struct Turn {
        /// `POST /check.php`; nil: whatever comes.
        var expects: String?
        /// Fields that the request must carry, `name=value`; in order, all of them.
        var fields: [String]?
        var reply: Reply
        /// The service knows at once whether the credentials signed in, without any assertion.
        var signsIn: Bool?

        static func page(_ name: String, status: Int = 200, headers: Headers = [:]) -> Turn {
            html(Pages.html(name), status: status, headers: headers)
        }

        static func html(_ text: String, status: Int = 200, headers: Headers = [:]) -> Turn {
            var headers = headers
            headers.append("Content-Type", "text/html")
            return Turn(reply: Reply(status: status, headers: headers, body: Array(text.utf8)))
        }

        func signing(in signsIn: Bool) -> Turn {
            var turn = self
            turn.signsIn = signsIn
            return turn
        }

        func when(_ expects: String, _ fields: [String]? = nil) -> Turn {
            var turn = self
            turn.expects = expects
            turn.fields = fields
            return turn
        }
    }

    private let lane: Lane
    /// Where an assertion leads to.
    private let returns: String
    /// Each login begins with the first turn.
    private let provider: ([String], Int) -> Turn
    /// What becomes of each answer on its way.
    private let alter: (Reply) -> Reply
    private(set) var complaints: [String] = []
    private(set) var calls: [String] = []
    private(set) var bodies: [String] = []
    private(set) var cookies: [String] = []
    private var turns: [Int: Int] = [:]
    private var codes: [String: String] = [:]
    private var isSignedIn: Set<String> = []
    private var issued = 0
    /// Checks of a code say that nobody has signed in by it.
    private var hasNoSignIn = false

    init(
        lane: Lane, returns: String = "https://demo.test/done",
        alter: @escaping (Reply) -> Reply = { $0 }, provider: @escaping ([String], Int) -> Turn
    ) {
        self.alter = alter
        self.lane = lane
        self.returns = returns
        self.provider = provider
    }

    func retire(_ device: Device) {}
    func abort() {}

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let path = String(call.address.path)
        calls.append("\(call.method.rawValue) \(path)")
        bodies.append(String(decoding: call.body, as: UTF8.self))
        let reply = alter(
            call.address.origin.host == "idp.test"
                ? providerReply(call, device.id.household) : serviceReply(call, path))
        let sent = lane.now
        lane.at(sent + .milliseconds(5)) {
            completion(
                Transfer(
                    sent: sent, firstByte: self.lane.now, ended: self.lane.now,
                    result: .answered(reply)))
        }
    }

    private func providerReply(_ call: Call, _ household: Int) -> Reply {
        let number = turns[household, default: 0]
        turns[household] = number + 1
        let target = "\(call.method.rawValue) \(call.address.target)"
        let fields = Self.decoded(
            call.method == .post
                ? String(decoding: call.body, as: UTF8.self) : String(call.address.query))
        if let cookie = call.headers["Cookie"] { cookies.append(cookie) }
        let turn = provider(fields, number)
        if let expects = turn.expects, expects != target {
            complaints.append("turn \(number): \(target) instead of \(expects)")
        }
        if let expected = turn.fields, expected != fields {
            complaints.append("turn \(number): \(fields) instead of \(expected)")
        }
        if turn.signsIn == true { isSignedIn.formUnion(codes.values) }
        if turn.signsIn == false { hasNoSignIn = true }
        return turn.reply
    }

    private static func decoded(_ body: String) -> [String] {
        body.split(separator: "&").map {
            $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? String($0)
        }
    }

    private func serviceReply(_ call: Call, _ path: String) -> Reply {
        func json(_ status: Int, _ text: String) -> Reply {
            Reply(
                status: status, headers: ["Content-Type": "application/json"],
                body: Array(text.utf8))
        }
        let fields =
            Self.decoded(String(call.address.query))
            + Self.decoded(String(decoding: call.body, as: UTF8.self))
        func field(_ name: String) -> String {
            fields.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
                ?? ""
        }
        let device = field("deviceId")
        switch (call.method.rawValue, path) {
        case ("POST", "/o/client/register"):
            return json(201, #"{"client_id":"c","client_secret":"s","client_id_issued_at":1}"#)
        case ("POST", "/o/client/token"):
            return json(201, #"{"access_token":"t","expires_in":21600,"token_type":"bearer"}"#)
        case ("GET", "/api/v1/checkauthn"): return json(403, #"{"status":403}"#)
        case ("GET", "/api/v1/config/DEMOTV"):
            return json(
                200, #"{"requestor":{"mvpds":[{"id":"DemoCable"},{"id":"DemoSat"}]}}"#)
        case ("POST", "/reggie/v1/DEMOTV/regcode"):
            issued += 1
            let code = "CODE\(100 + issued)"
            codes[code] = device
            return json(201, #"{"id":"i","code":"\#(code)","generated":0,"expires":1800000}"#)
        case ("DELETE", "/api/v1/logout"):
            isSignedIn.remove(device)
            return Reply(status: 204)
        case ("DELETE", _): return Reply(status: 204)
        case ("GET", "/api/v1/authenticate"):
            return Reply(
                status: 302,
                headers: [
                    "Location": "http://idp.test/login?SAMLRequest=q",
                    "Set-Cookie": "FLOW=\(field("reg_code")); Path=/",
                ])
        case ("POST", "/sp/saml/SAMLAssertionConsumer"):
            let flow = call.headers["Cookie"] ?? ""
            let code = flow.split(separator: "=").last.map(String.init) ?? ""
            if let device = codes[code] { isSignedIn.insert(device) }
            return Reply(status: 302, headers: ["Location": returns])
        case ("GET", "/api/v1/tokens/authn"):
            guard isSignedIn.contains(device) else { return json(404, "{}") }
            return json(
                200, #"{"requestor":"DEMOTV","mvpd":"DemoCable","userId":"u","expires":"21600000"}"#
            )
        case ("GET", _) where path.hasPrefix("/reggie/"):
            let code = path.split(separator: "/").last.map(String.init) ?? ""
            return json(200, #"{"id":"i","code":"\#(code)","generated":0,"expires":1800000}"#)
        case ("GET", _) where path.hasPrefix("/api/v1/checkauthn/") && hasNoSignIn:
            return json(403, #"{"status":403}"#)
        default: return json(200, "{}")
        }
    }
}

/// The files of `Pages/`.
enum Pages {
    static func html(_ name: String) -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pages")
        let text = try? String(
            contentsOf: folder.appending(path: "\(name).html"), encoding: .utf8)
        guard let text else { preconditionFailure("Tests/DevicesTests/Pages has no \(name).html") }
        return text
    }
}

/// Takes everything in.
final class Ledger: HistorySink, PageSink, @unchecked Sendable {
    // Safe because a virtual run has one thread.
    private(set) var exchanges: [Exchange] = []
    private(set) var households: [Int: HouseholdRecord] = [:]
    private(set) var events: [DeviceEvent] = []
    private(set) var pages: [(cause: String, text: String)] = []

    func append(_ batch: Batch) {
        exchanges += batch.exchanges
        events += batch.events
        for record in batch.households { households[record.household] = record }
    }

    func offer(cause: String, page: () -> String) {
        pages.append((cause, page()))
    }
}

/// A run in virtual time against a `FakeTarget`.
struct FakeRun {
    let target: FakeTarget
    let ledger: Ledger
    let terms: RunConfiguration
    let ended: Duration

    private static let kinds =
        "kinds: [{viewer: {notices-code: 1s, signs-in: 2s, gives-up: 0%}}]"

    var causes: [String] {
        ledger.households.sorted { $0.key < $1.key }.map(\.value.cause)
    }
    var fates: [HouseholdRecord.Fate] {
        ledger.households.sorted { $0.key < $1.key }.map(\.value.fate)
    }

    /// Whom the first household signs in as.
    static let user = "viewer-\(RunID(of: Seed(1)).description.prefix(16))-0"

    init(
        _ lines: String = "", target keys: String = "", households: Int = 1,
        accounts: AccountList? = nil,
        program: (any UserProgram)? = nil, stopAfter: Duration? = nil,
        alter: @escaping (Reply) -> Reply = { $0 },
        provider: @escaping ([String], Int) -> FakeTarget.Turn,
        returns: String = "https://demo.test/done"
    ) throws {
        let text = """
            rig: login
            target: {\(keys)base: "http://sp.test", allow: [sp.test, idp.test]}
            load: {closed: {households: \(households)}}
            \(lines.contains("kinds:") ? "" : Self.kinds)
            \(lines.contains("clean-up") ? "" : "clean-up: false")
            \(lines)
            """
        var rig = try Rig.read(text, file: "login.yaml").rig
        if let accounts { rig.accounts = .listed(accounts) }
        guard case .remote(let origin, _) = rig.target.base else { preconditionFailure("remote") }
        let dialect = V1(
            origin: origin, prefix: "", requestor: rig.target.requestor,
            domain: rig.target.domain, redirectURL: rig.target.redirectURL, format: FormatRequest())
        ledger = Ledger()
        let loop = VirtualLoop()
        let lane = Lane(
            index: 0, loop: loop,
            exchangeBuilder: ExchangeBuilder(
                run: "test", fingerprinter: Fingerprinter(key: 1)),
            sink: ledger)
        target = FakeTarget(lane: lane, returns: returns, alter: alter, provider: provider)
        lane.use(target)
        var terms = RunConfiguration(rig, statement: Secret("statement")) { _ in dialect }
        terms.pages = ledger
        terms.loginProgram = program
        self.terms = terms
        let coordinator = Coordinator(
            Plan(rig, seed: Seed(1)), terms: terms, lanes: [lane])
        if let stopAfter {
            lane.at(.start + stopAfter) { coordinator.stop(within: .seconds(5)) }
        }
        coordinator.run()
        ended = lane.now - .start
    }

    /// The turns one after the other, then the hand-over; the last one again if there are more.
    static func script(_ turns: FakeTarget.Turn...) -> ([String], Int) -> FakeTarget.Turn {
        { _, number in turns[min(number, turns.count - 1)] }
    }
}
