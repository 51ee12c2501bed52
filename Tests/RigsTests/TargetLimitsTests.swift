import Dialects
import Statistics
import Testing
import Vocabulary

@testable import Rigs

@Suite("What spares a target")
struct CourtesyTests {
    @Test("off loopback there is a ceiling and a breaker, on it neither, unless the rig says so")
    func defaults() throws {
        let usual = try Rig.sample().target.courtesy
        #expect(usual == TargetLimits())
        #expect(usual.ceiling(onLoopback: false) == Rate(perSecond: 20))
        #expect(usual.ceiling(onLoopback: true) == nil)
        #expect(usual.breaker(onLoopback: false) == .init(errors: 0.5, lasting: .seconds(10)))
        #expect(usual.breaker(onLoopback: true) == nil)
        let own = try Rig.sample(
            target: "{max-rate: 300/m, breaker: {errors: 20%}}"
        ).target.courtesy
        for isNear in [true, false] {
            #expect(own.ceiling(onLoopback: isNear) == Rate(perSecond: 5))
            #expect(
                own.breaker(onLoopback: isNear) == .init(errors: 0.2, lasting: .seconds(10)))
        }
        let free = try Rig.sample(target: "{max-rate: none, breaker: none}").target.courtesy
        #expect(free.ceiling(onLoopback: false) == nil)
        #expect(free.breaker(onLoopback: false) == nil)
    }

    @Test(
        "the name of its host says whether a target has the ceiling of foreign hosts",
        arguments: [
            ("{}", nil), ("{base: \"http://127.0.0.1:8080\"}", nil),
            ("{base: \"http://node.localhost:8080\"}", nil),
            ("{base: \"http://a.example\"}", 20), ("{max-rate: 5/s}", 5),
            ("{base: \"http://a.example\", max-rate: 300/m}", 5),
            ("{base: \"http://a.example\", max-rate: none}", nil),
        ] as [(target: String, perSecond: Double?)])
    func ceiling(target: String, perSecond: Double?) throws {
        #expect(try Rig.sample(target: target).target.ceiling?.perSecond == perSecond)
    }

    @Test("a preflight is for targets off loopback, unless the rig says otherwise")
    func probes() throws {
        for (line, near, far) in [
            ("", false, true), (", probe: on", true, true), (", probe: off", false, false),
        ] {
            let target = try Rig.sample(target: "{base: \"http://a.example\"\(line)}").target
            #expect(target.probes(isNear: true) == near && target.probes(isNear: false) == far)
        }
        // The stand-in's setting is known.
        #expect(try !Rig.sample(target: "{probe: on}").target.probes(isNear: true))
    }

    @Test("files of tls are beside the file that names them, and must be there")
    func files() throws {
        let rig = """
            rig: a
            target: {base: "https://a.example", tls: {ca: pem/ca.pem, certificate: /c.pem, key: k.pem}}
            load: {closed: {households: 1}}
            """
        let there = { (paths: [String]) in
            RigSurroundings(contents: { paths.contains($0) ? "pem" : nil })
        }
        let tls = try Rig.read(
            rig, file: "rigs/a.yaml", with: there(["rigs/pem/ca.pem", "/c.pem", "rigs/k.pem"])
        ).rig.target.tls
        #expect(tls.ca == "rigs/pem/ca.pem" && tls.certificate == "/c.pem")
        #expect(tls.key == "rigs/k.pem")
        let error = #expect(throws: RigErrors.self) {
            try Rig.read(rig, file: "rigs/a.yaml", with: there(["/c.pem", "rigs/k.pem"]))
        }
        #expect(
            error?.description
                == "rigs/a.yaml:2:47: rigs/pem/ca.pem cannot be read; paths are relative to this file's folder"
        )
        var typed = there(["ca.pem"])
        typed.overrides = [(path: "target.tls", value: "{ca: ca.pem}")]
        #expect(
            try Rig.read(rig, file: "rigs/a.yaml", with: typed).rig.target.tls.ca == "ca.pem")
        for (path, hint) in [
            (
                "nope.pem",
                "a path typed into a command is relative to the folder in which the command runs"
            ),
            ("/nope.pem", "check that it is there and may be read"),
        ] {
            typed.overrides = [(path: "target.tls.ca", value: path)]
            let missing = #expect(throws: RigErrors.self) {
                try Rig.read(rig, file: "rigs/a.yaml", with: typed)
            }
            #expect(
                missing?.problems.map(\.description).contains(
                    "--set target.tls.ca: \(path) cannot be read; \(hint)") == true,
                "\(missing?.description ?? "")")
        }
    }

    @Test("a host may be allowed with a ceiling of its own")
    func hosts() throws {
        let target = try Rig.sample(
            target: "{allow: [a.example, {host: IDP.example, max-rate: 2/s}, {host: c.example}]}"
        ).target
        #expect(target.allow == ["a.example", "idp.example", "c.example"])
        #expect(
            target.courtesy.hostRates == [.init(host: "idp.example", rate: Rate(perSecond: 2))])
    }

    @Test("addresses are pinned in both spellings, with their spread")
    func pinned() throws {
        let target = try Rig.sample(
            "connections: fresh",
            target: "{resolve: {A.example: [203.0.113.7, \"2001:db8::1\"], "
                + "b.example: {addresses: [127.0.0.2, 127.0.0.3], spread: request}}}"
        ).target
        #expect(
            target.pinned == [
                PinnedHost(host: "a.example", addresses: ["203.0.113.7", "2001:db8::1"]),
                PinnedHost(
                    host: "b.example", addresses: ["127.0.0.2", "127.0.0.3"], spread: .request),
            ])
    }

    @Test("a target's file holds every key of a target")
    func file() throws {
        let file = """
            target:
              base: https://auth.staging.example/pass
              requestor: R
              domain: d.example
              redirect-url: https://d.example/done
              mvpds: [{id: M, weight: 3}]
              resources: [r-1]
              software-statement: ${STATEMENT}
              clients: {id: "${ID}", secret: "${PW}"}
              allow: [auth.staging.example, {host: idp.example, max-rate: 2/s}]
              max-rate: 7/s
              breaker: {errors: 10%, for: 1m}
              headers: {X-A: b}
              resolve: {auth.staging.example: [203.0.113.7]}
              http: "2"
              format: xml
              timeout: 3s
              response-limit: 2MB
              max-hops: 5
              tls: {ca: ca.pem, certificate: c.pem, key: k.pem, minimum: "1.3"}
              correlate: false
              fetch-redirect: true
              probe: off
            """
        let given = RigSurroundings(
            target: .file("t.yaml"), environment: ["STATEMENT": "a.b.c", "ID": "i", "PW": "p"]
        ) { ["t.yaml": file, "ca.pem": "", "c.pem": "", "k.pem": ""][$0] }
        let target = try Rig.sample(with: given).target
        var expected = Target(
            base: .remote(
                Origin(scheme: .https, host: "auth.staging.example", port: 443), prefix: "/pass"),
            requestor: "R", domain: "d.example", redirectURL: "https://d.example/done",
            fetchesRedirect: true, mvpds: [.init(id: "M", weight: 3)], resources: ["r-1"],
            softwareStatement: Secret("a.b.c"),
            clients: .given(ClientCredentials(id: "i", secret: Secret("p"))),
            allow: ["auth.staging.example", "idp.example"],
            courtesy: TargetLimits(
                maxRate: .at(Rate(perSecond: 7)),
                breaker: .at(.init(errors: 0.1, lasting: .seconds(60))),
                hostRates: [.init(host: "idp.example", rate: Rate(perSecond: 2))]),
            pinned: [PinnedHost(host: "auth.staging.example", addresses: ["203.0.113.7"])],
            headers: ["X-A": "b"], http: .http2, format: FormatRequest(.xml), timeout: .seconds(3),
            responseLimit: 2_000_000, maxHops: 5,
            tls: .init(ca: "ca.pem", certificate: "c.pem", key: "k.pem", minimum: .v13),
            correlates: false, probes: false)
        #expect(target == expected)
        // `from:` in the rig means the same.
        let beside = RigSurroundings(environment: ["STATEMENT": "a.b.c", "ID": "i", "PW": "p"]) {
            ["rigs/t.yaml": file, "rigs/ca.pem": "", "rigs/c.pem": "", "rigs/k.pem": ""][$0]
        }
        expected.tls.ca = "rigs/ca.pem"
        expected.tls.certificate = "rigs/c.pem"
        expected.tls.key = "rigs/k.pem"
        #expect(try Rig.sample(target: "{from: t.yaml}", with: beside).target == expected)
    }

    @Test("--max-rate holds for the target that --target names, file or address")
    func option() throws {
        for target in ["t.yaml", "http://127.0.0.1:8080", "embedded"] {
            let given = RigSurroundings(
                overrides: [("target.max-rate", "3/s")], target: .init(target)
            ) { $0 == "t.yaml" ? "base: http://127.0.0.1:1\nmax-rate: 9/s\n" : nil }
            let courtesy = try Rig.sample(with: given).target.courtesy
            #expect(courtesy.maxRate == .at(Rate(perSecond: 3)), "\(target)")
        }
    }

    @Test("every user agent ends with the name and version of the rig")
    func userAgent() throws {
        let rig = try Rig.sample()
        let household = try #require(Plan(rig, seed: rig.seed).household(3))
        for device in [household.firstScreen] + household.secondScreens {
            #expect(device.userAgent.hasSuffix(" screenrig/\(Release.version)"))
        }
    }

    @Test("off loopback a second run has devices and accounts of its own; by-seed it has not")
    func identities() throws {
        func first(_ rig: Rig, _ run: UInt64) throws -> (String, String) {
            let run = RunID(of: Seed(run))
            let household = try #require(Plan(rig, seed: rig.seed, run: run).household(0))
            return (household.firstScreen.id, household.account.user)
        }
        let remote = try Rig.sample(target: "{base: https://a.example}")
        #expect(try first(remote, 1) != first(remote, 2))
        let kept = try Rig.sample("identities: by-seed", target: "{base: https://a.example}")
        #expect(try first(kept, 1) == first(kept, 2))
    }
}
