internal import Rendering

/// What somebody has to know of a rig's nights in the morning: what got worse, since which night and which mark or event,
/// what is missing, and what is well again. As of the newest night; a pure function of the nights.
public struct Digest: Sendable, Hashable {
    /// How urgent it is, as on nights.html.
    public enum Colour: String, Sendable, Comparable {
        case green, amber, red

        private var rank: Int { self == .green ? 0 : self == .amber ? 1 : 2 }
        public static func < (left: Colour, right: Colour) -> Bool { left.rank < right.rank }

        /// The class of a box of this colour, and of a word, in every page of ours.
        var box: String { self == .green ? "pass" : self == .amber ? "invalid" : "fail" }
        var word: String { self == .green ? "good" : self == .amber ? "warn" : "bad" }
    }

    /// One thing that somebody has to know.
    public struct Finding: Sendable, Hashable {
        public enum Kind: String, Sendable, CaseIterable {
            /// A promise violated, a threshold missed: the run of the night did not pass.
            case failed
            /// A lasting change for the worse, detected tonight; or detected earlier and still there.
            case worse
            case stillWorse = "still-worse"
            /// A value of tonight far beyond its level.
            case unusual
            /// A promise that was violated without failing the run, for the first time.
            case observed
            /// A night without values; a night that never ran; a night of another rig.
            case noValues = "no-values"
            case missing
            case rigChanged = "rig-changed"
            /// What was worse, and no longer is.
            case better
        }

        public var kind: Kind
        public var colour: Colour
        /// Of a series, a promise or a threshold; empty where it is about a whole night.
        public var name: String
        /// In a sentence or two.
        public var text: String
        /// A few words, for the subject of a message.
        public var short: String
        public var since: Since?
    }

    /// When something began.
    public struct Since: Sendable, Hashable {
        /// Start of the first night, UTC.
        public var night: String
        /// Of that night; empty where it has none.
        public var mark: String
        /// Of the last night with values before it.
        public var markBefore: String
        /// Events of that night's run which the night before did not have.
        public var events: [String]
        /// No first night can be named: it crept up.
        public var isGradual = false
        /// In a sentence.
        public var text: String
    }

    public var rig: String
    /// Of the newest night.
    public var night: Night?
    /// The most urgent first.
    public var findings: [Finding]
    /// What is good to know besides: a mark that is new, events of the night, the most frequent errors.
    public var notes: [String]
    /// One of the notes shows values that are much higher, of which nothing is proved.
    public var isHigher: Bool
    public var view: NightsView

    public var colour: Colour { findings.map(\.colour).max() ?? .green }

    /// `nightly: sign-in-service p95 +10 % since 2026-11-16 (v2.3), and 1 more`.
    public var subject: String {
        let urgent = findings.filter { $0.colour == colour }
        guard let first = urgent.first, colour != .green else {
            let better = findings.first.map { "; \($0.short)" } ?? ""
            let result =
                view.hasNoResult
                ? "no result yet, \(view.countedText)"
                : "no change for the worse proved" + (isHigher ? ", but values are higher" : "")
            return "\(rig): \(result)\(better)"
        }
        return "\(rig): \(first.short)" + (urgent.count > 1 ? ", and \(urgent.count - 1) more" : "")
    }

    /// The verdict in a sentence.
    public var headline: String {
        let night = night.map { "the night of \($0.name)" } ?? "no night yet"
        switch colour {
        case .red where findings.contains { [.worse, .failed, .unusual].contains($0.kind) }:
            return "Look at this today: \(night)."
        case .red: return "Still worse than it was: \(night)."
        case .amber: return "Worth a look: \(night)."
        case .green where view.hasNoResult:
            return "No result yet, \(view.countedText) needed to detect a change: \(night)."
        case .green where isHigher: return "Nothing proved, but values are higher: \(night)."
        case .green: return "All is well: \(night)."
        }
    }

    /// `Night 23 of nightly, 2 of them without values.`
    public var counts: String {
        "\(Figures.counted(view.nights.count, "night")) of \(rig)"
            + (view.gaps == 0 ? "" : ", \(Figures.count(view.gaps)) without values")
    }

    /// `now`, in ISO 8601: nights that should have run since the newest one are missing. Nil: just after a night.
    public init(_ view: NightsView, now: String? = nil) {
        self.view = view
        rig = view.rig
        night = view.nights.last
        let reader = DigestReader(view)
        findings = (reader.findings + reader.missing(now: now)).sorted { left, right in
            (right.colour, Self.place(left.kind)) < (left.colour, Self.place(right.kind))
        }
        notes = reader.notes(findings)
        isHigher = reader.rise != nil
    }

    private static func place(_ kind: Finding.Kind) -> Int {
        Finding.Kind.allCases.firstIndex(of: kind) ?? 0
    }
}
