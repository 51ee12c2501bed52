/// What the parts of a case must be to each other, so that a schedule can be played.
struct CaseCheck {
    let file: String

    func check(_ read: Case) throws(CaseError) {
        try bounds(read)
        let ids = read.schedule.ops.map(\.id)
        let actors = read.schedule.actors.map(\.name)
        try unique(actors, of: "actors", "name")
        try unique(ids, of: "ops", "id")
        guard !ids.isEmpty else { throw wrong("ops", "empty", "at least one op") }
        let anchors = Dictionary(
            uniqueKeysWithValues: read.schedule.ops.map { ($0.id, $0.anchor?.op) })
        for (position, op) in read.schedule.ops.enumerated() {
            try among(actors, op.actor, "ops[\(position)].actor", "an actor")
            guard let anchor = op.anchor else { continue }
            try among(ids, anchor.op, "ops[\(position)].anchor.op", "an op")
            guard !leadsBack(op, by: anchors) else {
                throw wrong(
                    "ops[\(position)].anchor.op",
                    "'\(anchor.op)', which itself depends on '\(op.id)'",
                    "an op that does not depend on it")
            }
        }
        if let swept = read.swept { try among(ids, swept, "swept", "an op") }
        for (position, id) in read.expected.ops.enumerated() {
            try among(ids, id, "expected.ops[\(position)]", "an op")
        }
    }

    /// Numbers that a schedule can be played with, and that a report can show.
    private func bounds(_ read: Case) throws(CaseError) {
        let settle = read.schedule.settle
        try isPositive(settle.quiet, "settle.quietUs")
        try isPositive(settle.every, "settle.everyUs")
        try isPositive(read.schedule.codeLifetime, "codeLifetimeUs")
        try isPositive(read.controls.latency, "controls.cleanLatencyUs")
        try among(0...1_000, settle.reads, "settle.reads")
        for (position, actor) in read.schedule.actors.enumerated() {
            try among(0...1_000, actor.household, "actors[\(position)].household")
        }
        for (position, entry) in (read.trial?.exchanges ?? []).enumerated() {
            try among(100...999, entry.status ?? 100, "trial.exchanges[\(position)].status")
            try among(0...65_535, entry.belief ?? 0, "trial.exchanges[\(position)].belief")
        }
        try inOrder(read.evidence?.achieved, "evidence.achievedOffsetUs")
        try inOrder(read.path?.spread, "path.jitterUs")
    }

    private func isPositive(_ time: Duration?, _ key: String) throws(CaseError) {
        guard let time, time < .zero else { return }
        throw wrong(key, "\(time.inMicroseconds)", "a whole number of at least 0")
    }

    private func among(
        _ range: ClosedRange<Int>, _ number: Int, _ key: String
    ) throws(CaseError) {
        if range.contains(number) { return }
        throw wrong(
            key, "\(number)", "a whole number, \(range.lowerBound) to \(range.upperBound)")
    }

    private func inOrder(_ spread: RaceFinding.Quantiles?, _ key: String) throws(CaseError) {
        guard let spread, spread.p10 > spread.p50 || spread.p50 > spread.p90 else { return }
        throw wrong(key, "an object", "percentiles in order")
    }

    private func leadsBack(_ op: Schedule.Op, by anchors: [String: String?]) -> Bool {
        var next = op.anchor?.op
        for _ in anchors {
            guard let id = next else { return false }
            if id == op.id { return true }
            next = anchors[id] ?? nil
        }
        return next != nil
    }

    /// Each name stands once, and they are no more than a schedule can be played with.
    private func unique(_ names: [String], of list: String, _ key: String) throws(CaseError) {
        guard names.count <= Self.partsAtMost else {
            throw wrong(list, "a list of \(names.count)", "at most \(Self.partsAtMost)")
        }
        var seen: Set<String> = []
        for (position, name) in names.enumerated() where !seen.insert(name).inserted {
            throw wrong("\(list)[\(position)].\(key)", "'\(name)' again", "unique")
        }
    }

    /// Playing, shrinking and drawing look at each pair of ops.
    private static let partsAtMost = 1_000

    private func among(
        _ names: [String], _ name: String, _ key: String, _ noun: String
    ) throws(CaseError) {
        guard !names.contains(name) else { return }
        throw wrong(key, "'\(name)'", "\(noun) of this case: \(names.joined(separator: ", "))")
    }

    private func wrong(_ key: String, _ found: String, _ wanted: String) -> CaseError {
        .wrong(file: file, key: key, found: found, wanted: wanted)
    }
}
