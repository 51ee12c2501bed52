internal import Journal
internal import Rendering
internal import Statistics

/// By which paths households signed in, and what platform and SDK said meanwhile.
public struct SignOns: Sendable, Hashable {
    /// Paths that occurred: code, web view, platform, TempPass.
    public var paths: [Path]
    /// Households that signed in and whose kind asks for platform sign-on.
    public var asked: Int
    /// Of those, households that signed in by another path.
    public var diverted: Int
    /// The most frequent reason first.
    public var diversions: [DiversionCount]
    /// The ways through the platform's decision graph, the most frequent first.
    public var walks: [Walk]
    /// What the SDK's status callback and the platform's framework said, by name.
    public var codes: [SignOnCode]
    public var prompts: Int
    public var pickers: Int
    public var silentRelogins: Int

    /// The first sign-ins of all households by one path, timed; and how many there were in all.
    public struct Path: Sendable, Hashable {
        public var name: String
        public var households: Int
        public var signIns: Int
        public var time: Spread?
        /// Without the viewer's own time.
        public var service: Spread?

        static let columns: [Column<Path>] = [
            Column(json: "name", page: "Path", isText: true, explained: .like("path")) {
                .text($0.name)
            },
            Column(json: "households", page: "Households", explained: .like("household")) {
                .count($0.households)
            },
            Column(json: "signIns", page: "Sign-ins", explained: .like("path")) {
                .count($0.signIns)
            },
            time("p50", "percentile") { $0.time?.p50 },
            time("p95", "percentile") { $0.time?.p95 },
            time("max", "percentile") { $0.time?.max },
            time("Service p95", "service") { $0.service?.p95 },
            Column(json: "signInMs") { .json(Spread.json($0.time)) },
            Column(json: "signInServiceMs") { .json(Spread.json($0.service)) },
        ]

        private static func time(
            _ head: String, _ term: String, _ milliseconds: @escaping @Sendable (Path) -> Double?
        ) -> Column<Path> {
            Column(page: head, explained: .like(term)) { path in
                milliseconds(path).map { .figure($0, Figures.time(milliseconds: $0)) }
                    ?? .text("–")
            }
        }
    }

    public struct DiversionCount: Sendable, Hashable {
        public var reason: String
        /// The path that was taken instead, as in `signed in by code`.
        public var phrase: String
        public var households: Int
        /// The first of them.
        public var example: Int

        static let columns: [Column<DiversionCount>] = [
            Column(
                json: "reason", page: "Reason", isText: true, explained: .like("diverted"),
                drawn: { "<span class=\"wrap\">\($0.reason)</span>" }, value: { .text($0.reason) }),
            Column(json: "signedIn", page: "Signed in", isText: true, explained: .like("signed-in"))
            {
                .text($0.phrase)
            },
            Column(json: "households", page: "Households", explained: .like("household")) {
                .count($0.households)
            },
            Column(
                json: "example", page: "Example", isText: true, explained: .like("cause"),
                drawn: { "household \($0.example)" }, value: { .count($0.example) }),
        ]
    }

    public struct Walk: Sendable, Hashable {
        public var steps: String
        public var households: Int
        public var example: Int

        static let columns: [Column<Walk>] = [
            Column(page: "Steps", isText: true, explained: .like("steps")) { .text($0.steps) },
            Column(page: "Households", explained: .like("household")) {
                .count($0.households)
            },
            Column(
                page: "Example", isText: true, explained: .like("cause"),
                drawn: { "household \($0.example)" }, value: { .count($0.example) }),
        ]
    }

    public struct SignOnCode: Sendable, Hashable {
        public var name: String
        public var meaning: String
        public var times: Int
        public var households: Int
        public var example: Int

        static let columns: [Column<SignOnCode>] = [
            Column(json: "code", page: "Code", isText: true, explained: .like("codes")) {
                .text($0.name)
            },
            Column(
                json: "meaning", page: "Meaning", isText: true, explained: .like("level"),
                drawn: { "<span class=\"wrap\">\($0.meaning)</span>" }, value: { .text($0.meaning) }
            ),
            Column(json: "times", page: "Times", explained: .like("count")) { .count($0.times) },
            Column(json: "households", page: "Households", explained: .like("household")) {
                .count($0.households)
            },
            Column(
                json: "example", page: "Example", isText: true, explained: .like("cause"),
                drawn: { "household \($0.example)" }, value: { .count($0.example) }),
        ]
    }

    /// Nothing but sign-ins by code or in a web view: there is nothing to tell apart.
    var isOrdinary: Bool {
        diverted == 0 && walks.isEmpty && codes.isEmpty && prompts == 0 && pickers == 0
            && silentRelogins == 0 && paths.count < 2
            && paths.allSatisfy { $0.name != SignInPath.platform.name }
    }

    /// `15 of 16 households signed in by code although their kind asks for platform sign-on`; nil
    /// where none did.
    var diversionSentence: String? {
        guard diverted > 0 else { return nil }
        let phrases = Set(diversions.map(\.phrase))
        let how = phrases.count == 1 ? phrases.first ?? "" : "by other paths"
        let who =
            diverted == asked && asked > 1
            ? "all \(Figures.counted(asked, "household"))"
            : "\(Figures.count(diverted)) of \(Figures.counted(asked, "household"))"
        return "\(who) signed in \(how), although their kind asks for platform sign-on"
    }

    /// More than half of those that were to use the platform: the headline says so.
    var isMostlyDiverted: Bool { 2 * diverted > asked }

    /// Why, the most frequent reasons first.
    var diversionReasons: [String] {
        // The same reason stands once for each path that was taken instead.
        var reasons: [(text: String, households: Int, example: Int)] = []
        for diversion in diversions {
            if let known = reasons.firstIndex(where: { $0.text == diversion.reason }) {
                reasons[known].households += diversion.households
                reasons[known].example = min(reasons[known].example, diversion.example)
            } else {
                reasons.append((diversion.reason, diversion.households, diversion.example))
            }
        }
        return reasons.enumerated().sorted {
            ($1.element.households, $0.offset) < ($0.element.households, $1.offset)
        }.prefix(3).map { _, reason in
            "left the platform's path at \(reason.text) (\(Figures.counted(reason.households, "household")), such as "
                + "household \(reason.example))"
        }
    }
}

/// Folds households into `SignOns`.
struct SignOnFold {
    private struct SeenSignOns {
        var count = 0
        var households = 0
        var example = Int.max

        mutating func add(_ household: Int, times: Int = 1) {
            count += times
            households += 1
            example = min(example, household)
        }
    }

    private struct ReasonCount: Hashable {
        var text: String
        var phrase: String
    }

    private struct Times {
        var households = 0
        var signIns = 0
        var time = Histogram()
        var service = Histogram()
    }

    private var times = [Times](repeating: Times(), count: SignInPath.allCases.count)
    private var asked = 0
    private var diverted = 0
    private var reasons: [ReasonCount: SeenSignOns] = [:]
    private var walks: [String: SeenSignOns] = [:]
    private var codes: [String: SeenSignOns] = [:]
    private var prompts = 0
    private var pickers = 0
    private var silentRelogins = 0

    mutating func add(_ household: HouseholdRecord) {
        let signOn = household.signOn
        for path in signOn.paths { times[Int(path.rawValue)].signIns += 1 }
        if let path = signOn.paths.first {
            let position = Int(path.rawValue)
            times[position].households += 1
            if let time = household.signInByPath { times[position].time.record(time) }
            if let time = household.signInByPathService { times[position].service.record(time) }
            if signOn.asked != nil { asked += 1 }
        }
        if let other = household.divertedTo {
            diverted += 1
            reasons[
                ReasonCount(text: signOn.diversion, phrase: other.phrase), default: SeenSignOns()
            ]
            .add(household.household)
        }
        if !signOn.steps.isEmpty {
            walks[signOn.steps, default: SeenSignOns()].add(household.household)
        }
        for code in Set(signOn.codes) {
            codes[code, default: SeenSignOns()].add(
                household.household, times: signOn.codes.count { $0 == code })
        }
        prompts += signOn.prompts
        pickers += signOn.pickers
        silentRelogins += signOn.silentRelogins
    }

    var result: SignOns {
        SignOns(
            paths: SignInPath.allCases.compactMap { path in
                let times = times[Int(path.rawValue)]
                guard times.signIns > 0 else { return nil }
                return SignOns.Path(
                    name: path.name, households: times.households, signIns: times.signIns,
                    time: Spread(times.time), service: Spread(times.service))
            },
            asked: asked, diverted: diverted,
            diversions: ranked(reasons) { $0.text < $1.text }.map { reason, seen in
                SignOns.DiversionCount(
                    reason: Sanitizer.line(reason.text, limit: 400), phrase: reason.phrase,
                    households: seen.households, example: seen.example)
            },
            walks: ranked(walks, <).map { steps, seen in
                SignOns.Walk(
                    steps: Sanitizer.line(steps), households: seen.households, example: seen.example
                )
            },
            codes: codes.sorted { $0.key < $1.key }.map { name, seen in
                SignOns.SignOnCode(
                    name: Sanitizer.line(name), meaning: SignOns.meaning(of: name),
                    times: seen.count,
                    households: seen.households, example: seen.example)
            },
            prompts: prompts, pickers: pickers, silentRelogins: silentRelogins)
    }

    /// The most frequent first; a tie goes by name, so that a report never varies.
    private func ranked<Key>(
        _ seen: [Key: SeenSignOns], _ isBefore: (Key, Key) -> Bool
    ) -> [(Key, SeenSignOns)] {
        seen.map { ($0.key, $0.value) }.sorted { left, right in
            left.1.households != right.1.households
                ? left.1.households > right.1.households : isBefore(left.0, right.0)
        }
    }
}

extension SignOns {
    /// What a code says (access-enabler-sdk.md § 5, apple-sso.md § 2); empty where it is unknown.
    static func meaning(of code: String) -> String { meanings[code] ?? "" }

    private static let meanings = [
        "VSA203": "logged out of a platform sign-in: sign out in the device's settings",
        "VSA403": "permission to ask for the TV provider denied",
        "VSA404": "permission to ask for the TV provider undetermined",
        "VSA503": "the platform's metadata request failed",
        "APPL": "platform error while the requestor was set",
        "APPL_ERROR": "platform error while the authentication was checked",
        "N000": "not authenticated",
        "N003": "\"Other TV Provider\" chosen in the platform's picker",
        "N004": "provider chosen that the requestor does not support on the platform",
        "N005": "a provider picker was cancelled",
        "N011": "TempPass used", "N111": "TempPass expired",
        "N130": "token not found on the session", "N500": "internal error",
        "REGCODE": "registration code issued", "REG500": "no registration code",
        "R400": "client not registered", "R401": "no access token",
        "CFG400": "requestor not accepted", "CFG404": "configuration not found",
        "CFG429": "configuration throttled", "CFG500": "configuration failed",
        "P100": "preauthorization failed", "Z100": "authorization denied",
        "Z120": "authorization failed on the network",
        "VSError-0": "the platform: permission not granted",
        "VSError-1": "the platform: provider not supported",
        "VSError-2": "the platform: cancelled by the viewer",
        "VSError-3": "the platform: temporarily unavailable",
        "VSError-4": "the platform: no provider signed in, and no picker allowed",
        "VSError-5": "the platform: profile request not accepted",
        "VSError-6": "the platform: rejected", "VSError-7": "the platform: not supported",
    ]
}
