import Dialects
import Standin
import Testing

extension FaultScene {
    private static let soon: Duration = .milliseconds(10)
    private static let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
    private static let other: Headers = ["AD-Service-Token": Caller.serviceToken("u-2")]

    /// Those that only REST V2 can have, one for each.
    static let ofV2: [FaultScene] = [
        FaultScene("wrong-provider-profile") { caller in
            caller.registerV2()
            let code = caller.signIn()
            return caller.pollCode(code).profileShown == "DemoSat regular"
        },
        FaultScene("stale-decision") { caller in
            caller.registerV2()
            caller.signIn()
            _ = caller.logOut()
            let isGone = caller.profile().isEmptyMap
            return isGone && caller.decide().text.contains(#""authorized":true"#)
        },
        FaultScene("foreign-service-token") { caller in
            caller.registerV2()
            caller.signIn("DemoCable", mine)
            return caller.profiles(device: "tv-2", other).text.contains("viewer-1")
        },
        FaultScene("platform-identity-leak") { caller in
            caller.registerV2()
            caller.signIn("DemoCable", ["X-Roku-Reserved-Roku-Connect-Token": "roku-1"])
            return caller.profile(device: "tv-2").text.contains("viewer-1")
        },
        FaultScene("session-hijack") { caller in
            caller.registerV2()
            _ = caller.session("", device: "tv-2")
            let code = caller.session("").member("code") ?? ""
            let whole = caller.phone(
                .post, "sessions/\(code)", body: "mvpd=DemoCable" + Caller.complete)
            caller.logIn(by: whole)
            return caller.profiles().isEmptyMap
                && caller.profile(device: "tv-2").text.contains("viewer-1")
        },
        FaultScene("degradation-outlives-rule:window=20s") { caller in
            caller.registerV2()
            caller.degrade("AuthNAll", seconds: 10)
            caller.advance(.seconds(15))
            let late = caller.profile().profileShown
            caller.advance(.seconds(20))
            return late == "DemoCable degraded" && caller.profile().isEmptyMap
        },
        FaultScene("logout-all-providers") { caller in
            caller.registerV2()
            caller.signIn("DemoCable")
            caller.signIn("DemoSat")
            _ = caller.logOut("DemoSat")
            return caller.profile("DemoCable").isEmptyMap
        },
        FaultScene("superseded-code-lives") { caller in
            caller.registerV2()
            let former = caller.session()
            _ = caller.session()
            caller.logIn(by: former)
            return caller.pollCode(former.member("code") ?? "").profileShown != nil
        },
        FaultScene("profile-prolonged") { caller in
            caller.registerV2()
            caller.signIn()
            let end = caller.profile().member("notAfter")
            return end != nil && caller.profile().member("notAfter") != end
        },
        FaultScene("temppass-refill") { caller in
            caller.registerV2()
            _ = caller.decide("authorize", "TempPass")
            caller.advance(.seconds(1))
            _ = caller.profile("TempPass")
            caller.advance(.seconds(700))
            return caller.profile("TempPass").status == 200
        },
        FaultScene("premature-authorize") { caller in
            caller.registerV2()
            let told = caller.session().member("actionName")
            return told == "authorize"
                && caller.decide().refusal == "403 authenticated_profile_missing"
        },
        FaultScene("media-token-repeat") { caller in
            caller.registerV2()
            caller.signIn()
            let first = caller.decide().member("serializedToken")
            return first != nil && caller.decide().member("serializedToken") == first
        },
        FaultScene("preauthorize-token") { caller in
            caller.registerV2()
            caller.signIn()
            return caller.decide("preauthorize").member("serializedToken") != nil
        },
        FaultScene("partial-single-logout") { caller in
            caller.registerV2()
            caller.signIn("DemoCable", mine)
            _ = caller.profiles(device: "tv-2", mine)
            _ = caller.logOut(device: "tv-2", mine)
            caller.advance(soon)
            return caller.profiles(device: "tv-2", mine).profileShown != nil
        },
        FaultScene("views-differ") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let one = caller.pollCode(code).after(#""userID":{"value":""#, upTo: "\"")
            let two = caller.profile().after(#""userID":{"value":""#, upTo: "\"")
            return one == "viewer-1" && two != nil && two != one
        },
    ]

    /// Those of V1's catalogue that mean something in V2 as well, seen there.
    static let spokenByV2: [FaultScene] = [
        FaultScene("premature-token") { caller in
            caller.registerV2()
            let code = caller.session().member("code") ?? ""
            return caller.pollCode(code).profileShown == "DemoCable regular"
        },
        FaultScene("token-flap") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let first = caller.pollCode(code).profileShown
            caller.advance(soon)
            let second = caller.pollCode(code)
            caller.advance(.milliseconds(30))
            return first != nil && second.isEmptyMap && caller.pollCode(code).profileShown == first
        },
        FaultScene("lost-authentication") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let told = caller.phone(.get, "profiles/code/\(code)").profileShown
            caller.advance(.seconds(60))
            return told != nil && caller.pollCode(code).isEmptyMap && caller.profiles().isEmptyMap
        },
        FaultScene("ack-before-apply:window=1s") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let told = caller.phone(.get, "profiles/code/\(code)").profileShown
            caller.advance(soon)
            let first = caller.pollCode(code)
            caller.advance(.seconds(1))
            return told != nil && first.isEmptyMap && caller.pollCode(code).profileShown != nil
        },
        FaultScene("stale-replica:lag=1s,read-share=100%") { caller in
            caller.registerV2()
            let code = caller.signIn()
            guard caller.phone(.get, "profiles/code/\(code)").profileShown != nil else {
                return false
            }
            caller.advance(soon)
            return caller.pollCode(code).isEmptyMap
        },
        FaultScene("device-blind-cache") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let other = caller.session(device: "tv-2").member("code") ?? ""
            let own = caller.pollCode(code)
            caller.advance(soon)
            return caller.pollCode(other, device: "tv-2").body == own.body
        },
        FaultScene("sticky-only:nodes=4") { caller in
            caller.registerV2()
            let code = caller.signIn()
            _ = caller.phone(.get, "profiles/code/\(code)")
            caller.advance(soon)
            var shown: Set<Bool> = []
            for _ in 0..<16 {
                caller.cookies = [:]
                shown.insert(caller.pollCode(code).isEmptyMap)
            }
            return shown.contains(true)
        },
        FaultScene("poll-erases-approval:window=1s") { caller in
            caller.registerV2()
            let session = caller.session()
            let code = session.member("code") ?? ""
            _ = caller.pollCode(code)
            caller.logIn(by: session)
            let told = caller.phone(.get, "profiles/code/\(code)").profileShown
            caller.advance(.seconds(2))
            return told != nil && caller.pollCode(code).isEmptyMap
        },
        FaultScene("poll-double-mint") { caller in
            caller.registerV2()
            let code = caller.signIn()
            let first = caller.pollCode(code).member("notAfter")
            caller.advance(soon)
            return first != nil && caller.pollCode(code).member("notAfter") != first
        },
        FaultScene("error-but-applied") { caller in
            caller.registerV2()
            let session = caller.session()
            let answer = caller.logIn(by: session)
            return answer.status == 400
                && caller.pollCode(session.member("code") ?? "").profileShown != nil
        },
        FaultScene("retry-applies-twice") { caller in
            caller.registerV2()
            let session = caller.session()
            let code = session.member("code") ?? ""
            let answer = caller.logIn(by: session)
            let first = caller.pollCode(code).member("notAfter")
            caller.advance(.seconds(1))
            let second = caller.pollCode(code).member("notAfter")
            return answer.status == 503 && first != nil && second != first
        },
        FaultScene("mvpd-torn") { caller in
            caller.registerV2()
            let session = caller.session()
            let other = caller.session("mvpd=DemoSat" + Caller.complete, device: "tv-2")
            let page = caller.openLogin(caller.get(session.member("url") ?? ""))
            let handOver = caller.submit(page, user: "viewer-1", password: "right")
            _ = caller.get(other.member("url") ?? "")
            caller.finish(handOver)
            return caller.pollCode(session.member("code") ?? "").profileShown == "DemoSat regular"
        },
        FaultScene("duplicate-live-code:space=1") { caller in
            caller.registerV2()
            let one = caller.session().member("code")
            let isTwin = one != nil && caller.session(device: "tv-2").member("code") == one
            caller.advance(soon)
            _ = caller.profiles(device: "tv-2")
            return isTwin
        },
        FaultScene("expiry-skew:skew=-20s,endpoint=registration-record") { caller in
            caller.registerV2()
            let session = caller.session()
            caller.advance(.seconds(1790))
            let record = caller.phone(.get, "sessions/\(session.member("code") ?? "")")
            return record.status == 400 && caller.logIn(by: session).isSuccess
        },
        FaultScene("authenticate-after-expiry:grace=60s") { caller in
            caller.registerV2()
            let session = caller.session()
            caller.advance(.seconds(1810))
            caller.logIn(by: session)
            return caller.phone(.get, "profiles/code/\(session.member("code") ?? "")")
                .profileShown != nil
        },
        FaultScene("node-clock-skew:skew=2s") { caller in
            caller.registerV2()
            let dates = (0..<16).compactMap {
                caller.session(device: "tv-\($0)").member("notBefore")
            }
            return Set(dates).count == 2
        },
        FaultScene("logout-resurrection") { caller in
            caller.registerV2()
            caller.signIn()
            _ = caller.logOut()
            let atOnce = caller.profile().isEmptyMap
            caller.advance(.milliseconds(30))
            return atOnce && caller.profile().profileShown != nil
        },
        FaultScene("media-token-reuse") { caller in
            caller.registerV2()
            caller.signIn(device: "tv-1")
            caller.signIn(device: "tv-2")
            let one = caller.decide(device: "tv-1").member("serializedToken")
            return one != nil && caller.decide(device: "tv-2").member("serializedToken") == one
        },
        FaultScene("lost-session:after=1s") { caller in
            caller.registerV2()
            let code = caller.signIn()
            _ = caller.pollCode(code)
            caller.advance(.seconds(2))
            return caller.pollCode(code).profileShown != nil
                && caller.decide().refusal == "403 authenticated_profile_missing"
        },
        FaultScene("resource-swap") { caller in
            caller.registerV2()
            caller.signIn()
            return caller.decide().member("resource") == "c1-other"
        },
        FaultScene("throttle-wedge", ServiceSettings()) { caller in
            caller.registerV2()
            caller.advance(.seconds(60))
            for _ in 0..<20 { _ = caller.profiles() }
            caller.advance(.seconds(60))
            let isWedged = caller.profiles().status == 429
            caller.advance(.seconds(2))
            return caller.profiles().status == 429 && isWedged
        },
        FaultScene("herd-collapse:rate=20/s") { caller in
            caller.registerV2()
            let code = caller.signIn()
            return (0..<40).map { _ in caller.pollCode(code).status }.contains(503)
        },
    ]
}
