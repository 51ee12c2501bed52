internal import Dialects
internal import Formats
internal import Journal
internal import Vocabulary

/// What a session is made or completed with.
struct SessionParameters {
    var mvpd: String?
    var domainName: String?
    var redirectURL: String?

    /// By the names of the page (B4).
    var missing: [String] {
        [("mvpd", mvpd), ("domainName", domainName), ("redirectUrl", redirectURL)]
            .filter { $0.1 == nil }.map(\.0)
    }
}

/// Authentication sessions (rest-v2.md § 5).
extension Service {
    /// S1.
    mutating func createSession(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        _ info: String?, at moment: Moment
    ) throws(V2Error) -> Reply {
        let parameters = try sessionParameters(question, requestor, at: moment)
        if let mvpd = parameters.mvpd,
            let reason = readiness(asker, mvpd: mvpd, at: moment)
        {
            return answer(
                .init(
                    action: .authorize, reason: reason, requestor: requestor.id, mvpd: mvpd,
                    session: ids.record()), at: moment)
        }
        let record = issueSession(question, asker, parameters, info, at: moment)
        let missing = parameters.missing
        return answer(
            .init(
                action: missing.isEmpty ? .authenticate : .resume, requestor: requestor.id,
                mvpd: parameters.mvpd, session: record.session?.id ?? "", record: record,
                missing: missing), at: moment)
    }

    /// A new session with its code; the device's pending one is superseded (B41).
    mutating func issueSession(
        _ question: V2Question, _ asker: V2Asker, _ parameters: SessionParameters, _ info: String?,
        at moment: Moment
    ) -> CodeRecord {
        let userAgent = question.header("User-Agent") ?? ""
        let session = AuthenticationSession(
            id: ids.record(), domainName: parameters.domainName,
            redirectURL: parameters.redirectURL, identity: asker.identity)
        counters.codesIssued += 1
        return codes.issue(
            for: asker.device.with(mvpd: parameters.mvpd ?? ""), mvpd: nil,
            at: moment.milliseconds, ttl: settings.codeTTL.wholeMilliseconds,
            registrant: Registrant(
                deviceInfo: info ?? DeviceInfos.derived(userAgent: userAgent),
                userAgent: userAgent, deviceType: "", appVersion: ""),
            supersedes: settings.policies.newCode == .replace, session: session, ids: &ids)
    }

    /// S2: it supplies what is missing, and later values win. Profiles are looked for on the device of
    /// the session, by nothing but its key (B39).
    mutating func resumeSession(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> Reply {
        let key = try codeKey(question)
        var parameters = try sessionParameters(question, requestor, at: moment)
        guard let record = pendingSession(key, of: requestor.id, at: moment),
            var session = record.session
        else { throw .noSession }
        let known = record.device.mvpd
        parameters.mvpd = parameters.mvpd ?? (known.isEmpty ? nil : known)
        session.domainName = parameters.domainName ?? session.domainName
        session.redirectURL = parameters.redirectURL ?? session.redirectURL
        parameters.domainName = session.domainName
        parameters.redirectURL = session.redirectURL
        codes.complete(key, mvpd: parameters.mvpd ?? "", session)
        guard var completed = codes[key] else { throw .noSession }
        let own = V2Asker(device: record.device.owner)
        if let mvpd = parameters.mvpd, let reason = readiness(own, mvpd: mvpd, at: moment) {
            // The waiting device must learn of it (§ 5.5).
            completed.device.mvpd = mvpd
            let signIn = liveSignIn(completed.device, at: moment)
            codes.bind(completed, serial: signIn?.serial ?? 0, keptUntil: signIn?.expires ?? 0)
            return answer(
                .init(
                    action: .authorize, reason: reason, requestor: requestor.id, mvpd: mvpd,
                    session: session.id), at: moment)
        }
        let missing = parameters.missing
        return answer(
            .init(
                action: missing.isEmpty ? .authenticate : .retry, requestor: requestor.id,
                mvpd: parameters.mvpd, session: session.id, record: completed, missing: missing),
            at: moment)
    }

    /// S3.
    mutating func showSession(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> Reply {
        let key = try codeKey(question)
        guard let record = pendingSession(key, of: requestor.id, at: moment),
            let session = record.session
        else { throw .noSession }
        let mvpd = record.device.mvpd.isEmpty ? nil : record.device.mvpd
        let missing = SessionParameters(
            mvpd: mvpd, domainName: session.domainName, redirectURL: session.redirectURL
        ).missing
        let device = Base64.decode(record.registrant.deviceInfo) ?? Array("{}".utf8)
        return answer(at: moment) { document in
            document.object("existingParameters") {
                if let mvpd { $0.text("mvpd", mvpd) }
                if let domain = session.domainName { $0.text("domainName", domain) }
                if let redirect = session.redirectURL { $0.text("redirectUrl", redirect) }
                $0.text("serviceProvider", requestor.id)
            }
            if !missing.isEmpty { document.texts("missingParameters", missing) }
            document.json("device", device)
            document.text("notBefore", String(record.generated))
            document.text("notAfter", String(record.expires))
        }
    }

    mutating func answer(_ session: SessionAnswer, at moment: Moment) -> Reply {
        answer(at: moment) { session.write(to: &$0) }
    }

    // MARK: What a session is about

    /// § 3.3, rows 8 and 9, of a form: each may be absent.
    func sessionParameters(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, at moment: Moment,
        namesProvider: Bool = true
    ) throws(V2Error) -> SessionParameters {
        let parameters = SessionParameters(
            mvpd: namesProvider ? question.field("mvpd") : nil,
            domainName: question.field("domainName"), redirectURL: question.field("redirectUrl"))
        if let redirect = parameters.redirectURL { try checkRedirect(redirect, of: requestor) }
        if let domain = parameters.domainName, !Self.covers(requestor, hostOf: domain) {
            throw V2Error(
                .redirectURL, "Domain '\(domain)' is not registered for '\(requestor.id)'")
        }
        if let mvpd = parameters.mvpd { _ = try provider(mvpd, of: requestor, at: moment) }
        return parameters
    }

    /// An absolute URL; on the web one of a registered domain (B19).
    func checkRedirect(
        _ redirect: String, of requestor: ServiceSettings.Requestor
    ) throws(V2Error) {
        let isURL = Self.isAbsolute(redirect) && !redirect.utf8.contains { $0 <= 32 }
        let scheme = String(Substring(redirect.utf8.prefix { $0 != UInt8(ascii: ":") }))
        let isOfWeb = scheme.equalsIgnoringCase("http") || scheme.equalsIgnoringCase("https")
        guard isURL, !isOfWeb || Self.covers(requestor, hostOf: redirect) else {
            throw V2Error(.redirectURL, "Invalid 'redirectUrl'")
        }
    }

    /// Whether a host is a registered domain, or below one.
    private static func covers(
        _ requestor: ServiceSettings.Requestor, hostOf address: String
    ) -> Bool {
        let text = address.utf8Span.span
        let asked = host(text)
        return requestor.domains.contains { domain in
            let domain = domain.utf8Span.span
            let registered = host(domain)
            let start = asked.upperBound - registered.count
            guard start >= asked.lowerBound,
                text.extracting(0..<asked.upperBound).holds(
                    domain.extracting(registered), at: start)
            else { return false }
            return start == asked.lowerBound || text[start - 1] == UInt8(ascii: ".")
        }
    }

    /// A domain, or what stands between the scheme and the path of a URL (§ 18: a scheme before a domain
    /// is accepted).
    private static func host(_ text: Span<UInt8>) -> Range<Int> {
        var start = text.first("://".utf8Span.span).map { $0 + 3 } ?? 0
        var end = start
        loop: while end < text.count {
            switch text[end] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break loop
            case UInt8(ascii: "@"): start = end + 1
            default: break
            }
            end += 1
        }
        if start < end, text[start] == UInt8(ascii: "[") { return start..<end }
        return start..<min(end, text.first(UInt8(ascii: ":"), from: start))
    }

    func codeKey(_ question: V2Question) throws(V2Error) -> CodeKey {
        guard let key = CodeKey(question.route.name) else { throw .noCode }
        return key
    }

    /// A session that may still be completed, or logged in with.
    func pendingSession(_ key: CodeKey, of requestor: String, at moment: Moment) -> CodeRecord? {
        guard let record = codes.session(key, of: requestor, at: moment.milliseconds),
            record.isLive(at: moment.milliseconds),
            !record.isBound || settings.policies.codeReuse == .untilExpiry
        else { return nil }
        return record
    }

    /// Why a device may ask for a decision at once; nil when it may not (§ 5.2, first match).
    mutating func readiness(
        _ asker: V2Asker, mvpd: String, at moment: Moment
    ) -> SessionAnswer.Reason? {
        if rule(.authNAll, asker.device.requestor, mvpd, at: moment) != nil { return .degraded }
        if settings.provider(mvpd)?.isTempPass ?? false { return .temporary }
        switch ownOrSharedProfile(asker, mvpd: mvpd, at: moment)?.kind {
        case .regular: return .authenticated
        case .platformSSO, .serviceTokenSSO: return .authenticatedSSO
        default: return nil
        }
    }
}
