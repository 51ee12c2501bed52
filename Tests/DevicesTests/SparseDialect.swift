import Dialects
import Journal
import Lanes

/// A protocol with three steps, after device-grant-rfc8628.md: a code is issued, a browser opens the page
/// that came with it, the TV polls with a key of its own. There is no registration, no list of
/// providers, no check of the code, no authorization and no logout.
struct SparseDialect: Dialect {
    let origin: Origin
    var name: String { "sparse" }

    func issueCode(_: Credential, lifetime _: Duration?, mvpd _: String?) -> Call? {
        Call(.registrationCode, .post, WebAddress(origin: origin, target: "/device"))
    }

    func authenticate(_ issued: IssuedCode, mvpd: String?, _: Credential) -> Call? {
        precondition(mvpd == nil, "nobody chooses a provider here")
        return issued.page.map { Call(.authenticate, .get, $0, code: issued.code) }
    }

    func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        Call(.assertion, method, address, body: FormEncoding.body(form))
    }

    func poll(_ issued: IssuedCode?, _: PollTarget, _: Credential) -> Call? {
        guard let issued, let key = issued.pollKey else { return nil }
        return Call(
            .pollToken, .post, WebAddress(origin: origin, target: "/token"),
            body: Array(key.reveal().utf8), code: issued.code)
    }

    func read(_ reply: Reply, to call: Call) -> Reading {
        let words = reply.text.split(separator: " ").map(String.init)
        switch (call.operation, words.first) {
        case (.registrationCode, _):
            let issued = IssuedCode(
                code: Code(words[0]), lifetime: .seconds(60), pollKey: Secret(words[1]),
                pollInterval: .seconds(6),
                page: WebAddress(origin: origin, target: "/page/\(words[0])"))
            return Reading(
                .ok, .code(issued),
                Observation(.success, code: issued.code, generated: 0, expires: 60_000))
        case (.authenticate, _): return Reading(.ok, .page(Untrusted(reply.text)))
        case (.assertion, _) where reply.status == 200:
            // Unlike a redirect, this page says that the sign-in is done.
            return Reading(.ok, .done, Observation(.success))
        case (.pollToken, "token"):
            return Reading(
                .ok,
                .signedIn(
                    Tag(mvpd: "", user: words[1]), session: DeviceSession(access: Secret("session"))
                ),
                Observation(.success, tag: Tag(mvpd: "", user: words[1])))
        case (.pollToken, "slower"):
            return Reading(.throttled, .slower(by: .seconds(5)), Observation(.absent))
        case (.pollToken, "over"): return Reading(.rejected, .codeOver, Observation(.absent))
        case (.pollToken, "pending"): return Reading(.pending, .pending, Observation(.absent))
        default:
            let reason = Untrusted(reply.text)
            return Reading(.rejected, .denied(reason), Observation(.denied), reason: reason)
        }
    }
}

/// The service of it, for a household.
final class SparseService: OneHomeService {
    /// What is wrong with it.
    enum Defect { case none, slowsDown, deniesSignIn, losesSignIn }

    unowned let lane: Lane
    private let defect: Defect
    private var user: String?
    private var polls = 0
    private(set) var polled: [Instant] = []

    init(_ lane: Lane, _ defect: Defect) {
        self.lane = lane
        self.defect = defect
    }

    func reply(_ call: Call) -> Reply {
        func answer(_ text: String, _ status: Int = 200) -> Reply {
            Reply(status: status, body: Array(text.utf8))
        }
        switch call.operation {
        case .registrationCode: return answer("CODE7 key-7")
        case .authenticate:
            return answer(
                "<form method=post action=/page/approve><input name=user>"
                    + "<input type=password name=password></form>")
        case .assertion:
            if defect == .deniesSignIn { return answer("access_denied", 403) }
            let fields = String(decoding: call.body, as: UTF8.self).split(separator: "&")
            user = fields.first.map { String($0.dropFirst("user=".count)) }
            return answer("welcome")
        default:
            polls += 1
            polled.append(lane.now)
            precondition(call.body == Array("key-7".utf8))
            if lane.now >= .start + .seconds(60) { return answer("over", 400) }
            if polls == 1, defect == .slowsDown { return answer("slower", 400) }
            guard let user, defect != .losesSignIn else { return answer("pending", 400) }
            return answer("token \(user)")
        }
    }
}
