internal import Formats
internal import Rendering

/// Where a search for races is, for those who watch it.
public struct LiveSearch: Sendable, Hashable {
    /// A promise that breaks, as far as it is known.
    public struct Found: Sendable, Hashable {
        public var plan: String
        public var invariant: String
        /// `41 of 50 (95 %: 69-92 %)`, at the offset where it breaks most often.
        public var rate: String
        public var sentence: String

        public init(plan: String, invariant: String, rate: String, sentence: String) {
            self.plan = plan
            self.invariant = invariant
            self.rate = rate
            self.sentence = sentence
        }
    }

    /// Hits over the offset, of the promise that is being looked at.
    public struct Curve: Sendable, Hashable {
        public struct Point: Sendable, Hashable {
            public var offsetMs: Double
            public var hits: Int
            public var trials: Int

            public init(offsetMs: Double, hits: Int, trials: Int) {
                self.offsetMs = offsetMs
                self.hits = hits
                self.trials = trials
            }
        }

        public var plan: String
        public var invariant: String
        public var points: [Point]

        public init(plan: String, invariant: String, points: [Point]) {
            self.plan = plan
            self.invariant = invariant
            self.points = points
        }
    }

    /// What is being done: `poll-authenticate: coarse sweep, round 2 of 5`.
    public var phase = ""
    public var trials = 0
    /// Of those, the ones that said nothing.
    public var discarded = 0
    public var found: [Found] = []
    /// Nil until something was hit, and again once it is found.
    public var curve: Curve?

    public init() {}

    /// For pages.
    var json: JSON {
        .members([
            ("phase", .string(Sanitizer.line(phase))), ("trials", .integer(trials)),
            ("discarded", .integer(discarded)),
            (
                "found",
                .array(
                    found.map {
                        .members([
                            ("plan", .string($0.plan)), ("name", .string($0.invariant)),
                            ("rate", .string($0.rate)),
                            ("sentence", .string(Sanitizer.sentence($0.sentence))),
                        ])
                    })
            ),
            ("curve", curve.map(Self.json) ?? .null),
        ])
    }

    private static func json(_ curve: Curve) -> JSON {
        .members([
            ("plan", .string(curve.plan)), ("name", .string(curve.invariant)),
            (
                "points",
                .array(
                    curve.points.map {
                        .array([.decimal($0.offsetMs), .integer($0.hits), .integer($0.trials)])
                    })
            ),
        ])
    }
}
