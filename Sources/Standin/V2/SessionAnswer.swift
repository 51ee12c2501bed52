internal import Formats

/// What S1, S2 and X1 answer (rest-v2.md § 5.2).
struct SessionAnswer {
    enum Action: String {
        case authenticate, resume, retry, authorize
        case partnerProfile = "partner_profile"
    }

    enum Reason: String {
        case none, authenticated, temporary, degraded, authenticatedSSO
        case partnerFallback = "pfs_fallback"
        case configurationFallback = "configuration_fallback"
        case parametersFallback = "missing_parameters_fallback"
    }

    var action: Action
    var reason = Reason.none
    var requestor: String
    var mvpd: String?
    /// `sessionId`.
    var session: String
    /// Its code and times; nil where there is nothing to wait for.
    var record: CodeRecord?
    var missing: [String] = []
    /// Base64, and the attributes that the platform is asked for.
    var partnerRequest: (text: String, attributes: [String])?

    /// Relative to the origin that was called.
    private var url: String {
        let path = "/api/v2/"
        let channel = PercentEncoding.encode(requestor)
        switch action {
        case .authenticate: return "\(path)authenticate/\(channel)/\(record?.text ?? "")"
        case .resume, .retry: return "\(path)\(channel)/sessions/\(record?.text ?? "")"
        case .authorize:
            return "\(path)\(channel)/decisions/authorize/\(PercentEncoding.encode(mvpd ?? ""))"
        case .partnerProfile: return "\(path)\(channel)/profiles/sso/Apple"
        }
    }

    func write(to document: inout DocumentWriter) {
        document.text("actionName", action.rawValue)
        document.text("actionType", action == .authenticate ? "interactive" : "direct")
        document.text("reasonType", reason.rawValue)
        document.text("url", url)
        if !missing.isEmpty { document.texts("missingParameters", missing) }
        if let record { document.text("code", record.text) }
        document.text("sessionId", session)
        if let mvpd { document.text("mvpd", mvpd) }
        document.text("serviceProvider", requestor)
        if let record {
            // Strings here, numbers elsewhere (B6).
            document.text("notBefore", String(record.generated))
            document.text("notAfter", String(record.expires))
        }
        if let partnerRequest {
            document.object("authenticationRequest") {
                $0.text("type", "saml")
                $0.text("request", partnerRequest.text)
                $0.texts("attributesNames", partnerRequest.attributes)
            }
        }
    }
}
