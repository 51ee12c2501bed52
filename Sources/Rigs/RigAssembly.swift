internal import Dialects
internal import Statistics

/// Puts the values of the rows together to a `Rig`, and checks what concerns several at once. A
/// section in which a problem was found already is not checked further: its values are stand-ins.
struct RigAssembly {
    let root: Section
    private(set) var problems: [RigProblem] = []
    private(set) var warnings: [RigProblem] = []
    private(set) var needs: [RigProblem] = []

    init(_ root: Section) {
        self.root = root
    }

    mutating func rig(source: String) -> Rig {
        let target = target(root.value("target"))
        checkSpread(root.value("connections"), root.value("target"), target.pinned)
        let kinds = kinds(root.value("kinds"))
        let identities: String =
            root.optional("identities") ?? (target.base == .embedded ? "by-seed" : "per-run")
        let code: Section = root.value("code")
        let validity: Section = root.value("validity")
        let activities = activities(root.value("after-sign-in"), target)
        let accounts = accounts(target)
        let needs = TargetNeeds(
            target, activities, accounts: accounts, section: root.value("target"))
        self.needs = needs.warnings
        warnings += Self.idleStandin(root.value("standin"), target)
        let policies = policies(root.value("policies"))
        return Rig(
            name: root.value("rig"), seed: root.value("seed"),
            identities: identities == "by-seed" ? .bySeed : .perRun, target: target,
            load: load(root.value("load")), kinds: kinds,
            polling: polling(root.value("polling"), target),
            code: Rig.CodeTerms(
                lifetime: code.optional("ttl"), deletesAfter: code.value("delete-after"),
                newCode: code.value("new-code")),
            afterSignIn: activities, accounts: accounts, login: login(),
            cleansUp: cleansUp(target), connections: word("connections"),
            sources: sources(target),
            forwardedFor: root.value("forwarded-for") == "none" ? .none : .perDevice,
            lanes: root.optional("lanes"), isPrecise: root.value("precise"),
            record: root.value("record"),
            validity: Rig.Validity(
                latenessP99: validity.value("lateness-p99"), busy: validity.value("busy"),
                failsOnBreach: validity.value("on-breach") == "fail"),
            policies: policies, promises: promises(), known: known(root.optional("known") ?? []),
            standin: standin(root.value("standin"), under: policies),
            faults: faults(root.value("faults"), target),
            thresholds: thresholds(root.value("thresholds"), kinds),
            shows: shows(root.value("shows"), kinds),
            race: race(root.value("race")), nightly: nightly(root.value("nightly")), source: source)
    }

    /// Loopback leads nowhere but to loopback: the kernel refuses such a connection.
    private mutating func sources(_ target: Target) -> [AddressRange] {
        let items: [Item] = root.optional("source-addresses") ?? []
        let ranges = items.compactMap { $0.value as? AddressRange }
        if case .remote(let origin, _) = target.base, !TargetNeeds.isThisMachine(origin.host),
            let loop = ranges.first(where: { $0.first.hasPrefix("127.") })
        {
            refuse(
                root.place(of: "source-addresses"),
                "\(loop.text) is a loopback address, from which \(origin.host) cannot be "
                    + "reached; use addresses of this machine's network interfaces")
        }
        return ranges
    }

    func rootItem(_ key: String) -> Item? { root.items[key] }

    /// A word of the top level whose choices are those of an enum.
    private func word<T: RawRepresentable>(_ key: String) -> T where T.RawValue == String {
        Self.word(key, in: root)
    }

    static func word<T: RawRepresentable>(
        _ key: String, in section: Section
    ) -> T where T.RawValue == String {
        let text: String = section.value(key)
        guard let value = T(rawValue: text) else {
            preconditionFailure("the format's words for '\(key)' are those of \(T.self)")
        }
        return value
    }

    mutating func refuse(_ place: Place, _ sentence: String) {
        problems.append(RigProblem(place, .conflict(sentence)))
    }
}

// MARK: Target

extension RigAssembly {
    /// The direct engine speaks HTTP/1.1 only.
    private mutating func engine(_ section: Section) -> Target.Engine {
        let engine: Target.Engine = Self.word("engine", in: section)
        let http: Target.HTTPVersion = Self.word("http", in: section)
        if engine == .direct, http == .http2 {
            refuse(
                section.place(of: "engine"),
                "engine 'direct' supports HTTP/1.1 only; write engine: multi, or http: \"1.1\"")
        }
        return engine
    }

    private mutating func target(_ section: Section) -> Target {
        let headers: [(String, String)] = section.value("headers")
        let mvpds: [Item] = section.value("mvpds")
        let resources: [Item] = section.value("resources")
        let allow: [Item] = section.value("allow")
        return Target(
            base: section.value("base"), protocolName: Self.word("protocol", in: section),
            requestor: section.value("requestor"), domain: section.value("domain"),
            redirectURL: section.value("redirect-url"),
            mvpds: mvpds.compactMap { item in
                (item.value as? Section).map {
                    Target.WeightedProvider(id: $0.value("id"), weight: $0.value("weight"))
                }
            },
            resources: resources.compactMap { $0.value as? String },
            softwareStatement: section.optional("software-statement"),
            clients: clients(section), usesBearer: section.value("auth") == "bearer",
            allow: allow.compactMap { item in
                (item.value as? Section)?.value("host") ?? item.value as? String
            },
            headers: Headers(headers.map { Headers.Field($0.0, $0.1) }),
            http: Self.word("http", in: section), engine: engine(section),
            format: Self.word("format", in: section), timeout: section.value("timeout"),
            responseLimit: section.value("response-limit"), maxHops: section.value("max-hops"),
            proxy: section.value("proxy"), tls: tls(section.value("tls"), section),
            correlates: section.value("correlate"), courtesy: courtesy(section, allow),
            pinned: pinned(section), fetchesRedirect: section.value("fetch-redirect"),
            probes: (section.optional("probe") as String?).map { $0 == "on" })
    }

    private func clients(_ section: Section) -> Target.ClientRegistration {
        if let given = section.items["clients"]?.value as? Section {
            return .given(ClientCredentials(id: given.value("id"), secret: given.value("secret")))
        }
        return section.value("clients") == "shared" ? .shared : .perDevice
    }

    private mutating func tls(_ section: Section, _ target: Section) -> Target.TLS {
        let tls = Target.TLS(
            verifies: section.value("verify"), ca: RigReader.file("ca", of: section),
            caOnly: section.value("ca-only"),
            certificate: RigReader.file("certificate", of: section),
            key: RigReader.file("key", of: section), minimum: Self.word("minimum", in: section))
        guard section.isWhole, target.isWhole, let first = section.given.first else { return tls }
        var isSecure = false
        if case .remote(let origin, _) = target.value("base", as: Target.Base.self) {
            isSecure = origin.scheme == .https
        }
        if !isSecure {
            refuse(
                section.place(of: first),
                "tls needs an https address in target.base; write base: https://..., or remove tls")
        }
        if (tls.certificate == nil) != (tls.key == nil) {
            refuse(
                section.place(of: tls.key == nil ? "certificate" : "key"),
                "a client certificate needs two files; give both 'certificate' and 'key'")
        }
        if tls.caOnly, tls.ca == nil {
            refuse(
                section.place(of: "ca-only"),
                "'ca-only' without 'ca' trusts no certificate; add "
                    + "'ca: FILE'"
            )
        }
        return tls
    }
}

// MARK: Load

extension RigAssembly {
    private mutating func load(_ section: Section) -> Load {
        let settle: Duration = section.value("settle")
        let open = section.optional("arrivals", as: [Item].self)
        let closed = section.optional("closed", as: Section.self)
        if section.isWhole { checkLoad(section) }
        if let closed {
            let households: Int = closed.value("households")
            if let time: Duration = closed.optional("for") {
                checkLength(time + settle, closed.place(of: "for"))
                return .closed(households: households, for: time, settle: settle)
            }
            return .once(households: households, settle: settle)
        }
        let stages = (open ?? []).compactMap { item in stage(item) }
        let arrivals = Load.Arrivals(
            stages: stages, spacing: Self.word("spacing", in: section), settle: settle)
        if section.isWhole, let open, stages.count == open.count {
            checkArrivals(arrivals, section.place(of: "arrivals"))
        }
        return .open(arrivals)
    }

    private mutating func checkArrivals(_ arrivals: Load.Arrivals, _ place: Place) {
        let even = Load.Arrivals(stages: arrivals.stages, spacing: .even, settle: arrivals.settle)
        let times = ArrivalTimes(even, seed: Seed(1))
        if times.peakRate == 0 {
            refuse(
                place,
                "no household would arrive, because the rate starts at 0/s and stays there; "
                    + "start with {ramp-to: 20/s, over: 0s}")
        }
        checkLength(times.end + arrivals.settle, place)
        if times.count > Load.householdsAtMost {
            refuse(
                place,
                "\(times.count) households would arrive, and the limit is "
                    + "\(Load.householdsAtMost) per run; lower the rates, or shorten the stages")
        }
    }

    /// A plan that nobody can mean.
    private mutating func checkLength(_ time: Duration, _ place: Place) {
        guard time > Load.longest else { return }
        refuse(
            place,
            "the run would take \(Int(time.seconds / 86_400)) days, and the limit is "
                + "\(Int(Load.longest.seconds / 86_400)) days; shorten it")
    }

    private mutating func checkLoad(_ section: Section) {
        switch (section.given.contains("arrivals"), section.given.contains("closed")) {
        case (true, true):
            refuse(
                section.place(of: "closed"),
                "'arrivals' (open load) and 'closed' exclude each other; remove one of them")
        case (false, false):
            refuse(
                section.place,
                "load has neither 'arrivals' nor 'closed'; add "
                    + "'arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 1m}]' or 'closed: {households: 20}'"
            )
        case (false, true) where section.given.contains("spacing"):
            refuse(
                section.place(of: "spacing"),
                "'spacing' has no effect with 'closed'; remove it")
        default: break
        }
    }

    private mutating func stage(_ item: Item) -> Load.Arrivals.ArrivalStage? {
        guard let section = item.value as? Section, section.isWhole else { return nil }
        switch section.given.sorted() {
        case ["hold"]: return .hold(section.value("hold"))
        case ["over", "ramp-to"]:
            return .ramp(to: section.value("ramp-to"), over: section.value("over"))
        default:
            refuse(
                item.place,
                "a stage of arrivals is {ramp-to: 20/s, over: 1m} or {hold: 5m}, not "
                    + (section.given.isEmpty ? "empty" : section.given.joined(separator: " with ")))
            return nil
        }
    }
}

// MARK: Households

extension RigAssembly {
    private mutating func kinds(_ items: [Item]) -> [HouseholdKind] {
        let sections = items.compactMap { $0.value as? Section }
        if items.isEmpty, root.isWhole {
            refuse(
                root.place(of: "kinds"),
                "kinds is empty; remove it for one default kind of "
                    + "household")
        }
        let order = KindOrder(weights: sections.map { $0.value("weight") }, seed: Seed(1))
        if !order.isQuick {
            refuse(
                root.place(of: "kinds"),
                "\(sections.count) kinds with a total weight of \(order.total) are too many; use "
                    + "fewer kinds, or smaller weights")
        }
        var names: [String: Place] = [:]
        for section in sections {
            let name: String = section.value("name")
            let place = section.place(of: "name")
            if let first = names[name] {
                refuse(
                    place,
                    "duplicate kind '\(name)', first defined in line \(first.line); give each "
                        + "kind its own name")
            } else {
                names[name] = place
            }
        }
        return sections.map { kind($0) }
    }

    private mutating func polling(_ section: Section, _ target: Target) -> Rig.Polling {
        let polling = Rig.Polling(
            every: section.value("every"), jitter: section.value("jitter"),
            target: Self.word("target", in: section),
            isAligned: section.value("phase") == "aligned", pollers: section.value("pollers"),
            afterSuccess: section.value("after-success"), mode: section.value("mode"))
        let floor = target.protocolName.type.pollFloor
        if section.isWhole, polling.every == .zero {
            refuse(section.place(of: "every"), "every is 0s; write for example 5s")
        } else if section.isWhole, polling.every < floor {
            warnings.append(
                RigProblem(
                    section.place(of: "every"),
                    .conflict(
                        "polling.every is below the minimum of \(Int(floor.seconds)) s in "
                            + "\(target.protocolName.rawValue): expect 429s that are not the service's "
                            + "fault")))
        }
        return polling
    }

    private mutating func activities(_ items: [Item], _ target: Target) -> [Rig.Activity] {
        items.compactMap { item in
            if let section = item.value as? Section { return Self.activity(section) }
            let word = item.value as? String ?? ""
            let operation = OperationName(name: word)
            if target.resources.isEmpty, operation?.needsResources ?? true {
                refuse(
                    item.place,
                    "\(word) needs a resource, and target.resources is empty; add one")
                return nil
            }
            return operation.map { .ask($0) } ?? .playAtOnce
        }
    }

    private static func activity(_ section: Section) -> Rig.Activity {
        switch section.given.first {
        case "watch": return .watch(section.value("watch"))
        case "logout": return .logout(section.value("logout"))
        case "again": return .again(section.value("again"))
        case "relaunch": return .relaunch(section.value("relaunch"))
        default: preconditionFailure("the format's activities with a value are these four")
        }
    }
}

// MARK: The rest

extension RigAssembly {
    /// The terms of an account file; its lines are read later, by `AccountFileReader`.
    private mutating func accounts(_ target: Target) -> Rig.Accounts {
        guard let section = root.items["accounts"]?.value as? Section else { return .generated }
        let isShared = section.value("sharing") == "shared"
        let atOnce: Int? = section.optional("at-once")
        if section.isWhole, !isShared, let atOnce, atOnce > 1 {
            refuse(
                section.place(of: "at-once"),
                "with sharing: exclusive, one household at a time uses an account; write "
                    + "at-once: 1, or sharing: shared")
        }
        return .listed(
            AccountList(
                file: section.value("file"), entries: [], atOnce: isShared ? atOnce : 1,
                onExhausted: Self.word("on-exhausted", in: section),
                failuresAtMost: section.value("failed-logins")))
    }

    private mutating func login() -> Rig.Login {
        guard let section = root.items["login"]?.value as? Section else { return .auto }
        if section.isWhole, section.given.isEmpty {
            refuse(
                section.place,
                "login is empty; write auto, {user: NAME, password: NAME} or "
                    + "{command: PROGRAM}")
        }
        guard let program = RigReader.file("command", of: section) else {
            if section.isWhole, section.given.contains("timeout") {
                refuse(
                    section.place(of: "timeout"),
                    "timeout is the time limit of a program; add 'command: PROGRAM', or remove it"
                )
            }
            return .fields(
                Rig.Login.LoginFields(
                    form: section.optional("form"), user: section.optional("user"),
                    password: section.optional("password"),
                    failedWhen: section.optional("failed-when")))
        }
        if section.isWhole, section.given.contains(where: { !["command", "timeout"].contains($0) })
        {
            refuse(
                section.place(of: "command"),
                "with 'command' the program does the whole login, so other keys have no effect; "
                    + "keep 'command' or the other keys")
        }
        return .command(Self.program(program), within: section.value("timeout"))
    }

    /// Beside the rig, and not where the shell would look.
    static func program(_ path: String) -> String {
        path.contains("/") ? path : "./" + path
    }

    /// Off loopback, unless the rig says otherwise.
    private func cleansUp(_ target: Target) -> Bool {
        if let given: Bool = root.optional("clean-up") { return given }
        guard case .remote(let origin, _) = target.base else { return false }
        return
            !(origin.host == "localhost" || origin.host == "::1"
            || origin.host.hasPrefix("127."))
    }

    private mutating func thresholds(_ items: [Item], _ kinds: [HouseholdKind]) -> [Threshold] {
        let own = items.compactMap { item -> Threshold? in
            guard let threshold = item.value as? Threshold else { return nil }
            check(threshold.kind, item.place, kinds)
            return threshold
        }
        return Threshold.withDefaults(own)
    }

    private mutating func shows(_ items: [Item], _ kinds: [HouseholdKind]) -> [HistoryCheck] {
        let record: Rig.Recording = root.value("record")
        return items.compactMap { item in
            guard let expected = item.value as? HistoryCheck else { return nil }
            check(expected.kind, item.place, kinds)
            if expected.needsRecords, record != .all {
                refuse(
                    item.place,
                    "'\(expected.text)' is counted from single exchanges, and not all are "
                        + "recorded; write record: all, or remove this line from shows")
            }
            if expected.kind != nil, case .violation = expected.subject {
                refuse(
                    item.place,
                    "violations are not counted by kind; remove 'kind \"...\":' from this line")
            }
            return expected
        }
    }

    /// A line about one kind of household names one that there is.
    private mutating func check(_ kind: String?, _ place: Place, _ kinds: [HouseholdKind]) {
        guard let kind, !kinds.contains(where: { $0.name == kind }) else { return }
        let names = kinds.map(\.name)
        // Whoever has so many problems sees no more of them.
        let nearest = problems.count < RigErrors.shownAtMost ? kind.nearest(among: names) : nil
        let known = names.shortened.map { "'\($0.shortened)'" }.joined(separator: ", ")
        refuse(
            place,
            "unknown kind of household '\(kind.shortened)'"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "; the rig has \(known)"))
    }
}
