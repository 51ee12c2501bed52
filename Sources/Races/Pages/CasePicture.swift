/// What the page of one case shows, in plain values: this module knows of no races, and who makes
/// cases knows of no HTML.
package struct CasePicture: Sendable {
    package var name: String
    /// UTC.
    package var made: String
    package var version: String
    package var target: String
    package var invariant: String
    /// What cannot be, in one sentence.
    package var sentence: String
    package var command: String
    /// k and n, with the interval around their share; nil where it was never replayed.
    package var hits: Share?
    package var window: Window?
    /// `window +0.3 ms to +4.1 ms`.
    package var windowText: String
    /// Milliseconds; nil where nothing was swept.
    package var best: Double?
    package var swept: String
    package var isMinimal: Bool
    package var curve: [Point]
    /// How often it happens when only the first ops keep their times, and with which it is decided.
    package var prefixes: [Prefix] = []
    package var decisive = ""
    /// Rows of the schedule as it stands.
    package var ops: [Row]
    package var entries: [Entry]
    package var startedMicroseconds: Int64
    package var almost: [Almost]
    package var controls: [Control]
    package var alternatives: [(explanation: String, ruledOutBy: String)]
    /// Name and value, for the foot.
    package var facts: [(name: String, value: String)]

    package struct Share: Sendable {
        package var hits: Int
        package var trials: Int
        package var low: Double
        package var high: Double

        var share: Double { trials > 0 ? Double(hits) / Double(trials) : 0 }
        var text: String { "\(hits) of \(trials)" }
    }

    /// Milliseconds.
    package struct Window: Sendable {
        package var low: Double
        package var high: Double

        package init(low: Double, high: Double) {
            self.low = low
            self.high = high
        }
    }

    package struct Point: Sendable {
        /// Milliseconds.
        package var offset: Double
        package var share: Share

        package init(offset: Double, share: Share) {
            self.offset = offset
            self.share = share
        }
    }

    /// One bar: that op and all before it keep their times; empty: none does.
    package struct Prefix: Sendable {
        package var op: String
        package var share: Share
    }

    /// One op of the schedule, in words.
    package struct Row: Sendable {
        package var id: String
        package var actor: String
        package var step: String
        package var when: String
        package var how: String

        package init(id: String, actor: String, step: String, when: String, how: String) {
            self.id = id
            self.actor = actor
            self.step = step
            self.when = when
            self.how = how
        }
    }

    /// One exchange; times in nanoseconds.
    package struct Entry: Sendable {
        package var lane: String
        package var name: String
        package var begun: Int64
        package var sent: Int64
        package var firstByte: Int64
        package var ended: Int64
        package var isOpen: Bool
        package var status: Int?
        package var answer: String
        package var belief: Int?
        package var isConflict: Bool
        /// One of the two between which the gap lies.
        package var isEnd: Bool
        package var sentUTC: String
        package var serverDate: String
        package var requestID: String

        package init(
            lane: String, name: String, begun: Int64, sent: Int64, firstByte: Int64, ended: Int64,
            isOpen: Bool, status: Int?, answer: String, belief: Int?, isConflict: Bool,
            isEnd: Bool, sentUTC: String, serverDate: String, requestID: String
        ) {
            self.lane = lane
            self.name = name
            self.begun = begun
            self.sent = sent
            self.firstByte = firstByte
            self.ended = ended
            self.isOpen = isOpen
            self.status = status
            self.answer = answer
            self.belief = belief
            self.isConflict = isConflict
            self.isEnd = isEnd
            self.sentUTC = sentUTC
            self.serverDate = serverDate
            self.requestID = requestID
        }
    }

    package struct Almost: Sendable {
        package var without: String
        package var rate: String
        package var note: String

        package init(without: String, rate: String, note: String) {
            self.without = without
            self.rate = rate
            self.note = note
        }
    }

    package struct Control: Sendable {
        package var name: String
        package var rate: String
        package var fisher: String
    }

    package init(
        name: String, made: String, version: String, target: String, invariant: String,
        sentence: String, command: String, hits: Share?, window: Window?, windowText: String,
        best: Double?, swept: String, isMinimal: Bool, curve: [Point], ops: [Row],
        entries: [Entry], startedMicroseconds: Int64, almost: [Almost], controls: [Control],
        alternatives: [(explanation: String, ruledOutBy: String)],
        facts: [(name: String, value: String)]
    ) {
        self.name = name
        self.made = made
        self.version = version
        self.target = target
        self.invariant = invariant
        self.sentence = sentence
        self.command = command
        self.hits = hits
        self.window = window
        self.windowText = windowText
        self.best = best
        self.swept = swept
        self.isMinimal = isMinimal
        self.curve = curve
        self.ops = ops
        self.entries = entries
        self.startedMicroseconds = startedMicroseconds
        self.almost = almost
        self.controls = controls
        self.alternatives = alternatives
        self.facts = facts
    }

    /// The page: one file, no network, no script.
    package var html: String { CasePage.text(self) }
}
