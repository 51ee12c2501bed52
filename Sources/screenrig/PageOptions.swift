internal import ArgumentParser
internal import Dashboard

/// Pages that show a run while it goes on. Without a number each takes its usual port, or the next that
/// is free.
struct PageOptions: ParsableArguments {
    @Option(
        defaultAsFlag: .usual(PagePort.dashboard),
        help: ArgumentHelp(
            "Serve a live page of the run, on this machine only.",
            valueName: "PORT"))
    var dashboard: Port?

    @Option(
        defaultAsFlag: .usual(PagePort.metrics),
        help: ArgumentHelp(
            "Serve the run's metrics for Prometheus (/metrics), on this machine only.",
            valueName: "PORT"))
    var metrics: Port?

    @Option(
        help: ArgumentHelp(
            "Address to serve the metrics on instead; off loopback, anybody who reaches it can read them.",
            valueName: "ADDRESS"))
    var metricsHost = "127.0.0.1"

    @Flag(
        help: ArgumentHelp(
            "Put buttons on the live page that pause, pace, mark and stop the run; anyone with the printed URL "
                + "can use them.")
    )
    var control = false

    func validate() throws {
        if metricsHost != "127.0.0.1", metrics == nil {
            throw ValidationError("--metrics-host needs --metrics: add it")
        }
    }

    /// `--control` wants the page that has the buttons.
    var page: PagePort? { dashboard?.page ?? (control ? .usual : nil) }

    var areWanted: Bool { page != nil || metrics != nil }

    /// A port as it is typed.
    enum Port: ExpressibleByArgument, CustomStringConvertible {
        case named(Int)
        /// That one, or the next that is free.
        case usual(Int)

        /// What is no port belongs to somebody else on the command line.
        init?(argument: String) {
            guard let port = Int(argument), (1...65535).contains(port) else { return nil }
            self = .named(port)
        }

        /// As help shows it.
        var description: String {
            switch self {
            case .named(let port): "\(port)"
            case .usual(let port): "\(port), or the next free one"
            }
        }

        var page: PagePort {
            switch self {
            case .named(let port): .named(port)
            case .usual: .usual
            }
        }
    }
}
