internal import Formats
internal import Vocabulary

/// What the service says when it turns a request, or one resource of it, down (rest-v2.md § 12).
extension V2 {
    func readRefusal(_ error: ServiceError, to call: Call) -> Reading {
        let reason = Untrusted(error.word)
        let isServerFailure = Reply.isServerFailure(error.status)
        func rejected(_ answer: Answer, _ result: Observation.Result = .denied) -> Reading {
            Reading(.rejected, answer, Observation(result), reason: reason)
        }
        // § 4: the client is no longer known; register again.
        if error.word == "invalid_client" { return rejected(.staleClient) }
        if error.httpStatus == 401 { return rejected(.staleToken) }
        switch error.remedy {
        case .newToken: return rejected(.staleToken)
        case .retry: return rejected(.fault)
        case .setUp:
            let outcome: Outcome = isServerFailure ? .serverError : .rejected
            return Reading(outcome, .denied(reason), Observation(.denied), reason: reason)
        case .signIn:
            return rejected(.signedOut(reason), error.endsSignIn ? .unauthenticated : .denied)
        // § 11: the trial is over, which is what it is for.
        case .otherProvider:
            return Reading(
                .notEntitled, .notEntitled(error.forViewer), Observation(.denied), reason: reason)
        case .nothing: break
        }
        if isServerFailure {
            return Reading(.serverError, .fault, reason: reason)
        }
        if error.isAboutCode {
            // § 14.1: no poll finds anything any more. Of a typed code it says that it is none.
            return call.operation == .profilesByCode
                ? rejected(.codeOver, .expired) : rejected(.denied(reason), .absent)
        }
        if call.operation == .authorize, error.status == 403 {
            return Reading(
                .notEntitled, .notEntitled(error.forViewer), Observation(.denied), reason: reason)
        }
        switch error.httpStatus {
        case 410: return rejected(.expired, .expired)
        case 404: return rejected(.denied(reason), .absent)
        default: return rejected(.denied(reason))
        }
    }
}

/// An enhanced error (§ 12.1), of a whole answer or of one decision in it.
struct ServiceError {
    /// `error` of rest-v1.md § 5, else `code` or `message`, else the status.
    let word: String
    /// Of HTTP: 200 where the error is a decision's.
    let httpStatus: Int
    /// The error's own, where it tells one.
    let status: Int
    /// What the viewer may read: the provider's words, else the service's.
    let forViewer: Untrusted
    let remedy: Remedy

    /// What a device does about it (§ 12.3).
    enum Remedy {
        case nothing, setUp, newToken, signIn, retry
        /// A TempPass is used up: another provider may do.
        case otherProvider
    }

    init(_ document: ReplyDocument) {
        let tree = document.isPage || document.isXML ? nil : document.read()
        self.init(tree, word: document.plainErrorWord, httpStatus: document.reply.status)
    }

    /// Of a decision.
    init(_ tree: JSONDocument.Value, status: Int) {
        let word = tree["code"]?.text ?? tree["message"]?.text ?? "no code"
        self.init(
            tree, word: String(word.prefix(ReplyDocument.longestWord)), httpStatus: status)
    }

    private init(_ tree: JSONDocument.Value?, word: String, httpStatus: Int) {
        func words(_ name: String) -> String? {
            tree?[name]?.text.flatMap {
                $0.isEmpty ? nil : String($0.prefix(ReplyDocument.longestWord))
            }
        }
        self.word = word
        self.httpStatus = httpStatus
        // A number that is no status is none.
        let told = tree?["status"]?.integer.flatMap { (100...599).contains($0) ? Int($0) : nil }
        status = httpStatus == 200 ? told ?? 403 : httpStatus
        forViewer = Untrusted(words("details") ?? words("message") ?? word)
        remedy = Self.remedy(word, action: tree?["action"]?.text)
    }

    /// Samples disagree with the table about `action`; the table wins (§ 12.2). What it does not have is
    /// told by the action, else by the status.
    private static func remedy(_ code: String, action: String?) -> Remedy {
        if let known = remedies[code] { return known }
        if code.hasPrefix("invalid_configuration_") { return .setUp }
        return switch action {
        case "configuration": .setUp
        case "application-registration": .newToken
        case "authentication": .signIn
        case "retry": .retry
        default: .nothing
        }
    }

    private static let remedies: [String: Remedy] = [
        "too_many_resources": .setUp,
        "invalid_access_token_service_provider": .newToken,
        "invalid_access_token_client_application": .newToken,
        "authenticated_profile_missing": .signIn, "authenticated_profile_expired": .signIn,
        "authenticated_profile_invalidated": .signIn,
        "authorization_denied_by_hba_policies": .signIn,
        "authorization_denied_by_session_invalidated": .signIn,
        "identity_not_recognized_by_mvpd": .signIn,
        "temporary_access_duration_limit_exceeded": .otherProvider,
        "temporary_access_resources_limit_exceeded": .otherProvider,
        "network_received_error": .retry, "network_connection_timeout": .retry,
        "maximum_execution_time_exceeded": .retry,
        "invalid_header_identity_for_temporary_access": .nothing,
        "authorization_denied_by_mvpd": .nothing, "preauthorization_denied_by_mvpd": .nothing,
        "authorization_denied_by_parental_controls": .nothing,
        "authorization_denied_by_degradation_rule": .nothing,
        "invalid_authentication_session": .nothing, "invalid_parameter_code": .nothing,
    ]

    /// Whether nobody is signed in: the others of `signIn` ask for another sign-in only.
    var endsSignIn: Bool { Self.ends.contains(word) }

    private static let ends: Set<String> = [
        "authenticated_profile_missing", "authenticated_profile_expired",
        "authenticated_profile_invalidated", "authorization_denied_by_session_invalidated",
    ]

    /// Whether a code leads nowhere (any more).
    var isAboutCode: Bool {
        word == "invalid_authentication_session" || word == "invalid_parameter_code"
    }
}
