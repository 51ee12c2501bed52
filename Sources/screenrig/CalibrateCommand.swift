internal import ArgumentParser
internal import Calibration
internal import Dialects
internal import Foundation
internal import Rigs
internal import Wire

struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "What this machine can do: requests per second, lateness, gate error, memory.",
        discussion: """
            Example:
                screenrig calibrate
                screenrig calibrate --connections 1000 --for 10s
                screenrig calibrate --target http://127.0.0.1:8080/health --rate 2000/s

            Without --target it asks a service of its own, on another thread. Without --rate it is a closed \
            loop: each connection asks again when it has its answer. With --rate, latency counts from the \
            instant at which a request was due. A closed loop against its own service is remembered for \
            'validate'.
            """)

    @Option(
        help: ArgumentHelp(
            "A plain GET of this URL; on loopback unless --allow names its host.", valueName: "URL")
    )
    var target: String?

    @Option(help: ArgumentHelp("How many connections, 1 to 50000.", valueName: "N"))
    var connections = 100

    @Option(
        help: ArgumentHelp(
            "Requests per second over all connections, such as 2000/s; default: a closed loop.",
            valueName: "RATE"))
    var rate: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long it is measured, at most 10m.", valueName: "T"))
    var lasting = "5s"

    @Flag(help: "One JSON object on standard output (schema screenrig/calibration/1).")
    var json = false

    @Option(
        help: ArgumentHelp(
            "What is kept of each exchange: none, aggregates, or all, as a run does.",
            valueName: "WHAT"),
        completion: .list(["none", "aggregates", "all"]))
    var record = Keeping.aggregates.rawValue

    @Option(
        help: ArgumentHelp(
            "How many lanes; default: 1, which leaves a core to the service.", valueName: "N"))
    var lanes = 1

    @Flag(help: "A new connection for each request.")
    var fresh = false

    @Flag(help: "Any free connection: --connections is then how many devices there are.")
    var pooled = false

    @Option(
        name: .customLong("source-addresses"),
        help: ArgumentHelp("Local addresses to send from: 127.1.0.0/16.", valueName: "RANGE"))
    var sources: [String] = []

    @Option(
        help: ArgumentHelp("A PEM file to trust, beside the system's roots.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var ca: String?

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "A host, beside loopback, that requests may go to; may be repeated.",
            valueName: "HOST"))
    var allowed: [String] = []

    @Option(
        help: ArgumentHelp(
            "Hard ceiling of requests per second; off loopback 20/s unless given.",
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
        if fresh, pooled { throw ValidationError("--fresh and --pooled exclude each other") }
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
