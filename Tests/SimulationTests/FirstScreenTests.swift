import Dialects
import Journal
import Reports
import Statistics
import Testing
import Vocabulary

/// Every sort of first screen against the stand-in, rig by rig.
@Suite("First screens of all sorts sign in")
struct FirstScreenTests {
    static let rigs = RigFiles.names.filter {
        ["ipad", "continue", "platform-", "temp-pass", "sdk-"].contains(where: $0.hasPrefix)
            // Its service turns requests down: that is what it shows.
            && $0 != "platform-refused.yaml"
    }

    @Test(
        "every household gets its token, without an error and without a deviation", arguments: rigs)
    func everybody(name: String) throws {
        let run = try Rehearsal.standard(name)
        let records = try run.households()
        #expect(!records.isEmpty)
        for record in records {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
            #expect(record.tokenSeen != nil)
        }
        let exchanges = try run.exchanges()
        for exchange in exchanges {
            #expect(exchange.deviations.isEmpty, "\(exchange.operation) \(exchange.deviations)")
            #expect(!exchange.isError, "\(exchange.operation) \(exchange.delivery)")
        }
        let summary = try run.summary()
        #expect(summary.exitStatus == .passed, "\(summary.headline)")
    }

    @Test("an iPad keeps its code to itself and polls once its web view has closed")
    func webView() throws {
        let run = try Rehearsal.standard("ipad.yaml")
        let exchanges = try run.exchanges()
        let operations = Set(exchanges.map(\.operation))
        #expect(!operations.contains(.registrationRecord) && !operations.contains(.checkCode))
        #expect(exchanges.allSatisfy { $0.device.role == .firstScreen })
        for record in try run.households() {
            let own = exchanges.filter { $0.device.household == record.household }
            let closed = try #require(own.last { $0.operation == .assertion }).ended
            let polls = own.filter { $0.operation == .pollToken }
            #expect(polls.count == 1 && record.polls == 1)
            #expect(try #require(polls.first).planned == closed)
            // Logout walks through the service, its second hop and the provider.
            let logout = own.filter { $0.operation == .logout && $0.outcome == .ok }
            #expect(logout.map(\.delivery.status) == [302, 302, 302])
        }
    }

    @Test("a person who presses Continue waits for nobody's timer")
    func button() throws {
        let run = try Rehearsal.standard("continue-button.yaml")
        let exchanges = try run.exchanges()
        for record in try run.households() {
            let polls = exchanges.filter {
                $0.device.household == record.household && $0.operation == .pollToken
            }
            var before = try #require(record.codeShown)
            for poll in polls {
                #expect(
                    poll.planned - before >= .seconds(1) && poll.planned - before <= .seconds(2))
                before = poll.ended
            }
            // The wait for the press is the viewer's: what is left is the service's.
            #expect(try #require(record.signInService) < .milliseconds(600), "\(record)")
        }
    }

    @Test(
        "the platform's sign-on walks the steps of the decision graph",
        arguments: [
            ("platform-sign-on.yaml", "1-2-6-7-8-9-11"),
            ("platform-allowed.yaml", "1-2-6-7-8-9-11"),
            ("platform-picker.yaml", "1-2-3-4-5-6-7-8-9-11"),
            ("platform-expired.yaml", "1-2-3-4-5-6-7-8-9-11"),
            ("platform-preselected.yaml", "1-2-3-4-5-10"),
            ("platform-own-picker.yaml", "1-2-3-4-5-10"),
            ("platform-cancel.yaml", "1-2-3-4-5-10"), ("platform-error.yaml", "1-2-3-4-5-10"),
            ("platform-denied.yaml", "1-2-10"), ("platform-undetermined.yaml", "1-2-10"),
            ("platform-restricted.yaml", "1-2-10"), ("platform-withdrawn.yaml", "1-2-6-7-10"),
            ("platform-ipad.yaml", "1-2-6-7-8-9-11"), ("platform-key.yaml", "1-2-6-7-8-9-11"),
            ("platform-program.yaml", "1-2-6-7-8-9-11"),
        ])
    func steps(name: String, path: String) throws {
        let run = try Rehearsal.standard(name)
        let paths = try run.events().filter { $0.name == "sign-on path" }.map(\.detail)
        #expect(!paths.isEmpty && paths.allSatisfy { $0 == path }, "\(paths)")
        let operations = Set(try run.exchanges().map(\.operation))
        #expect(operations.contains(.tokenExchange) == path.hasSuffix("11"))
        #expect(operations.contains(.registrationCode) == path.hasSuffix("10"))
        #expect(operations.contains(.profileRequest) == path.contains("6"))
    }

    /// Kinds of one rig, each with the steps of its sign-ins.
    @Test(
        "each kind of a rig walks its own steps, and is diverted where its script is not why",
        arguments: [
            ("platform-flags.yaml", "no provider", ["1-2-3-4-5-10"], false),
            ("platform-flags.yaml", "no expiry", ["1-2-6-7-10"], false),
            ("platform-disabled.yaml", "account", ["1-2-6-10"], true),
            ("platform-refused.yaml", "profile request", ["1-2-6-10"], true),
            ("platform-refused.yaml", "token exchange", ["1-2-6-7-8-9-10"], true),
            ("platform-step-7.yaml", "apple tv", ["1-2-6-7-10"], false),
            (
                "platform-foreground.yaml", "asked at once", ["1-2-6-7-8-9-11", "1-2-6-7-8-9-11"],
                false
            ),
            ("platform-foreground.yaml", "granted later", ["1-2-10", "1-2-6-7-8-9-11"], false),
            ("platform-foreground.yaml", "restricted", ["1-2-10", "1-2-10"], false),
            ("platform-filter.yaml", "offered", ["1-2-3-4-5-6-7-8-9-11"], false),
            ("platform-filter.yaml", "left out", ["1-2-3-4-5-10"], false),
        ])
    func kinds(name: String, kind: String, walks: [String], isDiverted: Bool) throws {
        let run = try Rehearsal.standard(name)
        let records = try run.households().filter { $0.kind == kind }
        #expect(!records.isEmpty)
        let events = try run.events()
        for record in records {
            let own = events.filter {
                $0.device.household == record.household && $0.name == "sign-on path"
            }
            #expect(own.map(\.detail) == walks, "household \(record.household)")
            #expect(record.signOn.steps == walks.first)
            #expect((record.divertedTo != nil) == isDiverted, "\(record.signOn)")
            let paths = walks.map { $0.hasSuffix("11") ? SignInPath.platform : .code }
            #expect(record.signOn.paths == paths)
            #expect(record.signInByPath != nil)
        }
    }

    @Test(
        "the platform's document is not sent again after a failure (apple-sso.md § 1, step 9)",
        arguments: ["platform-sign-on.yaml", "v2-platform-sign-on.yaml"])
    func exchangesOnce(name: String) throws {
        var rig = try RigFiles.read(name)
        rig.faults = try RigFiles.read("noisy.yaml").faults
        (rig.shows, rig.thresholds) = ([], [])
        var failed = 0
        for seed in UInt64(1)...8 {
            rig.seed = Seed(seed)
            let exchanges = try Rehearsal(rig).exchanges()
            for (household, own) in Dictionary(grouping: exchanges, by: \.device.household) {
                let sent = own.filter { [.tokenExchange, .ssoProfile].contains($0.operation) }
                for (first, next) in zip(sent, sent.dropFirst()) where first.isError {
                    #expect(
                        own.contains {
                            [.profileRequest, .partnerRequest].contains($0.operation)
                                && $0.sent > first.ended && $0.sent < next.sent
                        }, "household \(household)")
                }
                failed += sent.count(where: \.isError)
            }
        }
        #expect(failed > 0)
    }

    @Test(
        "on a test bench a TV that the platform signed in polls on by its device, after a logout as well",
        arguments: ["platform-sign-on.yaml", "v2-platform-sign-on.yaml"])
    func pollsOn(name: String) throws {
        var rig = try RigFiles.read(name)
        (rig.polling.every, rig.polling.afterSuccess) = (.seconds(3), .seconds(10))
        (rig.shows, rig.thresholds) = ([], [])
        let run = try Rehearsal(rig)
        let records = try run.households().filter { $0.signOn.paths.first == .platform }
        #expect(!records.isEmpty)
        let exchanges = try run.exchanges()
        for record in records {
            let own = exchanges.filter { $0.device.household == record.household }
            let token = try #require(record.tokenSeen)
            let out = own.first { $0.operation == .logout }?.ended ?? .distantFuture
            let polls = own.filter {
                $0.code == nil && [.pollToken, .profiles].contains($0.operation)
                    && $0.planned > token
            }
            let (held, gone) = (polls.filter { $0.ended < out }, polls.filter { $0.sent > out })
            #expect(held.count >= 3 && held.allSatisfy { $0.delivery.status == 200 })
            #expect(out == .distantFuture || gone.count >= 3, "household \(record.household)")
        }
        let summary = try run.summary()
        #expect(summary.exitStatus == .passed, "\(summary.headline)")
    }

    @Test("an app that asks as soon as it is opened asks before its first request, and once")
    func asksAtOnce() throws {
        let run = try Rehearsal.standard("platform-foreground.yaml")
        let events = try run.events()
        let exchanges = try run.exchanges()
        for record in try run.households() {
            let prompts = events.filter {
                $0.device.household == record.household && $0.name == "platform prompt"
            }
            #expect(prompts.count == (record.kind == "restricted" ? 0 : 1))
            #expect(record.signOn.prompts == prompts.count)
            guard let prompt = prompts.first else { continue }
            let first = try #require(
                exchanges.first { $0.device.household == record.household })
            #expect(prompt.at <= first.planned)
        }
        let changes = events.filter { $0.name == "settings change" }
        let granted = try run.households().count { $0.kind == "granted later" }
        #expect(changes.count == granted && changes.allSatisfy { $0.detail == "grant" })
    }

    @Test("the picker is told what to offer and what to show first")
    func picker() throws {
        let run = try Rehearsal.standard("platform-filter.yaml")
        let records = try run.households()
        func shown(_ kind: String) throws -> Set<String> {
            let households = Set(records.filter { $0.kind == kind }.map(\.household))
            return Set(
                try run.events().filter {
                    households.contains($0.device.household)
                        && ($0.name == "platform picker" || $0.name == "call getAuthentication")
                }.map(\.detail))
        }
        #expect(
            try shown("offered") == [
                "present: offers demo-sat,demo-cable; featured demo-cable", "dismiss",
            ])
        #expect(try shown("left out") == ["present: offers demo-sat", "dismiss"])
        #expect(
            try shown("sdk") == [
                "present: offers demo-cable,demo-sat; featured demo-sat",
                "DemoCable,DemoSat; featured DemoSat",
            ])
    }

    @Test("permission withdrawn before step 4 leads to step 10 as well")
    func withdrawnEarlier() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "platform-picker.yaml",
                ["kinds.0.platform-sign-on.withdrawn-before": "step 4"]))
        let paths = try run.events().filter { $0.name == "sign-on path" }.map(\.detail)
        #expect(paths.allSatisfy { $0 == "1-2-3-4-10" } && !paths.isEmpty)
        #expect(try run.households().allSatisfy { $0.fate == .signedIn })
    }

    @Test(
        "each error of the platform leads to step 10, by way of the step that met it",
        arguments: [
            (0, "1-2-3-4-5-10"), (1, "1-2-6-7-8-9-11"), (2, "1-2-6-7-8-9-11"), (3, "1-2-3-4-5-10"),
            (4, "1-2-3-4-5-10"), (5, "1-2-6-7-10"), (6, "1-2-3-4-5-10"), (7, "1-2-3-4-5-10"),
        ])
    func errors(code: Int, path: String) throws {
        // 1 and 2 come out of the picker, which nobody needs who is signed in.
        let run = try Rehearsal(
            RigFiles.read(
                "platform-error.yaml", ["kinds.0.platform-sign-on.error": String(code)]))
        let paths = try run.events().filter { $0.name == "sign-on path" }.map(\.detail)
        #expect(!paths.isEmpty && paths.allSatisfy { $0 == path }, "\(paths)")
        #expect(try run.households().allSatisfy { $0.fate == .signedIn })
    }

    @Test("a provider that is only listed in the platform's picker is preselected, and signs in")
    func preselected() throws {
        let run = try Rehearsal.standard("platform-preselected.yaml")
        let tags = try run.exchanges().filter { $0.operation == .pollToken }
            .compactMap(\.observation.tag)
        #expect(!tags.isEmpty && tags.allSatisfy { $0.mvpd == "DemoSat" })
    }

    @Test(
        "a preselected provider whose login comes to nothing leads to the own picker (G10)",
        arguments: ["tvos", "ipados"])
    func preselectionFails(screen: String) throws {
        let run = try Rehearsal(
            RigFiles.read(
                "platform-preselected.yaml",
                [
                    "kinds.0.first-screen": screen, "kinds.0.viewer.cancels": "100%",
                    "target.mvpds": "[{id: DemoCable, weight: 1}]",
                ]))
        let tags = try run.exchanges().filter { $0.operation == .pollToken }
            .compactMap(\.observation.tag)
        #expect(!tags.isEmpty && tags.allSatisfy { $0.mvpd == "DemoCable" })
        #expect(try run.households().allSatisfy { $0.fate == .signedIn })
    }

    @Test("who is still signed in on the platform is signed in again silently, and was told why")
    func silentRelogin() throws {
        let run = try Rehearsal.standard("platform-ipad.yaml")
        let events = try run.events()
        for record in try run.households() {
            let names = events.filter { $0.device.household == record.household }.map(\.name)
            #expect(
                names == [
                    "sign-on path", "sign out in settings", "silent relogin", "sign-on path",
                ], "\(names)")
        }
        let details = events.filter { $0.name == "sign out in settings" }.map(\.detail)
        #expect(details.allSatisfy { $0 == "Settings > TV Provider" })
    }

    @Test("a token that the platform did not make leaves nothing to tell")
    func tokenSource() throws {
        let run = try Rehearsal(
            RigFiles.read("platform-denied.yaml", ["after-sign-in": "[{logout: 100%}]"]))
        #expect(try !run.events().contains { $0.name == "sign out in settings" })
        #expect(try run.exchanges().contains { $0.operation == .userMetadata })
    }

    @Test("what viewers do wrong is turned down, and held against nobody")
    func slips() throws {
        let run = try Rehearsal.standard("slips.yaml")
        let exchanges = try run.exchanges()
        let refused = exchanges.filter { $0.outcome == .rejected }
        #expect(refused.filter { !$0.provoked } == [])
        #expect(Set(refused.map(\.operation)) == [.registrationRecord, .authenticate])
        #expect(try run.summary().exchanges.errors == 0)
        for record in try run.households() {
            if record.kind == "too late" {
                #expect(record.fate == .abandoned, "\(record)")
            } else {
                #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
            }
        }
        #expect(Set(exchanges.map(\.device.name)) == ["tv", "phone", "phone-2"])
    }

    @Test(
        "each slip alone shows in the exchanges",
        arguments: [
            ("wrong-code", OperationName.registrationRecord, 404),
            ("types-twice", OperationName.authenticate, 400),
            ("too-late", OperationName.registrationRecord, 404),
        ])
    func slip(key: String, operation: OperationName, status: Int) throws {
        let run = try Rehearsal(
            RigFiles.read(
                "smoke.yaml", ["kinds.0.viewer.\(key)": "100%", "code.ttl": "20s"]))
        for record in try run.households() {
            let provoked = try run.exchanges().filter {
                $0.device.household == record.household && $0.provoked
            }
            #expect(
                provoked.contains { $0.operation == operation && $0.delivery.status == status },
                "\(provoked.map { "\($0.operation) \($0.delivery)" })")
        }
        #expect(try run.summary().exchanges.errors == 0)
    }

    @Test("a login that was cancelled leaves the code good for the next try, on the other phone")
    func cancelled() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "smoke.yaml", ["kinds.0.viewer.cancels": "100%", "kinds.0.second-screens": "2"]))
        let exchanges = try run.exchanges()
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty)
            let own = exchanges.filter { $0.device.household == record.household }
            let assertions = own.filter { $0.operation == .assertion }
            #expect(assertions.map(\.provoked) == [true, false])
            #expect(assertions.map(\.device.name) == ["phone", "phone-2"])
            #expect(Set(assertions.map(\.code)).count == 1)
        }
    }

    @Test("the phone asks what may be watched, where the rig says so")
    func preauthorizeByCode() throws {
        let run = try Rehearsal(
            RigFiles.read("smoke.yaml", ["after-sign-in": "[preauthorize-code, media-token]"]))
        let asked = try run.exchanges().filter { $0.operation == .preauthorizeCode }
        #expect(asked.count == (try run.households().count))
        #expect(asked.allSatisfy { $0.outcome == .ok && $0.device.role == .secondScreen })
    }

    @Test("a TV plays each of its resources, one after another")
    func resourcesInTurn() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "playing.yaml", ["after-sign-in": "[authorize, authorization-token, media-token]"]))
        let exchanges = try run.exchanges()
        for record in try run.households() {
            #expect(record.stage == .playing)
            let own = exchanges.filter {
                $0.device.household == record.household && $0.observation.resource != nil
            }
            #expect(
                own.map { "\($0.operation) \($0.observation.resource ?? "")" }
                    == ["authorize", "authorization-token", "media-token"].flatMap { operation in
                        ["news", "sports", "film"].map { "\(operation) \($0)" }
                    })
            #expect(own.allSatisfy { $0.outcome == .ok })
            #expect(zip(own, own.dropFirst()).allSatisfy { $0.ended <= $1.sent })
        }
    }

    @Test("a TV plays all of its resources at once")
    func resourcesAtOnce() throws {
        let run = try Rehearsal(
            RigFiles.read("playing.yaml", ["after-sign-in": "[play-at-once]"]))
        let exchanges = try run.exchanges()
        for record in try run.households() {
            #expect(record.stage == .playing)
            let own = exchanges.filter {
                $0.device.household == record.household && $0.observation.resource != nil
            }
            #expect(own.count == 9 && own.allSatisfy { $0.outcome == .ok })
            for resource in ["news", "sports", "film"] {
                let steps = own.filter { $0.observation.resource == resource }
                #expect(steps.map(\.operation) == [.authorize, .authorizationToken, .mediaToken])
            }
            // All are under way before the first is answered.
            let asked = own.filter { $0.operation == .authorize }
            let answered = asked.compactMap(\.firstByte).min()
            #expect(asked.allSatisfy { $0.sent <= answered ?? $0.sent })
            // They share what the TV has registered.
            #expect(
                exchanges.filter {
                    $0.device.household == record.household && $0.device.role == .firstScreen
                        && $0.operation == .registerClient
                }.count == 1)
        }
    }

    @Test(
        "what is lost to gated calls is found, and named",
        arguments: [
            ("lost-session:after=50ms", "token-monotonic"),
            ("lost-authorization", "authorization-gates"),
            ("resource-swap", "conforms"),
        ])
    func losses(fault: String, invariant: String) throws {
        let run = try Rehearsal(RigFiles.read("playing.yaml", ["faults": "[\(spelled(fault))]"]))
        let findings = try JudgeTests.findings(run)
        let households = try run.households().count
        #expect(Set(findings.violations.map(\.invariant.name)) == [invariant])
        #expect(findings.violations.count == households)
        #expect(findings.violations.allSatisfy { $0.standing == .fails })
    }

    /// `{token-flap: {window: 30ms}}` for `token-flap:window=30ms`.
    private func spelled(_ fault: String) -> String {
        let parts = fault.split(separator: ":")
        guard parts.count == 2 else { return fault }
        return "{\(parts[0]): {\(parts[1].replacing("=", with: ": "))}}"
    }

    @Test("a TempPass plays without a code")
    func tempPass() throws {
        let run = try Rehearsal.standard("temp-pass.yaml")
        let operations = Set(try run.exchanges().map(\.operation))
        #expect(operations.contains(.freePreview) && operations.contains(.mediaToken))
        #expect(!operations.contains(.registrationCode))
        #expect(try run.households().allSatisfy { $0.stage == .playing })
    }
}

@Suite("An app over the SDK hears what its contract promises")
struct SDKTests {
    static let rigs = RigFiles.names.filter { $0.hasPrefix("sdk-") } + ["premiere.yaml"]

    @Test("callbacks come in their order", arguments: rigs)
    func order(name: String) throws {
        let run = try Rehearsal.standard(name)
        let events = try run.events()
        #expect(events.contains { $0.name == "setAuthenticationStatus" })
        for record in try run.households() {
            let own = events.filter { $0.device.household == record.household }
            #expect(
                CallbackOrder.breaches(of: own) == [], "\(own.map { "\($0.name) \($0.detail)" })")
        }
    }

    @Test(
        "each way through the platform has its advanced codes",
        arguments: [
            ("silent", ["VSA203"]), ("picker", ["VSA203"]), ("listed", []),
            ("other", ["N003", "REGCODE"]), ("cancelled", ["N005"]),
            ("denied", ["VSA403", "VSA403", "VSA403", "REGCODE"]),
        ])
    func codes(kind: String, codes: [String]) throws {
        let run = try Rehearsal(
            RigFiles.read("sdk-platform.yaml", ["load.closed.households": "30"]))
        let records = try run.households().filter { $0.kind == kind }
        #expect(!records.isEmpty)
        for record in records {
            let statuses = try run.events().filter {
                $0.device.household == record.household && $0.name == "status"
            }
            #expect(statuses.map(\.detail) == codes, "household \(record.household)")
        }
    }

    @Test(
        "each rig of the SDK shows its codes",
        arguments: [
            ("sdk-codes.yaml", "undetermined", ["VSA404", "VSA404", "VSA404", "REGCODE"]),
            ("sdk-codes.yaml", "out of order", ["VSA503"]),
            ("sdk-codes.yaml", "not integrated", ["N004"]),
            ("platform-disabled.yaml", "sdk picker", ["N004"]),
            ("platform-step-7.yaml", "sdk", ["APPL", "VSA503"]),
            ("platform-refused.yaml", "sdk profile request", []),
            ("platform-refused.yaml", "sdk token exchange", ["REGCODE"]),
            ("sdk-launch.yaml", "advice ignored", ["VSA203"]),
            ("sdk-launch.yaml", "signed out", ["VSA203"]),
            ("sdk-check.yaml", "as before", []), ("sdk-check.yaml", "token over", []),
            ("sdk-check.yaml", "platform token over", []),
            ("sdk-check.yaml", "integration disabled", ["N004"]),
            ("sdk-check.yaml", "sign-on disabled", ["N004"]),
            ("sdk-check.yaml", "permission withdrawn", ["VSA403", "VSA403"]),
            ("sdk-check.yaml", "platform fails", ["APPL_ERROR", "VSA503"]),
        ])
    func codesOfRigs(name: String, kind: String, codes: [String]) throws {
        let run = try Rehearsal.standard(name)
        let records = try run.households().filter { $0.kind == kind }
        #expect(!records.isEmpty)
        for record in records {
            let statuses = try run.events().filter {
                $0.device.household == record.household && $0.name == "status"
            }
            #expect(statuses.map(\.detail) == codes, "household \(record.household)")
            #expect(record.signOn.codes.filter { !$0.hasPrefix("VSError") } == codes)
        }
    }

    /// access-enabler-sdk.md § 4, step 3, and apple-sso.md § 3.6.
    @Test(
        "after a relaunch the check says 0 where a condition has failed, and the household signs in",
        arguments: [
            ("as before", ["1"], [SignInPath.platform]),
            ("token over", ["0 USER_NOT_AUTHENTICATED_ERROR", "1"], [.webView, .webView]),
            // Signed in again silently, while the requestor was set.
            ("platform token over", ["1"], [.platform, .platform]),
            (
                "integration disabled", ["0 USER_NOT_AUTHENTICATED_ERROR", "1"],
                [.platform, .webView]
            ),
            ("sign-on disabled", ["0 USER_NOT_AUTHENTICATED_ERROR", "1"], [.platform, .webView]),
            (
                "permission withdrawn", ["0 USER_NOT_AUTHENTICATED_ERROR", "1"],
                [.platform, .webView]
            ),
            ("platform fails", ["0 USER_NOT_AUTHENTICATED_ERROR", "1"], [.platform, .webView]),
        ])
    func checkAfterRelaunch(kind: String, statuses: [String], paths: [SignInPath]) throws {
        let run = try Rehearsal.standard("sdk-check.yaml")
        let records = try run.households().filter { $0.kind == kind }
        #expect(!records.isEmpty)
        for record in records {
            let own = try run.events().filter { $0.device.household == record.household }
            let again = try #require(own.lastIndex { $0.name == "call setRequestor" })
            let told = own[again...].filter { $0.name == "setAuthenticationStatus" }
            #expect(told.map(\.detail) == statuses, "\(told)")
            #expect(record.signOn.paths == paths)
        }
    }

    @Test("VSA203 is followed by the advice, and without a sign-out by a silent launch")
    func launch() throws {
        let run = try Rehearsal.standard("sdk-launch.yaml")
        for record in try run.households() {
            let own = try run.events().filter { $0.device.household == record.household }
            #expect(own.contains { $0.name == "sign out in settings" })
            let isSilent = record.kind == "advice ignored"
            #expect(record.signOn.silentRelogins == (isSilent ? 1 : 0))
            #expect(record.signOn.pickers == (isSilent ? 0 : 1))
            #expect(record.signOn.paths == [.platform, .platform])
            let again = try #require(own.lastIndex { $0.name == "call setRequestor" })
            let calls = own[again...].filter { $0.name.hasPrefix("call ") }.map(\.name)
            #expect(calls.contains("call getAuthentication") == !isSilent)
        }
    }

    @Test("a silent exchange that is refused is told as an error, and the app signs in regularly")
    func refusedExchange() throws {
        let run = try Rehearsal.standard("platform-refused.yaml")
        for record in try run.households() where record.kind.hasPrefix("sdk") {
            let own = try run.events().filter { $0.device.household == record.household }
            let told = own.filter { $0.name == "setAuthenticationStatus" }.map(\.detail)
            #expect(
                told.prefix(3) == [
                    "0 USER_NOT_AUTHENTICATED_ERROR", "0 GENERIC_AUTHENTICATION_ERROR", "1",
                ], "\(told)")
            #expect(CallbackOrder.breaches(of: own) == [])
            #expect(record.divertedTo != nil)
        }
    }

    @Test("a throttled SDK says so by its own codes, and its app asks again")
    func throttled() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "sdk-tvos.yaml",
                ["polling.every": "200ms", "kinds.0.viewer.notices-code": "fixed 10s"]))
        #expect(try run.exchanges().contains { $0.outcome == .throttled })
        #expect(try run.households().allSatisfy { $0.fate == .signedIn })
        for record in try run.households() {
            let own = try run.events().filter { $0.device.household == record.household }
            #expect(CallbackOrder.breaches(of: own) == [])
        }
    }

    @Test("an app whose viewer leaves is told that no provider was selected")
    func givesUp() throws {
        let run = try Rehearsal(
            RigFiles.read("sdk-ios.yaml", ["kinds.0.viewer.gives-up": "100%"]))
        #expect(try run.households().allSatisfy { $0.fate == .abandoned })
        let statuses = try run.events().filter { $0.name == "setAuthenticationStatus" }
        #expect(statuses.contains { $0.detail == "0 PROVIDER_NOT_SELECTED_ERROR" })
    }
}

@Suite("Premiere night")
struct PremiereTests {
    @Test("all kinds together, without an error or a deviation, and told apart")
    func premiere() throws {
        let run = try Rehearsal.standard("premiere.yaml", limit: 600)
        let summary = try run.summary()
        #expect(summary.exchanges.errors == 0, "\(summary.errors)")
        #expect(summary.exitStatus == .passed, "\(summary.headline)")
        #expect(try run.exchanges().allSatisfy { $0.deviations.isEmpty })
        let records = try run.households()
        #expect(records.allSatisfy { $0.fate == .signedIn && $0.cause.isEmpty })
        let shares = [
            ("second screen", 0.70), ("platform sign-on", 0.15), ("iPad", 0.10), ("SDK", 0.05),
        ]
        for (kind, share) in shares {
            let count = records.count { $0.kind == kind }
            #expect(abs(Double(count) / Double(records.count) - share) < 0.06, "\(kind): \(count)")
            let funnel = try #require(summary.funnels.first { $0.kind == kind })
            #expect(funnel.steps.first?.households == count)
        }
    }
}
