/// Something that happened to the service or to the run while it went on: a command of the rig's `events`, a mark
/// from outside, a change of the load by hand.
public struct RunEvent: Sendable, Hashable {
    /// Where it came from.
    public enum Origin: String, Sendable, CaseIterable {
        /// `events` of the rig.
        case rig
        /// `screenrig mark`, or the dashboard.
        case mark
        /// `screenrig control`, or the dashboard: arrivals were paused, or their rate was changed.
        case control
    }

    public var name: String
    public var origin: Origin
    public var began: Instant
    /// Nil: a moment without a length, or one that has not ended yet.
    public var ended: Instant?
    /// The command that was run; empty where there was none.
    public var command: String
    /// Its exit status; nil while it runs, where it could not be started or did not end by itself.
    public var status: Int?
    /// What it printed, or why it failed: its last `outputLimit` characters, as the gate lets them through.
    public var output: String

    public static let outputLimit = 4_000

    public init(
        name: String, origin: Origin, began: Instant, ended: Instant? = nil, command: String = "",
        status: Int? = nil, output: String = ""
    ) {
        self.name = name
        self.origin = origin
        self.began = began
        self.ended = ended
        self.command = command
        self.status = status
        self.output = output
    }
}

extension RunEvent {
    var row: [ColumnValue] {
        [
            .text(name), .text(origin.rawValue), ColumnValue(began), ColumnValue(ended),
            .text(command), ColumnValue(status), .text(output),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let name = columns.text(), let origin = columns.text().flatMap(Origin.init),
            let began = columns.instant()
        else { return nil }
        let ended = columns.instant()
        guard let command = columns.text() else { return nil }
        let status = columns.int()
        guard let output = columns.text() else { return nil }
        self.init(
            name: name, origin: origin, began: began, ended: ended, command: command,
            status: status, output: output)
    }
}
