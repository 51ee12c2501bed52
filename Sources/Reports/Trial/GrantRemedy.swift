internal import Dialects
internal import Journal
internal import Rigs
internal import Vocabulary

/// Remedies for a device grant: keys of target.device-grant.
enum GrantRemedy {
    /// Nil: what holds for every protocol.
    static func text(_ reading: TrialReading, _ step: Checklist.Step) -> String? {
        let terms = reading.rig.target.deviceGrant
        let last = reading.exchanges.last { Self.parts(step).contains($0.step) }
        switch step {
        case .configuration, .code: return asking(terms, last)
        case .loginPage, .form: return pages(reading)
        case .approval: return decision(terms, last, reading.exchanges)
        case .poll: return polls(terms)
        case .user:
            return
                "let the server say whose token it is: user-from under target.device-grant is id-token (with openid in "
                + "'scope'), access-token (a JWT) or userinfo, and 'claim' is the claim that names the user; where "
                + "metadata do not name the userinfo endpoint, write its path as target.device-grant.userinfo"
        case .logout:
            if last?.exchange.reason == "invalid_client" {
                let other =
                    terms.secret == nil
                    ? "a 'secret' for target.device-grant.client"
                    : "another 'authentication' under target.device-grant"
                return
                    "the server does not accept the client at its revocation endpoint as it introduces itself: write "
                    + "\(other) (RFC 6749, 2.3.1), or leave {logout: ...} out of after-sign-in"
            }
            return
                "correct target.device-grant.revocation, or leave {logout: ...} out of after-sign-in: RFC 7009, 2.2 has "
                + "200 as the answer"
        default: return nil
        }
    }

    private static func parts(_ step: Checklist.Step) -> [SignInStep] {
        TrialReading.parts(of: step) + (step == .code ? [.configuration] : [])
    }

    private static func asking(_ terms: DeviceGrantTerms, _ last: RecordedExchange?) -> String? {
        let words = last?.exchange.reason ?? ""
        switch words {
        case "invalid_client", "unauthorized_client":
            return
                "the server does not let client '\(terms.client)' use the device grant: write the client_id of an app "
                + "that is registered for it as target.device-grant.client"
                + (terms.secret == nil
                    ? ", with its 'secret' if it has one"
                    : "; or correct its 'secret', or the 'authentication' by which it is sent")
        case "invalid_scope":
            return
                "the server does not give scope '\(terms.scope)' to this client: correct target.device-grant.scope"
        case "invalid_request":
            return
                "the server misses something in the request: it may not know client '\(terms.client)', or require a "
                + "scope; correct client and scope under target.device-grant"
        default: break
        }
        guard let last, let status = last.exchange.delivery.status, (400..<500).contains(status)
        else {
            return nil
        }
        return
            "the server has nothing at \(last.call.address.path): write the paths of its endpoints as device-authorization "
            + "and token under target.device-grant, or correct target.base, which is the issuer"
    }

    private static func pages(_ reading: TrialReading) -> String? {
        guard let ending = reading.ending, !ending.contains("turned down") else { return nil }
        if ending.contains("approve-button") {
            return
                "name the button or the choice that approves as approve-button under target.device-grant, and the one that "
                + "refuses as refuse-button, as NAME=VALUE"
        }
        return
            "the phone could not walk the pages (\(ending)): name the fields of the login under 'login:'; or, where the "
            + "pages are a program over JSON calls, write those calls as target.device-grant.phone, as the rig of "
            + "'screenrig init --protocol oauth-device-grant' shows"
    }

    /// Whether the page of a decision, after redirects, has none of the words that confirm it.
    static func isUnconfirmed(
        _ decision: RecordedExchange, in exchanges: [RecordedExchange]
    ) -> Bool {
        end(of: decision, in: exchanges).exchange.observation.result == .denied
    }

    private static func end(
        of decision: RecordedExchange, in exchanges: [RecordedExchange]
    ) -> RecordedExchange {
        exchanges.last {
            $0.call.decided == decision.call.operation
                && $0.exchange.sequence > decision.exchange.sequence
        } ?? decision
    }

    private static func decision(
        _ terms: DeviceGrantTerms, _ last: RecordedExchange?, _ exchanges: [RecordedExchange]
    ) -> String? {
        guard let last else {
            return
                "the page that asks the person was not found or not understood: name its buttons as approve-button "
                + "and refuse-button under target.device-grant, as NAME=VALUE"
        }
        guard isUnconfirmed(last, in: exchanges) else { return nil }
        let key = last.exchange.operation == .refusal ? "refused-when" : "approved-when"
        let words = last.exchange.operation == .refusal ? terms.refusedWhen : terms.approvedWhen
        let page = end(of: last, in: exchanges).call.address.path
        return
            "the response to the \(last.exchange.operation.name) (\(page)) has none of "
            + "\(words.map { "'\($0)'" }.joined(separator: ", ")): if it went well, write words of that page, or of the "
            + "address that it leads to, as target.device-grant.\(key)"
    }

    private static func polls(_ terms: DeviceGrantTerms) -> String? {
        guard terms.approvedWhen.isEmpty else { return nil }
        return
            "nothing tells whether the approval was accepted: write words of the page after it as "
            + "target.device-grant.approved-when"
    }
}
