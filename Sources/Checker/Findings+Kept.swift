internal import Formats
internal import Journal
internal import Statistics
internal import Vocabulary

// What a history keeps of findings, so that they can be reported, and added to those of other shards, also where
// not every exchange is there to be judged again.

extension Findings {
    /// So many violations are kept with all that is said of them; of the rest the counts.
    private static let keptViolations = 100

    /// A JSON document that `init(kept:rules:)` reads.
    public var kept: String {
        JSON.members([
            ("operations", .integer(operations)), ("households", .integer(households)),
            ("preSignedIn", .integer(preSignedIn)), ("sdkHouseholds", .integer(sdkHouseholds)),
            ("unjudgedFrom", unjudgedFrom.map { .integer(Int($0.nanoseconds)) } ?? .null),
            ("columnNote", columnNote.map(JSON.string) ?? .null),
            ("changes", .array(changes.map(JSON.string))),
            ("verdicts", .array(verdicts.map(\.json))),
            ("levels", .array(levels.map(\.json))),
            ("staleness", staleness.json),
            ("violations", .array(violations.prefix(Self.keptViolations).map(\.json))),
        ]).text(.compact)
    }

    /// Nil where that is not what `kept` writes. `shift`: by how many nanoseconds the run began later than the one
    /// that these findings are told in.
    public init?(kept: String, rules: Rules, shift: Int64 = 0) {
        guard let json = JSONReader.read(Array(kept.utf8)),
            let operations = json.count("operations"),
            let households = json.count("households"),
            let preSignedIn = json.count("preSignedIn"),
            let sdkHouseholds = json.count("sdkHouseholds"),
            let staleness = json["staleness"].flatMap(Staleness.init)
        else { return nil }
        let verdicts = json.items("verdicts").map { Verdict($0) }
        let levels = json.items("levels").map { LevelVerdict($0) }
        let violations = json.items("violations").map { Violation($0, shift: shift) }
        guard !verdicts.contains(nil), !levels.contains(nil), !violations.contains(nil) else {
            return nil
        }
        self.init(
            rules: rules, verdicts: verdicts.compactMap(\.self),
            violations: violations.compactMap(\.self), levels: levels.compactMap(\.self),
            staleness: staleness, changes: json.items("changes").compactMap(\.text),
            columnNote: json["columnNote"]?.text, operations: operations, households: households,
            preSignedIn: preSignedIn, sdkHouseholds: sdkHouseholds,
            unjudgedFrom: json["unjudgedFrom"]?.integer.map {
                Instant(nanoseconds: $0.plus(shift))
            })
    }
}

extension JSON {
    fileprivate func items(_ name: String) -> [JSON] {
        guard case .array(let items)? = self[name] else { return [] }
        return items
    }

    /// Not negative.
    fileprivate func count(_ name: String) -> Int? {
        self[name]?.integer.flatMap { $0 >= 0 ? Int($0) : nil }
    }
}

extension Histogram {
    /// Reads the Base64 of `encoded`.
    init?(_ json: JSON?) {
        guard let bytes = json?.text.flatMap({ Base64.decode($0) }) else { return nil }
        self.init(encoded: bytes)
    }
}

extension Verdict {
    fileprivate var json: JSON {
        .members([
            ("invariant", .string(invariant.name)), ("checked", .integer(checked)),
            ("households", .integer(households)), ("violations", .integer(violations)),
            ("undecided", .integer(undecided)), ("observed", .integer(observed)),
            ("known", .integer(known)), ("suspected", .integer(suspected)),
            ("events", exposure.map { .integer($0.events) } ?? .null),
            (
                "delays",
                exposure.map { .string(Base64.encode($0.delays.encoded)) } ?? .null
            ),
            ("note", .string(note)), ("examples", .array(examples.map(JSON.string))),
        ])
    }

    fileprivate init?(_ json: JSON) {
        guard let invariant = json["invariant"]?.text.flatMap(Invariant.init(name:)),
            let checked = json.count("checked"), let households = json.count("households"),
            let violations = json.count("violations"), let undecided = json.count("undecided"),
            let observed = json.count("observed"), let known = json.count("known"),
            let suspected = json.count("suspected"), let note = json["note"]?.text
        else { return nil }
        self.init(invariant)
        (self.checked, self.households, self.violations) = (checked, households, violations)
        (self.undecided, self.observed) = (undecided, observed)
        (self.known, self.suspected, self.note) = (known, suspected, note)
        examples = json.items("examples").compactMap(\.text)
        if let events = json.count("events") {
            guard let delays = Histogram(json["delays"]) else { return nil }
            exposure = WindowExposure(events: events, delays: delays)
        }
    }
}

extension LevelVerdict {
    fileprivate var json: JSON {
        .members([
            ("level", .integer(Int(level.rawValue))), ("broken", .integer(broken)),
            ("households", .integer(households)), ("undecided", .integer(undecided)),
        ])
    }

    fileprivate init?(_ json: JSON) {
        guard let number = json.count("level"),
            let level = ConsistencyLevel.allCases.first(where: { Int($0.rawValue) == number }),
            let broken = json.count("broken"), let households = json.count("households"),
            let undecided = json.count("undecided")
        else { return nil }
        self.init(level: level, broken: broken, households: households, undecided: undecided)
    }
}

extension Violation {
    fileprivate var json: JSON {
        let (certainty, because): (String, JSON) =
            switch self.certainty {
            case .certain: ("certain", .null)
            case .given(let bound): ("given", .string(bound))
            case .suspicion(let reason): ("suspicion", .string(reason))
            }
        var ticket = JSON.null
        if case .known(let text) = standing { ticket = .string(text) }
        return .members([
            ("invariant", .string(invariant.name)), ("certainty", .string(certainty)),
            ("because", because), ("source", .string(source.rawValue)),
            ("standing", .string(standing.name)), ("ticket", ticket),
            ("household", .integer(household)),
            ("exchanges", .array(exchanges.map(JSON.integer))),
            ("operations", .array(operations.map { .string($0.name) })),
            ("signature", .string(signature)),
            ("gap", gap.map { .integer(Int($0)) } ?? .null),
            ("gapFrom", gapFrom.map { .integer(Int($0)) } ?? .null),
            ("at", .integer(Int(at))), ("sentence", .string(sentence)),
            ("companions", .array(companions.map { .string($0.name) })),
            ("times", .integer(times)), ("nearChange", nearChange.map(JSON.string) ?? .null),
        ])
    }

    fileprivate init?(_ json: JSON, shift: Int64) {
        guard let invariant = json["invariant"]?.text.flatMap(Invariant.init(name:)),
            let source = json["source"]?.text.flatMap(PromiseSource.init(rawValue:)),
            let household = json.count("household"), let signature = json["signature"]?.text,
            let at = json["at"]?.integer, let sentence = json["sentence"]?.text,
            let times = json.count("times")
        else { return nil }
        let because = json["because"]?.text ?? ""
        let certainty: Certainty
        switch json["certainty"]?.text {
        case "certain": certainty = .certain
        case "given": certainty = .given(because)
        case "suspicion": certainty = .suspicion(because)
        default: return nil
        }
        let standing: Standing
        switch json["standing"]?.text {
        case Standing.fails.name: standing = .fails
        case Standing.observed.name: standing = .observed
        case Standing.suspected.name: standing = .suspected
        case Standing.known(ticket: "").name:
            standing = .known(ticket: json["ticket"]?.text ?? "")
        default: return nil
        }
        self.init(
            invariant: invariant, certainty: certainty, source: source, standing: standing,
            household: household,
            exchanges: json.items("exchanges").compactMap { $0.integer.map { Int($0) } },
            operations: json.items("operations").compactMap {
                $0.text.flatMap(OperationName.init(name:))
            },
            signature: signature, gap: json["gap"]?.integer,
            gapFrom: json["gapFrom"]?.integer.map { $0.plus(shift) }, at: at.plus(shift),
            sentence: sentence)
        companions = json.items("companions").compactMap {
            $0.text.flatMap(Invariant.init(name:))
        }
        self.times = times
        nearChange = json["nearChange"]?.text
    }
}
