import Checker
import Dialects
import Statistics
import Vocabulary

/// A service as small as can be that keeps its promises where devices share sign-ins: two devices that name one
/// identity, and a third one that names another (rest-v2.md § 8.2). Screens ask in any order, at the same time; each
/// request acts at one instant between its call and its answer. Times are in milliseconds.
struct SharedHomeService {
    private struct Session {
        var household: Int
        var expires: Double
        /// At which provider it was completed.
        var mvpd: String?
        var isSuperseded = false
    }

    private struct SignIn {
        var household: Int
        var profile: Profile
    }

    private struct Screen: Hashable {
        var who: Story.Who
        var household: Int
    }

    private struct Act {
        var screen: Screen
        var operation: OperationName
        var call: Double
        var acts: Double
        var ret: Double
        var code: String?
        var tag: Tag
        var subject: String?
        var isLost = false

        var mvpd: String { tag.mvpd }
    }

    private var dice: Dice
    private var sessions: [String: Session] = [:]
    /// The oldest first.
    private var signIns: [SignIn] = []
    private var codes: [Int: [(text: String, from: Double)]] = [:]
    private var made = 0
    private let life: Int64
    private(set) var story = Story()

    private static let households = [7, 8, 9]
    private static let own = [
        Story.alice, Tag(mvpd: Story.alice.mvpd, user: "carol"),
        Tag(mvpd: Story.satellite, user: "bob"),
    ]
    private static let neighbours = [
        Tag(mvpd: Story.alice.mvpd, user: "dave"), Tag(mvpd: Story.satellite, user: "erin"),
    ]

    /// Three devices and their phones, with some hundred requests.
    init(_ seed: Seed) {
        dice = seed.child("home").generator()
        life = dice.chance(0.2) ? 20_000 : 21_600_000
        story.rules.shortestSignIn = .seconds(20)
        var next: [Screen: Double] = [:]
        for household in Self.households {
            next[Screen(who: .tv, household: household)] = Double(dice.below(2_000))
            next[Screen(who: .phone, household: household)] = 400 + Double(dice.below(2_000))
        }
        let screens = Self.households.flatMap { household in
            [Story.Who.tv, .phone].map { Screen(who: $0, household: household) }
        }
        var due: [Act] = []
        var left = 120
        while left > 0 || !due.isEmpty {
            let screen = screens.min { next[$0, default: 0] < next[$1, default: 0] } ?? screens[0]
            let turn = next[screen, default: 0]
            let acting = due.indices.min { due[$0].acts < due[$1].acts }
            if let acting, left == 0 || due[acting].acts <= turn {
                perform(due.remove(at: acting))
                continue
            }
            left -= 1
            let act = request(of: screen, at: turn)
            next[screen] = act.ret + Double(1 + dice.below(dice.chance(0.1) ? 20_000 : 1_500))
            due.append(act)
        }
    }

    private static func subject(of household: Int) -> String {
        household == 9 ? "viewer 2" : "viewer 1"
    }

    private mutating func request(of screen: Screen, at call: Double) -> Act {
        let tv: [OperationName] = [
            .profiles, .profiles, .profiles, .profilesByMVPD, .profilesByCode, .profilesByCode,
            .createSession, .createSession, .authorize, .logout,
        ]
        let phone: [OperationName] = [.assertion, .assertion, .profilesByCode]
        let operation =
            screen.who == .tv ? tv[dice.below(tv.count)] : phone[dice.below(phone.count)]
        let took = Double(1 + dice.below(dice.chance(0.1) ? 900 : 30))
        let users = screen.household == 9 ? Self.neighbours : Self.own
        var act = Act(
            screen: screen, operation: operation, call: call,
            acts: call + took * Double(dice.below(1_000)) / 1_000, ret: call + took,
            tag: users[dice.below(users.count)])
        let takesIdentity = screen.who == .tv && operation != .profilesByCode
        if takesIdentity, operation == .createSession || operation == .logout || dice.chance(0.9) {
            act.subject = Self.subject(of: screen.household)
        }
        act.code = codes[screen.household]?.last { $0.from < call }?.text
        if dice.chance(0.03) {
            act.isLost = true
            act.acts = call + Double(dice.below(20_000))
        }
        return act
    }

    // MARK: What the service knows

    private func live(at mvpd: String, _ time: Double) -> [SignIn] {
        signIns.filter {
            $0.profile.mvpd == mvpd && Story.epoch + Int64(time) < $0.profile.notAfter
        }
    }

    /// The device's own, else the newest of its identity.
    private func shown(_ act: Act, at mvpd: String) -> Profile? {
        let all = live(at: mvpd, act.acts)
        if let own = all.last(where: { $0.household == act.screen.household }) {
            return own.profile
        }
        guard let subject = act.subject,
            var view = all.last(where: { Self.subject(of: $0.household) == subject })?.profile
        else { return nil }
        view.kind = .serviceTokenSSO
        return view
    }

    private mutating func perform(_ act: Act) {
        switch act.operation {
        case .createSession: create(act)
        case .assertion:
            if let code = act.code, let session = sessions[code], session.mvpd == nil,
                !session.isSuperseded, act.acts < session.expires
            {
                signIns.removeAll {
                    $0.household == session.household && $0.profile.mvpd == act.mvpd
                }
                signIns.append(
                    SignIn(
                        household: session.household,
                        profile: Story.shown(act.tag, from: Int64(act.acts), life: life)))
                sessions[code]?.mvpd = act.mvpd
            }
            tell(act, .none, tag: act.tag, status: 302)
        case .profiles:
            show([Story.alice.mvpd, Story.satellite].compactMap { shown(act, at: $0) }, act)
        case .profilesByMVPD: show([shown(act, at: act.mvpd)].compactMap(\.self), act)
        case .profilesByCode: poll(act)
        case .authorize:
            made += 1
            let isThere = shown(act, at: act.mvpd) != nil
            tell(
                act, isThere ? .success : .unauthenticated,
                expires: Story.epoch + Int64(act.acts) + 420_000, record: "mvpd",
                secret: UInt64(made), status: isThere ? 200 : 403)
        default:
            let subject = act.subject
            signIns.removeAll {
                $0.profile.mvpd == act.mvpd
                    && ($0.household == act.screen.household
                        || Self.subject(of: $0.household) == subject)
            }
            tell(act, .success, record: "logout")
        }
    }

    private mutating func create(_ act: Act) {
        if let profile = shown(act, at: act.mvpd) {
            let reason = profile.kind == .regular ? "authenticated" : "authenticatedSSO"
            return tell(act, .success, record: "authorize \(reason)")
        }
        for (code, session) in sessions
        where session.household == act.screen.household && session.mvpd == nil {
            sessions[code]?.isSuperseded = true
        }
        made += 1
        let code = "C\(100_000 + made)"
        let start = Story.epoch + Int64(act.acts)
        let life: Int64 = 1_800_000
        sessions[code] = Session(
            household: act.screen.household, expires: Double(start + life - Story.epoch))
        if !act.isLost { codes[act.screen.household, default: []].append((code, act.ret)) }
        tell(
            act, .success, newCode: act.isLost ? nil : code, expires: start + life,
            generated: start, record: "authenticate none")
    }

    private mutating func poll(_ act: Act) {
        guard let session = act.code.flatMap({ sessions[$0] }), !session.isSuperseded else {
            return tell(act, .expired)
        }
        let own = session.mvpd.flatMap { mvpd in
            live(at: mvpd, act.acts).last { $0.household == session.household }?.profile
        }
        show([own].compactMap(\.self), act)
    }

    private mutating func show(_ shown: [Profile], _ act: Act) {
        let first = shown.first
        tell(
            act, shown.isEmpty ? .absent : .success,
            tag: first.flatMap { one in one.user.map { Tag(mvpd: one.mvpd, user: $0) } },
            expires: first?.notAfter, generated: first?.notBefore, profiles: shown)
    }

    private mutating func tell(
        _ act: Act, _ result: Observation.Result, newCode: String? = nil, tag: Tag? = nil,
        expires: Int64? = nil, generated: Int64? = nil, record: String? = nil,
        secret: UInt64? = nil, status: Int? = nil, profiles: [Profile] = []
    ) {
        let named: [OperationName] = [.createSession, .profilesByMVPD, .authorize, .logout]
        let isAboutCode = act.operation == .assertion || act.operation == .profilesByCode
        let isLost = act.isLost
        story.tell(
            act.screen.who, act.operation, at: act.call, took: act.ret - act.call, result,
            in: act.screen.household, code: newCode ?? (isAboutCode ? act.code : nil),
            tag: act.operation == .assertion || !isLost ? tag : nil,
            expires: isLost ? nil : expires, generated: isLost ? nil : generated,
            record: isLost ? nil : record, resource: act.operation == .authorize ? "demo-1" : nil,
            secret: isLost ? nil : secret,
            status: status ?? (result == .success || result == .absent ? 200 : 400), lost: isLost,
            mvpd: named.contains(act.operation) ? act.mvpd : nil, subject: act.subject,
            profiles: isLost ? [] : profiles)
    }
}
