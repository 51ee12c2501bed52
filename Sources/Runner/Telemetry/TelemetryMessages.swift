internal import Dialects
internal import Formats
internal import Journal
internal import Reports
internal import Statistics

/// Metrics and spans as OTLP has them, in its JSON encoding (opentelemetry.io/docs/specs/otlp, JSON Protobuf Encoding):
/// names in lowerCamelCase, 64-bit numbers as strings, ids in hexadecimal, enums as numbers.
///
/// Messages hold only what the history shows: texts of peers passed the `OutputGate` when their `Exchange` was made.
struct TelemetryMessages: Sendable {
    /// Names and values of the resource's attributes, in their order.
    let resource: [(name: String, value: String)]
    /// `X-Screenrig` begins with it, and traces derive from it.
    let run: String
    /// Wall clock at `Instant.start`, nanoseconds since 1970.
    let startNanoseconds: Int64
    let version: String

    // MARK: Metrics

    /// An ExportMetricsServiceRequest of this state, as of `now` (microseconds since 1970).
    func metrics(_ state: LiveState, now: Int64) -> [UInt8] {
        let metrics = LiveMetrics.all(state).map { metric($0, now: now) }
        return Array(
            JSON.members([
                (
                    "resourceMetrics",
                    .array([
                        .members([
                            ("resource", resourceJSON),
                            (
                                "scopeMetrics",
                                .array([.members([("scope", scope), ("metrics", .array(metrics))])])
                            ),
                        ])
                    ])
                )
            ]).text(.compact).utf8)
    }

    /// Name and unit of a metric: `screenrig_latency_seconds` is `screenrig.latency` in seconds, which a
    /// collector turns into the same name for Prometheus as `--metrics` has.
    static func name(_ metric: LiveMetric) -> (name: String, unit: String) {
        var name = metric.name
        var unit = "1"
        if name.hasSuffix("_total") { name.removeLast(6) }
        if name.hasSuffix("_seconds") {
            name.removeLast(8)
            unit = "s"
        }
        return (name.replacing("screenrig_", with: "screenrig.", maxReplacements: 1), unit)
    }

    private func metric(_ metric: LiveMetric, now: Int64) -> JSON {
        let (name, unit) = Self.name(metric)
        let points = JSON.array(metric.points.map { point($0, metric.kind, now: now) })
        let cumulative = JSON.integer(2)
        let data: (String, JSON) =
            switch metric.kind {
            case .counter:
                (
                    "sum",
                    .members([
                        ("dataPoints", points), ("aggregationTemporality", cumulative),
                        ("isMonotonic", .bool(true)),
                    ])
                )
            case .gauge: ("gauge", .members([("dataPoints", points)]))
            case .histogram:
                (
                    "histogram",
                    .members([("dataPoints", points), ("aggregationTemporality", cumulative)])
                )
            }
        return .members([
            ("name", .string(name)), ("description", .string(metric.help)),
            ("unit", .string(unit)), data,
        ])
    }

    private func point(_ point: LiveMetric.Point, _ kind: LiveMetric.Kind, now: Int64) -> JSON {
        var members: [(String, JSON)] = [
            (
                "attributes",
                .array(point.labels.map { Self.attribute($0.name, .string($0.value)) })
            ),
            ("startTimeUnixNano", .string(String(startNanoseconds))),
            ("timeUnixNano", .string(String(max(now * 1000, startNanoseconds)))),
        ]
        switch (point.value, kind) {
        case (.number(let value), _): members.append(("asDouble", .decimal(value, 6)))
        case (.times(let times), .histogram(let bounds)):
            let cumulative = LiveMetrics.cumulative(times, bounds) + [times.count]
            let counts = zip(cumulative, [0] + cumulative).map { $0 - $1 }
            members += [
                ("count", .string(String(times.count))),
                ("sum", .decimal(Double(times.sum) / 1e9, 9)),
                ("bucketCounts", .array(counts.map { .string(String($0)) })),
                ("explicitBounds", .array(bounds.map { .decimal($0, 6) })),
            ]
        case (.times, _): break
        }
        return .members(members)
    }

    // MARK: Spans

    /// An ExportTraceServiceRequest of these exchanges.
    func spans(_ exchanges: [Exchange]) -> [UInt8] {
        Array(
            JSON.members([
                (
                    "resourceSpans",
                    .array([
                        .members([
                            ("resource", resourceJSON),
                            (
                                "scopeSpans",
                                .array([
                                    .members([
                                        ("scope", scope), ("spans", .array(exchanges.map(span))),
                                    ])
                                ])
                            ),
                        ])
                    ])
                )
            ]).text(.compact).utf8)
    }

    /// Trace and span ids are those of the request's `traceparent`, so the server's spans are its children.
    private func span(_ exchange: Exchange) -> JSON {
        let household = exchange.device.household
        let context = TraceContext(run: run, household: household)
        var members: [(String, JSON)] = [
            ("traceId", .string(context.trace)),
            ("spanId", .string(context.span(exchange.sequence))),
            ("name", .string(exchange.operation.name)),
            // SPAN_KIND_CLIENT.
            ("kind", .integer(3)),
            ("startTimeUnixNano", time(exchange.begun)),
            ("endTimeUnixNano", time(max(exchange.ended, exchange.begun))),
            ("attributes", .array(attributes(exchange))),
            ("events", .array(events(exchange))),
        ]
        if exchange.isError {
            let word = exchange.reason ?? exchange.outcome.name
            // STATUS_CODE_ERROR.
            members.append(
                ("status", .members([("code", .integer(2)), ("message", .string(word))])))
        }
        return .members(members)
    }

    private func attributes(_ exchange: Exchange) -> [JSON] {
        var all: [JSON] = [
            Self.attribute("screenrig.operation", .string(exchange.operation.name)),
            Self.attribute("screenrig.outcome", .string(exchange.outcome.name)),
            Self.attribute("screenrig.household", exchange.device.household),
            Self.attribute("screenrig.exchange", exchange.sequence),
            Self.attribute("screenrig.device", .string(exchange.device.name)),
            Self.attribute("screenrig.latency_ms", milliseconds: exchange.latency),
            Self.attribute("screenrig.lateness_ms", milliseconds: exchange.lateness),
        ]
        if let status = exchange.delivery.status {
            all.append(Self.attribute("http.response.status_code", status))
        }
        if exchange.isError {
            let type = exchange.delivery.status.map(String.init) ?? exchange.outcome.name
            all.append(Self.attribute("error.type", .string(type)))
        }
        let remote = exchange.route.remote
        if let colon = remote.lastIndex(of: ":"),
            let port = Int(remote[remote.index(after: colon)...])
        {
            all.append(Self.attribute("network.peer.address", .string(String(remote[..<colon]))))
            all.append(Self.attribute("network.peer.port", port))
            all.append(
                Self.attribute("network.protocol.version", .string(exchange.route.httpVersion)))
        }
        return all
    }

    /// When the request's last byte was sent, and when the response's first byte arrived.
    private func events(_ exchange: Exchange) -> [JSON] {
        [("sent", exchange.sent), ("first byte", exchange.firstByte)].compactMap { name, instant in
            instant.map { .members([("timeUnixNano", time($0)), ("name", .string(name))]) }
        }
    }

    // MARK: Pieces

    private func time(_ instant: Instant) -> JSON {
        .string(String(startNanoseconds + instant.nanoseconds))
    }

    private var resourceJSON: JSON {
        .members([
            ("attributes", .array(resource.map { Self.attribute($0.name, .string($0.value)) }))
        ])
    }

    private var scope: JSON {
        .members([("name", .string("screenrig")), ("version", .string(version))])
    }

    private static func attribute(_ name: String, _ value: JSON) -> JSON {
        .members([("key", .string(name)), ("value", .members([("stringValue", value)]))])
    }

    private static func attribute(_ name: String, _ number: Int) -> JSON {
        .members([
            ("key", .string(name)), ("value", .members([("intValue", .string(String(number)))])),
        ])
    }

    private static func attribute(_ name: String, milliseconds: Duration) -> JSON {
        let value = Instant(milliseconds).milliseconds
        return .members([
            ("key", .string(name)), ("value", .members([("doubleValue", .decimal(value, 3))])),
        ])
    }
}
