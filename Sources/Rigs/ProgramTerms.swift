public import Statistics

/// A TV that stays on: one program after another (`plays` of `after-sign-in`).
public struct ProgramTerms: Sendable, Hashable {
    /// For how long, from the first program on.
    public var time: Distribution
    /// From the beginning of a program to that of the next.
    public var every: Distribution

    /// Programs of one household at most: more is a mistake in the rig.
    static let most = 1000

    public init(time: Distribution, every: Distribution) {
        (self.time, self.every) = (time, every)
    }

    /// Programs of a household, on average.
    var count: Double { max(1, time.mean / every.mean) }

    /// When programs begin and how long the last goes on, as waits after each.
    func gaps(_ dice: inout Dice) -> [Duration] {
        var left = time.sample(using: &dice)
        var gaps: [Duration] = []
        while left > .zero || gaps.isEmpty, gaps.count < Self.most {
            let gap = min(max(.zero, left), max(.milliseconds(1), every.sample(using: &dice)))
            gaps.append(gap)
            left -= max(gap, .milliseconds(1))
        }
        return gaps
    }
}

extension ProgramTerms: RigSection {
    static let blank = ProgramTerms(
        time: .fixed(.seconds(3600)), every: .uniform(.seconds(1200), .seconds(3600)))
    static let keys: [Key<ProgramTerms>] = [
        Key(
            "for", .scalar(.distribution), into: \.time, required: true, example: "4h",
            "How long the TV stays on."),
        Key(
            "every", .scalar(.distribution), into: \.every, example: "uniform(20m, 60m)",
            "From program to program."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if time.mean / every.mean > Double(Self.most) / 2 || every.mean <= .zero {
            reader.refuse(
                marks[marks.gives("every") ? "every" : "for"].place,
                "a TV would play more than \(Self.most / 2) programs; make 'every' longer, or 'for' shorter"
            )
        }
    }
}
