import Dialects
import Statistics
import Testing
import Vocabulary

@testable import Rigs

@Suite("What a message repeats of an address") struct ShownAddressTests {
    @Test(
        "no user name, no password, no query",
        arguments: [
            ("http://me:pa/ss@host.example/x?key=1#y", "http://host.example/x?..."),
            ("https://host.example/x", "https://host.example/x"),
            ("me:pw@host.example", "host.example"),
            ("every 5s?", "every 5s?"),
        ])
    func shown(text: String, expected: String) {
        #expect(Spelling.shown(text) == expected)
    }
}

@Suite("Reading a rig")
struct ReaderTests {
    @Test("without a word about them all keys have the defaults of the format's page")
    func defaults() throws {
        let rig = try Rig.sample()
        #expect(rig.seed == Seed(1))
        #expect(rig.identities == .bySeed)
        #expect(rig.target == Target(base: .embedded))
        #expect(rig.load == .once(households: 20, settle: .seconds(15)))
        #expect(rig.kinds == [HouseholdKind(name: "household", weight: 1, device: .appleTV)])
        #expect(rig.polling == Rig.Polling())
        #expect(rig.code == Rig.CodeTerms())
        #expect(rig.afterSignIn.isEmpty)
        #expect(rig.connections == .perDevice)
        #expect(rig.forwardedFor == .perHousehold)
        #expect(rig.lanes == nil)
        #expect(rig.record == .all)
        #expect(rig.validity == Rig.Validity())
        #expect(rig.standin == Rig.StandinTerms())
        let remote = try Rig.sample(target: "{base: http://127.0.0.1:1}")
        #expect(remote.identities == .perRun)
    }

    @Test("a kind asks as its target does, but for what it says itself")
    func applications() throws {
        let given = RigSurroundings(environment: ["S": "a.b.c", "T": "d.e.f"])
        let kinds =
            "kinds: [{name: a}, {name: b, requestor: R}, "
            + "{name: c, protocol: adobe-pass-v1, software-statement: \"${S}\"}]"
        let target =
            "{base: http://a.example, allow: [a.example], requestor: Q, "
            + "software-statement: \"${T}\"}"
        let rig = try Rig.sample(kinds, target: target, with: given)
        #expect(rig.kinds[0].application == nil)
        #expect(rig.kinds[1].application?.requestor == "R")
        #expect(rig.kinds[1].application?.softwareStatement == Secret("d.e.f"))
        #expect(rig.kinds[2].application?.requestor == "Q")
        #expect(rig.kinds[2].application?.softwareStatement == Secret("a.b.c"))
        #expect(rig.secrets.contains(Secret("a.b.c")))
        #expect(throws: RigErrors.self) { try Rig.sample("kinds: [{protocol: adobe-pass-v3}]") }
        // A secret does not follow to another host.
        let elsewhere = RigSurroundings(target: .embedded)
        let other = try Rig.sample(kinds, target: target, with: elsewhere)
        #expect(other.kinds[2].application?.softwareStatement == nil)
    }

    @Test(
        "a byte order mark before the first key is no part of it, and columns are those of an editor"
    )
    func byteOrderMark() throws {
        let text = "rig: marked\ntarget: {base: embedded}\nload: {closed: {households: 1}}\n"
        #expect(try Rig.read("\u{feff}" + text, file: "r.yaml").rig.name == "marked")
        let errors = #expect(throws: RigErrors.self) {
            _ = try Rig.read("\u{feff}rog: x\n" + text, file: "r.yaml")
        }
        #expect("\(try #require(errors))".contains("r.yaml:1:1: unknown key 'rog'"))
        let moved = try Migration.rewriting(
            "\u{feff}" + text, file: "r.yaml", with: RigSurroundings())
        #expect(
            try moved.text
                == Migration.rewriting(text, file: "r.yaml", with: RigSurroundings()).text)
    }

    @Test("texts stay as they were typed, whatever YAML would make of them")
    func raw() throws {
        let rig = try Rig.sample(
            target: "{requestor: off, domain: 1:30, resources: [0700, null, 1.10]}")
        #expect(rig.target.requestor == "off")
        #expect(rig.target.domain == "1:30")
        #expect(rig.target.resources == ["0700", "null", "1.10"])
    }

    @Test("secrets are resolved where they stand, and the source keeps their names")
    func secrets() throws {
        let given = RigSurroundings(environment: ["ID": "me", "PW": "s3cret"]) { path in
            path == "rigs/statement.jwt" ? "a.b.c\n" : nil
        }
        let rig = try Rig.sample(
            target: "{software-statement: \"${file:statement.jwt}\", "
                + "clients: {id: \"${ID}\", secret: \"${PW}\"}, headers: {X-A: \"x-${PW}-y\"}}",
            with: given)
        #expect(rig.target.softwareStatement == Secret("a.b.c"))
        #expect(rig.target.clients == .given(ClientCredentials(id: "me", secret: Secret("s3cret"))))
        #expect(rig.target.headers["X-A"] == "x-s3cret-y")
        #expect(rig.source.contains("x-${PW}-y"))
        #expect(!rig.source.contains("s3cret") && !rig.source.contains("a.b.c"))
    }

    @Test("a rig is read back from its source where there are no secrets")
    func omitted() throws {
        let given = RigSurroundings(
            overrides: [("polling.every", "7s"), ("code.ttl", "9m")], environment: ["X": "s3cret"])
        let rig = try Rig.sample(
            "thresholds: [errors < 2%]", target: "{headers: {X-A: \"${X}\"}, timeout: \"3s\"}",
            with: given)
        let back = try Rig.read(
            rig.source, file: "run", with: RigSurroundings(secrets: .omitted)
        ).rig
        #expect(back.polling.every == .seconds(7))
        #expect(back.code.lifetime == .seconds(540))
        #expect(back.thresholds == rig.thresholds)
        #expect(back.target.timeout == .seconds(3))
        #expect(!rig.source.contains("s3cret"))
    }

    @Test("--set reaches keys, lists and whole maps, and what is not there yet")
    func overrides() throws {
        let given = RigSurroundings(overrides: [
            ("load", "{arrivals: [{ramp-to: 9/s, over: 0s}, {hold: 1s}]}"),
            ("load.arrivals.1.hold", "2s"), ("kinds.1.weight", "30"),
            ("standin.network.loss", "5%"), ("rig", "renamed"),
        ])
        let rig = try Rig.sample("kinds: [{name: a}, {name: b}]", with: given)
        #expect(rig.name == "renamed")
        #expect(Plan(rig, seed: rig.seed).households == 18)
        #expect(rig.kinds.map(\.weight) == [1, 30])
        #expect(rig.standin.loss == 0.05)
    }

    @Test("--target URL replaces the base; what is another host's stays behind")
    func target() throws {
        let target =
            "{base: https://a.example, allow: [b.example], software-statement: \"${S}\", "
            + "headers: {X-A: \"${S}\", X-B: b}, requestor: OTHER}"
        func read(_ argument: String) throws -> Target {
            try Rig.sample(
                target: target,
                with: RigSurroundings(target: .init(argument), environment: ["S": "s"])
            ).target
        }
        let other = try read("http://127.0.0.1:8080/")
        #expect(
            other.base
                == .remote(Origin(scheme: .http, host: "127.0.0.1", port: 8080), prefix: ""))
        #expect(other.allow.isEmpty && other.softwareStatement == nil)
        #expect(other.headers["X-A"] == nil && other.headers["X-B"] == "b")
        #expect(other.requestor == "OTHER")
        let same = try read("https://a.example:8443/auth/")
        #expect(same.allow == ["b.example"] && same.softwareStatement != nil)
        #expect(
            same.base
                == .remote(Origin(scheme: .https, host: "a.example", port: 8443), prefix: "/auth"))
        #expect(try read("embedded").base == .embedded)
    }

    @Test("a target may stand in a file of its own; the rig's lines win")
    func from() throws {
        let given = RigSurroundings { path in
            path == "rigs/t/a.yaml" ? "requestor: FILE\ndomain: file.test\n" : nil
        }
        let rig = try Rig.sample(target: "{from: t/a.yaml, domain: rig.test}", with: given)
        #expect(rig.target.requestor == "FILE")
        #expect(rig.target.domain == "rig.test")
        #expect(rig.source.contains("FILE"))
    }

    @Test(
        "durations, rates, sizes and shares mean what they say",
        arguments: [
            ("1m30s", 90e9), ("250ms", 250e6), ("100us", 1e5), ("1.5h", 5_400e9), ("2d", 172_800e9),
        ])
    func durations(text: String, nanoseconds: Double) throws {
        #expect(try Double(Spelling.time(text).nanoseconds) == nanoseconds)
    }

    @Test("rates and sizes mean what they say")
    func units() throws {
        #expect(try Scalar.rate.parse("120/m") == Rate(perSecond: 2))
        #expect(try Scalar.size.parse("1MB") == 1_000_000)
        #expect(try Scalar.size.parse("2KiB") == 2_048)
        #expect(try Scalar.share.parse("12.5%") == 0.125)
    }

    @Test("no text whatever ends the program", arguments: Seed.samples(60))
    func noise(seed: Seed) throws {
        var dice = seed.generator()
        var text = Array(RigReference.yaml().unicodeScalars)
        for _ in 0..<(1 + dice.below(6)) {
            let at = dice.below(text.count)
            switch dice.below(3) {
            case 0: text.remove(at: at)
            case 1:
                text.insert(Array("{}[]:,\"'#&*!|>%\t\n0${".unicodeScalars)[dice.below(20)], at: at)
            default: text.swapAt(at, dice.below(text.count))
            }
        }
        var noisy = String.UnicodeScalarView()
        noisy.append(contentsOf: text)
        do throws(RigErrors) {
            _ = try Rig.read(String(noisy), file: "noise.yaml")
        } catch {
            #expect(!error.problems.isEmpty)
        }
    }
}
