internal import ArgumentParser

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a rig; leaves a run directory with the report.",
        discussion: """
            Example:
                screenrig run rigs/smoke.yaml
                screenrig run rigs/second-screen.yaml --target http://127.0.0.1:8080
                screenrig run rigs/smoke.yaml --dashboard --set load.settle=5s
                screenrig run rigs/smoke.yaml --fault ack-before-apply:window=3s

            Ctrl-C once ends the run within 5 s with a full report; twice, at once. A service that stops \
            answering is waited for until the last arrival, and then for load.settle, at least 10 s. \
            --dashboard and --metrics take the next free port where none is named.

            --promises says which broken promises fail the run: 'strict' all of them, 'documented' those that the \
            protocol documents and those of safety, 'observe' none. Without it the rig's promises: decide; without \
            those it is strict against the embedded stand-in, whose every answer is known, and documented elsewhere, \
            because a service is not to blame for what nobody promised. What was observed and does not fail the run \
            is in the headline: "Passed, with observations".
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var pages: PageOptions

    @Flag(
        name: .customLong("virtual"), help: "In virtual time, against the stand-in in this process."
    )
    var isVirtual = false

    func run() async throws {
        try await RunSession.run(traffic, isVirtual: isVirtual, pages: pages)
    }
}

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a rig in virtual time: no sockets, no waiting, repeatable from the seed.",
        discussion: """
            Example:
                screenrig simulate rigs/twenty.yaml --seed 7
                screenrig simulate rigs/detection.yaml --fault ack-before-apply:window=30ms

            The same rig, seed and version give the same historyHash in summary.json, every time, on every \
            machine. It is the same as 'run --virtual'.
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var pages: PageOptions

    func run() async throws {
        try await RunSession.run(traffic, isVirtual: true, pages: pages)
    }
}
