internal import Dialects
internal import GRDB
internal import Vocabulary

// Rows of the smaller tables, and back.

extension HouseholdRecord {
    var row: [ColumnValue] {
        [
            ColumnValue(household), ColumnValue(kind), ColumnValue(lane), ColumnValue(arrived),
            .text(stage.name),
            .text(fate.name), ColumnValue(cause), ColumnValue(codeShown), ColumnValue(phoneDone),
            ColumnValue(tokenSeen),
            ColumnValue(viewerTime), ColumnValue(polls), ColumnValue(ended), ColumnValue(signIn),
            ColumnValue(signInService),
            ColumnValue(tokenVisibility), ColumnValue(denials), ColumnValue(signOn.asked?.name),
            ColumnValue(signOn.paths.map(\.name).joined(separator: " ")), ColumnValue(signOn.began),
            ColumnValue(signOn.steps), ColumnValue(signOn.prompts), ColumnValue(signOn.pickers),
            ColumnValue(signOn.codes.joined(separator: " ")), ColumnValue(signOn.silentRelogins),
            ColumnValue(signOn.diversion), ColumnValue(abandonedBy?.name), ColumnValue(mvpd),
            ColumnValue(throttled?.firstScreen), ColumnValue(throttled?.secondScreens),
            ColumnValue(throttled?.beforeSignIn), ColumnValue(rigLateness.inSignIn),
            ColumnValue(rigLateness.inVisibility),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let household = columns.int(), let kind = columns.text(), let lane = columns.int(),
            let arrived = columns.instant(),
            let stage = columns.text().flatMap(Stage.init(name:)),
            let fate = columns.text().flatMap(Fate.init(name:)), let cause = columns.text()
        else { return nil }
        self.init(household: household, kind: kind, lane: lane, arrived: arrived)
        self.stage = stage
        self.fate = fate
        self.cause = cause
        codeShown = columns.instant()
        phoneDone = columns.instant()
        tokenSeen = columns.instant()
        viewerTime = columns.duration() ?? .zero
        polls = columns.int() ?? 0
        ended = columns.instant()
        // Derived from the instants above.
        for _ in 0..<3 { columns.skip() }
        denials = columns.int() ?? 0
        signOn = SignOnRecord(&columns)
        abandonedBy = columns.text().flatMap(Abandonment.init(name:))
        mvpd = columns.text()
        let requests = (columns.int(), columns.int(), columns.int())
        if case (let first?, let second?, let before?) = requests {
            throttled = ThrottledRequests(
                firstScreen: first, secondScreens: second, beforeSignIn: before)
        }
        rigLateness = SignInLateness(
            inSignIn: columns.duration() ?? .zero, inVisibility: columns.duration() ?? .zero)
    }
}

extension SignOnRecord {
    /// Everything empty where the file is older than paths.
    fileprivate init(_ columns: inout Columns) {
        func words(_ text: String?) -> [String] {
            (text ?? "").split(separator: " ").map(String.init)
        }
        self.init(
            asked: columns.text().flatMap(SignInPath.init(name:)),
            paths: words(columns.text()).compactMap(SignInPath.init(name:)),
            began: columns.instant(), steps: columns.text() ?? "", prompts: columns.int() ?? 0,
            pickers: columns.int() ?? 0, codes: words(columns.text()),
            silentRelogins: columns.int() ?? 0, diversion: columns.text() ?? "")
    }
}

extension DeviceEvent {
    var row: [ColumnValue] {
        [
            ColumnValue(device.household), ColumnValue(sequence), .text(device.name),
            ColumnValue(at), ColumnValue(name),
            ColumnValue(detail),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let household = columns.int(), let sequence = columns.int(),
            let device = columns.text().flatMap({ DeviceID(household: household, name: $0) }),
            let at = columns.instant(), let name = columns.text(), let detail = columns.text()
        else { return nil }
        self.init(device: device, sequence: sequence, at: at, name: name, detail: detail)
    }
}

extension Cell {
    var row: [ColumnValue] {
        let ended = Outcome.allCases.map {
            (name: $0.name, value: FlatJSON.Value.number(outcomes[Int($0.rawValue)]))
        }.filter { $0.value != .number(0) }
        let answered = statuses.sorted { $0.key < $1.key }.map {
            (name: String($0.key), value: FlatJSON.Value.number($0.value))
        }
        return [
            ColumnValue(key.second), .text(key.operation.name), ColumnValue(key.kind),
            ColumnValue(sent),
            ColumnValue(completed), ColumnValue(errors), .text(FlatJSON.object(ended)),
            .text(FlatJSON.object(answered)), .blob(latency.encoded), .blob(service.encoded),
            .blob(lateness.encoded), .blob(punctual.encoded),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let second = columns.second(),
            let operation = columns.text().flatMap(OperationName.init(name:)),
            let kind = columns.int(), let sent = columns.int(), let completed = columns.int(),
            let errors = columns.int(), let outcomes = columns.text().flatMap(FlatJSON.readObject),
            let statuses = columns.text().flatMap(FlatJSON.readObject),
            let latency = columns.histogram(), let service = columns.histogram(),
            let lateness = columns.histogram()
        else { return nil }
        self.init(key: CellKey(second: second, operation: operation, kind: kind))
        self.sent = sent
        self.completed = completed
        self.errors = errors
        self.latency = latency
        self.service = service
        self.lateness = lateness
        punctual = columns.histogram() ?? latency
        for case (let name, .number(let count)) in outcomes {
            guard let outcome = Outcome(name: name), Self.isCount(count) else { return nil }
            self.outcomes[Int(outcome.rawValue)] = count
        }
        for case (let name, .number(let count)) in statuses {
            guard let status = Int(name), Self.isCount(count) else { return nil }
            self.statuses[status] = count
        }
    }

    private static func isCount(_ number: Int) -> Bool {
        Columns.ColumnLimit.count.contains(Int64(number))
    }
}

extension ErrorGroup {
    func row(example: Int?) -> [ColumnValue] {
        [
            .text(operation.name), .text(outcome.name), ColumnValue(status), ColumnValue(reason),
            ColumnValue(count), ColumnValue(first), ColumnValue(last), ColumnValue(example),
        ]
    }

    /// Also gives the id of its example.
    static func read(_ columns: inout Columns) -> (group: ErrorGroup, example: Int?)? {
        guard let operation = columns.text().flatMap(OperationName.init(name:)),
            let outcome = columns.text().flatMap(Outcome.init(name:)),
            let status = columns.int(), let reason = columns.text(), let count = columns.int(),
            let first = columns.instant(), let last = columns.instant()
        else { return nil }
        let group = ErrorGroup(
            operation: operation, outcome: outcome, status: status, reason: reason, count: count,
            first: first, last: last, example: nil)
        return (group, columns.int())
    }
}

extension LaneHealth {
    var row: [ColumnValue] {
        [
            ColumnValue(lane), ColumnValue(from), ColumnValue(through), ColumnValue(turns),
            ColumnValue(busy),
            ColumnValue(longestTurn),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let lane = columns.int(), let from = columns.instant(),
            let through = columns.instant(), let turns = columns.int(),
            let busy = columns.duration(), let longestTurn = columns.duration()
        else { return nil }
        self.init(
            lane: lane, from: from, through: through, turns: turns, busy: busy,
            longestTurn: longestTurn)
    }
}
