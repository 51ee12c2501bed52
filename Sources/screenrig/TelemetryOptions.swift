internal import ArgumentParser
internal import Foundation
internal import Runner

/// What leaves a run for a collector of OpenTelemetry: nothing, unless it is asked for here.
struct TelemetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the run's metrics to this OpenTelemetry collector (OTLP/HTTP, JSON); 'environment': to that of "
                + "OTEL_EXPORTER_OTLP_ENDPOINT.",
            valueName: "URL|environment"))
    var otlp: String?

    @Flag(
        help: "Also send a span for each exchange, with the trace and span of its 'traceparent'.")
    var otlpTraces = false

    func validate() throws {
        if otlpTraces, otlp == nil {
            throw ValidationError(
                "--otlp-traces needs a collector: add --otlp http://127.0.0.1:4318")
        }
    }

    /// Nil where nobody asked for one.
    func exporter(isVirtual: Bool) throws -> TelemetryExporter? {
        guard let otlp else { return nil }
        guard !isVirtual else {
            throw CommandFailure.badInput(
                "--otlp is for runs over sockets: virtual time has no time of day that a collector could use; leave "
                    + "--otlp out")
        }
        return try TelemetryExporter(
            Collector(otlp, ProcessInfo.processInfo.environment), sendsSpans: otlpTraces)
    }
}
