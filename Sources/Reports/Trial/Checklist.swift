public import Dialects
public import Journal
internal import Rendering
public import Rigs

/// What a trial has shown, step by step: a pure function of what was seen, how the household ended,
/// and the rig.
public struct Checklist: Sendable {
    /// The steps of a sign-in in the order in which a household takes them.
    public enum Step: String, CaseIterable, Sendable, Comparable {
        case name
        case tcp = "TCP"
        case tls = "TLS"
        case register, token
        case pass = "TempPass"
        case platform
        case code, configuration
        case loginPage = "login page"
        case form, assertion, approval, check, poll
        /// Whether a response named the user of the TV's token.
        case user
        case authorize, media, logout

        public static func < (left: Step, right: Step) -> Bool {
            guard let a = allCases.firstIndex(of: left), let b = allCases.firstIndex(of: right)
            else { return false }
            return a < b
        }
    }

    public enum State: Hashable, Sendable {
        case passed
        /// With the sentence that says how.
        case failed(String)
        case notReached
        /// The account may not watch the resource: an answer like others, with its words.
        case notEntitled(String)
        /// With the reason.
        case notNeeded(String)
        /// Nothing went wrong, and nothing shows that it is right: with the reason.
        case notTested(String)
    }

    public struct Row: Hashable, Sendable {
        public var step: Step
        public var state: State
    }

    /// Around the trial: what it cannot see itself.
    public struct Surroundings: Sendable {
        /// Where requests to the target go.
        public var origin: Origin
        /// `http_proxy` and its kin, where the environment names one for the target and the rig
        /// does not use it; without user and password.
        public var unusedProxy: String?

        public init(origin: Origin, unusedProxy: String? = nil) {
            self.origin = origin
            self.unusedProxy = unusedProxy
        }
    }

    public let rows: [Row]
    /// What to change for the first failure, or else for the account that may not watch, or else for what was
    /// not tested; nil when all was well.
    public let remedy: String?

    private static func firstToMend(_ rows: [Row]) -> Row? {
        rows.first { if case .failed = $0.state { true } else { false } }
            ?? rows.first { if case .notEntitled = $0.state { true } else { false } }
            ?? rows.first { if case .notTested = $0.state { true } else { false } }
    }

    /// No step failed, and each that is needed was reached.
    public var isPassed: Bool {
        rows.allSatisfy { row in
            switch row.state {
            case .passed, .notEntitled, .notNeeded, .notTested: true
            case .failed, .notReached: false
            }
        }
    }

    public init(
        _ exchanges: [RecordedExchange], household: HouseholdRecord?, rig: Rig,
        surroundings: Surroundings
    ) {
        let reading = TrialReading(
            exchanges, household: household, rig: rig, surroundings: surroundings)
        rows = reading.steps.map { Row(step: $0, state: reading.state(of: $0)) }
        remedy = Self.firstToMend(rows).map { TrialRemedy(reading, step: $0.step).text }
    }

    /// The table as it is printed, at most `width` columns, with the remedy below it.
    public func text(width: Int) -> String {
        let width = max(60, width)
        var lines = ["checklist"]
        for row in rows {
            let (word, more) =
                switch row.state {
                case .passed: ("passed", "")
                case .failed(let sentence): ("FAILED", sentence)
                case .notReached: ("not reached", "")
                case .notEntitled(let sentence): ("not entitled", sentence)
                case .notNeeded(let reason): ("not needed", reason)
                case .notTested(let reason): ("not tested", reason)
                }
            let head = "  \(row.step.rawValue.padded(to: 14)) \(word.padded(to: 12)) "
            let text = Sanitizer.line(head + more, limit: 600).trimmedEnd
            // Only the sentence is broken: the columns before it keep their spaces.
            lines +=
                Wrapping.lines(Sanitizer.line(more, limit: 600), width: width - 30, hanging: 0)
                .enumerated().map { ($0 == 0 ? head : String(repeating: " ", count: 30)) + $1 }
                .nonEmpty ?? [text]
        }
        guard let remedy, let row = Self.firstToMend(rows) else {
            return lines.joined(separator: "\n")
        }
        lines += ["", "what to do about '\(row.step.rawValue)'"]
        lines += Wrapping.lines(
            "  " + Sanitizer.line(remedy, limit: 2000), width: width, hanging: 2)
        return lines.joined(separator: "\n")
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
