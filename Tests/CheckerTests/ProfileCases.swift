import Checker
import Dialects
import Vocabulary

/// Histories of REST V2: for each promise one that breaks it and one close to it that does not.
struct ProfileCase: Sendable, CustomStringConvertible {
    var description: String
    /// Nil: nothing is broken.
    var broken: Invariant?
    var story: Story

    init(_ description: String, _ broken: Invariant? = nil, _ tell: (inout Story) -> Void) {
        self.description = description
        self.broken = broken
        story = Story()
        tell(&story)
    }
}

extension ProfileCase {
    private static let alice = Story.alice
    private static let bob = Tag(mvpd: Story.satellite, user: "bob")

    /// Two providers: alice signs in at the one from 0 s on, bob at the other from 60 s on.
    private static func both(_ story: inout Story) {
        story.see(at: 0)
        story.session(at: 10)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        story.session("BBBBBB2", at: 60_000)
        story.login(bob, at: 67_000, code: "BBBBBB2")
        story.pollCode(at: 70_000, second, code: "BBBBBB2")
        story.see([first, second], at: 71_000)
    }
    private static let first = Story.shown(alice, from: 8_002)
    private static let brief = Story.shown(alice, from: 8_002, life: 20_000)
    private static let second = Story.shown(bob, from: 68_002)

    /// Alice's phone leaves for the provider.
    private static func leave(_ story: inout Story, at time: Double = 7_000) {
        story.resume(at: time)
        story.tell(.phone, .authenticate, at: time + 10)
    }

    /// Alice is signed in and her TV has seen it; from 12 s on the rest may be told.
    private static func signedIn(_ story: inout Story) {
        story.see(at: 0)
        story.session(at: 10)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        story.see([first], at: 11_000)
    }

    static let all =
        kept + doubles + logouts + reversals + sessions + profiles + decisions + identities + found

    // MARK: What V1 promises as well

    static let kept: [ProfileCase] = [
        ProfileCase("I1: a profile before anybody signed in", .noTokenBeforeSignIn) {
            $0.session()
            $0.pollCode(at: 5_000, Story.shown(alice, from: 4_000))
            $0.login(at: 8_000)
        },
        ProfileCase("I1: a permit before anybody signed in", .noTokenBeforeSignIn) {
            $0.session()
            $0.decide(at: 5_000)
            $0.login(at: 8_000)
        },
        ProfileCase("I1: degraded access and a pass need no login") {
            $0.session()
            $0.see(at: alice.mvpd, Story.shown(alice, from: 0, .degraded), at: 100)
            $0.decide(at: 200, source: "degradation")
            $0.see(
                at: "Pass", Story.shown(Tag(mvpd: "Pass", user: "p"), from: 0, .temporary), at: 300)
            $0.decide(at: 400, mvpd: "Pass", source: "temppass")
        },
        ProfileCase("I2: the profile of a user who never signed in here", .tokenIsolation) {
            $0.session()
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000, Story.shown(Story.bob, from: 8_002))
        },
        ProfileCase(
            "I3: the phone was shown the profile, and the TV's poll nothing", .signInVisible
        ) {
            $0.session()
            $0.login(at: 7_000)
            $0.pollCode(at: 8_040)
            $0.pollCode(at: 10_000, first)
        },
        ProfileCase(
            "I3: a profile that came after the redirect, and no check of the phone", .signInVisible
        ) {
            $0.session()
            leave(&$0)
            $0.assertion(alice, at: 8_000)
            $0.pollCode(at: 8_010)
            $0.pollCode(at: 10_000, first)
        },
        ProfileCase("I3: a redirect that the phone's check does not confirm ends no login") {
            $0.session()
            leave(&$0)
            $0.assertion(alice, at: 8_000)
            $0.pollCode(at: 8_004.5)
            $0.confirm(at: 8_005, nil)
            $0.pollCode(at: 8_015)
            $0.confirm(at: 8_500, first)
            $0.pollCode(at: 10_000, first)
            $0.see([first], at: 11_000)
            $0.signOut(at: 12_000)
            $0.see(at: 13_000)
        },
        ProfileCase("I3: nor does that let a profile go that the phone was shown", .signInVisible) {
            $0.session()
            leave(&$0)
            $0.assertion(alice, at: 8_000)
            $0.confirm(at: 8_005, nil)
            $0.confirm(at: 8_500, first)
            $0.pollCode(at: 8_600)
            $0.pollCode(at: 10_000, first)
        },
        ProfileCase("I3: the poll was of an older code, which nobody signed in by") {
            $0.session()
            $0.session("BBBBBB2", at: 1_000)
            $0.login(at: 7_000, code: "BBBBBB2")
            $0.pollCode(at: 8_040)
            $0.pollCode(at: 10_000, first, code: "BBBBBB2")
        },
        ProfileCase("I4: the TV never gets the profile", .signInDelivered) {
            $0.session()
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000)
            $0.pollCode(at: 15_000)
            $0.pollCode(at: 20_000)
        },
        ProfileCase("I5: a profile is there, and is not", .tokenMonotonic) {
            signedIn(&$0)
            $0.see(at: 12_000)
        },
        ProfileCase("I5: a device that registered anew has no profiles") {
            signedIn(&$0)
            $0.tell(.tv, .registerClient, at: 11_500, code: nil)
            $0.see(at: 12_000)
        },
        ProfileCase("I5: the provider ended it") {
            signedIn(&$0)
            $0.decide(
                at: 11_500, .unauthenticated, reason: "authenticated_profile_invalidated")
            $0.see(at: 12_000)
        },
        ProfileCase("I5, I21: an error in the place of the user's name") {
            both(&$0)
            var nameless = first
            nameless.user = nil
            $0.see([second, nameless], at: 72_000)
            $0.see(at: alice.mvpd, nameless, at: 73_000)
            $0.see([first, second], at: 74_000)
        },
        ProfileCase(
            "I1: a profile without its user's name before anybody signed in", .noTokenBeforeSignIn
        ) {
            $0.session()
            var nameless = Story.shown(alice, from: 4_000)
            nameless.user = nil
            $0.pollCode(at: 5_000, nameless)
            $0.login(at: 8_000)
        },
        ProfileCase("I8: two devices have one code", .codeUnique) {
            $0.session(at: 0)
            $0.session(at: 100, in: 8)
        },
        ProfileCase("I9: a session is gone before its time", .expiryRespected) {
            $0.session()
            $0.resume(at: 5_000, .absent)
        },
        ProfileCase("I9: a session is gone once it is complete") {
            $0.session()
            $0.login(at: 7_000)
            $0.resume(at: 9_000, .absent)
        },
        ProfileCase("I9: a poll long after the code's end may show the profile (B24)") {
            $0.session(life: 60)
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000, first)
            $0.pollCode(at: 200_000, first)
        },
        ProfileCase("I9: a permit after the profile's notAfter", .expiryRespected) {
            $0.session()
            $0.login(at: 7_000, life: 20_000)
            $0.pollCode(at: 10_000, brief)
            $0.decide(at: 29_000)
        },
        ProfileCase("I9: a permit by a degradation rule after the profile's notAfter") {
            $0.session()
            $0.login(at: 7_000, life: 20_000)
            $0.pollCode(at: 10_000, brief)
            $0.decide(at: 29_000, source: "degradation")
        },
        ProfileCase("I9: a permit at another provider after the profile's notAfter") {
            $0.session()
            $0.login(at: 7_000, life: 20_000)
            $0.pollCode(at: 10_000, brief)
            $0.session("BBBBBB2", at: 12_000)
            $0.login(bob, at: 17_000, code: "BBBBBB2")
            $0.decide(at: 29_000, mvpd: bob.mvpd)
        },
        ProfileCase("I10: a permit after the logout", .logoutFinal) {
            signedIn(&$0)
            $0.signOut(at: 12_000)
            $0.decide(at: 13_000)
        },
        ProfileCase("I10: the platform's profile after its logout", .logoutFinal) {
            $0.exchange(at: 1_000)
            $0.signOut(at: 12_000, "partner_logout")
            $0.see([Story.shown(alice, from: 1_002, .appleSSO)], at: 13_000)
        },
        ProfileCase("I10: the platform's profile after a logout that ended the login's") {
            signedIn(&$0)
            $0.exchange(at: 11_000)
            $0.signOut(at: 12_000)
            $0.see([Story.shown(alice, from: 11_002, .appleSSO)], at: 13_000)
        },
        ProfileCase("I10: the platform vouched for the viewer again after its logout") {
            $0.exchange(at: 1_000)
            $0.signOut(at: 12_000, "partner_logout")
            $0.exchange(at: 12_500)
            $0.see([Story.shown(alice, from: 12_502, .appleSSO)], at: 13_000)
        },
        ProfileCase("I10: a permit by the platform's word after its logout", .logoutFinal) {
            $0.exchange(at: 1_000)
            $0.decide(at: 11_000)
            $0.signOut(at: 12_000, "partner_logout")
            $0.decide(at: 13_000)
        },
        ProfileCase("I10: a permit by a login after the platform's logout") {
            signedIn(&$0)
            $0.exchange(at: 11_000)
            $0.signOut(at: 12_000, "partner_logout")
            $0.decide(at: 13_000)
        },
        ProfileCase("I21: the platform's profile is gone", .profileViewsAgree) {
            $0.session()
            $0.exchange(at: 1_000)
            $0.see(at: 2_000, isVouched: true)
        },
        ProfileCase("I5: the platform's profile is gone after a look", .tokenMonotonic) {
            $0.session()
            $0.exchange(at: 1_000)
            $0.see([Story.shown(alice, from: 1_002, .appleSSO)], at: 2_000)
            $0.see(at: 3_000, isVouched: true)
        },
        ProfileCase("I5: the same where only dates tell the service's time", .tokenMonotonic) {
            $0.exchange(at: 1_000)
            for time in [2_000.0, 3_000, 4_000] {
                $0.see(
                    [Story.shown(alice, from: 1_002, .appleSSO)], at: time,
                    evidence: ["Date": Story.date(Int64(time) / 1_000 - 3)])
            }
            $0.see(at: 5_000, isVouched: true)
        },
        ProfileCase("I5: by dates alone a profile of less than an hour may have ended") {
            $0.exchange(at: 1_000, life: 3_000_000)
            for time in [2_000.0, 3_000, 4_000] {
                $0.see(
                    [Story.shown(alice, from: 1_002, life: 3_000_000, .appleSSO)], at: time,
                    evidence: ["Date": Story.date(Int64(time) / 1_000 - 3)])
            }
            $0.see(at: 5_000, isVouched: true)
        },
        ProfileCase("I21: a request without the platform's word shows no profile of it") {
            $0.session()
            $0.exchange(at: 1_000)
            $0.see(at: 2_000)
        },
        ProfileCase("I21: the platform's profile is gone after its logout") {
            $0.session()
            $0.exchange(at: 1_000)
            $0.signOut(at: 1_500, "partner_logout")
            $0.see(at: 2_000, isVouched: true)
        },
        ProfileCase("I10: a permit by single sign-on after the logout") {
            signedIn(&$0)
            $0.signOut(at: 12_000)
            $0.decide(at: 13_000, subject: "viewer 1")
        },
        ProfileCase("linearizable: a superseded code is still open to a poll") {
            $0.session()
            $0.session("BBBBBB2", at: 1_000)
            $0.pollCode(at: 2_000)
            $0.tell(
                .tv, .profilesByCode, at: 3_000, .expired, status: 400,
                reason: "invalid_authentication_session")
        },
        ProfileCase("a session that the device's own profile answers for shows it by its code") {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 12_000)
            $0.pollCode(at: 13_000, code: "BBBBBB2")
            $0.resume(at: 14_000, code: "BBBBBB2", record: "authorize authenticated")
            $0.pollCode(at: 15_000, first, code: "BBBBBB2")
            $0.resume(at: 16_000, .absent, code: "BBBBBB2")
        },
    ]

    // MARK: One profile or two

    static let doubles: [ProfileCase] = [
        ProfileCase(
            "I21: the platform's profile is told as one of the provider's", .profileViewsAgree
        ) {
            $0.tell(.tv, .registerClient, at: 0, code: nil)
            $0.see(at: 100)
            $0.exchange(at: 1_000)
            $0.see(at: alice.mvpd, Story.shown(alice, from: 1_002), at: 1_100)
        },
        ProfileCase("I6: each phone is shown its own login by the one code", .oneOwner) {
            $0.session()
            $0.login(at: 1_000)
            $0.tell(.otherPhone, .authenticate, at: 2_000)
            $0.assertion(Story.bob, at: 2_010, by: .otherPhone)
            let bob = Story.shown(Story.bob, from: 2_012)
            $0.see([bob], by: .otherPhone, .profilesByCode, at: 2_100, code: "AAAAAA1")
            $0.pollCode(at: 5_000, bob)
        },
    ]

    static let logouts: [ProfileCase] = [
        ProfileCase("I21: a logout finds no profile where one was shown", .profileViewsAgree) {
            signedIn(&$0)
            $0.signOut(at: 12_000, "invalid")
            $0.see(at: 13_000)
        },
        ProfileCase(
            "I21: a logout finds no profile where the platform's was shown", .profileViewsAgree
        ) {
            $0.session()
            $0.exchange(at: 1_000)
            $0.see([Story.shown(alice, from: 1_002, .appleSSO)], at: 2_000)
            $0.signOut(at: 12_000, "invalid")
        },
        ProfileCase("a logout finds none after the one that ended the platform's profile") {
            $0.session()
            $0.exchange(at: 1_000)
            $0.see([Story.shown(alice, from: 1_002, .appleSSO)], at: 2_000)
            $0.signOut(at: 12_000, "partner_logout")
            $0.signOut(at: 12_100, "invalid")
        },
        ProfileCase("a logout of the platform's profile that opens the provider's page", .conforms)
        {
            $0.session()
            $0.exchange(at: 1_000)
            $0.signOut(at: 12_000, "logout")
        },
        ProfileCase("a logout of both profiles opens the provider's page (B56)") {
            signedIn(&$0)
            $0.exchange(at: 11_000)
            $0.signOut(at: 12_000, "logout")
        },
        ProfileCase("a logout that is repeated finds none, and so does one whose answer was lost") {
            signedIn(&$0)
            $0.tell(.tv, .logout, at: 12_000, code: nil, lost: true, mvpd: alice.mvpd)
            $0.signOut(at: 12_100, "invalid")
            $0.signOut(at: 12_200, "invalid")
            $0.see(at: 13_000)
        },
        ProfileCase("a logout finds none where it was over by its own expiry") {
            $0.session()
            $0.login(at: 7_000, life: 20_000)
            $0.see([brief], at: 11_000)
            $0.signOut(at: 40_000, "invalid")
        },
    ]

    // MARK: Decisions that change

    private static let denial = "authorization_denied_by_mvpd"

    static let reversals: [ProfileCase] = [
        ProfileCase("a resource that is denied first and permitted then") {
            signedIn(&$0)
            $0.decide(at: 12_000, .denied, reason: denial)
            $0.decide(at: 12_010)
        },
        ProfileCase(
            "denied when that media token is over, or another resource, or for another reason"
        ) {
            signedIn(&$0)
            $0.decide(at: 12_000, expires: Story.epoch + 20_000)
            $0.decide(at: 12_010, .denied, resource: "demo-2", reason: denial)
            $0.decide(at: 12_020, .denied, reason: "authorization_denied_by_parental_controls")
            $0.decide(at: 25_000, .denied, reason: denial)
        },
        ProfileCase("denied to the next viewer who signs in") {
            signedIn(&$0)
            $0.decide(at: 12_000)
            $0.signOut(at: 13_000)
            $0.session("BBBBBB2", at: 14_000)
            $0.login(Story.bob, at: 15_000, code: "BBBBBB2")
            $0.decide(at: 17_000, .denied, reason: denial)
        },
    ]

    // MARK: Sessions

    /// A TV without a profile shows a code, a phone logs in, and the code shows the profile.
    private static func shownByCode(_ story: inout Story) {
        story.see(at: 0)
        story.session(at: 10)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
    }

    /// Alice signs out, and in again; her second profile has those times.
    static func again(_ story: inout Story, from time: Int64) {
        signedIn(&story)
        story.signOut(at: 12_000)
        story.session("BBBBBB2", at: 13_000)
        story.login(at: 15_000, code: "BBBBBB2")
        story.see([Story.shown(alice, from: time)], at: 18_000)
    }

    static let sessions: [ProfileCase] = [
        ProfileCase("I23: the phone takes the session over", .codeBindsDevice) {
            shownByCode(&$0)
            $0.see(at: 11_000)
        },
        ProfileCase("I23: the same where a newer code shows nothing", .codeBindsDevice) {
            shownByCode(&$0)
            $0.session("BBBBBB2", at: 10_200)
            $0.pollCode(at: 10_500, code: "BBBBBB2")
            $0.see(at: 11_000)
        },
        ProfileCase("I15: after logout and login a profile of its own") {
            again(&$0, from: 16_002)
        },
        ProfileCase("I23: what the device asks for next is turned down", .codeBindsDevice) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.decide(at: 11_500, .unauthenticated)
        },
        ProfileCase(
            "I21: what the device is permitted next tells that it is its own", .profileViewsAgree
        ) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.decide(at: 11_500)
        },
        ProfileCase(
            "I21: what tells nothing of the device's profile decides nothing", .profileViewsAgree
        ) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.decide(at: 11_200, .denied, reason: "invalid_access_token")
            $0.decide(at: 11_300, .unauthenticated, mvpd: Story.satellite)
            $0.decide(at: 11_500)
        },
        ProfileCase(
            "I21: a list that lacks it, and has another provider's, decides nothing",
            .profileViewsAgree
        ) {
            let other = Story.shown(bob, from: 8_002)
            $0.see(at: 0)
            $0.session(at: 10)
            $0.login(bob, at: 7_000)
            $0.pollCode(at: 10_000, other)
            $0.see([other], at: 11_000)
            $0.session("BBBBBB2", at: 60_000)
            $0.login(at: 67_000, code: "BBBBBB2")
            $0.pollCode(at: 70_000, Story.shown(alice, from: 68_002), code: "BBBBBB2")
            $0.see([other], at: 71_000)
            $0.decide(at: 72_000)
        },
        ProfileCase("I21: the provider, who denies, was asked with a profile", .profileViewsAgree) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.decide(at: 11_500, .denied, reason: denial)
        },
        ProfileCase("I21: what the device logs out of next is its own", .profileViewsAgree) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.signOut(at: 11_500)
        },
        ProfileCase("I21: the device is told next that it is signed in", .profileViewsAgree) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.authorized(at: 11_500)
        },
        ProfileCase("I21: the list shows it later", .profileViewsAgree) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.see([first], at: 14_000)
        },
        ProfileCase("I21: nor does the code show it any longer", .profileViewsAgree) {
            shownByCode(&$0)
            $0.see(at: 11_000)
            $0.pollCode(at: 12_000)
        },
        ProfileCase("I5: what the code does not show any more either is lost", .tokenMonotonic) {
            shownByCode(&$0)
            $0.pollCode(at: 10_500)
            $0.see(at: 11_000)
        },
        ProfileCase(
            "I5: what a later code has made is lost, and no phone resumed that", .tokenMonotonic
        ) {
            shownByCode(&$0)
            $0.session("BBBBBB2", at: 60_000)
            $0.tell(.phone, .authenticate, at: 67_000, code: "BBBBBB2")
            $0.assertion(at: 68_000, code: "BBBBBB2")
            let second = Story.shown(alice, from: 68_002)
            $0.confirm(at: 68_010, second, code: "BBBBBB2")
            $0.pollCode(at: 70_000, second, code: "BBBBBB2")
            $0.pollCode(at: 73_000, code: "BBBBBB2")
            $0.see(at: 73_010)
        },
        ProfileCase("I23: the TV is sent to the login again", .codeBindsDevice) {
            shownByCode(&$0)
            $0.session("BBBBBB2", at: 12_000, mvpd: alice.mvpd)
        },
        ProfileCase("I24: authorize without a login", .actionTrue) {
            $0.see(at: 0)
            $0.authorized(at: 100)
        },
        ProfileCase("I24: authorize after the logout", .actionTrue) {
            signedIn(&$0)
            $0.signOut(at: 12_000)
            $0.authorized(at: 13_000)
        },
        ProfileCase("I24: authorize by single sign-on or a pass needs no login") {
            $0.see(at: 0)
            $0.tell(
                .tv, .createSession, at: 100, code: nil, record: "authorize authenticatedSSO",
                mvpd: alice.mvpd, subject: "viewer 1")
            $0.authorized(at: 200, "temporary")
            $0.authorized(at: 300, "degraded")
        },
        ProfileCase("I24: authenticate for who is signed in", .actionTrue) {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 12_000, mvpd: alice.mvpd)
        },
        ProfileCase("I5: a profile that a decision called lost needs a login", .tokenMonotonic) {
            signedIn(&$0)
            $0.decide(at: 12_000)
            $0.decide(at: 12_010, .unauthenticated)
            $0.session("BBBBBB2", at: 12_020, mvpd: alice.mvpd)
        },
        ProfileCase("I24: authenticate for another provider") {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 12_000, mvpd: Story.satellite)
        },
        ProfileCase("I33: a login by the older code", .sessionSuperseded) {
            $0.session()
            $0.session("BBBBBB2", at: 1_000)
            $0.assertion(at: 8_000)
            $0.pollCode(at: 10_000, first)
        },
        ProfileCase("I33: the older code is shown to the phone", .sessionSuperseded) {
            $0.session()
            $0.session("BBBBBB2", at: 1_000)
            $0.resume(at: 2_000)
        },
        ProfileCase("I33: a completed code stays (B40)") {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 12_000)
            $0.pollCode(at: 13_000, first)
            $0.resume(at: 14_000)
        },
        ProfileCase("I33: a login that had begun may be completed after a newer session, or not") {
            $0.session()
            leave(&$0)
            $0.session("BBBBBB2", at: 7_500)
            $0.assertion(alice, at: 8_000)
            $0.confirm(at: 8_010, first)
            $0.pollCode(at: 8_020, code: "BBBBBB2")
            $0.pollCode(at: 8_030, first)
            $0.see([first], at: 11_000)
        },
        ProfileCase("I33: a session that answers authorize supersedes none (B41)") {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 12_000)
            $0.authorized(at: 12_500)
            $0.resume(at: 14_000, code: "BBBBBB2")
        },
    ]

    // MARK: Profiles

    static let profiles: [ProfileCase] = [
        ProfileCase("two providers, each with its own login and logout") {
            both(&$0)
            $0.signOut(at: 72_000)
            $0.see([second], at: 73_000)
            $0.see(at: alice.mvpd, at: 74_000)
            $0.see(at: Story.satellite, second, at: 75_000)
            $0.decide(at: 76_000, .unauthenticated)
            $0.decide(at: 77_000, mvpd: Story.satellite)
        },
        ProfileCase("I20: another provider's profile than was asked for", .profileConsistent) {
            both(&$0)
            $0.see(at: Story.satellite, first, at: 72_000)
        },
        ProfileCase("I20: a profile that ends before it begins", .profileConsistent) {
            $0.session()
            $0.assertion(at: 8_000)
            $0.pollCode(at: 10_000, Story.shown(alice, from: 8_002, life: -5))
        },
        ProfileCase("I20: two profiles of one provider in one answer", .profileConsistent) {
            signedIn(&$0)
            var other = first
            other.notAfter += 1_500
            $0.see([first, other], at: 12_000)
        },
        ProfileCase("I21: one profile with two beginnings", .profileViewsAgree) {
            signedIn(&$0)
            var other = first
            other.notBefore += 7
            $0.see(at: alice.mvpd, other, at: 12_000)
        },
        ProfileCase("I21: one profile, of two users", .profileViewsAgree) {
            signedIn(&$0)
            $0.see(
                at: alice.mvpd, Story.shown(Tag(mvpd: alice.mvpd, user: "mallory"), from: 8_002),
                at: 12_000)
        },
        ProfileCase("I21: one profile under two of the service's own names", .profileViewsAgree) {
            $0.rules.knowsUsers = false
            $0.session()
            $0.assertion(at: 8_000)
            $0.pollCode(at: 10_000, Story.shown(Tag(mvpd: alice.mvpd, user: "u-8f31"), from: 8_002))
            $0.see(
                at: alice.mvpd, Story.shown(Tag(mvpd: alice.mvpd, user: "u-77c0"), from: 8_002),
                at: 12_000)
        },
        ProfileCase("I21: two logins within one second, under names of the service's own") {
            $0.rules.knowsUsers = false
            $0.rules.policies.codeReuse = .untilExpiry
            $0.session()
            $0.assertion(at: 8_000)
            $0.assertion(Tag(mvpd: alice.mvpd, user: "bob"), at: 8_001, by: .otherPhone)
            $0.pollCode(at: 10_000, Story.shown(Tag(mvpd: alice.mvpd, user: "u-8f31"), from: 8_002))
            $0.see(
                at: alice.mvpd, Story.shown(Tag(mvpd: alice.mvpd, user: "u-77c0"), from: 8_002),
                at: 12_000)
        },
        ProfileCase("I21: shown in the list, and not by its provider", .profileViewsAgree) {
            signedIn(&$0)
            $0.see(at: alice.mvpd, at: 12_000)
        },
        ProfileCase("I22: a logout at one provider ends the other's profile", .providerIndependence)
        {
            both(&$0)
            $0.signOut(at: 72_000)
            $0.see(at: 73_000)
        },
        ProfileCase(
            "I22: after a logout at one provider the other's finds none", .providerIndependence
        ) {
            both(&$0)
            $0.signOut(at: 72_000)
            $0.signOut(at: 73_000, mvpd: bob.mvpd, "invalid")
        },
        ProfileCase("I22: a login at one provider ends the other's profile", .providerIndependence)
        {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 60_000)
            $0.login(bob, at: 67_000, code: "BBBBBB2")
            $0.pollCode(at: 70_000, second, code: "BBBBBB2")
            $0.see([second], at: 71_000)
        },
        ProfileCase("I22: the user of the other provider's login", .providerIndependence) {
            both(&$0)
            $0.see(
                at: alice.mvpd, Story.shown(Tag(mvpd: alice.mvpd, user: "bob"), from: 8_002),
                at: 72_000)
        },
        ProfileCase("I25: a poll prolongs the profile", .profileNotProlonged) {
            signedIn(&$0)
            var longer = first
            longer.notAfter += 60_000
            $0.see(at: alice.mvpd, longer, at: 12_000)
        },
        ProfileCase("I25: a second login by another code has an expiry of its own") {
            signedIn(&$0)
            $0.session("BBBBBB2", at: 60_000)
            $0.login(alice, at: 67_000, code: "BBBBBB2")
            $0.pollCode(at: 70_000, Story.shown(alice, from: 68_002), code: "BBBBBB2")
        },
        ProfileCase("I32: a degraded profile in the list", .degradationBounded) {
            $0.session()
            $0.see([Story.shown(alice, from: 0, .degraded)], at: 100)
        },
        ProfileCase("I32: a permit by a rule that has ended", .degradationBounded) {
            degraded(&$0)
            $0.decide(at: 11_500, source: "degradation")
        },
        ProfileCase("I32: a session lets a device in by a rule that has ended", .degradationBounded)
        {
            degraded(&$0)
            $0.authorized(at: 11_500, "degraded")
        },
        ProfileCase("I32: a rule of whose times nothing is known") {
            degraded(&$0)
            $0.decide(at: 11_000, mvpd: Story.satellite, source: "degradation")
        },
    ]

    /// A rule of the provider is active from 1 s to 10 s.
    private static func degraded(_ story: inout Story) {
        story.rules.degradations = [
            Rules.Degradation(mvpd: alice.mvpd, from: .seconds(1), until: .seconds(10))
        ]
        story.session()
        story.see(at: alice.mvpd, Story.shown(alice, from: 5_000, .degraded), at: 5_000)
        story.decide(at: 6_000, source: "degradation")
    }

    // MARK: Decisions and passes

    static let decisions: [ProfileCase] = [
        ProfileCase("I27: a media token from preauthorize", .preauthorizeInert) {
            signedIn(&$0)
            $0.tell(
                .tv, .preauthorize, at: 12_000, code: nil, record: "mvpd", secret: 9,
                mvpd: alice.mvpd)
        },
        ProfileCase("I26: one media token twice", .decisionTrue) {
            signedIn(&$0)
            $0.decide(at: 12_000, token: 5)
            $0.decide(at: 13_000, token: 5)
        },
        ProfileCase("I26: a token of its own for each request") {
            signedIn(&$0)
            $0.decide(at: 12_000, token: 5)
            $0.decide(at: 13_000, token: 6)
        },
        ProfileCase("I26: a media token that has expired", .decisionTrue) {
            signedIn(&$0)
            $0.decide(at: 12_000, expires: Story.epoch + 11_000)
        },
        ProfileCase("I31: a pass that grows after the first playback", .tempPassBudget) {
            pass(&$0)
            $0.see(at: "Pass", Story.shown(taker, from: 5_000, life: 60_000, .temporary), at: 5_000)
        },
        ProfileCase("I31: before the first playback its end may move (B53)") {
            pass(&$0)
        },
        ProfileCase("I31: a pass that was used up works again", .tempPassBudget) {
            pass(&$0)
            $0.decide(
                at: 70_000, .denied, mvpd: "Pass", source: "temppass",
                reason: "temporary_access_duration_limit_exceeded")
            $0.decide(at: 71_000, mvpd: "Pass", source: "temppass")
        },
        ProfileCase(
            "I31: what was denied because no resource is left is permitted", .tempPassBudget
        ) {
            exceeded(&$0)
            $0.decide(at: 11_000, mvpd: "Pass", source: "temppass", resource: "ch-3")
        },
        ProfileCase("I31: what a pass was used for stays good when no resource is left (B52)") {
            exceeded(&$0)
            $0.decide(at: 11_000, mvpd: "Pass", source: "temppass")
        },
        ProfileCase("I31: a pass permits after the end that it showed", .tempPassBudget) {
            pass(&$0)
            $0.decide(at: 70_000, mvpd: "Pass", source: "temppass")
        },
        ProfileCase(
            "I31: the same without any code, by the times of its own tokens", .tempPassBudget
        ) {
            $0.decide(at: 2_000, mvpd: "Pass", source: "temppass")
            $0.see(
                at: "Pass", Story.shown(taker, from: 2_002, life: 60_000, .temporary), at: 3_000)
            $0.decide(at: 70_000, mvpd: "Pass", source: "temppass", from: Story.epoch + 70_001)
        },
        ProfileCase("I31: without any code, and within a second of its end") {
            $0.decide(at: 2_000, mvpd: "Pass", source: "temppass")
            $0.see(
                at: "Pass", Story.shown(taker, from: 2_002, life: 60_000, .temporary), at: 3_000)
            $0.decide(at: 62_500, mvpd: "Pass", source: "temppass", from: Story.epoch + 62_501)
        },
        ProfileCase("I31: a pass permits until its end") {
            pass(&$0)
            $0.decide(at: 61_000, mvpd: "Pass", source: "temppass")
        },
        ProfileCase("I31: a pass that showed no end since the first playback (B30)") {
            $0.session()
            $0.see(at: "Pass", Story.shown(taker, from: 100, life: 60_000, .temporary), at: 100)
            $0.decide(at: 50_000, mvpd: "Pass", source: "temppass")
            $0.decide(at: 70_000, mvpd: "Pass", source: "temppass")
        },
    ]

    private static let taker = Tag(mvpd: "Pass", user: "temppass_1")

    private static func exceeded(_ story: inout Story) {
        pass(&story)
        story.decide(
            at: 10_000, .denied, mvpd: "Pass", source: "temppass", resource: "ch-3",
            reason: "temporary_access_resources_limit_exceeded")
    }

    private static func pass(_ story: inout Story) {
        story.session()
        story.see(at: "Pass", Story.shown(taker, from: 100, life: 60_000, .temporary), at: 100)
        story.see(at: "Pass", Story.shown(taker, from: 900, life: 60_000, .temporary), at: 900)
        story.decide(at: 2_000, mvpd: "Pass", source: "temppass")
        story.see(at: "Pass", Story.shown(taker, from: 2_002, life: 60_000, .temporary), at: 3_000)
        story.see(at: "Pass", Story.shown(taker, from: 2_002, life: 60_000, .temporary), at: 4_000)
    }

    // MARK: Identities

    /// Alice signs in at home under one identity; another device of hers is shown her profile.
    private static func home(_ story: inout Story, shownTo subject: String?) {
        story.see(at: 0, subject: "viewer 1")
        story.session(at: 10, subject: "viewer 1")
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        var view = first
        view.kind = .serviceTokenSSO
        story.see([view], at: 20_000, in: 8, subject: subject)
    }

    static let identities: [ProfileCase] = [
        ProfileCase("I28: a profile by single sign-on under the same identity") {
            home(&$0, shownTo: "viewer 1")
        },
        ProfileCase("I28: under another identity", .identityIsolation) {
            home(&$0, shownTo: "viewer 2")
        },
        ProfileCase(
            "I28: under another identity, with the times of the login, whatever users are called",
            .identityIsolation
        ) {
            $0.rules.knowsUsers = false
            home(&$0, shownTo: "viewer 2")
        },
        ProfileCase("I28: under another identity, of a user who may have signed in there before") {
            $0.rules.knowsUsers = false
            home(&$0, shownTo: "viewer 1")
            var view = Story.shown(alice, from: -600_000)
            view.kind = .serviceTokenSSO
            $0.see([view], at: 21_000, in: 9, subject: "viewer 2")
        },
        ProfileCase("I28: a session lets a device in that named no identity", .identityIsolation) {
            $0.see(at: 0)
            $0.authorized(at: 100, "authenticatedSSO")
            $0.decide(at: 200)
        },
        ProfileCase("I28: without an identity", .identityIsolation) {
            home(&$0, shownTo: nil)
        },
        ProfileCase(
            "I28: without an identity, and what follows from it", .identityIsolation
        ) {
            home(&$0, shownTo: nil)
            $0.decide(at: 20_100, in: 8)
            $0.signOut(at: 20_200, in: 8)
            $0.decide(at: 20_300, in: 8)
        },
        ProfileCase(
            "I28: under another identity, while two devices of a home use one account",
            .identityIsolation
        ) {
            home(&$0, shownTo: "viewer 2")
            $0.see(at: 21_000, in: 9, subject: "viewer 1")
            $0.session("DDDDDD4", at: 21_010, in: 9, subject: "viewer 1")
            $0.login(at: 22_000, in: 9, code: "DDDDDD4")
        },
        ProfileCase(
            "I28: under another identity, whose own profile was logged out of", .identityIsolation
        ) {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, in: 8, subject: "viewer 2")
            var view = first
            view.kind = .serviceTokenSSO
            $0.see([view], at: 22_000, in: 8, subject: "viewer 2")
        },
        ProfileCase("I21: one profile by single sign-on with two ends", .profileViewsAgree) {
            home(&$0, shownTo: "viewer 1")
            var view = first
            view.kind = .serviceTokenSSO
            view.notAfter -= 60_000
            $0.see(at: alice.mvpd, view, at: 24_000, in: 8, subject: "viewer 1")
        },
        ProfileCase(
            "I25: a look prolongs it that another request had shown first", .profileNotProlonged
        ) {
            home(&$0, shownTo: "viewer 1")
            var view = first
            view.kind = .serviceTokenSSO
            $0.see(at: alice.mvpd, view, at: 24_000, in: 8, subject: "viewer 1")
            view.notAfter += 4_000
            $0.see(at: alice.mvpd, view, at: 25_000, in: 8, subject: "viewer 1")
        },
        ProfileCase("I25: a look prolongs a profile by single sign-on", .profileNotProlonged) {
            home(&$0, shownTo: "viewer 1")
            var view = first
            view.kind = .serviceTokenSSO
            view.notAfter += 60_000
            $0.see([view], at: 24_000, in: 8, subject: "viewer 1")
        },
        ProfileCase("I25: another login of the identity has an end of its own") {
            home(&$0, shownTo: "viewer 1")
            $0.session("BBBBBB2", at: 60_000)
            $0.login(alice, at: 67_000, code: "BBBBBB2")
            var view = Story.shown(alice, from: 68_002)
            view.kind = .serviceTokenSSO
            $0.see([view], at: 70_000, in: 8, subject: "viewer 1")
        },
        ProfileCase("I29: a profile by single sign-on outlives the logout", .singleLogout) {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, subject: "viewer 1")
            var view = first
            view.kind = .serviceTokenSSO
            $0.see([view], at: 22_000, in: 8, subject: "viewer 1")
        },
        ProfileCase("I29: a logout that had nothing to end, as with a token that was over") {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, in: 8, subject: "viewer 1", "invalid")
            $0.pollCode(at: 22_000, first)
            $0.see(at: alice.mvpd, first, at: 23_000, subject: "viewer 1")
        },
        ProfileCase("I29: a logout without the identity ends nothing elsewhere (B47)") {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000)
            var view = first
            view.kind = .serviceTokenSSO
            $0.see([view], at: 22_000, in: 8, subject: "viewer 1")
        },
        ProfileCase(
            "I29: the profile of the device that signed in outlives the logout", .singleLogout
        ) {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, in: 8, subject: "viewer 1")
            $0.see([first], at: 22_000, subject: "viewer 1")
        },
        ProfileCase("I29: nobody shared the profile with the device that logged out") {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, in: 9, subject: "viewer 1")
            $0.see([first], at: 22_000, subject: "viewer 1")
        },
        ProfileCase("I29: a logout by another device of the identity ends this one's profile") {
            home(&$0, shownTo: "viewer 1")
            $0.signOut(at: 21_000, in: 8, subject: "viewer 1")
            $0.see(at: 22_000, subject: "viewer 1")
        },
        ProfileCase("I34: a sign-in over V1 shows over V2", .protocolsApart) {
            $0.live(in: 9, tag: alice, code: "CCCCCC3")
            $0.see(at: 30_000, in: 7)
            $0.see([first], at: 31_000, in: 7)
        },
        ProfileCase("I34: both protocols side by side") {
            $0.live(in: 9, tag: Story.bob, code: "CCCCCC3")
            $0.liveWithProfiles(from: 1_000)
        },
    ]
}
