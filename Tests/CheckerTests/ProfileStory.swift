import Dialects
import Vocabulary

/// Chapters of households that speak REST V2.
extension Story {
    static let satellite = "DemoSatellite"
    /// Alice's profile as a login at 8 s makes it.
    static let profile = shown(alice)

    static func shown(
        _ tag: Tag, from: Int64 = 8_000, life: Int64 = 21_600_000, _ kind: Profile.Kind = .regular
    ) -> Profile {
        Profile(
            mvpd: tag.mvpd, user: tag.user, kind: kind,
            issuer: kind == .appleSSO ? "Apple" : kind.isGiven ? "Adobe" : tag.mvpd,
            notBefore: epoch + from, notAfter: epoch + from + life)
    }

    /// S1, answered with a code that lives for `life` seconds.
    mutating func session(
        _ code: String = "AAAAAA1", at: Double = 0, life: Int64 = 1800, in household: Int = 7,
        mvpd: String? = nil, record: String? = nil, subject: String? = nil
    ) {
        let generated = Self.epoch + Int64(at) + 2
        tell(
            .tv, .createSession, at: at, in: household, code: code,
            expires: generated + life * 1000, generated: generated,
            record: record ?? (mvpd == nil ? "resume none" : "authenticate none"), mvpd: mvpd,
            subject: subject)
    }

    /// S1, answered with `authorize`: no code.
    mutating func authorized(
        at: Double, mvpd: String = alice.mvpd, _ reason: String = "authenticated",
        in household: Int = 7
    ) {
        tell(
            .tv, .createSession, at: at, in: household, code: nil, record: "authorize \(reason)",
            mvpd: mvpd)
    }

    /// S2 by the phone.
    mutating func resume(
        at: Double, _ result: Observation.Result = .success, in household: Int = 7,
        code: String = "AAAAAA1", mvpd: String = alice.mvpd, record: String = "authenticate none"
    ) {
        tell(
            .phone, .resumeSession, at: at, result, in: household, code: code, record: record,
            status: result == .success ? 200 : 400, mvpd: mvpd)
    }

    /// P1 and P2 by the TV, P3 by either screen: none of `profiles`, and nobody is signed in.
    mutating func see(
        _ profiles: [Profile] = [], by who: Who = .tv, _ operation: OperationName = .profiles,
        at: Double, took: Double = 4, in household: Int = 7, code: String? = nil,
        mvpd: String? = nil, subject: String? = nil, isVouched: Bool = false,
        evidence: Headers = [:]
    ) {
        let first = profiles.first
        tell(
            who, operation, at: at, took: took, profiles.isEmpty ? .absent : .success,
            in: household, code: code,
            tag: first.flatMap { one in one.user.map { Tag(mvpd: one.mvpd, user: $0) } },
            expires: first?.notAfter, generated: first?.notBefore,
            record: isVouched ? Observation.vouched : nil, status: 200, evidence: evidence,
            mvpd: mvpd, subject: subject, profiles: profiles)
    }

    /// P3 by the TV.
    mutating func pollCode(
        at: Double, _ profile: Profile? = nil, in household: Int = 7, code: String = "AAAAAA1"
    ) {
        see(
            profile.map { [$0] } ?? [], .profilesByCode, at: at, in: household, code: code)
    }

    /// P3 by the phone.
    mutating func confirm(
        at: Double, _ profile: Profile? = Story.profile, in household: Int = 7,
        code: String = "AAAAAA1"
    ) {
        see(
            profile.map { [$0] } ?? [], by: .phone, .profilesByCode, at: at, in: household,
            code: code)
    }

    /// P2 by the TV.
    mutating func see(
        at mvpd: String, _ profile: Profile? = nil, at time: Double, in household: Int = 7,
        subject: String? = nil
    ) {
        see(
            profile.map { [$0] } ?? [], .profilesByMVPD, at: time, in: household, mvpd: mvpd,
            subject: subject)
    }

    /// Z2.
    mutating func decide(
        at: Double, _ result: Observation.Result = .success, in household: Int = 7,
        mvpd: String = alice.mvpd, source: String? = "mvpd", resource: String = "demo-1",
        token: UInt64? = nil, from: Int64? = nil, expires: Int64? = nil, reason: String? = nil,
        subject: String? = nil
    ) {
        let isPermit = result == .success
        tell(
            .tv, .authorize, at: at, result, in: household, code: nil,
            expires: isPermit ? expires ?? Self.epoch + Int64(at) + 420_000 : nil, generated: from,
            record: source, resource: resource,
            secret: isPermit ? token ?? UInt64(household) << 20 | UInt64(at) + 1 : nil,
            outcome: result == .denied ? .notEntitled : nil,
            status: result == .unauthenticated ? 403 : 200, mvpd: mvpd, subject: subject,
            reason: reason)
    }

    /// L.
    mutating func signOut(
        at: Double, in household: Int = 7, mvpd: String = alice.mvpd, subject: String? = nil,
        _ action: String = "logout"
    ) {
        tell(
            .tv, .logout, at: at, in: household, code: nil, record: action, mvpd: mvpd,
            subject: subject)
    }

    /// X2: the platform's word for Alice, whose profile the answer has.
    mutating func exchange(at: Double, in household: Int = 7, life: Int64 = 21_600_000) {
        let profile = Self.shown(Self.alice, from: Int64(at) + 2, life: life, .appleSSO)
        tell(
            .tv, .ssoProfile, at: at, in: household, code: nil, tag: Self.alice, status: 201,
            mvpd: Self.alice.mvpd, profiles: [profile])
    }

    /// The login of a second screen, from its look at the code to its own check.
    mutating func login(
        _ tag: Tag = alice, at: Double, in household: Int = 7, code: String = "AAAAAA1",
        life: Int64 = 21_600_000
    ) {
        resume(at: at, in: household, code: code, mvpd: tag.mvpd)
        tell(.phone, .authenticate, at: at + 10, in: household, code: code)
        assertion(tag, at: at + 1_000, in: household, code: code)
        confirm(
            at: at + 1_010, Self.shown(tag, from: Int64(at) + 1_002, life: life), in: household,
            code: code)
    }

    /// A sign-in with one provider as it should be, from the first look to the sign-out.
    static func cleanProfiles(
        in household: Int = 7, tag: Tag = alice, code: String = "AAAAAA1", from: Double = 0
    ) -> Story {
        var story = Story()
        story.liveWithProfiles(in: household, tag: tag, code: code, from: from)
        return story
    }

    mutating func liveWithProfiles(
        in household: Int = 7, tag: Tag = alice, code: String = "AAAAAA1", from: Double = 0
    ) {
        see(at: from, in: household)
        session(code, at: from + 10, in: household)
        pollCode(at: from + 5_000, in: household, code: code)
        login(tag, at: from + 7_000, in: household, code: code)
        let profile = Self.shown(tag, from: Int64(from) + 8_002)
        pollCode(at: from + 10_000, profile, in: household, code: code)
        tell(
            .tv, .preauthorize, at: from + 10_020, in: household, code: nil, record: "mvpd",
            mvpd: tag.mvpd)
        decide(at: from + 10_030, in: household, mvpd: tag.mvpd)
        see([profile], at: from + 11_000, in: household)
        see(at: tag.mvpd, profile, at: from + 12_000, in: household)
        authorized(at: from + 13_000, mvpd: tag.mvpd, in: household)
        signOut(at: from + 20_000, in: household, mvpd: tag.mvpd)
        see(at: from + 21_000, in: household)
        decide(at: from + 22_000, .unauthenticated, in: household, mvpd: tag.mvpd)
    }
}
