internal import ArgumentParser

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a rig; writes a run directory with the report.",
        discussion: """
            Example:
                screenrig run smoke
                screenrig run rigs/second-screen.yaml --target http://127.0.0.1:8080
                screenrig run rigs/smoke.yaml --dashboard --set load.settle=5s
                screenrig run rigs/smoke.yaml --fault ack-before-apply:window=3s
                screenrig run smoke --shard 0/8 --run-id premiere-1

            Press Ctrl-C once to end the run within 5 s with a full report, twice to stop at once. If the \
            service stops responding, the run continues until the last arrival plus load.settle, at least 10 \
            s. --dashboard and --metrics use the next free port unless one is given.

            --promises chooses which broken promises fail the run: 'strict' all, 'documented' those that the \
            protocol documents plus safety, 'observe' none. The default is the rig's 'promises'; if the rig \
            has none, strict for the embedded stand-in and documented elsewhere, because a service need not \
            keep a promise that its protocol does not make. Violations that do not fail the run are in the \
            headline: "Passed, with observations".

            --shard splits the plan over processes, on one machine or on many: each runs its part, and 'screenrig merge' \
            makes one run of them (docs/scale.md).
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var pages: PageOptions

    @OptionGroup var shards: ShardOptions

    @OptionGroup var start: StartOptions

    @OptionGroup var telemetry: TelemetryOptions

    @Flag(
        name: .customLong("virtual"),
        help: "Run in virtual time against the stand-in in this process."
    )
    var isVirtual = false

    func run() async throws {
        try await traffic.run(
            isVirtual: isVirtual, pages: pages, shards: shards, start: start, telemetry: telemetry)
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
                screenrig simulate rigs/million.yaml --lanes 2

            The same rig, seed and version give the same historyHash in summary.json on every machine, and \
            on any number of lanes. 'simulate' is the same as 'run --virtual'. Shards (--shard I/N) need no start \
            time: virtual time begins on the same date in each of them.

            Each lane plays its part of the households on a thread and a stand-in of its own. Rigs whose \
            households meet, such as at target.max-rate or by accounts from a file, run on one lane.
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var pages: PageOptions

    @OptionGroup var shards: ShardOptions

    func run() async throws {
        try await traffic.run(isVirtual: true, pages: pages, shards: shards)
    }
}
