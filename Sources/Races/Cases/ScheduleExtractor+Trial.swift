internal import Journal

extension ScheduleExtractor {
    /// What really happened, for the picture: the ops, what stood between them, and what is of the conflict but of no op,
    /// such as a poll that a replay's reads stand for.
    func trial(_ header: HistoryHeader) -> Case.Trial {
        let kept = Dictionary(
            scenes.map { (ReadKey($0.exchange), $0) }, uniquingKeysWith: { first, _ in first })
        let from = scenes.first?.exchange.sent ?? .start
        let conflict = Set(violation.exchanges)
        let last = life.last { conflict.contains($0.sequence) }?.ended ?? .start
        let through = max(scenes.last?.exchange.ended ?? .start, last)
        var shown = life.filter { $0.sent >= from && $0.sent <= through }
        shown += scenes.filter { $0.household == 1 }.map(\.exchange)
        let entries = shown.sorted { $0.sent < $1.sent }.map { exchange -> Case.Entry in
            let scene = kept[ReadKey(exchange)]
            let isOwn = exchange.device.household == violation.household
            let entry =
                isOwn ? violation.scene.first { $0.sequence == exchange.sequence } : nil
            var told = Case.Entry(
                exchange, op: scene?.id ?? "",
                actor: scene.map { Self.actor(of: $0).name } ?? exchange.device.name,
                household: isOwn ? 0 : 1, scene: entry,
                isConflict: scene?.isConflict ?? (isOwn && conflict.contains(exchange.sequence)))
            if header.sendsTraceContext, let run = header.runID {
                told.traceparent = TraceContext(
                    run: run.description, household: exchange.device.household
                ).parent(exchange.sequence)
            }
            return told
        }
        return Case.Trial(startedMicroseconds: header.startedMicroseconds, exchanges: entries)
    }

    private struct ReadKey: Hashable {
        var household: Int
        var sequence: Int

        init(_ exchange: Exchange) {
            household = exchange.device.household
            sequence = exchange.sequence
        }
    }
}
