import Dialects
import Testing
import Vocabulary

@testable import Checker

/// What a device grant promises beside the sign-in (RFC 8628), each with a history that keeps it and one that
/// breaks it.
@Suite struct GrantTests {
    private static let ann = Dialects.Tag(mvpd: "", user: "ann")

    /// A code that lives for `life` seconds, made 10 ms after the start.
    private func story(life: Int64 = 60) -> Story {
        var story = Story()
        story.rules.isDeviceGrant = true
        story.rules.policies.newCode = .keep
        story.rules.policies.throttle = nil
        story.rules.promises = Promises(.documented)
        story.tell(
            .tv, .deviceAuthorization, at: 10, code: "AAAAAA1", expires: life * 1000, generated: 0)
        return story
    }

    @Test("a sign-in as it should be breaks nothing, and is checked")
    func clean() {
        var story = story()
        story.poll(at: 1_000)
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(.tv, .userinfo, at: 2_010, code: nil, tag: Self.ann)
        story.tell(.tv, .revocation, at: 3_000, code: nil)
        story.tell(.tv, .userinfo, at: 3_100, .unauthenticated, code: nil, status: 401)
        let findings = story.findings
        #expect(findings.violations.isEmpty, "\(findings.violations.map(\.sentence))")
        for invariant in [
            Invariant.noTokenBeforeSignIn, .linearizable, .decisionFinal,
        ] {
            #expect(findings[invariant].checked > 0, "\(invariant)")
        }
        // Nobody has used the code again.
        #expect(findings[.deviceCodeOnce].checked == 0)
    }

    @Test(
        "whose token a TV got is tested where something names the user, and else not, with the reason"
    )
    func nameless() {
        var story = story()
        story.poll(at: 1_000)
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        #expect(story.findings[.noTokenBeforeSignIn].checked > 0)
        #expect(
            story.findings.result(of: .tokenIsolation)
                == .notExercised("no response named the user of a token"))
        story.tell(.tv, .userinfo, at: 2_010, code: nil, tag: Self.ann)
        #expect(story.findings.result(of: .tokenIsolation) == .kept)
    }

    @Test("a poll that another overtakes finds the code used, whatever the server calls that")
    func overtaken() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.tell(
            .tv, .deviceToken, at: 2_000, took: 13, .expired, status: 400, reason: "expired_token")
        story.tell(.tv, .deviceToken, at: 2_004, took: 1, secret: 1, status: 200)
        #expect(story.sentences == [])
        // Without another poll that used it, it ended too early.
        var lost = self.story()
        lost.decide(.approval, at: 1_500)
        lost.tell(
            .tv, .deviceToken, at: 2_000, took: 13, .expired, status: 400, reason: "expired_token")
        #expect(lost.broken.contains(.expiryRespected))
    }

    @Test("an access token that has run out is no sign-in that is gone (RFC 6749, 5.1)")
    func accessTokenEnds() {
        func shown(_ outcome: (inout Story) -> Void) -> [Invariant] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.tell(
                .tv, .deviceToken, at: 2_000, expires: 3_000, generated: 0, secret: 1, status: 200)
            story.tell(.tv, .userinfo, at: 2_010, code: nil, tag: Self.ann)
            outcome(&story)
            return story.broken
        }
        func isGone(_ story: inout Story, at: Double) {
            story.tell(.tv, .userinfo, at: at, .unauthenticated, code: nil, status: 401)
        }
        #expect(shown { isGone(&$0, at: 5_100) } == [])
        #expect(shown { isGone(&$0, at: 4_500) }.contains(.tokenMonotonic), "it was still good")
        #expect(
            shown {
                $0.tell(
                    .tv, .refreshToken, at: 4_000, code: nil, expires: 60_000, generated: 0,
                    status: 200)
                isGone(&$0, at: 5_100)
            }.contains(.tokenMonotonic), "the renewed one was good")
    }

    @Test("a refusal that reaches the device breaks nothing")
    func refused() {
        var story = story()
        story.decide(.refusal, at: 1_500)
        story.poll(at: 2_000, .denied, reason: "access_denied")
        #expect(story.sentences == [])
    }

    /// Decides at 1.5 s, is led on at 3 s, and ends at `end` on a page that tells `told`.
    private func ledOn(
        _ decision: OperationName, told: Observation.Result, end: Double = 5_000, lost: Bool = false
    ) -> Story {
        var story = story()
        story.tell(
            .phone, decision, at: 1_500, .none, tag: decision == .approval ? Self.ann : nil,
            status: 302)
        story.tell(.phone, .verificationPage, at: 3_000, .none, status: 302)
        story.tell(.phone, .verificationPage, at: end, told, status: 200, lost: lost)
        return story
    }

    @Test(
        "a decision that a page after redirects confirms lies between its request and that page",
        arguments: [OperationName.approval, .refusal])
    func confirmedAfterRedirects(decision: OperationName) {
        let isApproval = decision == .approval
        var pending = ledOn(decision, told: .success)
        pending.poll(at: 4_000)
        #expect(pending.sentences == [])
        pending.poll(at: 6_000)
        #expect(pending.broken.contains(isApproval ? .signInVisible : .refusalDelivered))

        var delivered = ledOn(decision, told: .success)
        if isApproval {
            delivered.poll(at: 2_000, token: 1)
        } else {
            delivered.poll(at: 2_000, .denied, reason: "access_denied")
        }
        #expect(delivered.sentences == [])

        var contradicted = ledOn(decision, told: .success)
        if isApproval {
            contradicted.poll(at: 6_000, .denied, reason: "access_denied")
        } else {
            contradicted.poll(at: 6_000, token: 1)
        }
        #expect(contradicted.broken.contains(.decisionFinal))

        var early = ledOn(decision, told: .success)
        if isApproval { early.poll(at: 1_000, token: 1) }
        #expect(early.broken.contains(.noTokenBeforeSignIn) == isApproval)
    }

    @Test(
        "a decision that no page after redirects confirms promises nothing",
        arguments: [OperationName.approval, .refusal], [Observation.Result.denied, .none])
    func notConfirmedAfterRedirects(decision: OperationName, told: Observation.Result) {
        for lost in [false, told == .none] {
            var pending = ledOn(decision, told: told, lost: lost)
            pending.poll(at: 6_000)
            #expect(pending.sentences == [])
            pending.poll(at: 8_000, token: 1)
            #expect(!pending.broken.contains(.decisionFinal))
        }
    }

    @Test("a second decision on the same phone is one of its own")
    func twoDecisionsAfterRedirects() {
        var story = ledOn(.approval, told: .none, end: 3_500)
        story.tell(.phone, .refusal, at: 4_000, .none, status: 302)
        story.tell(.phone, .verificationPage, at: 4_100, .success, status: 200)
        story.poll(at: 6_000, .denied, reason: "access_denied")
        #expect(story.sentences == [])
    }

    @Test("decision-final: a token after a confirmed refusal")
    func tokenAfterRefusal() throws {
        var story = story()
        story.decide(.refusal, at: 1_500)
        story.poll(at: 2_000, token: 1)
        #expect(story.broken.contains(.decisionFinal))
        #expect(try #require(story.findings.violations.first).standing == .fails)
    }

    @Test("decision-final: refused after an approval that was confirmed first")
    func refusalAfterApproval() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.decide(.refusal, at: 1_600, by: .otherPhone)
        story.poll(at: 2_000, .denied, reason: "access_denied")
        #expect(story.broken.contains(.decisionFinal))
    }

    @Test("decisions that overlap may go either way")
    func overlapping() {
        for reason in ["access_denied", nil] {
            var story = story()
            story.decide(.approval, at: 1_500, took: 50)
            story.decide(.refusal, at: 1_520, took: 50, by: .otherPhone)
            if let reason {
                story.poll(at: 2_000, .denied, reason: reason)
            } else {
                story.poll(at: 2_000, token: 1)
            }
            #expect(!story.broken.contains(.decisionFinal))
        }
    }

    @Test("refusal-delivered: pending after a confirmed refusal")
    func lateRefusal() {
        var story = story()
        story.decide(.refusal, at: 1_500)
        story.poll(at: 2_000)
        #expect(story.broken == [.refusalDelivered])
    }

    @Test(
        "code-kept: a poll that came too early has used no code, and one without an answer may have"
    )
    func lostAfterSlowDown() {
        for (reason, isFound) in [("slow_down", true), (nil, false)] {
            var story = story()
            story.tell(
                .tv, .deviceToken, at: 1_000, .none, status: reason == nil ? 500 : 400,
                reason: reason)
            story.poll(at: 2_000, .denied, reason: "invalid_grant")
            #expect(story.broken == (isFound ? [.codeKept] : []))
        }
    }

    @Test("what can be broken only by a second use is checked by a second use that was answered")
    func checkedBySecondUse() {
        func checked(_ more: (inout Story) -> Void = { _ in }) -> [Int] {
            var story = story()
            story.decide(.approval, at: 1_500, took: 50)
            story.poll(at: 2_000, token: 1)
            story.tell(.tv, .refreshToken, at: 3_000, code: nil, record: "r1", secret: 2)
            more(&story)
            return [Invariant.deviceCodeOnce, .refreshTokenOnce, .oneDecision].map {
                story.findings[$0].checked
            }
        }
        #expect(checked() == [0, 0, 0])
        #expect(checked { $0.poll(at: 2_500, .denied, reason: "invalid_grant") } == [1, 0, 0])
        #expect(checked { $0.poll(at: 2_500, token: 3) } == [1, 0, 0])
        #expect(checked { $0.poll(at: 2_500) } == [1, 0, 0], "pending, without another token")
        // Neither an answer that was lost nor a 429 uses anything, and neither is a rival.
        func tell(_ story: inout Story, _ operation: OperationName, at: Double, lost: Bool) {
            let code: String? = operation == .refreshToken ? nil : "AAAAAA1"
            let record = operation == .refreshToken ? "r1" : nil
            story.tell(
                .tv, operation, at: at, lost ? .success : .none, code: code, record: record,
                status: lost ? nil : 429, lost: lost)
        }
        for lost in [true, false] {
            #expect(checked { tell(&$0, .deviceToken, at: 1_900, lost: lost) } == [0, 0, 0])
            #expect(checked { tell(&$0, .refreshToken, at: 2_900, lost: lost) } == [0, 0, 0])
        }
        #expect(checked { tell(&$0, .deviceToken, at: 2_500, lost: false) } == [0, 0, 0])
        #expect(
            checked {
                $0.tell(.otherPhone, .refusal, at: 1_520, .none, status: 429)
            } == [0, 0, 0])
        #expect(
            checked {
                $0.tell(
                    .tv, .refreshToken, at: 4_000, .denied, code: nil, record: "r1", status: 400,
                    reason: "invalid_grant")
            } == [0, 1, 0])
        // Each of the two answers could have broken it.
        #expect(checked { $0.decide(.refusal, at: 1_520, by: .otherPhone) } == [0, 0, 2])
        #expect(checked { $0.decide(.refusal, at: 1_700, by: .otherPhone) } == [0, 0, 0])
    }

    @Test("a poll by a used code is no test of a logout")
    func lookAfterLogout() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(.tv, .userinfo, at: 2_010, code: nil, tag: Self.ann)
        story.tell(.tv, .revocation, at: 3_000, code: nil)
        story.poll(at: 3_500, .denied, reason: "invalid_grant")
        #expect(story.findings[.logoutFinal].checked == 0)
        story.tell(.tv, .userinfo, at: 4_000, .unauthenticated, code: nil, status: 401)
        #expect(story.findings[.logoutFinal].checked == 1)
    }

    @Test("code-kept: refused, or not valid, without a cause")
    func lost() {
        for reason in ["access_denied", "invalid_grant"] {
            var story = story()
            story.poll(at: 2_000, .denied, reason: reason)
            #expect(story.broken == [.codeKept], "\(reason)")
            // After its end nobody wonders.
            var later = self.story()
            later.poll(at: 70_000, .denied, reason: reason)
            #expect(later.broken == [], "\(reason)")
        }
    }

    /// A TV that holds a token by one code, and has asked for another.
    private func secondCode() -> Story {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(
            .tv, .deviceAuthorization, at: 2_500, code: "BBBBBB2", expires: 62_500, generated: 2_500
        )
        story.tell(.tv, .refreshToken, at: 2_600, code: nil, tag: Self.ann, secret: 2)
        return story
    }

    private func pending(_ story: inout Story, at time: Double) {
        story.tell(
            .tv, .deviceToken, at: time, .absent, code: "BBBBBB2", status: 400,
            reason: "authorization_pending")
    }

    @Test("a code that nobody has approved is pending, whatever token the TV holds by another")
    func otherCode() {
        var story = secondCode()
        pending(&story, at: 3_000)
        story.tell(.tv, .userinfo, at: 3_100, code: nil, tag: Self.ann)
        #expect(story.broken == [])
    }

    @Test("a second code that is pending after its own approval is told")
    func otherCodeApproved() {
        var story = secondCode()
        story.decide(.approval, at: 3_500, code: "BBBBBB2")
        pending(&story, at: 9_500)
        #expect(story.broken == [.signInVisible])
    }

    @Test(
        "a used code may be called refused or expired: the wrong word for it is no other decision, and no early end",
        arguments: [
            (Observation.Result.denied, "access_denied"), (.denied, "invalid_grant"),
            (.expired, "expired_token"),
        ])
    func used(result: Observation.Result, word: String) {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.poll(at: 3_000, result, reason: word)
        #expect(story.broken == [])
        // That the code has served is no look at its token.
        #expect(story.findings[.tokenMonotonic].exposure?.events ?? 0 == 0)
    }

    @Test("pending polls of a new code contradict no token of the code before")
    func tokenThatDied() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(.tv, .userinfo, at: 2_010, code: nil, tag: Self.ann)
        story.tell(.tv, .userinfo, at: 3_000, .unauthenticated, code: nil, status: 401)
        func count() -> [Int] {
            story.findings.violations.filter { $0.invariant == .tokenMonotonic }.map(\.times)
        }
        #expect(count() == [1])
        story.tell(
            .tv, .deviceAuthorization, at: 3_100, code: "BBBBBB2", expires: 60_000, generated: 0)
        pending(&story, at: 4_000)
        pending(&story, at: 5_000)
        #expect(count() == [1])
    }

    @Test("before it has served, a code that is called refused is one")
    func refusedAndUnused() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.poll(at: 3_000, .denied, reason: "access_denied")
        #expect(story.findings[.refusalDelivered].checked == 0)
        var unused = self.story()
        unused.decide(.approval, at: 1_500)
        unused.poll(at: 3_000, .denied, reason: "access_denied")
        #expect(unused.broken.contains(.decisionFinal))
    }

    @Test("a poll whose answer was lost may have used the code")
    func lostPoll() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.tell(.tv, .deviceToken, at: 2_000, code: "AAAAAA1", lost: true)
        story.poll(at: 3_000, .denied, reason: "invalid_grant")
        #expect(story.broken == [])
    }

    @Test("expiry-respected: expired_token before the end, and a token after it")
    func expiry() {
        var early = story()
        early.poll(at: 2_000, .expired, reason: "expired_token")
        #expect(early.broken == [.expiryRespected])
        var onTime = story()
        onTime.decide(.approval, at: 59_000)
        onTime.poll(at: 61_000, .expired, reason: "expired_token")
        #expect(onTime.broken == [])
        var late = story()
        late.decide(.approval, at: 59_000)
        late.poll(at: 65_000, token: 1)
        #expect(late.broken.contains(.expiryRespected))
    }

    @Test("device-code-once: two tokens for one device code; the same token twice is one")
    func twice() {
        for (second, expected) in [(2, [Invariant.deviceCodeOnce]), (1, [])] {
            var story = story()
            story.rules.promises = Promises(.strict)
            story.decide(.approval, at: 1_500)
            story.poll(at: 2_000, token: 1)
            story.poll(at: 3_000, token: UInt64(second))
            #expect(story.broken == expected)
            // One check an answer, also where it is found broken; the first token could break nothing.
            #expect(story.findings[.deviceCodeOnce].checked == 1)
        }
    }

    @Test("one-decision: both confirmed at the same time; one after the other is no breach of it")
    func bothConfirmed() {
        for (second, expected) in [(1_502.0, [Invariant.oneDecision]), (2_500, [])] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.decide(.refusal, at: second, by: .phone)
            #expect(story.broken == expected)
        }
    }

    @Test(
        "a device code that serves again after the logout is told before the sign-in that comes of it"
    )
    func replayedAfterLogout() {
        var story = story()
        story.rules.promises = Promises(.strict)
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(.tv, .revocation, at: 3_000, code: nil)
        story.poll(at: 4_000, token: 2)
        let told = story.findings.violations.map(\.invariant).filter {
            $0 == .deviceCodeOnce || $0 == .logoutFinal
        }
        #expect(told == [.deviceCodeOnce, .logoutFinal])
    }

    @Test(
        "one-owner: two persons' approvals of one code both confirmed; one's own, twice, is no breach"
    )
    func twoOwners() throws {
        for (user, expected) in [("ben", [Invariant.oneOwner]), ("ann", [])] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.decide(
                .approval, at: 1_502, by: .otherPhone, as: Dialects.Tag(mvpd: "", user: user))
            #expect(story.broken.filter { $0 != .linearizable } == expected, "\(user)")
        }
    }

    @Test(
        "expiry-respected: a decision that is confirmed after the end of its code",
        arguments: [OperationName.approval, .refusal])
    func decidedTooLate(decision: OperationName) {
        for (at, expected) in [(59_000.0, [Invariant]()), (61_500, [.expiryRespected])] {
            var story = story()
            story.decide(decision, at: at)
            #expect(story.broken.filter { $0 != .linearizable } == expected)
        }
    }

    @Test("client-bound: another app is turned down, which is no loss to the TV")
    func otherClientRefused() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.tell(
            .tv, .otherClientToken, at: 1_600, .denied, status: 400, reason: "invalid_grant")
        story.poll(at: 2_000, token: 1)
        #expect(story.broken == [])
        #expect(story.findings[.clientBound].checked == 1)
    }

    @Test("client-bound: another app gets the token, and fails the run")
    func otherClientServed() throws {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.tell(.tv, .otherClientToken, at: 1_600, secret: 5)
        story.poll(at: 2_000, .denied, reason: "invalid_grant")
        #expect(story.broken == [.clientBound])
        let found = try #require(story.findings.violations.first)
        #expect(found.standing == .fails && found.sentence.contains("another client"))
    }

    @Test("client-bound: another app renews the TV's tokens")
    func otherClientRenews() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(.tv, .otherClientRefresh, at: 2_500, code: nil, secret: 5)
        #expect(story.broken == [.clientBound])
    }

    @Test(
        "client-bound: another app's revocation ends the TV's token, unless the TV itself may have")
    func otherClientRevokes() {
        for (polls, gives, expected) in [
            (false, false, [Invariant.clientBound]), (true, false, []), (false, true, []),
        ] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.poll(at: 2_000, token: 1)
            story.tell(.tv, .otherClientRevocation, at: 2_500, code: nil, record: "r1")
            if polls { story.poll(at: 2_600, .denied, reason: "invalid_grant") }
            if gives { story.tell(.tv, .revocation, at: 2_700, code: nil, record: "r1") }
            story.tell(
                .tv, .refreshToken, at: 3_000, .denied, code: nil, record: "r1", status: 400,
                reason: "invalid_grant")
            #expect(story.broken == expected, "\(polls) \(gives)")
        }
    }

    @Test("a user without a provider is named without one")
    func named() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        story.tell(
            .tv, .userinfo, at: 2_010, code: nil, tag: Dialects.Tag(mvpd: "", user: "zoe"))
        #expect(story.sentences.contains { $0.contains("zoe") })
        #expect(!story.sentences.contains { $0.contains(" at ;") || $0.contains(" at  ") })
    }

    @Test(
        "no-token-before-sign-in: told although the TV has a new code when the old one is approved")
    func tokenBeforeApprovalOfAnOldCode() {
        var story = story()
        story.poll(at: 1_000, token: 1)
        story.tell(
            .tv, .deviceAuthorization, at: 1_200, code: "BBBBBB1", expires: 60_000, generated: 0)
        story.decide(.approval, at: 1_500)
        #expect(story.broken.contains(.noTokenBeforeSignIn))
    }

    @Test("a second code of a TV that holds a token is a grant of its own")
    func twoGrants() {
        func story(_ more: (inout Story) -> Void) -> Story {
            var story = self.story()
            story.decide(.approval, at: 500)
            story.poll(at: 1_000, token: 1)
            story.tell(
                .tv, .deviceAuthorization, at: 1_200, code: "BBBBBB1", expires: 60_000,
                generated: 0)
            more(&story)
            return story
        }
        // Pending is what nobody has approved, whatever the TV holds.
        let pending = story { story in
            story.tell(.tv, .refreshToken, at: 1_500, code: nil, record: "r1", secret: 2)
            story.tell(
                .tv, .deviceToken, at: 2_000, .absent, code: "BBBBBB1", status: 400,
                reason: "authorization_pending")
        }
        #expect(pending.broken == [])
        // The end of one is not the other's.
        let ended = story { story in
            story.decide(.approval, at: 1_500, code: "BBBBBB1")
            story.tell(.tv, .revocation, at: 1_600, code: nil)
            story.tell(.tv, .deviceToken, at: 2_000, .success, code: "BBBBBB1", secret: 7)
        }
        #expect(ended.broken == [])
        // What holds of a single grant is held against it all the same.
        let refused = story { story in
            story.decide(.refusal, at: 1_500, code: "BBBBBB1")
            story.tell(.tv, .deviceToken, at: 2_000, .success, code: "BBBBBB1", secret: 7)
        }
        #expect(refused.broken == [.decisionFinal])
    }

    @Test("refresh-token-once: two successors of one refresh token; one of each is as it should be")
    func successors() {
        for (shown, expected) in [("r1", [Invariant.refreshTokenOnce]), ("r2", [])] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.poll(at: 2_000, token: 1)
            story.tell(.tv, .refreshToken, at: 3_000, code: nil, record: "r1", secret: 2)
            story.tell(.tv, .refreshToken, at: 3_001, code: nil, record: shown, secret: 3)
            #expect(story.broken == expected)
        }
    }

    @Test(
        "a refresh token that is shown again after it was replaced may end the grant, whoever was sent first",
        arguments: [true, false], [false, true])
    func reuse(isReplaced: Bool, firstIsDenied: Bool) {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1)
        for (number, at) in [3_000.0, 3_002].enumerated() {
            let isDenied = (number == 0) == firstIsDenied
            story.tell(
                .tv, .refreshToken, at: at, took: 10, isDenied ? .denied : .success, code: nil,
                record: "r1", secret: isReplaced && !isDenied ? 2 : nil,
                status: isDenied ? 400 : 200, reason: isDenied ? "invalid_grant" : nil)
        }
        story.tell(.tv, .userinfo, at: 4_000, .unauthenticated, code: nil, status: 401)
        #expect(story.broken.contains(.tokenMonotonic) == !isReplaced)
        #expect(!isReplaced || story.broken.isEmpty)
    }

    @Test("token-isolation: somebody else's token")
    func foreign() {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000, token: 1, tag: Dialects.Tag(mvpd: "", user: "bob"))
        story.tell(
            .tv, .deviceAuthorization, at: 10, in: 8, code: "BBBBBB2", expires: 60_000, generated: 0
        )
        story.decide(
            .approval, at: 1_500, in: 8, code: "BBBBBB2", as: Dialects.Tag(mvpd: "", user: "bob"))
        #expect(story.broken.contains(.tokenIsolation))
    }

    @Test(
        "code-unique: letters that are of no more use may be given out again",
        arguments: [
            (nil, true), (OperationName.approval, false), (.refusal, false), (.deviceToken, false),
        ])
    func reissued(settled: OperationName?, isBreach: Bool) {
        var story = story()
        switch settled {
        case .approval: story.decide(.approval, at: 1_500)
        case .refusal: story.decide(.refusal, at: 1_500)
        case .deviceToken: story.poll(at: 1_500, token: 1)
        default: story.poll(at: 1_500)
        }
        story.tell(
            .tv, .deviceAuthorization, at: 3_000, in: 8, expires: 60_000, generated: 0)
        #expect(story.broken.contains(.codeUnique) == isBreach)
        #expect(story.findings[.codeUnique].checked == 2)
    }

    @Test(
        "after a renewal that is turned down a new code is pending, whatever the one before led to")
    func codeAfterRenewal() {
        for isDenied in [false, true] {
            var story = story()
            story.decide(.approval, at: 1_500)
            story.poll(at: 2_000, token: 1)
            if isDenied {
                story.tell(
                    .tv, .refreshToken, at: 3_000, .denied, code: nil, record: "r1", status: 400,
                    reason: "invalid_grant")
            }
            story.tell(
                .tv, .deviceAuthorization, at: 4_000, code: "BBBBBB2", expires: 60_000,
                generated: 0)
            story.tell(.tv, .deviceToken, at: 5_000, .absent, code: "BBBBBB2", status: 400)
            story.decide(.approval, at: 6_000, code: "BBBBBB2")
            story.tell(
                .tv, .deviceToken, at: 7_000, .success, code: "BBBBBB2", secret: 2)
            #expect(story.findings.violations.map(\.sentence) == [], "\(isDenied)")
        }
    }

    @Test("sign-in-visible: pending after a confirmed approval, which no standard forbids")
    func notVisible() throws {
        var story = story()
        story.decide(.approval, at: 1_500)
        story.poll(at: 2_000)
        story.poll(at: 3_000, token: 1)
        #expect(story.broken == [.signInVisible])
        #expect(try #require(story.findings.violations.first).standing == .observed)
    }

    @Test("other protocols have none of these promises")
    func others() {
        let verdicts = Story.clean().findings.verdicts.map(\.invariant)
        #expect(!verdicts.contains { $0.isOfDeviceGrant })
        #expect(story().findings.verdicts.contains { $0.invariant == .deviceCodeOnce })
        #expect(!story().findings.verdicts.contains { $0.invariant.isOfProfiles })
    }
}

extension Story {
    fileprivate var broken: [Invariant] { findings.violations.map(\.invariant) }

    fileprivate mutating func decide(
        _ operation: OperationName, at: Double, took: Double = 4, by who: Who = .phone,
        in household: Int = 7, code: String = "AAAAAA1",
        as user: Dialects.Tag = Dialects.Tag(mvpd: "", user: "ann")
    ) {
        tell(
            who, operation, at: at, took: took, in: household, code: code,
            tag: operation == .approval ? user : nil)
    }

    fileprivate mutating func poll(
        at: Double, _ result: Observation.Result = .absent, token: UInt64? = nil,
        tag: Dialects.Tag? = nil,
        reason: String? = nil
    ) {
        tell(
            .tv, .deviceToken, at: at, token == nil ? result : .success, tag: tag, secret: token,
            status: token == nil ? 400 : 200, reason: reason)
    }
}
