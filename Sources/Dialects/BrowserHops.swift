internal import Vocabulary

/// The browser's part of a login and of a logout: the same in both editions of the protocol (rest-v1.md
/// § 8, rest-v2.md §§ 5.4, 9).
struct BrowserHops: Sendable {
    private let origin: Origin
    private let returnAddress: WebAddress?
    /// What a hop of a logout to a path of that name at the service is called.
    private let logout: OperationName
    /// Where the page speaks of redirects: `rest-v1.md 8`.
    private let page: String

    static let accept = "text/html,application/xhtml+xml,*/*;q=0.8"

    init(origin: Origin, redirectURL: String, logout: OperationName, page: String) {
        self.origin = origin
        returnAddress = WebAddress(redirectURL)
        self.logout = logout
        self.page = page
    }

    /// A hop that begins at an address of ours.
    static func start(_ operation: OperationName, _ address: WebAddress) -> Call {
        Call(operation, .get, address, headers: headers)
    }

    /// What each hop has, with room for what some add.
    private static var headers: Headers {
        var headers = Headers()
        headers.reserve(3)
        headers.append("Accept", accept)
        return headers
    }

    /// A later hop, by what its address and fields say.
    func call(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        var headers = Self.headers
        if let referer { headers.append("Referer", referer.description) }
        let operation = operation(of: address, form: form)
        guard method == .post else {
            return Call(operation, method, address, headers: headers)
        }
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = FormEncoding.body(form)
        return Call(operation, .post, address, headers: headers, body: body)
    }

    /// What the provider does on the way out is the same walk, whatever its addresses look like.
    func logoutCall(_ address: WebAddress, referer: WebAddress?) -> Call {
        var call = call(.get, address, form: [], referer: referer)
        let isService = address.origin == origin && address.hasPath(endingWith: "/logout")
        call.operation = isService ? logout : .mvpdLogout
        return call
    }

    private func operation(of address: WebAddress, form: [(String, String)]) -> OperationName {
        return
            if Self.bringsAnswer({ name in form.contains { $0.0 == name } })
            || address.hasPath(endingWith: "SAMLAssertionConsumer")
        {
            .assertion
        } else if address.origin == origin,
            address.hasPath(with: "/adobe-services/authenticate")
        {
            .authenticate
        } else if Self.bringsAnswer({
            // In an address SAML has artifacts only (Profiles 4.1.2): that is a form's without an address of its own.
            $0 != "SAMLResponse" && address.written($0) != nil
        }) {
            .assertion
        } else {
            .mvpdLogin
        }
    }

    /// Whether fields of these names bring a provider's answer to the service: of SAML (Bindings 3.4 to 3.6), of OpenID
    /// Connect and OAuth (RFC 6749, 4.1.2), of WS-Federation (13.2).
    private static func bringsAnswer(_ has: (String) -> Bool) -> Bool {
        has("SAMLResponse") || has("SAMLart") || has("id_token") || has("wresult")
            || has("code") && has("state")
    }

    /// Arrival by prefix, scheme and host without case (rest-v1.md § 8).
    func isReturn(_ address: WebAddress) -> Bool {
        guard let wanted = returnAddress else { return false }
        return address.target.utf8Span.span.holds(wanted.target.utf8Span.span, at: 0)
            && address.origin == wanted.origin
    }

    /// A hop, unless something in front of it answered; the page of one that leads no further is
    /// kept beside. `startsLogin`: the call is the first of a login, from its code.
    func read(_ document: ReplyDocument, to call: Call, startsLogin: Bool) -> Reading {
        let reply = document.reply
        var reading: Reading
        if let wall = Wall.kind(of: reply) {
            reading = Reading(.blocked, .blocked, reason: "\(ours: wall)")
        } else {
            reading = hop(document, to: call, startsLogin: startsLogin)
            guard reply.status >= 400 else { return reading }
        }
        if document.isPage { reading.page = reply.shownPage }
        return reading
    }

    /// A page where a browser is meant to see pages.
    private func hop(_ document: ReplyDocument, to call: Call, startsLogin: Bool) -> Reading {
        let reply = document.reply
        switch reply.status {
        case 300..<400:
            guard let location = reply.headers["Location"],
                let address = call.address.resolving(location)
            else {
                // What a provider's pages lack is no breach of the service's.
                let reason = "redirect without a usable Location"
                return call.operation.isOfProvider
                    ? Reading(.malformed, .fault, reason: "\(ours: reason)")
                    : Reading(
                        .malformed, .fault, reason: reason, missing: "\(page): Location is present")
            }
            // A provider's hop that leads back to the app has signed in, by whatever channel between the two.
            let told = told(by: address, to: call.operation, startsLogin: startsLogin)
            var reading = Reading(.ok, .redirect(address), Observation(told))
            if call.operation == .mvpdLogin, isReturn(address) { reading.operation = .assertion }
            if call.operation == .assertion {
                if [307, 308].contains(reply.status) {
                    // The browser posts it on as it is (RFC 9110, 15.4.8 and 15.4.9): whoever answered was on the way.
                    reading.operation = .mvpdLogin
                } else if !isReturn(address) {
                    reading.observation.result = .ledOn
                }
            }
            return reading
        case 200..<300:
            // A page that asks for the credentials again did not accept them.
            let isTurnedDown =
                call.operation == .mvpdLogin && call.tag != nil && reply.body.holdsPasswordInput
            if call.operation == .assertion, reply.body.holdsSAMLResponse,
                call.address.origin != origin
                    || !call.address.hasPath(endingWith: "SAMLAssertionConsumer")
            {
                // A form with the provider's answer in it: whoever answered was on the way.
                var reading = Reading(.ok, .page(reply.shownPage))
                reading.operation = .mvpdLogin
                return reading
            }
            let told: Observation.Result =
                isTurnedDown ? .denied : call.operation == .assertion ? .ledOn : .none
            return Reading(.ok, .page(reply.shownPage), Observation(told))
        case _ where reply.isServerFailure:
            return Reading(.serverError, .fault, reason: document.errorWord)
        default:
            let reason = document.errorWord
            return Reading(.rejected, .denied(reason), Observation(.denied), reason: reason)
        }
    }

    /// What a redirect tells: that of the first hop that the code lives (rest-v1.md § 6.3). The assertion
    /// consumer's took effect inside its interval or not at all; with `error=` it says that it did not,
    /// and promises nothing (§ 8).
    private func told(
        by address: WebAddress, to operation: OperationName, startsLogin: Bool
    ) -> Observation.Result {
        if startsLogin { return .success }
        guard operation == .assertion || operation == .mvpdLogin, isReturn(address) else {
            return .none
        }
        if address.written("error") != nil { return .denied }
        return operation == .mvpdLogin ? .ledBack : .none
    }
}
