internal import Formats
internal import Rendering
public import Statistics

/// What a machine can do as a sender of load, for a reader and for scripts.
public struct CalibrationReport: Sendable {
    /// Where the requests went, as it was asked for.
    public var target: String
    public var requestsPerSecond: Double
    /// Of the rig alone: a service of its own is not counted.
    public var cpuMicrosecondsPerRequest: Double
    public var latency: Histogram
    public var service: Histogram
    public var lateness: Histogram
    public var connections: Int
    public var errors: Int
    /// From the last response until every exchange was written and judged; nil where none is.
    public var drainTime: Duration?
    /// Of the whole process, so far.
    public var peakMemoryMB: Double
    public var gateSpread: Histogram
    /// What went wrong first; nil when nothing did.
    public var trouble: String?

    public init(
        target: String, requestsPerSecond: Double, cpuMicrosecondsPerRequest: Double,
        latency: Histogram, service: Histogram, lateness: Histogram, connections: Int, errors: Int,
        drainTime: Duration?, peakMemoryMB: Double, gateSpread: Histogram, trouble: String?
    ) {
        self.target = target
        self.requestsPerSecond = requestsPerSecond
        self.cpuMicrosecondsPerRequest = cpuMicrosecondsPerRequest
        self.latency = latency
        self.service = service
        self.lateness = lateness
        self.connections = connections
        self.errors = errors
        self.drainTime = drainTime
        self.peakMemoryMB = peakMemoryMB
        self.gateSpread = gateSpread
        self.trouble = trouble
    }

    /// One object, schema `screenrig/calibration/1`. Where nothing was measured a time is null; its
    /// key is still there.
    public func json() -> String {
        JSON.members([
            ("schema", .string("screenrig/calibration/1")),
            ("requestsPerSecond", .decimal(requestsPerSecond, 1)),
            ("cpuMicrosecondsPerRequest", .decimal(cpuMicrosecondsPerRequest)),
            ("latencyMs", Self.spread(latency, unit: 1e6)),
            ("serviceMs", Self.spread(service, unit: 1e6)),
            ("latenessMs", Self.spread(lateness, unit: 1e6)),
            ("connections", .integer(connections)),
            ("errors", .integer(errors)),
            ("drainTimeMs", drainTime.map { .decimal($0 / .milliseconds(1)) } ?? .null),
            ("peakMemoryMB", .decimal(peakMemoryMB, 1)),
            ("gateSpreadUs", Self.spread(gateSpread, unit: 1e3)),
        ]).text(.page)
    }

    /// A few lines for a terminal.
    public func text() -> String {
        var lines = [
            "\(Figures.count(Int(requestsPerSecond.rounded()))) requests/s to \(target)",
            row("connections", Figures.count(connections)),
            row("processor", "\(Figures.significant(cpuMicrosecondsPerRequest)) us a request"),
        ]
        lines += times("latency", latency)
        lines += times("service time", service)
        lines += times("lateness of the rig", lateness)
        if let drainTime {
            let time = Figures.time(milliseconds: drainTime / .milliseconds(1))
            lines.append(row("drain time", "\(time) to write and judge what was left"))
        }
        if let p50 = gateSpread.value(atShare: 0.5), let p99 = gateSpread.value(atShare: 0.99) {
            let (half, most) = (Double(p50) / 1e3, Double(p99) / 1e3)
            lines.append(
                row(
                    "two sends at once",
                    "\(Figures.significant(half)) us apart, p99 \(Figures.significant(most)) us"))
        }
        lines.append(row("memory", "\(Figures.significant(peakMemoryMB)) MB at most"))
        if errors > 0 {
            let first = trouble.map { "; first: \($0)" } ?? ""
            lines.append(row("errors", Figures.count(errors) + first))
        }
        return lines.joined(separator: "\n")
    }

    private func times(_ name: String, _ histogram: Histogram) -> [String] {
        guard let spread = Spread(histogram) else { return [] }
        let values = [("p50", spread.p50), ("p99", spread.p99), ("max", spread.max)]
        return [
            row(
                name,
                values.map { "\($0) \(Figures.time(milliseconds: $1))" }.joined(separator: ", "))
        ]
    }

    private func row(_ name: String, _ value: String) -> String {
        "  \(name.padded(to: 20)) \(value)"
    }

    /// The keys of summary.json, in nanoseconds divided by `unit`.
    private static func spread(_ histogram: Histogram, unit: Double) -> JSON {
        let scale = 1e6 / unit
        let values =
            Spread(histogram)?.values.map { JSON.decimal($0 * scale) }
            ?? Spread.names.map { _ in .null }
        return .members([("count", .integer(histogram.count))] + zip(Spread.names, values))
    }
}
