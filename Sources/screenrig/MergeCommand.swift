internal import ArgumentParser
internal import Formats
internal import Glibc
internal import Journal
internal import Rigs
internal import Runner

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge the shards of one run into one run directory with the report.",
        discussion: """
            Example:
                screenrig merge shards/
                screenrig merge shard-0 shard-1 shard-2 --out merged
                screenrig merge s3://b/run/{0,1,2} --fetch 'aws s3 cp {}/history.sqlite -'

            RUN is the run directory of a shard ('run --shard'), its history.sqlite, or a folder whose children \
            are run directories of one run. Names that are not on this machine are fetched by the command of \
            --fetch: {} is the name, and it prints the history.sqlite. The result is a run directory like any \
            other: 'report', 'judge', 'compare' and 'show' take it.

            Counts and histograms are added, and promises are checked again over all households where every \
            exchange was recorded. What two machines saw is ordered only as far as their clocks allow: each \
            shard recorded a bound of its clock's error. Shards that are missing, cut short, damaged or that ran \
            twice are named, with the share of the plan that was seen; such a run does not pass (exit code 4). \
            Ctrl-C ends the merge and removes what it has not completed.

            Exit codes: as 'run'; 2 also if the runs are not shards of one run.
            """)

    @Argument(
        help: ArgumentHelp("The shards.", valueName: "RUN"), completion: .directory)
    var runs: [String]

    @Option(
        help: ArgumentHelp(
            "The run directory to write; it must be new or empty.", valueName: "DIR"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Shell command that prints the history of a RUN that is not on this machine; {} is its name.",
            valueName: "COMMAND"))
    var fetch: String?

    @Option(
        help: ArgumentHelp(
            "Error of the clocks of machines that do not know it; default: promises that need an order of "
                + "events on such machines are not checked.",
            valueName: "5ms"))
    var clockBound: String?

    func run() throws {
        let bound = try clockBound.map { text in
            guard let time = Duration(rigText: text), time >= .zero else {
                throw CommandFailure.badInput(
                    "--clock-bound is '\(text)'; it must be a time such as 5ms")
            }
            return time
        }
        let leftovers = MergeLeftovers()
        let interrupts = Interrupts { _ in
            leftovers.remove { merged in
                Terminal.complain(
                    merged.map {
                        "interrupted; the merged history is complete; for its report: screenrig report "
                            + ShellText.word($0)
                    } ?? "interrupted: nothing was merged")
                _exit(ExitCode.interrupted.rawValue)
            }
        }
        defer { withExtendedLifetime(interrupts) {} }
        let merged = try ShardMerge.run(
            runs,
            ShardMerge.MergeOptions(
                out: out, fetch: try fetch.map { try FetchCommand($0) }, clockBound: bound),
            leftovers: leftovers,
            complain: { Terminal.complain($0) })
        try merged.summary.tell(at: merged.directory.path)
    }
}
