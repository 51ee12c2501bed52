import Dialects
import Testing
import Vocabulary

@testable import Races
@testable import Rigs

@Suite struct PlanTests {
    @Test("the plans of the format are those of the catalogue, in its order")
    func names() {
        #expect(RacePlan.everyName.map(\.name) == RaceTerms.planNames)
    }

    @Test("every step that a plan of a rig's own may name is one")
    func steps() {
        for name in RaceTerms.steps { #expect(Step(rawValue: name) != nil, "\(name)") }
        #expect(RaceTerms.steps.count == Step.allCases.count - 1)  // Nobody does `expire`.
    }

    @Test("there is a step for every operation; the provider's own pages are part of a sign-in")
    func operations() {
        let covered = Set(Step.allCases.compactMap(\.operation))
        let missing = OperationName.allCases.filter { !covered.contains($0) && !$0.isOfConnection }
        #expect(missing == [.mvpdLogin, .mvpdLogout])
    }

    @Test("every ordered pair of mutators is a plan, and the same one on two devices")
    func pairs() throws {
        let mutators = [
            "sso", "authenticate", "delete", "create", "logout", "authorize", "preview",
        ]
        for first in mutators {
            for second in mutators {
                let plan = try #require(RacePlan.named("\(first)-\(second)"))
                let rooms = plan.variants.map(\.schedule.rooms)
                #expect(rooms.contains(1))
                #expect((first != second) || rooms.contains(2), "\(plan.name)")
            }
        }
    }

    @Test(
        "offsets on both sides play both orders, so that one plan stands for two; else both are there"
    )
    func reverse() {
        var terms = RaceTerms()
        let both = RacePlan.plans(terms).map(\.name)
        #expect(both.contains("authenticate-delete") && !both.contains("delete-authenticate"))
        // A logout before a sign-in has something else to log out than one after it.
        #expect(both.contains("authenticate-logout") && both.contains("logout-authenticate"))
        terms.offsets = .zero ... .milliseconds(50)
        #expect(RacePlan.plans(terms).map(\.name) == RacePlan.catalogue.map(\.name))
    }

    @Test("the device grant has plans of its own, each of steps that it has")
    func grant() {
        let plans = RacePlan.plans(RaceTerms(), in: .oauthDeviceGrant)
        #expect(plans.map(\.name) == RacePlan.grantCatalogue.map(\.name))
        var terms = RaceTerms()
        terms.plans = [.named("poll-authenticate")]
        let refusal = RacePlan.refusal(terms, in: .oauthDeviceGrant)
        #expect(refusal?.contains("plans of its own") ?? false)
        terms.plans = [.named("approve-poll")]
        #expect(RacePlan.refusal(terms, in: .oauthDeviceGrant) == nil)
        #expect(RacePlan.refusal(terms, in: .adobePassV1) != nil)
    }

    @Test("polls, renewals and revocations are also another app's, where the rig names one")
    func otherClients() {
        func plans(_ hasOther: Bool) -> [RacePlan] {
            RacePlan.plans(RaceTerms(), in: .oauthDeviceGrant, hasOtherClient: hasOther)
        }
        let foreign = plans(true).filter { $0.variants.contains { $0.schedule.needsOtherClient } }
        let shown = GrantPair.all.filter { $0.second.byOtherClient != nil }.map(\.name)
        #expect(foreign.map(\.name) == shown && shown.count == 15)
        #expect(shown.contains("approve-poll") && shown.contains("refresh-revoke"))
        for plan in plans(false) {
            #expect(!plan.variants.contains { $0.schedule.needsOtherClient }, "\(plan.name)")
            #expect(
                !plan.variants.isEmpty && (plan.variants.count > 1 || plan.variants[0].name.isEmpty)
            )
        }
        let revocation = foreign.first { $0.name == "enter-revoke" }?.variants.last?.schedule
        #expect(revocation?.finalReads.map(\.step) == [.refreshToken])
    }

    @Test("two decisions are also two people's")
    func people() {
        for name in ["approve-approve", "approve-refuse", "enter-approve", "refuse-refuse"] {
            let accounts = RacePlan.named(name)?.variants.map { variant in
                Set(variant.schedule.ops.compactMap { $0[arg: "account"] }).count
            }
            #expect(accounts == [1, 2], "\(name)")
        }
    }

    @Test(
        "what a mutator leaves is read in the end",
        arguments: RacePlan.catalogue.flatMap(\.variants))
    func reads(variant: RacePlan.Variant) {
        let schedule = variant.schedule
        #expect(schedule.settle.reads > 0 && schedule.polling.contains(0))
        let asked =
            schedule.finalReads.compactMap(\.code)
            + schedule.ops.filter { $0.step == .registrationRecord }.compactMap { $0[arg: "code"] }
        for cluster in schedule.clusters where cluster.isRaced(in: schedule) {
            for op in cluster.members.map({ schedule.ops[$0] }) {
                let room = schedule[actor: op.actor]?.household
                if op.step == .authenticate {
                    #expect(
                        schedule.finalReads.contains {
                            $0.step == .checkCode && $0.household == room
                        })
                } else if op.step == .registrationCode {
                    #expect(asked.contains(op.id), "\(variant.title)")
                } else if op.step == .authorize {
                    #expect(schedule.finalReads.contains { $0.step == .authorizationToken })
                } else if op.step == .deleteRegistration {
                    #expect(schedule.finalReads.contains { $0.step == .registrationRecord })
                }
            }
        }
    }

    @Test(
        "in each variant the swept op is there, hangs on another, and all names are known",
        arguments: RacePlan.catalogue.flatMap(\.variants))
    func variants(variant: RacePlan.Variant) throws {
        let schedule = variant.schedule
        let swept = try #require(schedule[op: variant.swept])
        let anchor = try #require(swept.anchor)
        #expect(schedule[op: anchor.op] != nil)
        #expect(Set(schedule.ops.map(\.id)).count == schedule.ops.count)
        for op in schedule.ops {
            #expect(schedule[actor: op.actor] != nil)
            if let other = op.anchor?.op { #expect(schedule[op: other] != nil) }
            if let other = op[arg: "repeats"] ?? op[arg: "code"] {
                #expect(schedule[op: other] != nil)
            }
        }
        #expect(variant.at(.milliseconds(7)).ops.contains { $0.offset == .milliseconds(7) })
    }

    @Test("two requests of one actor that are under way at once have a connection each")
    func connections() {
        for variant in RacePlan.catalogue.flatMap(\.variants) {
            for cluster in variant.schedule.clusters where cluster.isRaced(in: variant.schedule) {
                let held = cluster.members.map { variant.schedule.ops[$0] }
                    .filter { $0.gate != .none && $0.step != .expire }
                let places = held.map { "\($0.actor) \($0.connection.text)" }
                #expect(Set(places).count == places.count, "\(variant.title): \(places)")
            }
        }
    }

    @Test("clusters are an op and all that hangs on it")
    func clusters() throws {
        let plan = try #require(RacePlan.named("poll-authenticate"))
        let schedule = plan.variants[0].schedule
        let members = schedule.clusters.map { $0.members.map { schedule.ops[$0].id } }
        #expect(members == [["create"], ["authenticate", "check", "poll", "poll-2"]])
        #expect(schedule.clusters.map { $0.isRaced(in: schedule) } == [false, true])
    }

    @Test("a plan of the rig's own does first what stands before the race")
    func own() {
        let plan = RacePlan(
            RaceTerms.OwnPlan(
                name: "mine",
                actors: [
                    .init(name: "tv", operations: ["registration-code", "poll-token", "logout"]),
                    .init(name: "phone", operations: ["authenticate", "check-code"]),
                ], fixed: "phone.authenticate", moved: "tv.poll-token"))
        let ops = plan.variants[0].schedule.ops
        #expect(
            ops.map(\.step) == [
                .registrationCode, .authenticate, .pollToken, .logout, .checkCode,
            ])
        #expect(ops[2].anchor == .init(.lastByteSent, of: ops[1].id))
        #expect(ops.map { $0.gate == .lastByte } == [false, true, true, false, false])
        #expect(ops[1].tag == "account-1")
        #expect(plan.variants[0].swept == ops[2].id)
    }

    @Test("operations of a plan of the rig's own take arguments, which people count from 1")
    func ownArguments() throws {
        var authorize: RaceTerms.OwnPlan.Operation = "authorize"
        authorize.resource = 2
        var signIn = RaceTerms.OwnPlan.Operation(step: "authenticate", as: "second")
        (signIn.account, signIn.provider, signIn.code) = (3, 2, "tv.code")
        let code = RaceTerms.OwnPlan.Operation(step: "registration-code", as: "code")
        let plan = RacePlan(
            RaceTerms.OwnPlan(
                name: "mine",
                actors: [
                    .init(name: "other-tv", operations: ["registration-code"]),
                    .init(name: "tv", operations: [code, authorize]),
                    .init(name: "phone", operations: [signIn]),
                    .init(name: "phone-2", operations: ["preauthorize-code"]),
                ], fixed: "phone.second", moved: "tv.authorize"))
        let ops = plan.variants[0].schedule.ops
        // Who races nothing comes first or last, as the file has it.
        #expect(
            ops.map(\.step) == [
                .registrationCode, .registrationCode, .authenticate, .authorize, .preauthorizeCode,
            ])
        #expect(ops[3][arg: "resource"] == "1")
        #expect(ops[2][arg: "provider"] == "1" && ops[2][arg: "account"] == "3")
        #expect(ops[2][arg: "code"] == ops[1].id && ops[2].tag == "account-3")
    }

    @Test("what a race would be: plans, offsets, trials, and when it ends")
    func described() {
        var terms = RaceTerms(
            plans: [.named("poll-poll"), .named("path-independence")],
            offsets: .milliseconds(-20) ... .milliseconds(20), perOffset: 2, trials: 300,
            time: .milliseconds(1500))
        terms.dropsCookies = true
        #expect(
            RaceText.terms(terms) == """
                races:
                  poll-poll          two simultaneous polls
                  path-independence  two arms: a TV keeps connection and cookies, or asks over new ones each time
                  offsets            21 from -20 ms to +20 ms after the last byte of the other's request
                  first sweep        78 trials: 2 rounds, 2 variants
                  arms               100 trials of each (fewer if 'trials' is lower), before the sweep
                  at most            300 trials, 1.5 s of search
                  requests           sent as simultaneously as the target allows, connections kept, without cookies
                """)
    }

    @Test("a rig's gate, connections and anchor are put into the plan")
    func fitted() throws {
        var terms = RaceTerms(
            plans: [.named("poll-logout")], offsets: .zero ... .milliseconds(50),
            anchor: .firstReply)
        terms.gate = .group
        terms.isFresh = true
        terms.dropsCookies = true
        let variant = RacePlan.plans(terms)[0].variants[0]
        let poll = try #require(variant.schedule[op: "poll"])
        #expect(poll.gate == .group)
        #expect(poll.connection == .fresh)
        #expect(poll.cookies == .drop)
        #expect(poll.anchor?.event == .firstReplyByte)
        // What is not raced stays as it is.
        #expect(variant.schedule[op: "create"]?.connection == .kept(0))
        #expect(variant.schedule.settle.quiet == .milliseconds(100))
    }
}

extension RacePlan {
    /// The plan of that name.
    static func named(_ name: String) -> RacePlan? {
        (catalogue + grantCatalogue).first { $0.name == name }
    }
}
