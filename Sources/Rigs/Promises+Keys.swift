internal import Dialects

extension Rig.Promises: RigSection {
    static let blank = Rig.Promises()
    static let keys: [Key<Rig.Promises>] =
        [
            Key(
                "level", .words(), ifGiven: \.level, example: "documented",
                "Level of all invariants that are not listed here.")
        ]
        + Threshold.invariants.map { name in
            Key(
                name, .words(), set: { $0.overrides[name] = $1 }, example: "observe",
                "Level of this invariant.")
        }
}

extension Rig.Known: RigSection {
    static let blank = Rig.Known(invariant: "", ticket: "")
    static let keys: [Key<Rig.Known>] = [
        Key(
            "invariant", .words(Threshold.invariants), into: \.invariant, required: true,
            example: "sign-in-visible", "The violated invariant."),
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
