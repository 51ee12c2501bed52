internal import Dialects
internal import Formats
internal import Journal

/// The OAuth device grant over the stores: RFC 8628, with the readings of rfc8628.md §§ 6 and 8.
extension Service {
    mutating func answerGrant(_ question: GrantQuestion, at moment: Moment) -> Reply {
        let reply = taken(question, at: moment)
        counters.count(question.operation, status: reply.status)
        return reply
    }

    private mutating func taken(_ question: GrantQuestion, at moment: Moment) -> Reply {
        guard question.endpoint.allows(question.request.method) else {
            var reply =
                question.endpoint.isPage
                ? shown(405, GrantPages.lost, at: moment) : refused(.invalidRequest, at: moment)
            reply.status = 405
            reply.headers.append("Allow", question.endpoint.allowed)
            return reply
        }
        if question.endpoint.isPage { return walked(question, at: moment) }
        do throws(GrantError) {
            return switch question.endpoint {
            case .metadata: metadata(question, at: moment)
            case .deviceAuthorization: try issueCodes(question, at: moment)
            case .token: try exchange(question, at: moment)
            case .revocation: try revoke(question, at: moment)
            default: try userinfo(question, at: moment)
            }
        } catch {
            return refused(error, isByHeader: question.client?.isByHeader ?? false, at: moment)
        }
    }

    // MARK: Replies

    /// `Cache-Control: no-store` is a MUST for tokens (RFC 6749, 5.1), and does no harm elsewhere.
    mutating func told(
        _ status: Int = 200, at moment: Moment, _ content: (inout DocumentWriter) -> Void
    ) -> Reply {
        Reply(
            status: status,
            headers: [
                "Date": date(at: moment), "Content-Type": "application/json",
                "Cache-Control": "no-store", "Pragma": "no-cache",
            ], body: DocumentWriter.json(content))
    }

    /// `isByHeader`: the client had shown itself by `Authorization`.
    mutating func refused(
        _ error: GrantError, isByHeader: Bool = false, at moment: Moment
    ) -> Reply {
        var reply = told(error.status, at: moment) {
            $0.text("error", error.rawValue)
            $0.text("error_description", error.words)
        }
        switch error {
        case .invalidToken:
            reply.headers.append("WWW-Authenticate", #"Bearer error="invalid_token""#)
        case .invalidClient where isByHeader:
            reply.headers.append("WWW-Authenticate", #"Basic realm="stand-in""#)
        default: break
        }
        return reply
    }

    /// RFC 8414, 2. The addresses begin as the caller's did.
    private mutating func metadata(_ question: GrantQuestion, at moment: Moment) -> Reply {
        let origin = origin(of: question)
        let isPublic = settings.grants.secret == nil
        return told(at: moment) {
            $0.text("issuer", origin)
            $0.text("token_endpoint", origin + GrantEndpoint.token.rawValue)
            $0.text(
                "device_authorization_endpoint",
                origin + GrantEndpoint.deviceAuthorization.rawValue)
            $0.text("revocation_endpoint", origin + GrantEndpoint.revocation.rawValue)
            $0.text("userinfo_endpoint", origin + GrantEndpoint.userinfo.rawValue)
            $0.texts("response_types_supported", [])
            $0.texts("grant_types_supported", [Self.deviceGrantType, "refresh_token"])
            $0.texts(
                "token_endpoint_auth_methods_supported",
                isPublic ? ["none"] : ["client_secret_basic", "client_secret_post"])
        }
    }

    static let deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

    /// As the caller has spelled it; in virtual time nobody spells one.
    func origin(of question: GrantQuestion) -> String {
        let host = question.request.headers["Host"] ?? "127.0.0.1"
        return "\(isSecure ? "https" : "http")://\(host)"
    }

    // MARK: Who asks

    /// The client, which must be a registered one (RFC 6749, 2.3).
    func client(_ question: GrantQuestion) throws(GrantError) -> String {
        guard question.isForm, !question.repeatsField else { throw .invalidRequest }
        guard let client = question.client else { throw .invalidClient }
        let grants = settings.grants
        let isKnown =
            client.id == grants.client && client.secret == grants.secret
            || client.id == grants.otherClient && client.secret == grants.otherSecret
        guard isKnown else { throw .invalidClient }
        return client.id
    }
}
