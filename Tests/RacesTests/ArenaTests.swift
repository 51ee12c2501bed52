import Foundation
import TestSupport
import Testing

@testable import Races

@Suite struct ArenaTests {
    @Test("a trial in the middle of the window breaks the promise nearly every time")
    func nearlyAlways() async throws {
        let stage = try await TestStage(faults: ["ack-before-apply:window=30ms"])
        let schedule = stage.plans[0].variants[0].at(.milliseconds(15))
        let results = await stage.arena.play(Array(repeating: schedule, count: 60))
        #expect(results.allSatisfy { $0.discarded == nil })
        // Now and then the network takes so long that the poll is sent before the answer is there.
        #expect(results.count { $0.breaks(.signInVisible) } >= 57)
    }

    @Test("what was achieved is what was aimed at, where nothing is in between")
    func exact() async throws {
        let stage = try await TestStage()
        let variant = stage.plans[0].variants[0]
        for offset in [Duration.milliseconds(-12), .zero, .microseconds(350)] {
            let result = await stage.arena.play([variant.at(offset)])[0]
            #expect(result[release: "poll"]?.offset == offset)
            #expect(result.breaches.isEmpty)
        }
    }

    /// The service offers other providers before it, and the rig names none.
    @Test(
        "with accounts of a file each trial signs in at a provider that the file has, with as many as it needs"
    )
    func accounts() async throws {
        let folder = TestFolder()
        let file = try folder.write(
            "mvpd,user,password\nDemoSat,ann,pw1\nDemoSat,bob,pw2\n",
            to: "accounts.csv")
        chmod(file, 0o600)
        let stage = try await TestStage(
            plans: ["poll-authenticate", "authenticate-authenticate"],
            more: "accounts: {file: \(file)}")
        for variant in stage.plans.flatMap(\.variants) {
            let needed = variant.schedule.accounts
            #expect((1...2).contains(needed))
            for result in await stage.arena.play(Array(repeating: variant.at(.zero), count: 3)) {
                #expect(result.discarded == nil, "\(variant.title): \(result.reasonOfDiscard)")
                #expect(result.breaches.isEmpty, "\(variant.title)")
            }
        }
    }

    @Test(
        "over sockets as many trials at a time as the accounts allow, which come back, and that is said"
    )
    func fewAccounts() async throws {
        let folder = TestFolder()
        let file = try folder.write(
            "mvpd,user,password\nDemoSat,ann,pw1\nDemoSat,bob,pw2\n", to: "accounts.csv")
        chmod(file, 0o600)
        let few = try await TestStage(
            more: "accounts: {file: \(file)}", isVirtual: false)
        #expect(
            few.stage.estimate().line.contains("accounts.csv allows 2 trials at a time instead"))
        let schedule = few.plans[0].variants[0].at(.milliseconds(5))
        let results = await few.arena.play(Array(repeating: schedule, count: 8))
        #expect(results.map(\.reasonOfDiscard) == Array(repeating: "", count: 8))
        await few.stage.shutdown()

        let shared = try await TestStage(
            more: "accounts: {file: \(file), sharing: shared}", isVirtual: false)
        #expect(!shared.stage.estimate().line.contains("at a time instead"))
        await shared.stage.shutdown()
    }

    @Test(
        "what only the last reading shows is a breach: device, code and account are the trial's own"
    )
    func lastReading() async throws {
        // Nobody polls in the race, and nobody signs in: only the polls in the end can show a token.
        let stage = try await TestStage(plans: ["create-create"], faults: ["premature-token"])
        let schedule = stage.plans[0].variants[0].at(.zero)
        #expect(!schedule.ops.contains { $0.step == .pollToken })
        for result in await stage.arena.play(Array(repeating: schedule, count: 10)) {
            let breach = try #require(
                result.breaches.first { $0.invariant == .noTokenBeforeSignIn })
            #expect(Set(result.releases.map(\.sequence)).isDisjoint(with: breach.exchanges))
        }
    }

    @Test("living rooms that read in the end do not race each other")
    func apart() async throws {
        let stage = try await TestStage(
            plans: ["poll-poll"], faults: ["device-blind-cache:ttl=30ms"])
        let rooms = try #require(stage.plans[0].variants.last)
        let results = await stage.arena.play(
            Array(repeating: rooms.at(.milliseconds(100)), count: 10))
        #expect(results.allSatisfy { $0.discarded == nil && $0.breaches.isEmpty })
    }

    /// The service's own time-outs, or ours, would end the request that waits.
    @Test("no request is held back until a code ends that lives for longer than anybody waits")
    func longLife() async throws {
        let stage = try await TestStage(plans: ["authenticate-expire"])
        var variant = try #require(stage.plans[0].variants.first)
        #expect(await stage.arena.play([variant.at(.zero)])[0].discarded == nil)
        variant.schedule.codeLifetime = .seconds(5000)
        let result = await stage.arena.play([variant.at(.zero)])[0]
        let reason = result.reasonOfDiscard
        #expect(
            reason.hasPrefix("expire could not be set up: its code ends in ")
                && reason.contains("although a lifetime of 5000 s was asked for"), "\(reason)")
    }

    @Test("every plan can be played, and a service that keeps its promises is not accused")
    func clean() async throws {
        let stage = try await TestStage(plans: ["all"])
        for variant in stage.plans.flatMap(\.variants) {
            let offsets: [Duration] = [
                .milliseconds(-20), .milliseconds(-1), .zero, .milliseconds(1), .milliseconds(20),
            ]
            for result in await stage.arena.play(offsets.map { variant.at($0) }) {
                #expect(result.discarded == nil, "\(variant.title)")
                #expect(
                    result.breaches.isEmpty, "\(variant.title): \(result.breaches.map(\.sentence))")
                #expect(
                    result.releases.count == variant.schedule.ops.count { $0.step != .expire },
                    "\(variant.title)")
            }
        }
    }
}
