internal import Checker
internal import Dialects
internal import Journal

/// A recorded run as others may see it: every text with pseudonyms in it.
struct SharedRun: Recorded {
    let original: History
    let pseudonyms: Pseudonyms

    var header: HistoryHeader {
        var header = original.header
        header.rigSource = pseudonyms.replaced(header.rigSource)
        header.target = pseudonyms.replaced(header.target)
        return header
    }

    var end: HistoryEnd? {
        original.end.map { end in
            var end = end
            end.failure = pseudonyms.replaced(end.failure)
            end.breaker = pseudonyms.replaced(end.breaker)
            return end
        }
    }

    var gaps: [String] { original.gaps }
    var keepsAllExchanges: Bool { original.keepsAllExchanges }
    var restraint: Restraint { original.restraint }

    /// Without the names of machines.
    var merge: MergeRecord? {
        guard let merge = original.merge else { return nil }
        let hosts = Set((try? original.shards().map(\.host)) ?? []).filter { !$0.isEmpty }
        func shared(_ text: String) -> String {
            hosts.sorted().reduce(pseudonyms.replaced(text)) {
                $0.replacing($1, with: "a machine")
            }
        }
        return MergeRecord(gaps: merge.gaps.map(shared), notes: merge.notes.map(shared))
    }

    /// Likewise.
    func shards() throws -> [MergedShard] {
        try original.shards().map { shard in
            var shard = shard
            (shard.host, shard.run) = ("", "")
            shard.target = pseudonyms.replaced(shard.target)
            return shard
        }
    }

    func cells(_ body: (Cell) throws -> Void) throws { try original.cells(body) }
    func health() throws -> [LaneHealth] { try original.health() }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        try original.households { record in
            var record = record
            record.cause = pseudonyms.replaced(record.cause)
            record.signOn.diversion = pseudonyms.replaced(record.signOn.diversion)
            try body(record)
        }
    }

    func errorGroups() throws -> [ErrorGroup] {
        try original.errorGroups().map { group in
            var group = group
            group.reason = pseudonyms.replaced(group.reason)
            group.example = group.example.map(shared)
            return group
        }
    }

    func exchanges(_ body: (Exchange) throws -> Void) throws {
        try original.exchanges { try body(shared($0)) }
    }

    func events(_ body: (DeviceEvent) throws -> Void) throws { try original.events(body) }

    func exchanges(household: Int) throws -> [Exchange] {
        try original.exchanges(household: household).map(shared)
    }

    func messages(household: Int) throws -> [KeptMessage] {
        try original.messages(household: household).map { message in
            var message = message
            message.change(pseudonyms.replaced)
            return message
        }
    }

    /// What a judge found, in the same words.
    func shared(_ findings: Findings) -> Findings {
        var findings = findings
        findings.changes = findings.changes.map(pseudonyms.replaced)
        for place in findings.violations.indices {
            findings.violations[place].sentence = pseudonyms.replaced(
                findings.violations[place].sentence)
            findings.violations[place].nearChange = findings.violations[place].nearChange
                .map(pseudonyms.replaced)
        }
        for place in findings.verdicts.indices {
            findings.verdicts[place].examples = findings.verdicts[place].examples
                .map(pseudonyms.replaced)
        }
        return findings
    }

    private func shared(_ exchange: Exchange) -> Exchange {
        var exchange = exchange
        exchange.reason = exchange.reason.map(pseudonyms.replaced)
        exchange.route.local = pseudonyms.replaced(exchange.route.local)
        exchange.route.remote = pseudonyms.replaced(exchange.route.remote)
        exchange.evidence = Headers(
            exchange.evidence.fields.map {
                Headers.Field($0.name, pseudonyms.replaced($0.value))
            })
        exchange.deviations = exchange.deviations.map {
            Deviation(
                rule: $0.rule, found: pseudonyms.replaced($0.found), source: $0.source)
        }
        exchange.delivery =
            switch exchange.delivery {
            case .answered: exchange.delivery
            case .refused(let error): .refused(shared(error))
            case .unknown(let error): .unknown(shared(error))
            }
        return exchange
    }

    private func shared(_ error: TransportError) -> TransportError {
        TransportError(error.kind, pseudonyms.replaced(error.detail))
    }
}
