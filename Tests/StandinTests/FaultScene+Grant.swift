import Dialects
import Standin
import Testing

extension FaultScene {
    private static let uncounted: ServiceSettings = {
        var settings = ServiceSettings.unthrottled
        settings.grants.interval = .zero
        return settings
    }()

    private static let twoApps: ServiceSettings = {
        var settings = uncounted
        settings.grants.otherClient = "tv-2"
        return settings
    }()

    /// Those that only the OAuth device grant can have, one for each.
    static let ofGrants: [FaultScene] = [
        FaultScene("refusal-lost", uncounted) { caller in
            let codes = caller.codes()
            let isConfirmed = caller.decide(codes, "refuse")
            caller.advance(.milliseconds(10))
            return isConfirmed && caller.polled(codes) == "400 authorization_pending"
        },
        FaultScene("decision-overwritten", uncounted) { caller in
            let codes = caller.codes()
            caller.logInPage("viewer-1")
            let page = caller.typed(codes.user)
            let cookies = caller.cookies
            guard caller.decide(codes, "refuse", as: "viewer-2") else { return false }
            caller.cookies = cookies
            caller.advance(.milliseconds(10))
            guard caller.decided(page, "approve").status == 200 else { return false }
            caller.advance(.milliseconds(10))
            return caller.polled(codes) == "token"
        },
        FaultScene("device-code-reuse", uncounted) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            let first = caller.token(codes).member("access_token")
            let second = caller.token(codes).member("access_token")
            return first != nil && second != nil && first != second
        },
        FaultScene("login-mix-up", uncounted) { caller in
            let codes = caller.codes(1)
            caller.logInPage("viewer-1", 1)
            let page = caller.typed(codes.user)
            let cookies = caller.cookies
            caller.logInPage("viewer-2", 2)
            caller.cookies = cookies
            let isConfirmed = caller.decided(page, "approve", 1).status == 200
            let access = caller.token(codes).member("access_token") ?? ""
            return isConfirmed && caller.user(of: access, household: 1) == "viewer-2"
        },
        FaultScene("code-burnt", uncounted) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            let first = caller.polled(codes)
            return first == "400 authorization_pending"
                && caller.polled(codes) == "400 invalid_grant"
        },
        FaultScene("denied-by-poll", uncounted) { caller in
            let codes = caller.codes()
            let first = caller.polled(codes)
            return first == "400 authorization_pending"
                && caller.polled(codes) == "400 access_denied"
        },
        FaultScene("approval-gap", uncounted) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            caller.advance(.milliseconds(10))
            let first = caller.polled(codes)
            caller.advance(.milliseconds(30))
            return first == "400 invalid_grant" && caller.polled(codes) == "token"
        },
        FaultScene("client-blind", twoApps) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            return caller.token(codes, client: "tv-2").status == 200
        },
        FaultScene("early-expiry", uncounted) { caller in
            let codes = caller.codes()
            caller.advance(.seconds(1799))
            return caller.polled(codes) == "400 expired_token"
        },
    ]

    /// Those of the catalogue that mean something in the device grant as well, seen there.
    static let spokenByGrants: [FaultScene] = [
        FaultScene("premature-token", uncounted) { caller in
            caller.polled(caller.codes()) == "token"
        },
        FaultScene("lost-authentication", uncounted) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            caller.advance(.seconds(60))
            return caller.polled(codes) == "400 authorization_pending"
        },
        FaultScene("duplicate-live-code:space=1", uncounted) { caller in
            let (one, two) = (caller.codes(1), caller.codes(2))
            caller.advance(.milliseconds(10))
            _ = caller.codes(2)
            return one.user == two.user && one.device != two.device
        },
        FaultScene("logout-resurrection", uncounted) { caller in
            let codes = caller.codes()
            caller.decide(codes)
            let refresh = caller.token(codes).member("refresh_token") ?? ""
            _ = caller.revoked(refresh)
            let isOver = caller.renewed(refresh).status == 400
            caller.advance(.milliseconds(40))
            return isOver && caller.renewed(refresh).status == 200
        },
        FaultScene("device-blind-cache", uncounted) { caller in
            let (one, two) = (caller.codes(1), caller.codes(2))
            caller.decide(one, as: "viewer-1", 1)
            let mine = caller.token(one).member("access_token")
            return mine != nil && caller.token(two).member("access_token") == mine
        },
    ]
}
