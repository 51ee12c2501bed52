import Checker
import Dialects
import Vocabulary

/// Histories that the detection bench brought up: faults that were missed, and households that were accused of
/// nothing they had met (docs/detection.md).
extension ProfileCase {
    private static let alice = Story.alice
    private static let bob = Tag(mvpd: Story.satellite, user: "bob")
    private static let first = Story.shown(alice, from: 8_002)
    /// Alice's account, and the page of the other provider.
    private static let elsewhere = Story.shown(
        Tag(mvpd: Story.satellite, user: "alice"), from: 8_002)

    static let found: [ProfileCase] = switches + homes + codes + completions + addresses

    // MARK: Two phones, one session

    /// Two phones at one code: alice's names her provider, bob's the other one at `switched`, and a third one at
    /// `lost`, without an answer. Alice logs in.
    private static func twoPhones(_ story: inout Story, switched: Double, lost: Double? = nil) {
        story.session(at: 10)
        story.resume(at: 7_000)
        story.tell(
            .otherPhone, .resumeSession, at: switched, record: "authenticate none",
            status: 200, mvpd: Story.satellite)
        if let lost {
            story.tell(.otherPhone, .resumeSession, at: lost, .none, lost: true, mvpd: "DemoThird")
        }
        story.tell(.phone, .authenticate, at: 7_100, status: 302)
        story.assertion(at: 8_000)
    }

    /// More questions about a code than are looked up again, from 0.2 s to 3.7 s.
    private static func polls(_ story: inout Story) {
        for poll in 0..<70 { story.pollCode(at: 200 + Double(poll) * 50) }
    }

    private static let switches: [ProfileCase] = [
        ProfileCase("I22: another phone had switched the session before the browser left (B44)") {
            twoPhones(&$0, switched: 7_050)
            $0.confirm(at: 8_010, elsewhere)
            $0.pollCode(at: 10_000, elsewhere)
            $0.see([elsewhere], at: 11_000)
        },
        ProfileCase("I22: it was switching it while the browser left") {
            twoPhones(&$0, switched: 7_102)
            $0.pollCode(at: 10_000, elsewhere)
        },
        ProfileCase("linearizable: it had, and a look was under way as the login came") {
            twoPhones(&$0, switched: 7_050)
            $0.see([elsewhere], at: 7_990, took: 40)
        },
        ProfileCase("I22: or the login was at the provider that was asked for") {
            twoPhones(&$0, switched: 7_050)
            $0.pollCode(at: 10_000, first)
            $0.see([first], at: 11_000)
        },
        ProfileCase("I22: it switched the session too late", .providerIndependence) {
            twoPhones(&$0, switched: 7_500)
            $0.pollCode(at: 10_000, elsewhere)
        },
        ProfileCase("I22: it did, and shows the profile that is there (B44, B45)") {
            $0.session("BBBBBB2")
            $0.login(Tag(mvpd: Story.satellite, user: "alice"), at: 1_000, code: "BBBBBB2")
            let other = Story.shown(Tag(mvpd: Story.satellite, user: "alice"), from: 2_002)
            $0.pollCode(at: 4_000, other, code: "BBBBBB2")
            $0.session(at: 5_000)
            $0.resume(at: 7_000)
            $0.tell(.phone, .authenticate, at: 7_100, status: 302)
            $0.tell(
                .otherPhone, .resumeSession, at: 7_500, record: "authenticate none",
                status: 200, mvpd: Story.satellite)
            $0.assertion(at: 8_000)
            $0.pollCode(at: 10_000, other)
        },
        ProfileCase("I22: it was switched long after a lost request may have completed it") {
            $0.session()
            $0.tell(
                .otherPhone, .resumeSession, at: 100, .none, lost: true, mvpd: Story.satellite)
            $0.resume(at: 150)
            $0.tell(.phone, .authenticate, at: 160, .none, status: 503)
            polls(&$0)
            $0.tell(
                .otherPhone, .resumeSession, at: 7_050, record: "authenticate none", status: 200,
                mvpd: Story.satellite)
            $0.tell(.phone, .authenticate, at: 7_100, status: 302)
            $0.assertion(at: 8_000)
            $0.pollCode(at: 10_000, elsewhere)
            $0.see([elsewhere], at: 11_000)
        },
        ProfileCase("I22: a lost request does not take a provider's place for sure") {
            twoPhones(&$0, switched: 7_050, lost: 7_060)
            $0.pollCode(at: 10_000, elsewhere)
            $0.see([elsewhere], at: 11_000)
        },
        ProfileCase("I6: one login of a switched session, at both providers", .oneOwner) {
            twoPhones(&$0, switched: 7_050)
            $0.pollCode(at: 10_000, first)
            $0.pollCode(at: 11_000, elsewhere)
        },
    ]

    // MARK: Several devices of one identity

    private static let one = "viewer 1"

    /// Alice signs in on one device of her identity; another is shown it, and logs out at `out`.
    private static func home(
        _ story: inout Story, out: Double, _ between: (inout Story) -> Void = { _ in }
    ) {
        story.see(at: 0, subject: one)
        story.session(at: 10, subject: one)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        var view = first
        view.kind = .serviceTokenSSO
        story.see([view], at: 11_000, in: 8, subject: one)
        between(&story)
        story.signOut(at: out, in: 8, subject: one)
    }

    private static let homes: [ProfileCase] = [
        ProfileCase("I5: a profile was gone, and later another logged out", .tokenMonotonic) {
            home(&$0, out: 30_000) {
                $0.pollCode(at: 12_000)
                $0.pollCode(at: 13_000, first)
            }
        },
        ProfileCase("I5: another device of the identity logged out in between") {
            home(&$0, out: 12_000)
            $0.see(at: 13_000, subject: one)
        },
        ProfileCase("I5: its logout was under way") {
            home(&$0, out: 13_001)
            $0.see(at: 13_000, subject: one)
        },
        ProfileCase("I3: the poll was late, long before the logout elsewhere", .signInVisible) {
            $0.see(at: 0, subject: one)
            $0.session(at: 10, subject: one)
            $0.login(at: 7_000)
            $0.pollCode(at: 8_040)
            $0.pollCode(at: 10_000, first)
            $0.signOut(at: 30_000, in: 8, subject: one)
        },
        ProfileCase("I21: one profile of two users, which no logout explains", .profileViewsAgree) {
            home(&$0, out: 12_000)
            $0.see(
                at: alice.mvpd, Story.shown(Tag(mvpd: alice.mvpd, user: "mallory"), from: 8_002),
                at: 12_500, subject: one)
        },
        ProfileCase("I25: one profile grows; its account is shared", .profileNotProlonged) {
            $0.liveWithProfiles(in: 8, code: "BBBBBB2", from: 1_000)
            $0.session(at: 10)
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000, first)
            var longer = first
            longer.notAfter += 60_000
            $0.pollCode(at: 12_000, longer)
        },
        ProfileCase("I10: a permit under an identity after its logout here", .logoutFinal) {
            home(&$0, out: 30_000) {
                $0.signOut(at: 12_000, subject: one)
                $0.decide(at: 13_000, subject: one)
            }
        },
        ProfileCase("I10: a permit under an identity whose other device has signed in since") {
            home(&$0, out: 30_000) {
                $0.signOut(at: 12_000, subject: one)
                $0.session("BBBBBB2", at: 12_100, in: 8, subject: one)
                $0.login(at: 13_000, in: 8, code: "BBBBBB2")
                $0.decide(at: 16_000, subject: one)
            }
        },
        ProfileCase("I10: a permit under an identity after a logout without it") {
            home(&$0, out: 30_000) {
                $0.signOut(at: 12_000)
                $0.decide(at: 13_000, subject: one)
            }
        },
    ]

    // MARK: Codes

    /// A lost request may have completed the session. The TV asks for a newer one at 7.5 s, and alice's browser leaves
    /// with the older at `began`.
    private static func beganFirst(_ story: inout Story, began: Double) {
        story.session()
        story.tell(
            .otherPhone, .resumeSession, at: 100, .none, lost: true, mvpd: alice.mvpd)
        polls(&story)
        story.resume(at: 7_000)
        story.tell(.phone, .authenticate, at: began, status: 302)
        story.session("BBBBBB2", at: 7_500)
        story.assertion(at: 8_000)
        story.see([first], at: 11_000)
    }

    private static let codes: [ProfileCase] = [
        ProfileCase("I9: a login after the code's end, seen by the phone", .expiryRespected) {
            $0.session(life: 6)
            $0.resume(at: 1_000)
            $0.tell(.phone, .authenticate, at: 1_010, status: 302)
            $0.pollCode(at: 5_000)
            $0.assertion(at: 8_000)
            $0.confirm(at: 8_010, first)
        },
        ProfileCase("I33: a login had begun before the newer session: it may end it or not") {
            beganFirst(&$0, began: 7_010)
        },
        ProfileCase("I33: it began after the newer session", .sessionSuperseded) {
            beganFirst(&$0, began: 7_600)
        },
        ProfileCase("I9: a login in time, asked for after the code's end (B24)") {
            $0.session(life: 8)
            $0.resume(at: 1_000)
            $0.tell(.phone, .authenticate, at: 1_010, status: 302)
            $0.assertion(at: 7_998)
            $0.confirm(at: 8_900, Story.shown(alice, from: 8_000))
        },
        ProfileCase("I22: a code leads to another provider than its login", .providerIndependence) {
            $0.session()
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000, elsewhere)
        },
        ProfileCase("I12: the profile of a refused login elsewhere", .errorsHaveNoEffect) {
            $0.session()
            $0.resume(at: 7_000)
            $0.tell(.phone, .authenticate, at: 7_010, status: 302)
            $0.assertion(at: 8_000)
            $0.assertion(bob, at: 8_100, by: .otherPhone, .denied, status: 400)
            $0.pollCode(at: 10_000, Story.shown(bob, from: 8_102))
        },
        ProfileCase("I22: it does, and alice has both providers", .providerIndependence) {
            $0.session()
            $0.login(at: 7_000)
            $0.pollCode(at: 10_000, first)
            $0.session("BBBBBB2", at: 60_000)
            $0.login(Tag(mvpd: Story.satellite, user: "alice"), at: 67_000, code: "BBBBBB2")
            $0.pollCode(at: 70_000, Story.shown(alice, from: 68_002), code: "BBBBBB2")
        },
    ]

    /// Alice is signed in; one phone asks for her TV's second code while the other may complete it.
    private static func completed(_ story: inout Story, _ resume: (inout Story) -> Void) {
        story.session()
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        story.session("BBBBBB2", at: 12_000)
        story.tell(.otherPhone, .sessionByCode, at: 12_500, code: "BBBBBB2")
        story.tell(.otherPhone, .sessionByCode, at: 13_000, took: 600, .absent, code: "BBBBBB2")
        resume(&story)
    }

    private static let completions: [ProfileCase] = [
        ProfileCase("linearizable: a session is completed while another screen asks for it") {
            completed(&$0) {
                $0.resume(at: 13_100, code: "BBBBBB2", record: "authorize authenticated")
            }
        },
        ProfileCase("linearizable: it may be, by a request without an answer") {
            completed(&$0) {
                $0.tell(
                    .phone, .resumeSession, at: 13_100, .none, code: "BBBBBB2", lost: true,
                    mvpd: alice.mvpd)
            }
        },
        ProfileCase("I9: it is completed later", .expiryRespected) {
            completed(&$0) {
                $0.resume(at: 13_700, code: "BBBBBB2", record: "authorize authenticated")
            }
        },
    ]

    // MARK: Apps of one device

    /// One app of a device asks from `from` on; another is turned away at once, at 12.5 s.
    private static func apps(_ story: inout Story, from: Double, subject: String = one) {
        story.rules.throttledBy = .device
        story.see(at: from, subject: one)
        for step in 1...12 { story.see(at: from + Double(step) * 50, subject: one) }
        story.tell(.tv, .profiles, at: 12_500, .none, in: 8, code: nil, status: 429)
        story.see(at: 15_000, in: 8, subject: subject)
    }

    private static let addresses: [ProfileCase] = [
        ProfileCase("I16: another app of the device had used the limit up") {
            apps(&$0, from: 12_000)
        },
        ProfileCase("I16: another app of the device came later", .throttleContract) {
            apps(&$0, from: 20_000)
        },
        ProfileCase("I16: a device of another identity has its own limit", .throttleContract) {
            apps(&$0, from: 12_000, subject: "viewer 2")
        },
    ]
}
