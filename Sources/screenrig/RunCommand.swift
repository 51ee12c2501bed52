internal import ArgumentParser

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a rig; leaves a run directory with the report.",
        discussion: """
            Example:
                screenrig run rigs/second-screen.yaml --target http://127.0.0.1:8080
            Ctrl-C once ends the run within 5 s with a full report; twice, at once.
            """)

    @OptionGroup var traffic: TrafficOptions

    @Flag(
        name: .customLong("virtual"), help: "In virtual time, against the stand-in in this process."
    )
    var isVirtual = false

    func run() async throws {
        try await Session.run(traffic, isVirtual: isVirtual)
    }
}

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a rig in virtual time: no sockets, no waiting, repeatable from the seed.",
        discussion: """
            Example:
                screenrig simulate rigs/twenty.yaml --seed 7
            The same rig, seed and version give the same historyHash in summary.json, every time.
            """)

    @OptionGroup var traffic: TrafficOptions

    func run() async throws {
        try await Session.run(traffic, isVirtual: true)
    }
}
