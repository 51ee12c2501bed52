import Checker
import Dialects
import Statistics
import Vocabulary

/// A service as small as can be that keeps every promise of REST V2, and one home that asks it in any order,
/// all screens at once: each request acts at one instant between its call and its answer (rest-v2.md §§ 5
/// to 7, 9). In every third home two phones name a provider each for one session, and the browser goes where the
/// session says as it leaves, whichever account its viewer types (B44). Times are in milliseconds.
struct ProfileService {
    private struct Session {
        enum Standing { case pending, complete, superseded }
        var standing = Standing.pending
        var mvpd: String?
        var expires: Double
        var client: Int
    }

    private struct Live {
        var profile: Profile
        var client: Int
    }

    private struct Departure: Hashable {
        var who: Story.Who
        var code: String
    }

    private struct Act {
        var who: Story.Who
        var operation: OperationName
        var call: Double
        var acts: Double
        var ret: Double
        var code: String?
        var tag = Story.alice
        var mvpd: String?
        var isLost = false
        /// A front answers for the service: of a request that it kept to itself (`isTurnedAway`), or that has acted.
        var front: Int?
        var isTurnedAway = false

        var isAnswered: Bool { !isLost && front == nil }
    }

    private var dice: Dice
    private var sessions: [String: Session] = [:]
    private var profiles: [Live] = []
    private var client = 0
    /// What the TV shows, and from when on.
    private var codes: [(text: String, from: Double)] = []
    private var made = 0
    /// Of profiles: this home's providers have one.
    private let life: Int64
    private let hasTwoPhones: Bool
    /// The service has names of its own for users.
    private let hasOwnNames: Bool
    /// The account that each phone types, and where its browser was sent with a code.
    private var accounts: [Story.Who: Tag] = [:]
    private var departures: [Departure: String] = [:]
    private(set) var story = Story()

    private static let users = [
        Story.alice, Tag(mvpd: Story.alice.mvpd, user: "carol"),
        Tag(mvpd: Story.satellite, user: "bob"),
    ]

    /// A home of some seventy requests.
    init(_ seed: Seed) {
        dice = seed.child("profiles").generator()
        life = dice.chance(0.2) ? 20_000 : 21_600_000
        story.rules.shortestSignIn = .seconds(20)
        hasTwoPhones = dice.chance(0.33)
        hasOwnNames = dice.chance(0.25)
        story.rules.knowsUsers = !hasOwnNames
        story.rules.devicesAreFresh = dice.chance(0.8)
        var next: [Story.Who: Double] = [.tv: 0, .phone: 400]
        if hasTwoPhones { next[.otherPhone] = 420 }
        for phone in [Story.Who.phone, .otherPhone] {
            accounts[phone] = Self.users[dice.below(Self.users.count)]
        }
        var due: [Act] = []
        var left = 70
        while left > 0 || !due.isEmpty {
            let screens: [Story.Who] = hasTwoPhones ? [.tv, .phone, .otherPhone] : [.tv, .phone]
            let who = screens.min { next[$0, default: 0] < next[$1, default: 0] } ?? .tv
            let turn = next[who, default: 0]
            let acting = due.indices.min { due[$0].acts < due[$1].acts }
            if let acting, left == 0 || due[acting].acts <= turn {
                perform(due.remove(at: acting))
                continue
            }
            left -= 1
            let act = request(of: who, at: turn)
            next[who] = act.ret + Double(1 + dice.below(dice.chance(0.1) ? 20_000 : 900))
            due.append(act)
        }
    }

    private mutating func request(of who: Story.Who, at call: Double) -> Act {
        let tv: [OperationName] = [
            .profiles, .profiles, .profilesByMVPD, .profilesByCode, .profilesByCode,
            .profilesByCode, .createSession, .createSession, .authorize, .logout,
        ]
        let phone: [OperationName] = [
            .resumeSession, .sessionByCode, .authenticate, .assertion, .assertion, .profilesByCode,
        ]
        var operation =
            who == .tv ? tv[dice.below(tv.count)] : phone[dice.below(phone.count)]
        if who == .tv, dice.chance(0.01) { operation = .registerClient }
        let took = Double(1 + dice.below(dice.chance(0.1) ? 900 : 30))
        var tag = Self.users[dice.below(Self.users.count)]
        if hasTwoPhones, who != .tv { tag = accounts[who] ?? tag }
        var act = Act(
            who: who, operation: operation, call: call, acts: call + took * 0.5, ret: call + took,
            tag: tag)
        act.acts = call + took * Double(dice.below(1_000)) / 1_000
        if hasTwoPhones, dice.chance(0.08) {
            act.front = dice.chance(0.3) ? 429 : 503
            act.isTurnedAway = act.front == 429 || dice.chance(0.7)
        }
        act.mvpd = operation == .createSession && dice.chance(0.4) ? nil : tag.mvpd
        let known = codes.filter { $0.from < call }.map(\.text)
        if hasTwoPhones, operation == .assertion {
            // No browser logs in that was sent nowhere.
            let sent = known.last.flatMap { departures[Departure(who: who, code: $0)] }
            if sent == nil { act.operation = .authenticate }
            act.code = known.last
            return act
        }
        act.code = known.isEmpty || dice.chance(0.7) ? known.last : known[dice.below(known.count)]
        if dice.chance(0.04) {
            act.isLost = true
            act.acts = call + Double(dice.below(20_000))
        }
        return act
    }

    private func isPending(_ act: Act) -> Bool {
        guard let session = act.code.flatMap({ sessions[$0] }) else { return false }
        return session.standing == .pending && act.acts < session.expires
    }

    private func live(_ client: Int, at time: Double) -> [Profile] {
        profiles.filter { $0.client == client && Story.epoch + Int64(time) < $0.profile.notAfter }
            .map(\.profile)
    }

    private mutating func perform(_ act: Act) {
        guard !act.isTurnedAway else {
            return tell(act, .none, tag: act.operation == .assertion ? act.tag : nil)
        }
        switch act.operation {
        case .registerClient:
            // Nobody learns of a client whose answer was lost.
            if act.isAnswered { client += 1 }
            tell(act, .success)
        case .createSession: create(act)
        case .resumeSession: resume(act)
        case .sessionByCode: tell(act, isPending(act) ? .success : .absent)
        case .authenticate:
            let mvpd = isPending(act) ? act.code.flatMap { sessions[$0]?.mvpd } : nil
            if let code = act.code, let mvpd, act.isAnswered {
                departures[Departure(who: act.who, code: code)] = mvpd
            }
            tell(act, mvpd == nil ? .denied : .success, status: mvpd == nil ? nil : 302)
        case .assertion:
            if let code = act.code, isPending(act), let client = sessions[code]?.client {
                let sent = departures.removeValue(forKey: Departure(who: act.who, code: code))
                let mvpd = hasTwoPhones ? sent ?? act.tag.mvpd : act.tag.mvpd
                let number = act.tag.user.utf8.first ?? 0
                let tag = Tag(
                    mvpd: mvpd, user: hasOwnNames ? "\(mvpd) customer \(number)" : act.tag.user)
                let profile = Story.shown(tag, from: Int64(act.acts), life: life)
                profiles.removeAll { $0.client == client && $0.profile.mvpd == mvpd }
                profiles.append(Live(profile: profile, client: client))
                sessions[code]?.standing = .complete
                sessions[code]?.mvpd = mvpd
            }
            tell(act, .none, tag: act.tag, status: 302)
        case .profiles: show(live(client, at: act.acts), act)
        case .profilesByMVPD:
            show(live(client, at: act.acts).filter { $0.mvpd == act.mvpd }, act)
        case .profilesByCode: poll(act)
        case .authorize:
            let isThere = live(client, at: act.acts).contains { $0.mvpd == act.mvpd }
            made += 1
            tell(
                act, isThere ? .success : .unauthenticated,
                expires: Story.epoch + Int64(act.acts) + 420_000, record: "mvpd",
                secret: UInt64(made))
        default:
            profiles.removeAll { $0.client == client && $0.profile.mvpd == act.mvpd }
            tell(act, .success)
        }
    }

    private mutating func create(_ act: Act) {
        if let mvpd = act.mvpd, live(client, at: act.acts).contains(where: { $0.mvpd == mvpd }) {
            return tell(act, .success, record: "authorize authenticated")
        }
        for (code, session) in sessions
        where session.standing == .pending && session.client == client {
            sessions[code]?.standing = .superseded
        }
        made += 1
        let code = "C\(100_000 + made)"
        let life: Int64 = dice.chance(0.3) ? 5_000 : 1_800_000
        let start = Story.epoch + Int64(act.acts)
        sessions[code] = Session(
            mvpd: act.mvpd, expires: Double(start + life - Story.epoch), client: client)
        if act.isAnswered { codes.append((code, act.ret)) }
        tell(
            act, .success, newCode: act.isAnswered ? code : nil, expires: start + life,
            generated: start,
            record: act.mvpd == nil ? "resume none" : "authenticate none")
    }

    private mutating func resume(_ act: Act) {
        guard let code = act.code, isPending(act), let client = sessions[code]?.client else {
            return tell(act, .absent)
        }
        sessions[code]?.mvpd = act.mvpd
        guard live(client, at: act.acts).contains(where: { $0.mvpd == act.mvpd }) else {
            return tell(act, .success, record: "authenticate none")
        }
        sessions[code]?.standing = .complete
        tell(act, .success, record: "authorize authenticated")
    }

    private mutating func poll(_ act: Act) {
        guard let session = act.code.flatMap({ sessions[$0] }) else { return tell(act, .expired) }
        switch session.standing {
        case .complete:
            show(live(session.client, at: act.acts).filter { $0.mvpd == session.mvpd }, act)
        case .pending where act.acts < session.expires: show([], act)
        case .pending, .superseded: tell(act, .expired)
        }
    }

    private mutating func show(_ shown: [Profile], _ act: Act) {
        let first = shown.first
        tell(
            act, shown.isEmpty ? .absent : .success,
            tag: first.flatMap { one in one.user.map { Tag(mvpd: one.mvpd, user: $0) } },
            expires: first?.notAfter,
            generated: first?.notBefore, profiles: shown)
    }

    private mutating func tell(
        _ act: Act, _ result: Observation.Result, newCode: String? = nil, tag: Tag? = nil,
        expires: Int64? = nil, generated: Int64? = nil, record: String? = nil,
        secret: UInt64? = nil, status: Int? = nil, profiles: [Profile] = []
    ) {
        let about: [OperationName] = [
            .resumeSession, .sessionByCode, .authenticate, .assertion, .profilesByCode,
        ]
        let named: [OperationName] = [
            .createSession, .resumeSession, .profilesByMVPD, .authorize, .logout,
        ]
        let isLost = !act.isAnswered
        let status = status ?? (result == .success || result == .absent ? 200 : 400)
        story.tell(
            act.who, act.operation, at: act.call, took: act.ret - act.call, isLost ? .none : result,
            code: newCode ?? (about.contains(act.operation) ? act.code : nil),
            tag: act.operation == .assertion || !isLost ? tag : nil,
            expires: isLost ? nil : expires, generated: isLost ? nil : generated,
            record: isLost ? nil : record, resource: act.operation == .authorize ? "demo-1" : nil,
            secret: isLost ? nil : secret,
            status: act.front ?? status, lost: act.isLost,
            mvpd: named.contains(act.operation) ? act.mvpd : nil,
            profiles: isLost ? [] : profiles)
    }
}
