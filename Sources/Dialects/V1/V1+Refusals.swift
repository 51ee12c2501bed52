internal import Vocabulary

/// What the service says when it turns a request down: 4xx of the codec (rest-v1.md §§ 4, 10 to 12).
extension V1 {
    func readRefusal(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        // A14: 410 while polling a fresh code is pending, never evidence about expiry.
        if call.operation == .pollToken, reply.status == 404 || reply.status == 410 {
            // By the code nothing is said of the device, which may be signed in by another one.
            return Reading(
                .pending, .pending, Observation(isByCode(call) ? .none : .absent))
        }
        let refusal = Refusal(document)
        switch (call.operation, reply.status) {
        case (.checkAuthentication, 403), (.checkCode, 403), (.pollToken, 403):
            if refusal.word == "invalid_client" { break }
            // § 10, N3: the message is our own text, so it is evidence against our stand-in only.
            let expired =
                call.operation != .pollToken
                && (refusal.word == "Authentication token expired"
                    || refusal.word == "authentication_session_expired")
            return Reading(.pending, .pending, Observation(expired ? .expired : .absent))
        // § 12: the provider shares nothing about its users.
        case (.userMetadata, 404): return Reading(.ok, .done, Observation(.absent))
        default: break
        }
        let observation = Observation(refusal.result(of: call.operation, reply.status))
        if refusal.isDenial(of: call.operation, reply.status) {
            return Reading(
                .notEntitled, .notEntitled(Untrusted(refusal.details ?? refusal.word)),
                observation, reason: Untrusted(refusal.word))
        }
        // § 5: the client is no longer known; register again.
        let answer: Answer =
            switch observation.result {
            case _ where refusal.word == "invalid_client": .staleClient
            case .unauthenticated: .signedOut(Untrusted(refusal.word))
            case _ where refusal.isProvidersFailure: .fault
            default: reply.status == 410 ? .expired : .denied(Untrusted(refusal.word))
            }
        return Reading(.rejected, answer, observation, reason: Untrusted(refusal.word))
    }
}

/// An error body of § 4 or § 5.
private struct Refusal {
    /// `error` of § 5, else `code` or `message` of § 4, else the status.
    let word: String
    private let code: String?
    private let message: String
    /// What the provider wants the viewer to read (§ 11, Z3).
    let details: String?

    init(_ document: ReplyDocument) {
        word = document.plainErrorWord
        let tree = document.isPage ? nil : document.read()
        code = tree?["code"]?.text
        message = tree?["message"]?.text?.lowercased() ?? ""
        details = tree?["details"]?.text.flatMap {
            $0.isEmpty ? nil : String($0.prefix(ReplyDocument.longestWord))
        }
    }

    /// What it tells of codes, sign-ins and authorizations.
    func result(of operation: OperationName, _ status: Int) -> Observation.Result {
        switch (operation, status) {
        // Z2's is about its code, as N2's is (§ 6.3).
        case (.preauthorizeCode, 403), (.preauthorizeCode, 412):
            isNotAuthenticated(status) ? .absent : .denied
        case (_, 403) where operation.isGated, (_, 412) where operation.isGated:
            isNotAuthenticated(status)
                ? .unauthenticated : isNotAuthorized(operation) ? .unauthorized : .denied
        // § 11, Z4: no authorization, while somebody is signed in.
        case (.authorizationToken, 404): .unauthorized
        case (_, 410): .expired
        case (_, 404): .absent
        default: .denied
        }
    }

    /// Nobody is signed in: 412 says so (A16), unless its enhanced code names another reason; 403
    /// where its message or code does. Services write the message in several ways.
    private func isNotAuthenticated(_ status: Int) -> Bool {
        if let code { return Self.sessionCodes.contains(code) }
        return status == 412 || message.contains("not authenticated")
    }

    /// No authorization is there: not the provider's own no, which has its words in `details`.
    private func isNotAuthorized(_ operation: OperationName) -> Bool {
        guard operation.needsAuthorization, details == nil else { return false }
        if let code { return code == "authorization_not_found" }
        return message.contains("not authorized") || message == "noauthz"
    }

    /// The account may not watch this: an ordinary business answer (§ 11, Z3; observed.md).
    func isDenial(of operation: OperationName, _ status: Int) -> Bool {
        guard status == 403, word != "invalid_client", !isNotAuthenticated(status),
            !isProvidersFailure
        else { return false }
        return operation == .authorize || operation == .mediaToken && message == "noauthz"
    }

    /// The provider's back end failed: the action of these is "retry" (§ 4).
    var isProvidersFailure: Bool { code.map(Self.providerFailures.contains) ?? false }

    private static let providerFailures: Set<String> = [
        "network_received_error", "network_connection_timeout", "maximum_execution_time_exceeded",
    ]

    /// The session is gone (§ 4).
    private static let sessionCodes: Set<String> = [
        "authentication_session_missing", "authentication_session_expired",
        "authentication_session_invalidated", "authorization_denied_by_session_invalidated",
        "preauthorization_authentication_session_missing",
        "preauthorization_authentication_session_expired",
    ]
}

extension OperationName {
    /// Answered only while somebody is signed in on the device that asks (rest-v1.md §§ 11, 12).
    fileprivate var isGated: Bool {
        switch self {
        case .preauthorize, .authorize, .authorizationToken, .mediaToken, .userMetadata: true
        default: false
        }
    }
}
