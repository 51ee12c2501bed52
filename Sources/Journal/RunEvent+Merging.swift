extension RunEvent {
    /// The events of a run's parts, by their position: one that every part has, from the rig or from the same mark, becomes
    /// one event.
    static func merged(_ all: [(part: Int, event: RunEvent)]) -> [RunEvent] {
        let all = all.sorted {
            ($0.event.began, $0.event.name, $0.part) < ($1.event.began, $1.event.name, $1.part)
        }
        var merged: [(parts: Set<Int>, event: RunEvent)] = []
        for (part, event) in all {
            let same = merged.lastIndex {
                $0.event.name == event.name && $0.event.origin == event.origin
                    && event.began - $0.event.began <= Self.oneEvent && !$0.parts.contains(part)
            }
            guard let same else {
                merged.append(([part], event))
                continue
            }
            merged[same].parts.insert(part)
            if let ended = event.ended {
                merged[same].event.ended = max(ended, merged[same].event.ended ?? ended)
            }
            // Only shard 0 runs its command.
            if merged[same].event.command.isEmpty {
                merged[same].event.command = event.command
                merged[same].event.status = event.status
                merged[same].event.output = event.output
            }
        }
        // Two events of one name and instant would be one row.
        var taken: Set<String> = []
        for position in merged.indices {
            func key() -> String {
                "\(merged[position].event.began.nanoseconds) \(merged[position].event.name)"
            }
            while !taken.insert(key()).inserted {
                merged[position].event.began = merged[position].event.began + .nanoseconds(1)
            }
        }
        return merged.map(\.event)
    }

    /// Events of one name that are at most this far apart are the same event.
    private static let oneEvent = Duration.seconds(2)
}
