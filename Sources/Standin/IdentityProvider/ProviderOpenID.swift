internal import Dialects
internal import Formats
internal import Signing

/// A request for a code that is to be answered (OpenID Connect Core 1.0, 3.1.2.1).
struct AuthorizationRequest: Sendable {
    var client: String
    var redirect: String
    var state: String?
    var nonce: String?
    /// RFC 7636, 4.3; by S256 only.
    var challenge: String?
    var scope: String
}

/// A code that is out (RFC 6749, 4.1.2).
struct CodeGrant: Sendable {
    var request: AuthorizationRequest
    var user: String
    var loggedIn: Int64
    var expires: Int64
}

/// OpenID Connect: discovery, the authorization code flow with PKCE, RS256 id tokens, userinfo.
extension IdentityProvider {
    private static let codeLife: Int64 = 60_000
    /// Of id tokens and access tokens, in seconds.
    private static let tokenLife: Int64 = 3600

    /// OpenID Connect Discovery 1.0, 3.
    func configuration(base: String) -> String {
        func place(_ path: String) -> String { JSONText.quoted(base + path) }
        return """
            {"issuer": \(JSONText.quoted(base)),
             "authorization_endpoint": \(place("/openid/authorize")),
             "token_endpoint": \(place("/openid/token")),
             "userinfo_endpoint": \(place("/openid/userinfo")),
             "jwks_uri": \(place("/openid/keys")),
             "response_types_supported": ["code"],
             "response_modes_supported": ["query"],
             "grant_types_supported": ["authorization_code"],
             "subject_types_supported": ["public"],
             "id_token_signing_alg_values_supported": ["RS256"],
             "scopes_supported": ["openid", "profile", "email"],
             "claims_supported": ["sub", "name", "preferred_username", "email", "email_verified"],
             "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
             "code_challenge_methods_supported": ["S256"]}

            """
    }

    /// RFC 7517, 5.
    var keySet: String {
        let signer = settings.signer
        return
            "{\"keys\": [{\"kty\": \"RSA\", \"use\": \"sig\", \"alg\": \"RS256\", \"kid\": \"\(signer.id)\", "
            + "\"n\": \"\(Base64.encodeURL(signer.modulus))\", "
            + "\"e\": \"\(Base64.encodeURL(signer.exponent))\", \"x5c\": [\"\(signer.certificate)\"]}]}\n"
    }

    // MARK: The code

    mutating func authorize(_ asked: ProviderQuestion, at moment: Moment) -> Reply {
        count(.authorizations)
        let clients = settings.clients.filter { $0.id == asked["client_id"] }
        guard let client = clients.first else {
            return refuse("The client '\(asked["client_id"] ?? "")' is not registered (--client).")
        }
        guard let redirect = asked["redirect_uri"],
            clients.contains(where: { $0.redirect == redirect })
        else {
            return refuse("The redirect_uri is not the one that the client is registered with.")
        }
        let request = AuthorizationRequest(
            client: client.id, redirect: redirect, state: asked["state"], nonce: asked["nonce"],
            challenge: asked["code_challenge"], scope: asked["scope"] ?? "")
        func no(_ error: String, _ words: String) -> Reply {
            count(.openIDRefused)
            return self.redirect(
                request,
                "error=\(error)&error_description=\(PercentEncoding.encode(words))")
        }
        guard asked["response_type"] == "code" else {
            return no("unsupported_response_type", "response_type must be code")
        }
        guard request.scope.split(separator: " ").contains("openid") else {
            return no("invalid_scope", "scope must contain openid")
        }
        if asked["prompt"] == "none" { return no("login_required", "nobody is signed in") }
        if request.challenge != nil, asked["code_challenge_method"] != "S256" {
            return no("invalid_request", "code_challenge_method must be S256")
        }
        if request.challenge == nil, client.secret == nil {
            return no("invalid_request", "a client without a secret must send a code_challenge")
        }
        // SHA-256 in Base64url (RFC 7636, 4.2).
        if let challenge = request.challenge, challenge.utf8.count != 43 {
            return no("invalid_request", "code_challenge must have 43 characters")
        }
        return showLogin(.openID(request), user: asked["login_hint"] ?? "", at: moment)
    }

    private mutating func refuse(_ words: String) -> Reply {
        count(.openIDRefused)
        return Self.page(400, ProviderPages.refusal(words))
    }

    mutating func grant(
        _ request: AuthorizationRequest, to user: String, at moment: Moment
    ) -> Reply {
        count(.codes)
        let code = Self.random()
        let expires = moment.milliseconds + Self.codeLife
        codes[code] = CodeGrant(
            request: request, user: user, loggedIn: moment.milliseconds / 1000, expires: expires)
        codeQueue.add(code, due: expires)
        return redirect(request, "code=\(code)")
    }

    func redirect(_ request: AuthorizationRequest, _ fields: String) -> Reply {
        let joint = request.redirect.contains("?") ? "&" : "?"
        let state = request.state.map { "&state=" + PercentEncoding.encode($0) } ?? ""
        return Reply(
            status: 302, headers: ["Location": "\(request.redirect)\(joint)\(fields)\(state)"])
    }

    // MARK: Tokens

    mutating func token(_ asked: ProviderQuestion, at moment: Moment) -> Reply {
        func no(_ error: String, _ status: Int = 400) -> Reply {
            count(.openIDRefused)
            var reply = Self.json(status, "{\"error\": \"\(error)\"}\n")
            if status == 401 {
                reply.headers.append("WWW-Authenticate", "Basic realm=\"screenrig\"")
            }
            return reply
        }
        guard let client = client(asked) else { return no("invalid_client", 401) }
        guard asked["grant_type"] == "authorization_code" else {
            return no("unsupported_grant_type")
        }
        // Spent with its first use, right or wrong (RFC 6749, 4.1.2).
        guard let code = asked["code"], let grant = codes.removeValue(forKey: code),
            moment.milliseconds < grant.expires, grant.request.client == client.id,
            asked["redirect_uri"] == grant.request.redirect
        else { return no("invalid_grant") }
        if let challenge = grant.request.challenge {
            guard let verifier = asked["code_verifier"],
                Base64.encodeURL(SHA256.digest(verifier)) == challenge
            else { return no("invalid_grant") }
        }
        let seconds = moment.milliseconds / 1000
        let access = accessToken(for: grant, at: seconds)
        let half = Array(SHA256.digest(access).prefix(16))
        var claims =
            "{\"iss\": \(JSONText.quoted(asked.base)), \"sub\": \(JSONText.quoted(grant.user)), "
            + "\"aud\": \(JSONText.quoted(client.id)), \"iat\": \(seconds), "
            + "\"exp\": \(seconds + Self.tokenLife), \"auth_time\": \(grant.loggedIn), "
            + "\"at_hash\": \"\(Base64.encodeURL(half))\""
        if let nonce = grant.request.nonce { claims += ", \"nonce\": \(JSONText.quoted(nonce))" }
        claims += Self.profile(of: grant.user, scope: grant.request.scope) + "}"
        // A private RSA key signs any bytes; were it not so, an empty token verifies nowhere.
        let token =
            (try? JWT.make(claims: claims, key: settings.signer.key, id: settings.signer.id)) ?? ""
        count(.tokens)
        return Self.json(
            200,
            "{\"access_token\": \"\(access)\", \"token_type\": \"Bearer\", "
                + "\"expires_in\": \(Self.tokenLife), \"id_token\": \"\(token)\", "
                + "\"scope\": \(JSONText.quoted(grant.request.scope))}\n")
    }

    /// The client that asks, by Basic, by its secret in the form, or by its id alone where it has none.
    private func client(_ asked: ProviderQuestion) -> ProviderSettings.Client? {
        var id = asked["client_id"]
        var secret = asked["client_secret"]
        if let header = asked.request.headers["Authorization"] {
            guard header.lowercased().hasPrefix("basic "),
                let bytes = Base64.decode(header.dropFirst(6).utf8)
            else { return nil }
            let parts = String(decoding: bytes, as: UTF8.self)
                .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map {
                    String(
                        decoding: PercentEncoding.decode($0.utf8Span.span, plusIsSpace: true),
                        as: UTF8.self)
                }
            guard parts.count == 2, id == nil || id == parts[0] else { return nil }
            (id, secret) = (parts[0], parts[1])
        }
        return settings.clients.first { $0.id == id && $0.secret == secret }
    }

    /// Claims of the scopes, each with a comma in front.
    private static func profile(of user: String, scope: String) -> String {
        var claims = ""
        let scopes = scope.split(separator: " ")
        if scopes.contains("profile") {
            let name = JSONText.quoted(user)
            claims += ", \"name\": \(name), \"preferred_username\": \(name)"
        }
        if scopes.contains("email") {
            claims += ", \"email\": \(JSONText.quoted(mail(user))), \"email_verified\": true"
        }
        return claims
    }

    // MARK: Who it is

    /// What it grants and until when, in words that this provider has signed: nothing is kept.
    private func accessToken(for grant: CodeGrant, at seconds: Int64) -> String {
        let words = "\(seconds + Self.tokenLife)\n\(grant.request.scope)\n\(grant.user)"
        return Base64.encodeURL(words.utf8) + "." + mark(of: words)
    }

    private func mark(of words: String) -> String {
        Base64.encodeURL(tokenKey.digest(Array(words.utf8)))
    }

    mutating func userinfo(_ asked: ProviderQuestion, at moment: Moment) -> Reply {
        count(.userinfo)
        guard let (user, scope) = bearer(of: asked, at: moment) else {
            count(.openIDRefused)
            var reply = Self.json(401, "{\"error\": \"invalid_token\"}\n")
            reply.headers.append("WWW-Authenticate", "Bearer error=\"invalid_token\"")
            return reply
        }
        return Self.json(
            200,
            "{\"sub\": \(JSONText.quoted(user))\(Self.profile(of: user, scope: scope))}\n")
    }

    private func bearer(
        of asked: ProviderQuestion, at moment: Moment
    ) -> (user: String, scope: String)? {
        guard let parts = asked.request.bearer?.split(separator: "."), parts.count == 2,
            let bytes = Base64.decode(parts[0].utf8)
        else { return nil }
        let words = String(decoding: bytes, as: UTF8.self)
        let lines = words.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard mark(of: words) == parts[1], lines.count == 3, let end = Int64(lines[0]),
            moment.milliseconds / 1000 < end
        else { return nil }
        return (String(lines[2]), String(lines[1]))
    }
}
