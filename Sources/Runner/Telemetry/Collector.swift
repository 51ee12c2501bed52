package import Dialects
internal import Formats

/// Address, headers and resource attributes for telemetry, from `--otlp` and the variables that OpenTelemetry
/// defines for exporters (opentelemetry.io/docs/specs/otel/protocol/exporter). Nothing is sent unless the
/// command line asks for it.
package struct Collector: Sendable {
    /// The base address; `v1/metrics` and `v1/traces` are added.
    package let base: WebAddress
    /// Headers of each request; they may hold a key.
    package let headers: Headers
    /// PEM file of a CA to trust beside the system's; nil: only the system's.
    package let certificate: String?
    /// Attributes of the resource from the variables; they replace screenrig's own attributes of the same name.
    package let attributes: [(name: String, value: String)]

    /// Value of `--otlp` that means the address in `OTEL_EXPORTER_OTLP_ENDPOINT`.
    package static let fromEnvironment = "environment"

    /// Reads the value of `--otlp`: a URL or `environment`. Throws `RunError.badInput` where the address or a
    /// variable cannot be read, and where the address holds a user or a password.
    package init(_ option: String, _ environment: [String: String]) throws(RunError) {
        func variable(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let endpoint = variable("OTEL_EXPORTER_OTLP_ENDPOINT")
        let isByVariable = option == Self.fromEnvironment
        let source = isByVariable ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "--otlp"
        guard let text = isByVariable ? endpoint : option else {
            throw .badInput(
                "--otlp environment takes the address from OTEL_EXPORTER_OTLP_ENDPOINT, which is not set; "
                    + "set it or name the collector: --otlp http://127.0.0.1:4318")
        }
        guard let base = WebAddress(text), !text.contains("?") else {
            throw .badInput(
                "\(source) is '\(WebAddress.withoutUser(text))'; it must be the base address of a collector that takes "
                    + "OTLP over HTTP, such as http://127.0.0.1:4318")
        }
        guard WebAddress.withoutUser(text) == text else {
            throw .badInput(
                "\(source) holds a user or a password, which would be shown; put it into OTEL_EXPORTER_OTLP_HEADERS"
            )
        }
        self.base = base
        certificate = variable("OTEL_EXPORTER_OTLP_CERTIFICATE")
        var headers = Headers()
        // Headers of the variable are for the variable's address: no other collector gets them.
        if isByVariable || endpoint.map({ WebAddress($0)?.origin == base.origin }) ?? true {
            for (name, value) in try Self.pairs("OTEL_EXPORTER_OTLP_HEADERS", environment) {
                headers.set(name, value)
            }
        }
        self.headers = headers
        var attributes = try Self.pairs("OTEL_RESOURCE_ATTRIBUTES", environment)
        if let name = variable("OTEL_SERVICE_NAME") {
            attributes.removeAll { $0.name == "service.name" }
            attributes.append(("service.name", name))
        }
        self.attributes = attributes
    }

    /// `v1/metrics` or `v1/traces` under the base address.
    func address(of signal: String) -> WebAddress {
        let path = base.target.hasSuffix("/") ? base.target : base.target + "/"
        return WebAddress(origin: base.origin, target: "\(path)v1/\(signal)")
    }

    /// `a=1,b=2`, percent-encoded (W3C Baggage, as the variables have it).
    private static func pairs(
        _ name: String, _ environment: [String: String]
    ) throws(RunError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for part in (environment[name] ?? "").split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(sides[0]).trimmingSpaces()
            guard sides.count == 2, !key.isEmpty else {
                // Without what it holds: it may be a key.
                throw .badInput("\(name) is not a list such as 'name=value,other=value'")
            }
            pairs.append((key, decoded(String(sides[1]).trimmingSpaces())))
        }
        return pairs
    }

    private static func decoded(_ text: String) -> String {
        String(
            decoding: PercentEncoding.decode(text.utf8Span.span, plusIsSpace: false), as: UTF8.self)
    }
}
