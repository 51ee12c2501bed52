internal import Formats
internal import Vocabulary

/// What the answers of a device grant mean. Classified by body before status.
extension DeviceGrant {
    public func read(_ reply: Reply, to call: Call) -> Reading {
        // Outside of the RFC: a second, or what the server asks for.
        if reply.status == 429 { return Reading(.throttled, .slow(reply.throttlePause)) }
        return read(ReplyDocument(reply), to: call).heeding(reply)
    }

    private func read(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        if let unreadable = document.unreadable { return unreadable }
        switch call.operation {
        case .verificationPage, .approval, .refusal, .mvpdLogin:
            return readPage(document, to: call)
        default: break
        }
        let isRevocation =
            call.operation == .revocation || call.operation == .otherClientRevocation
        // Where there is another address to ask, that this one is missing is an answer.
        let isMissing =
            call.operation == .serverMetadata && call.provoked && (400..<500).contains(reply.status)
        if document.isPage, !isMissing, !isRevocation || reply.status >= 300 {
            let reason: Untrusted = "HTML where the server answers JSON (status \(reply.status))"
            return Reading(.blocked, reply.isServerFailure ? .fault : .blocked, reason: reason)
        }
        guard (200..<300).contains(reply.status) else { return readError(document, to: call) }
        // RFC 7009, 2.2: the status alone counts.
        if isRevocation {
            return Reading(.ok, .loggedOut(.nothing), Observation(.success))
        }
        guard let tree = document.read(), tree.kind == .object, !document.isXML else {
            return .unread(document, "no JSON", "\(place(call)): the body is a JSON object")
        }
        var reading: Reading
        switch call.operation {
        case .serverMetadata: reading = readMetadata(tree)
        case .deviceAuthorization: reading = readCodes(tree, to: call)
        case .deviceToken, .refreshToken, .otherClientToken, .otherClientRefresh:
            reading = readToken(tree, document.reply, to: call)
        case .userinfo: reading = readUser(tree)
        default: return Reading(.ok, .done, Observation(.success))
        }
        // A polled token is RFC 6749's as well (RFC 8628, 3.5).
        let section = call.operation == .deviceToken ? "RFC 6749 5.1" : place(call)
        judgeType(document, section, &reading)
        return reading
    }

    /// A JSON body has the type of one (RFC 6749, 5.1 and 5.2; RFC 8628, 3.2; RFC 8414, 3.2).
    private func judgeType(
        _ document: ReplyDocument, _ section: String, _ reading: inout Reading
    ) {
        guard document.mediaType != .json else { return }
        let type = document.reply.mediaType
        guard !type.hasSuffix("+json") else { return }
        reading.deviations.append(
            Deviation(
                rule: "\(section): Content-Type is application/json",
                found: type.isEmpty ? "none" : String(type.prefix(40))))
    }

    /// Where the standard speaks of an answer.
    private func place(_ call: Call) -> String {
        switch call.operation {
        case .serverMetadata: "RFC 8414 3.2"
        case .deviceAuthorization: "RFC 8628 3.2"
        case .userinfo: "OpenID Connect Core 5.3.2"
        case .refreshToken, .otherClientRefresh: "RFC 6749 5.1"
        default: "RFC 8628 3.5"
        }
    }

    // MARK: Errors

    /// RFC 6749, 5.2 and § 3.5.
    private func readError(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        let word = document.plainErrorWord
        let reason = Untrusted(word)
        if reply.isServerFailure {
            return Reading(.serverError, .fault, reason: reason)
        }
        var reading = Reading(.rejected, .denied(reason), Observation(.denied), reason: reason)
        switch (call.operation, word) {
        case (.deviceToken, "authorization_pending"):
            reading = Reading(.pending, .pending, Observation(.absent), reason: reason)
        // "The authorization request is still pending" says the standard; a server that says it to a poll
        // that came too early may not have looked.
        case (.deviceToken, "slow_down"):
            reading = Reading(
                .pending, .slower(by: .seconds(5)), Observation(.none), reason: reason)
        // The person's own decision: an ordinary answer.
        case (.deviceToken, "access_denied"):
            reading = Reading(
                .notEntitled, .denied(reason), Observation(.denied), reason: reason)
        // The clock of a device that polls to the last moment may be late.
        case (.deviceToken, "expired_token"):
            reading = Reading(.pending, .codeOver, Observation(.expired), reason: reason)
        // Used up, or not known: no poll finds anything any more.
        case (.deviceToken, "invalid_grant"):
            reading = Reading(.rejected, .codeOver, Observation(.denied), reason: reason)
        // A token that was renewed before, by a request whose answer was lost, is refused as well: that says
        // nothing of the sign-in (RFC 6749, 6).
        case (.refreshToken, "invalid_grant"):
            reading = Reading(
                .rejected, .signedOut(reason), Observation(.denied), reason: reason)
        // RFC 6750, 3.1.
        case (.userinfo, _) where reply.status == 401:
            reading = Reading(
                .rejected, .signedOut(reason), Observation(.unauthenticated), reason: reason)
        default: break
        }
        let isOfToken =
            call.operation == .deviceToken || call.operation == .refreshToken
            || call.operation == .deviceAuthorization
        // A redirect is no error.
        if isOfToken, reply.status >= 400 {
            judgeError(document, &reading)
        }
        return reading
    }

    /// The form of an error (RFC 6749, 5.2): documented is the status 400, or 401 for a client that is not
    /// known, and an object with `error`.
    private func judgeError(_ document: ReplyDocument, _ reading: inout Reading) {
        let reply = document.reply
        let error = document.read()?["error"]?.text
        if error == nil {
            reading.deviations.append(
                Deviation(
                    rule: "RFC 6749 5.2: an error is a JSON object with error",
                    found: "status \(reply.status) without it"))
        }
        if error != nil { judgeType(document, "RFC 6749 5.2", &reading) }
        let allowed = error == "invalid_client" ? [400, 401] : [400]
        if !allowed.contains(reply.status) {
            reading.deviations.append(
                Deviation(
                    rule: "RFC 6749 5.2: the status of an error is 400",
                    found: "status \(reply.status)", source: .documented))
        }
    }

    // MARK: Documents

    private func readMetadata(_ tree: JSONDocument.Value) -> Reading {
        func address(_ name: String) -> WebAddress? { tree[name]?.text.flatMap { WebAddress($0) } }
        guard
            let codes = address("device_authorization_endpoint")
                ?? given?.deviceAuthorization, let token = address("token_endpoint") ?? given?.token
        else {
            let missing =
                tree["token_endpoint"] == nil ? "token_endpoint" : "device_authorization_endpoint"
            return Reading(
                .malformed, .denied("no \(ours: missing)"),
                reason: "metadata without \(missing)",
                missing: "RFC 8628 4: the metadata names device_authorization_endpoint")
        }
        let endpoints = ServerEndpoints(
            deviceAuthorization: codes, token: token, revocation: address("revocation_endpoint"),
            userinfo: address("userinfo_endpoint"))
        return Reading(.ok, .endpoints(endpoints), Observation(.success))
    }

    /// § 3.2. The code's life is told as one, and not as instants: it is kept as from the epoch.
    private func readCodes(_ tree: JSONDocument.Value, to call: Call) -> Reading {
        guard let device = tree["device_code"]?.text, !device.isEmpty,
            let user = tree["user_code"]?.text, !user.isEmpty
        else {
            return .incomplete("RFC 8628 3.2: device_code and user_code are strings")
        }
        guard let page = tree["verification_uri"]?.text.flatMap({ call.address.resolving($0) })
        else {
            return .incomplete("RFC 8628 3.2: verification_uri is an address")
        }
        guard let told = tree["expires_in"] else {
            return .incomplete("RFC 8628 3.2: expires_in is present")
        }
        guard let life = told.seconds, life > .zero else {
            return .impossible("RFC 8628 3.2: expires_in is a number of seconds up to 10 years")
        }
        var interval = Duration.seconds(5)
        if let told = tree["interval"], told.kind != .null {
            guard let seconds = told.seconds, seconds <= .seconds(3600) else {
                return .impossible("RFC 8628 3.2: interval is a number of seconds up to an hour")
            }
            interval = seconds
        }
        var issued = IssuedCode(
            code: Code(user), lifetime: life, pollKey: Secret(device), pollInterval: interval,
            page: page)
        issued.typed = user
        issued.completePage = tree["verification_uri_complete"]?.text.flatMap {
            call.address.resolving($0)
        }
        var reading = Reading(
            .ok, .code(issued),
            Observation(
                .success, code: issued.code, generated: 0, expires: life.wholeMilliseconds))
        for name in ["expires_in", "interval"] where tree[name]?.kind == .string {
            reading.deviations.append(
                Deviation(
                    rule: "RFC 8628 3.2: \(name) is a number", found: "a string", source: .reading))
        }
        return reading
    }

    /// RFC 6749, 5.1.
    private func readToken(
        _ tree: JSONDocument.Value, _ reply: Reply, to call: Call
    ) -> Reading {
        guard let access = tree["access_token"]?.text, !access.isEmpty else {
            return .incomplete("RFC 6749 5.1: access_token is a string")
        }
        let refresh = tree["refresh_token"]?.text.flatMap { $0.isEmpty ? nil : Secret($0) }
        // RFC 6749, 6: without a new one the old one goes on.
        // Recommended by the standard, and not required; a value that is no number counts as missing.
        let lifetime = tree["expires_in"]?.seconds
        let session = DeviceSession(access: Secret(access), refresh: refresh)
        let token: String? =
            switch terms.userSource {
            case .idToken: tree["id_token"]?.text
            case .accessToken: access
            case .none, .userinfo: nil
            }
        let tag = token.flatMap { JWTClaims.text(terms.claim, in: $0) }.map {
            Tag(mvpd: "", user: $0)
        }
        // Of a renewal its history has the refresh token that takes the place of the old one, if any.
        let isRenewed = refresh != nil && refresh != call.token
        let secret =
            call.operation == .refreshToken ? (isRenewed ? refresh : nil) : session.access
        var reading = Reading(
            .ok, .signedIn(tag, session: session),
            Observation(
                .success, tag: tag, generated: lifetime == nil ? nil : 0,
                expires: lifetime?.wholeMilliseconds, secret: secret))
        if tree["token_type"]?.text == nil {
            reading.deviations.append(
                Deviation(rule: "RFC 6749 5.1: token_type is a string", found: "none"))
        }
        // "MUST include the HTTP Cache-Control response header field with a value of no-store".
        if !(reply.headers["Cache-Control"]?.lowercased().contains("no-store") ?? false) {
            reading.deviations.append(
                Deviation(
                    rule: "RFC 6749 5.1: a response with tokens has Cache-Control: no-store",
                    found: reply.headers["Cache-Control"].map { String($0.prefix(40)) } ?? "none"))
        }
        return reading
    }

    private func readUser(_ tree: JSONDocument.Value) -> Reading {
        guard let user = tree[terms.claim]?.text, !user.isEmpty else {
            return .incomplete(
                "OpenID Connect Core 5.3.2: \(terms.claim) is present (device-grant.claim)")
        }
        let tag = Tag(mvpd: "", user: user)
        return Reading(.ok, .signedIn(tag), Observation(.success, tag: tag))
    }

    // MARK: Pages

    /// A browser's request. What an approval came to is told by the words that the rig names: in the page,
    /// or in the address that a redirect leads to.
    private func readPage(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        if let wall = Wall.kind(of: reply) {
            var reading = Reading(.blocked, .blocked, reason: "\(ours: wall)")
            if document.isPage { reading.page = reply.shownPage }
            return reading
        }
        let location = reply.headers["Location"].flatMap { call.address.resolving($0) }
        let result = told(reply, location, to: call)
        switch reply.status {
        case 300..<400:
            guard let location else {
                let reason: Untrusted = "redirect without a usable Location"
                return Reading(.malformed, .fault, Observation(.none), reason: reason)
            }
            return Reading(.ok, .redirect(location), Observation(result))
        case 200..<300:
            let answer: Answer =
                result == .success ? .done : .page(reply.shownPage)
            return Reading(.ok, answer, Observation(result))
        case _ where reply.isServerFailure:
            return Reading(.serverError, .fault, reason: document.errorWord)
        default:
            let reason = document.errorWord
            var reading = Reading(
                .rejected, .denied(reason), Observation(.denied), reason: reason)
            if document.isPage { reading.page = reply.shownPage }
            return reading
        }
    }

    /// What an answer tells of the decision. A redirect whose address has none of the words leads a browser on to the page
    /// that may have them; a phone that walks no pages follows none.
    private func told(
        _ reply: Reply, _ location: WebAddress?, to call: Call
    ) -> Observation.Result {
        guard let decision = call.isDecision ? call.operation : call.decided, reply.status < 400
        else { return .none }
        let words = decision == .approval ? terms.approvedWhen : terms.refusedWhen
        // The rig does not say how to tell.
        guard !words.isEmpty else { return .none }
        let text = location?.description ?? reply.page.text
        if words.contains(where: { text.contains($0) }) { return .success }
        return location != nil && terms.phone.isEmpty ? .none : .denied
    }
}

extension Call {
    /// By it a person decides on a device.
    public var isDecision: Bool { operation == .approval || operation == .refusal }
}

/// The claims of a JWT, without its signature: a device takes the token from the server itself.
enum JWTClaims {
    /// A claim as text; nil where the token is no JWT, or has no such claim.
    static func text(_ claim: String, in token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        var limit: JSON.Limit?
        guard parts.count == 3, let bytes = Base64.decode(String(parts[1])),
            let tree = JSONReader.document(bytes, &limit)?.root
        else { return nil }
        return tree[claim]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
