internal import Checker
internal import Dialects
internal import Journal
internal import Vocabulary

/// A row of a trace's list.
enum TraceStep: Hashable {
    /// Position in `Trace.exchanges`.
    case exchange(Int)
    /// Exchanges that are alike, one after the other with nothing between them: `312 pending polls`.
    case repeated([Int])
    /// Position in `Trace.events`.
    case event(Int)
    case moment(TraceMoment)
    /// Position in `Trace.violations`: what proves it stands before it.
    case violation(Int)
}

/// A moment of a household that is no exchange of its own.
struct TraceMoment: Hashable {
    var at: Instant
    var text: String
}

extension Trace {
    /// The rows of the list, in the order of time.
    var steps: [TraceStep] {
        var entries: [(at: Instant, rank: Int, step: TraceStep)] = []
        for position in exchanges.indices {
            entries.append((exchanges[position].exchange.sent, 1, .exchange(position)))
        }
        for position in events.indices {
            entries.append((events[position].at, 2, .event(position)))
        }
        for moment in moments { entries.append((moment.at, 3, .moment(moment))) }
        // Sorting is not stable: of equals the one that was put in first comes first.
        let order = entries.indices.sorted {
            (entries[$0].at, entries[$0].rank, $0) < (entries[$1].at, entries[$1].rank, $1)
        }
        return Self.collapsed(withViolations(order.map { entries[$0].step })) {
            exchanges[$0].rowKey
        }
    }

    /// Each violation after the last exchange that proves it, or at the end where that is another household's.
    private func withViolations(_ steps: [TraceStep]) -> [TraceStep] {
        var steps = steps
        for position in violations.indices {
            let proof = violations[position].violation.exchanges.last.flatMap(self.position(of:))
            let place = proof.flatMap { steps.firstIndex(of: .exchange($0)) }
            steps.insert(.violation(position), at: place.map { $0 + 1 } ?? steps.count)
        }
        return steps
    }

    /// Rows with each run of at least `least` like exchanges as one. `rowKey` is nil for an exchange that
    /// stands by itself.
    static func collapsed<RowKey: Equatable>(
        _ steps: [TraceStep], least: Int = 3, _ rowKey: (Int) -> RowKey?
    ) -> [TraceStep] {
        var rows: [TraceStep] = []
        var run: [Int] = []
        func close() {
            if run.count >= least {
                rows.append(.repeated(run))
            } else {
                rows += run.map { .exchange($0) }
            }
            run = []
        }
        for step in steps {
            guard case .exchange(let position) = step else {
                close()
                rows.append(step)
                continue
            }
            let own = rowKey(position)
            if let last = run.last, own == nil || rowKey(last) != own { close() }
            run.append(position)
        }
        close()
        return rows
    }

    /// What the household's record says beside the exchanges.
    private var moments: [TraceMoment] {
        var moments: [TraceMoment] = []
        if let shown = record.codeShown {
            let code = shownCode.map { " \($0.text)" } ?? ""
            moments.append(TraceMoment(at: shown, text: "The TV shows its code\(code)"))
        }
        if let done = record.phoneDone {
            moments.append(
                TraceMoment(at: done, text: "The phone is told that the sign-in is done"))
        }
        if let seen = record.tokenSeen {
            moments.append(TraceMoment(at: seen, text: "The TV has seen its token"))
        }
        if let ended = record.ended {
            moments.append(TraceMoment(at: ended, text: "The household ends: \(fate)"))
        }
        return moments
    }

    /// The code that the TV showed last.
    var shownCode: Code? {
        let limit = record.codeShown ?? .distantFuture
        let made = exchanges.last { entry in
            let exchange = entry.exchange
            guard exchange.device.household == household, exchange.ended <= limit else {
                return false
            }
            return exchange.signInStep == .issueCode && exchange.observation.result == .success
        }
        return made?.exchange.observation.code
    }
}

extension Trace.TraceExchange {
    /// What exchanges of one row have in common.
    struct RowKey: Equatable {
        var device: DeviceID
        var operation: OperationName
        var status: Int?
        var outcome: Outcome
        var reason: String?
        var code: Code?
    }

    /// Nil where there is more to say of it than of its neighbours.
    var rowKey: RowKey? {
        guard violations.isEmpty, exchange.deviations.isEmpty, !changesBelief else { return nil }
        return RowKey(
            device: exchange.device, operation: exchange.operation,
            status: exchange.delivery.status,
            outcome: exchange.outcome, reason: exchange.reason, code: exchange.code)
    }
}
