internal import ArgumentParser
internal import Calibration
internal import Dialects
internal import Foundation
internal import Rigs
internal import Runner
internal import Vocabulary
internal import Wire

struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure this machine: requests per second, lateness, gate error, memory.",
        discussion: """
            Example:
                screenrig calibrate
                screenrig calibrate --connections 1000 --for 10s
                screenrig calibrate --target http://127.0.0.1:8080/health --rate 2000/s

            Without --target it measures a built-in service, which runs on another thread. Without --rate \
            the load is a closed loop: each connection sends its next request when the response to the last \
            one has arrived. With --rate, latency counts from the time at which a request was due. The \
            result of a closed loop against the built-in service is stored; 'validate' compares plans with it.
            """)

    @Option(
        help: ArgumentHelp(
            "Send plain GETs to this URL; a host off loopback needs --allow.", valueName: "URL")
    )
    var target: String?

    @Option(help: ArgumentHelp("Number of connections, 1 to 50000.", valueName: "N"))
    var connections = 100

    @Option(
        help: ArgumentHelp(
            "Requests per second over all connections, such as 2000/s; default: closed loop.",
            valueName: "RATE"))
    var rate: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Duration of the measurement, 100ms to 10m.", valueName: "T"))
    var lasting = "5s"

    @Flag(help: "Print one JSON object (schema screenrig/calibration/1).")
    var json = false

    @Option(
        help: ArgumentHelp(
            "What to record of each exchange: none, aggregates, or all (recorded and judged, as in a run).",
            valueName: "WHAT"),
        completion: .list(["none", "aggregates", "all"]))
    var record = Keeping.aggregates.rawValue

    @Option(
        help: ArgumentHelp(
            "Number of lanes (threads); default: 1, which leaves a core to the "
                + "service.", valueName: "N"))
    var lanes = 1

    @Flag(help: "Open a new connection for each request.")
    var fresh = false

    @Flag(help: "Use any free connection; --connections is then the number of devices.")
    var pooled = false

    @Option(
        name: .customLong("source-addresses"),
        help: ArgumentHelp("Local addresses to send from: 127.1.0.0/16.", valueName: "RANGE"))
    var sources: [String] = []

    @Option(
        help: ArgumentHelp(
            "PEM file of a CA to trust in addition to the system's.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var ca: String?

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "Allow requests to this host; loopback is always allowed. Repeatable.",
            valueName: "HOST"))
    var allowed: [String] = []

    @Option(
        help: ArgumentHelp(
            "Hard limit of requests per second; default off loopback: 20/s.",
            valueName: "RATE"))
    var maxRate: String?

    func validate() throws {
        try Self.check("--connections", connections, 1...50_000)
        try Self.check("--lanes", lanes, 1...64)
        let seconds = try Self.duration(lasting).seconds
        if !(0.1...600).contains(seconds) {
            throw ValidationError("--for is \(lasting); it must be 100ms to 10m")
        }
        if let rate, !(0.1...1_000_000).contains(try Self.perSecond(rate, "--rate")) {
            throw ValidationError("--rate is \(rate); it must be 0.1/s to 1000000/s")
        }
        if let maxRate { _ = try Self.perSecond(maxRate, "--max-rate") }
        if let target, WebAddress(target) == nil {
            throw ValidationError(
                "--target is '\(target)'; it must be a URL such as http://127.0.0.1:8080/health")
        }
        if !sources.isEmpty, SourceAddresses(sources) == nil {
            throw ValidationError(
                "--source-addresses is '\(sources.joined(separator: " "))'; it must be IPv4 "
                    + "addresses or ranges such as 127.1.0.0/16")
        }
        if Keeping(rawValue: record) == nil {
            throw ValidationError("--record is '\(record)'; it must be none, aggregates or all")
        }
        if fresh, pooled {
            throw ValidationError(
                "--fresh and --pooled exclude each other; keep "
                    + "one")
        }
    }

    func run() async throws {
        let asked = CalibrationRun.CalibrationSettings(
            target: target.flatMap { WebAddress($0) }, connections: connections,
            pace: try rate.map { .rate(perSecond: try Self.perSecond($0, "--rate")) } ?? .closed,
            lasting: try Self.duration(lasting), keeping: Keeping(rawValue: record) ?? .aggregates,
            lanes: lanes,
            sharing: fresh ? .fresh : pooled ? .pooled : .perDevice,
            sources: SourceAddresses(sources), ca: ca, allowed: allowed,
            maxRate: try maxRate.map { try Self.perSecond($0, "--max-rate") })
        let report = try await CalibrationRun(asked).report()
        if target == nil, rate == nil { RememberedCalibration(report, asked).save() }
        Terminal.print(json ? report.json() : report.text())
    }

    private static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard !range.contains(value) else { return }
        throw ValidationError(
            "\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
    }

    /// The rig format's durations, so that nothing is learnt twice.
    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(rigText: text) else {
            throw ValidationError("--for is '\(text)'; it must be a duration such as 5s")
        }
        return duration
    }

    private static func perSecond(_ text: String, _ name: String) throws -> Double {
        guard let rate = Rate(rigText: text) else {
            throw ValidationError("\(name) is '\(text)'; it must be a rate such as 2000/s")
        }
        return rate.perSecond
    }
}
