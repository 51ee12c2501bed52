/// I8 and I15: what only all households together tell.
extension Registry {
    /// `code-unique`: two codes of one text were surely alive at once. Decided in the end, when
    /// everything is known that may have ended the first.
    func judgeTwins() {
        for (older, newer, isRecord) in twinLives {
            let together = max(older.ret, newer.ret)
            if isRecord {
                accuse(
                    newer, older,
                    "record of code \(newer.text) has the id of that of household "
                        + "\(older.household)'s code \(older.text) (its exchange #\(older.sequence))"
                )
                continue
            }
            guard together < older.low, together < newer.low, older.endCalled > together,
                newer.endCalled > together
            else { continue }
            let left = min(older.low, newer.low) - together
            accuse(
                newer, older, gap: left,
                "code \(newer.text) was given to it (#\(newer.sequence)) while household "
                    + "\(older.household) held it (#\(older.sequence)), for at least "
                    + "\(milliseconds(left)) more")
        }
    }

    private func accuse(
        _ newer: SharedLife, _ older: SharedLife, gap: Int64? = nil, _ text: String
    ) {
        let position = add(
            Violation(
                invariant: .codeUnique, certainty: .certain, source: Invariant.codeUnique.source,
                standing: standing(
                    .codeUnique, .certain, Invariant.codeUnique.source, .registrationCode),
                household: newer.household, exchanges: [newer.sequence],
                operations: [.registrationCode],
                signature: "code-unique: registration-code success", gap: gap, at: newer.ret,
                sentence: "household \(newer.household): \(text)"))
        note(cause: position, of: [newer.household, older.household])
    }

    /// `clock-agreement`: the service's times do not come from one clock.
    func judgeClocks() {
        for stranger in clock.strangers {
            let text =
                "the time in registration-code #\(stranger.sequence) and that in most other answers "
                + "come from clocks at least \(milliseconds(stranger.distance)) apart"
            let source = Invariant.clockAgreement.source
            let position = add(
                Violation(
                    invariant: .clockAgreement, certainty: .certain, source: source,
                    standing: standing(.clockAgreement, .certain, source, .registrationCode),
                    household: stranger.household, exchanges: [stranger.sequence],
                    operations: [.registrationCode],
                    signature: "clock-agreement: registration-code success",
                    gap: stranger.distance, at: stranger.at,
                    sentence: "household \(stranger.household): \(text)"))
            note(cause: position, of: [stranger.household])
        }
    }
}
