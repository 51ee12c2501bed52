internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// Exchanges of one household in a form that other tools read.
public struct Export: Sendable {
    /// How they are written.
    public enum Format: String, Sendable, CaseIterable {
        /// HTTP Archive 1.2, for a browser's developer tools.
        case har
        /// One JSON object a line: docs/reports.md.
        case jsonl
        /// One `curl` line for each request, secrets as environment variables.
        case curl
    }

    /// One exchange, and what was said where that was kept.
    struct ExportItem {
        var exchange: Exchange
        var message: KeptMessage?
    }

    let header: HistoryHeader
    /// Its number.
    public let household: Int
    let items: [ExportItem]
    /// `the run has 32, 0 to 31`: where there is no such household; nil where there is.
    public let unknown: String?
    /// Of which households messages were kept.
    private let talkative: [Int]

    /// `exchanges`: the numbers of those wanted; nil for all of the household's.
    public init(
        _ history: some Recorded, household: Int, exchanges: [Int]? = nil
    ) throws {
        header = history.header
        self.household = household
        var (count, last, isThere) = (0, 0, false)
        try history.households { record in
            count += 1
            last = max(last, record.household)
            isThere = isThere || record.household == household
        }
        unknown =
            isThere
            ? nil
            : count == 0
                ? "the run has none"
                : "the run has \(Figures.count(count)), "
                    + (count == 1 ? "number \(last)" : "0 to \(last)")
        talkative = try history.householdsWithMessages()
        var messages: [Int: KeptMessage] = [:]
        for message in try history.messages(household: household) {
            messages[message.sequence] = message
        }
        items = try history.exchanges(household: household).filter {
            exchanges?.contains($0.sequence) ?? true
        }.map { ExportItem(exchange: $0, message: messages[$0.sequence]) }
    }

    /// How many exchanges there are, and of how many the requests and replies were kept.
    public var count: (exchanges: Int, messages: Int) {
        (items.count, items.count { $0.message != nil })
    }

    /// Whose requests and replies there are, and how to see those of one household.
    public var keptElsewhere: String {
        let shown = talkative.prefix(8).map(String.init).joined(separator: ", ")
        let rest = talkative.count > 8 ? " and \(talkative.count - 8) more" : ""
        let kept =
            talkative.isEmpty
            ? "this run recorded none" : "this run has those of household \(shown)\(rest)"
        return
            "they are recorded for households with a violation, for the first error of each type and for "
            + "the first household of each kind: \(kept). 'screenrig try RIG --bodies' shows all of one "
            + "household"
    }

    /// The file.
    public func text(as format: Format) -> String {
        switch format {
        case .har: HARText.text(self)
        case .jsonl: items.map { ExchangeLine.text($0, header) + "\n" }.joined()
        case .curl: curl
        }
    }

    private var curl: String {
        var curl = CurlText()
        var lines: [String] = []
        for item in items {
            let exchange = item.exchange
            let seconds = DecimalText.fixed(exchange.sent.milliseconds / 1000, 3)
            let answer = exchange.delivery.status.map(String.init) ?? "no response"
            lines.append(
                "# \(exchange.sequence) \(exchange.device.name) \(exchange.operation.name), sent at "
                    + "\(seconds) s: \(answer) \(exchange.outcome.name)")
            lines.append(
                item.message.map { curl.line($0) }
                    ?? "# (request not recorded; docs/reports.md lists which are)")
        }
        return curl.preface + lines.joined(separator: "\n") + "\n"
    }

    /// UTC with milliseconds, of an instant of the run: `2026-11-21T07:00:00.250Z`.
    static func timestamp(_ instant: Instant, _ header: HistoryHeader) -> String {
        let microseconds = header.startedMicroseconds + instant.nanoseconds / 1000
        return UTCTime.rfc3339(microseconds: microseconds, decimals: 3)
    }
}
