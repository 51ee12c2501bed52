internal import Reports
internal import Statistics

/// A run as Prometheus reads it (`LiveMetrics`). Of a shard each sample carries its number.
enum Metrics {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func text(_ state: LiveState, _ subject: ShownRun) -> String {
        var page = Exposition(
            labels: subject.shard.map { [("shard", String($0.number))] } ?? [])
        page.begin("screenrig_info", .gauge, help: "Rig, run and target; always 1.")
        let shards: Exposition.Labels = subject.shard.map { [("shards", String($0.count))] } ?? []
        page.sample(
            "screenrig_info",
            [
                ("rig", subject.rig), ("run", subject.run), ("target", subject.target),
                ("version", subject.version),
            ] + shards, 1)
        if let shard = subject.shard {
            page.begin("screenrig_shards", .gauge, help: "Shards of the run that this is one of.")
            page.sample("screenrig_shards", [], shard.count)
        }
        for metric in LiveMetrics.all(state) { page.write(metric) }
        return page.text
    }
}

extension Exposition {
    fileprivate mutating func write(_ metric: LiveMetric) {
        switch metric.kind {
        case .counter: begin(metric.name, .counter, help: metric.help)
        case .gauge: begin(metric.name, .gauge, help: metric.help)
        case .histogram: begin(metric.name, .histogram, help: metric.help)
        }
        for point in metric.points {
            let labels = point.labels.map { (name: $0.name, value: $0.value) }
            switch (point.value, metric.kind) {
            case (.number(let value), _): sample(metric.name, labels, value)
            case (.times(let times), .histogram(let bounds)):
                histogram(metric.name, labels, times, bounds)
            case (.times, _): break
            }
        }
    }

    /// Cumulative buckets up to each bound, then all, their sum and their count.
    mutating func histogram(
        _ name: String, _ labels: Labels, _ histogram: Histogram, _ bounds: [Double]
    ) {
        for (bound, seen) in zip(bounds, LiveMetrics.cumulative(histogram, bounds)) {
            sample("\(name)_bucket", labels + [("le", Self.number(bound))], seen)
        }
        sample("\(name)_bucket", labels + [("le", "+Inf")], histogram.count)
        sample("\(name)_sum", labels, Double(histogram.sum) / 1e9)
        sample("\(name)_count", labels, histogram.count)
    }
}
