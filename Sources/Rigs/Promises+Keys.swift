internal import Vocabulary

/// `promises` as a map.
struct PromiseKeys {
    var level: Promises.Level?
    var overrides: [Invariant: Promises.Level] = [:]
}

extension PromiseKeys: RigSection {
    static let blank = PromiseKeys()
    static let keys: [Key<PromiseKeys>] =
        [
            Key(
                "level", .words(), ifGiven: \.level, example: "documented",
                "Level of all invariants that are not listed here.")
        ]
        + Invariant.allCases.map { invariant in
            Key(
                invariant.name, .words(), set: { $0.overrides[invariant] = $1 },
                example: "observe", "Level of this invariant.")
        }
}

extension KnownViolation: RigSection {
    static let blank = KnownViolation(invariant: .conforms, ticket: "")
    static let keys: [Key<KnownViolation>] = [
        Key(
            "invariant", .words(Invariant.allCases.map { ($0.name, $0) }), into: \.invariant,
            required: true, example: "sign-in-visible", "The violated invariant."),
        Key(
            "operation", .words(OperationName.allCases.map { ($0.name, $0) }), ifGiven: \.operation,
            example: "poll-token", "Accept only violations shown by this operation."),
        Key(
            "ticket", .scalar(.shownText), into: \.ticket, required: true, example: "AUTH-123",
            "The ticket that tracks it."),
        Key(
            "until", .scalar(.date), ifGiven: \.until, example: "2026-12-15",
            "The last day on which it is accepted. Default: no end."),
    ]
}
