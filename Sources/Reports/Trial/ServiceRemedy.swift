internal import Dialects
internal import Journal
internal import Rendering
internal import Rigs
internal import Vocabulary

/// Remedies for answers of the service to its own calls.
enum ServiceRemedy {
    /// Where the address is not that of the service: nothing has answered as it would.
    static func wrongBase(_ reading: TrialReading, _ last: RecordedExchange) -> String? {
        let browser: [OperationName] = [.authenticate, .mvpdLogin, .assertion]
        let hasSpoken = reading.exchanges.contains { recorded in
            !browser.contains(recorded.exchange.operation)
                && [.ok, .pending].contains(recorded.exchange.outcome)
        }
        guard !hasSpoken, let reply = last.reply else { return nil }
        let origin = last.call.address.origin
        if let remedy = Remedy.unread(last.exchange.reason) ?? FrontPage.remedy(reply.text) {
            return remedy
        }
        if (300..<400).contains(reply.status) {
            let place = reply.headers["Location"].flatMap { last.call.address.resolving($0) }
            return FrontPage.moved(from: last.call.address, to: place)
        }
        // A document that is damaged is the service's all the same.
        let isDocument = reply.mediaType.hasSuffix("json") || reply.mediaType.hasSuffix("xml")
        let isPage =
            last.exchange.outcome == .blocked
            || last.exchange.outcome == .malformed && !isDocument
        if isPage, [401, 403, 406, 503].contains(reply.status) { return guarded(reply) }
        guard isPage || [404, 405, 501].contains(reply.status) else { return nil }
        let what = isPage ? "with an HTML page" : "\(reply.status)"
        return
            "the server at \(origin) is not the sign-in service: it answered \(last.call.address.path) "
            + "\(what); correct host, port and path of target.base"
    }

    /// A firewall, a CDN or a captcha.
    private static func guarded(_ reply: Reply) -> String {
        let server = reply.headers["Server"].map { " (\($0))" } ?? ""
        return
            "something in front of the service\(server) rejected the request with an HTML page: ask its team to allow "
            + "this machine's address, or to name a header for target.headers"
    }

    static func refusal(
        _ reading: TrialReading, _ step: Checklist.Step, _ last: RecordedExchange
    ) -> String {
        let target = reading.rig.target
        let reason = last.exchange.reason ?? ""
        let words = reason.lowercased()
        if last.exchange.outcome == .blocked, let reply = last.reply {
            return Remedy.unread(reason) ?? guarded(reply)
        }
        if last.exchange.outcome == .serverError || last.exchange.outcome == .malformed {
            return report(last)
        }
        if last.exchange.outcome == .throttled {
            if last.reply?.retryAfter.map({ $0 > .seconds(1) }) == true {
                return
                    "wait as long as the response asks, and try again. A 429 does not say who limits: the service or "
                    + "a gateway in front of it; ask their teams to raise the limit for this machine, or send less "
                    + "with target.max-rate"
            }
            return
                "the service answered 429 to every attempt: ask its team to raise the limit for this machine, or send "
                + "less with target.max-rate"
        }
        if step == .code, reading.codeEnding != nil { return codeLife(last) }
        if reading.protocolType.blames(.requestor, in: words) { return requestor(target) }
        switch step {
        case .register: return statement(target, words)
        case .token:
            if case .given = target.clients {
                return
                    "correct id and secret under target.clients: ask for a client registered for this "
                    + "environment, or write 'clients: per-device' and give a software-statement"
            }
            return report(last)
        case .configuration where last.exchange.delivery.status == 404: return requestor(target)
        case .code where LoginRemedy.registration(reading, last) != nil:
            return LoginRemedy.registration(reading, last) ?? report(last)
        case .code where last.step == .lookUpCode:
            return "the phone does not find the code that the TV was just given; " + report(last)
        case .authorize where last.step == .metadata: return report(last)
        case .authorize, .media:
            switch last.exchange.delivery.status {
            case 400: return badRequest(last)
            case 401: return bearer(target)
            default: return resource(target, last)
            }
        case .poll:
            return "the phone's sign-in was confirmed, but the TV's polls do not return it; "
                + report(last)
        case .check:
            return "the login ended, but the service reports no sign-in; " + report(last)
        default: break
        }
        switch last.exchange.delivery.status {
        case 400: return badRequest(last)
        case 401: return bearer(target)
        default: return report(last)
        }
    }

    /// The code was good, and ended too soon.
    private static func codeLife(_ last: RecordedExchange) -> String {
        let told = last.exchange.observation
        let life = told.expires.flatMap { end in told.generated.map { end - $0 } }
        let length =
            life.map { " it gave this one \(Figures.time(milliseconds: Double($0))):" } ?? ""
        return
            "the code expired before the phone had finished;\(length) ask its team how long codes "
            + "are valid, and set code.lifetime only if the short lifetime is intended; "
            + report(last)
    }

    /// 400 speaks of the request, not of what the account may do (rest-v1.md § 5).
    private static func badRequest(_ last: RecordedExchange) -> String {
        let reason = last.exchange.reason.map { " (\($0))" } ?? ""
        return
            "the service rejects the request itself\(reason), not the account: inspect it with --bodies, and "
            + "compare resource, requestor and device with what the service's documentation asks for under target; "
            + "or " + report(last)
    }

    private static func requestor(_ target: Target) -> String {
        "'\(target.requestor)' is not a requestor of this environment: ask for the requestor id of your channel there "
            + "and write it as target.requestor"
    }

    private static func statement(_ target: Target, _ words: String) -> String {
        guard target.softwareStatement != nil else {
            return
                "the rig gives no software statement, so the stand-in's own was sent: ask for one for this "
                + "environment and write 'software-statement: ${SOFTWARE_STATEMENT}' under target"
        }
        if words.contains("unapproved") {
            return
                "the software statement is known but not approved: ask for its approval in this environment, or "
                + "for another one for target.software-statement"
        }
        return
            "ask for a software statement for this environment (those of production and staging differ) and give "
            + "it as target.software-statement"
    }

    private static func resource(_ target: Target, _ last: RecordedExchange) -> String {
        let name = last.call.resource ?? target.resources.first ?? ""
        return
            "the account may not play '\(name)': write a resource that its package has under target.resources, or "
            + "ask for a test account that may play it"
    }

    private static func bearer(_ target: Target) -> String {
        target.usesBearer
            ? "the service does not accept its own access token: compare the clocks, and target.base with the host that "
                + "gave the token"
            : "the service wants an access token: write 'auth: bearer' under target and give a software-statement"
    }

    /// When nothing in the rig can be wrong: whom to tell, and what.
    static func report(_ last: RecordedExchange) -> String {
        let id = last.requestID.map { " with request id \($0)" } ?? ""
        return "send the server's team this exchange\(id): \(last.call.method.rawValue) "
            + "\(last.call.address.origin)\(last.call.address.path)"
    }
}
