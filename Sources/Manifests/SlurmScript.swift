internal import Formats
internal import Rigs

/// The shards of a plan as an array job of Slurm, and the job that merges them: one bash script that submits both.
public struct SlurmScript: Sendable {
    /// Settings that a rig does not have.
    public struct Options: Sendable, Hashable {
        public var name: JobName
        /// The rig and the options that change it, quoted for a shell.
        public var words: String
        public var partition: String?
        public var account: String?
        /// Time limit as `sbatch --time` takes it; nil: derived from the plan.
        public var time: String?
        /// An Apptainer image (a file or `docker://...`) with screenrig; nil: the nodes have it installed.
        public var image: String?
        /// Path of the script, for its own comments.
        public var file: String

        public init(
            name: JobName, words: String, partition: String? = nil, account: String? = nil,
            time: String? = nil, image: String? = nil, file: String? = nil
        ) {
            self.name = name
            self.words = words
            self.partition = partition
            self.account = account
            self.time = time
            self.image = image
            self.file = file ?? "\(name).sh"
        }
    }

    let bundle: RigBundle
    let needs: ShardNeeds
    let options: Options
    private var name: JobName { options.name }

    public init(_ bundle: RigBundle, _ needs: ShardNeeds, _ options: Options) {
        (self.bundle, self.needs, self.options) = (bundle, needs, options)
    }

    public var text: String {
        """
        #!/bin/bash
        \(ManifestText.comment(head))
        #
        \(directives)

        \(setting)

        \(submission)

        \(shard)

        """
    }

    private var head: [String] {
        let file = ShellText.word(options.file)
        var lines = [
            "Rig '\(bundle.rig.name)' as \(needs.shards) shards of a Slurm array. Written by 'screenrig manifest slurm'."
        ]
        lines += needs.lines
        let last = needs.shards - 1
        lines += [
            "",
            "Type it in the folder in which this works; every node must see that folder:",
            "  screenrig run \(options.words)", "",
            "  bash \(file)                                    both jobs; all shards start 2 minutes later",
            "  START_AT=2026-11-26T20:00:00Z bash \(file)      they start then, in UTC",
            "  sbatch \(file)                                  the shards alone, each at once",
            "REPORTS=DIR names another folder than 'reports', SCREENRIG=PATH another program. Shard \(last) of a run again, "
                + "for the households that it has not begun, and then 'screenrig merge':",
            "  SCREENRIG_RUN_ID=\(name)-JOB sbatch --array=\(last) \(file)",
        ]
        if let warning = bundle.targetWarning(place: "node") { lines += ["", warning] }
        let programs = bundle.rig.commands
        if !programs.isEmpty {
            lines += [
                "",
                "The rig runs programs, which each node must have (commands of events run in shard 0 alone):",
            ]
            lines += programs.map { "  \($0)" }
        }
        return lines
    }

    private var directives: String {
        var lines = [
            ("job-name", "\(name)", ""),
            ("array", "0-\(needs.shards - 1)", ""),
            ("output", "\(name)-%A-%a.log", ""),
            ("cpus-per-task", "\(needs.cpus)", ""),
            ("mem", "\(needs.memoryMB)M", ""),
            ("time", options.time ?? Self.time(needs.minutes), ""),
            ("signal", "TERM@30", "a run ends within 5 s of it, with its report"),
            (
                "requeue", "",
                "a shard whose node is lost runs again elsewhere, and goes on where it was"
            ),
            ("open-mode", "append", ""),
            ("export", "ALL", ""),
        ]
        if let partition = options.partition {
            lines.append(("partition", ShellText.word(partition), ""))
        }
        if let account = options.account {
            lines.append(("account", ShellText.word(account), ""))
        }
        return lines.map { name, value, why in
            let line = "#SBATCH --\(name)" + (value.isEmpty ? "" : "=\(value)")
            // sbatch reads everything after a space and '#' as a comment.
            return why.isEmpty
                ? line : line + String(repeating: " ", count: max(1, 26 - line.count)) + "# \(why)"
        }.joined(separator: "\n")
    }

    /// `1-02:30:00`: days, hours, minutes.
    private static func time(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (days, hours) = (minutes / 1_440, minutes / 60 % 24)
        return (days > 0 ? "\(days)-" : "") + "\(two(hours)):\(two(minutes % 60)):00"
    }

    private var setting: String {
        var lines = ["set -u", program, "export REPORTS=\"${REPORTS:-reports}\""]
        lines += bundle.variables.map { ": \"${\($0):?export it first, the rig needs it}\"" }
        return lines.joined(separator: "\n")
    }

    /// Outside an array task the script submits itself as an array, and the merge job behind it.
    private var submission: String {
        var words = [
            "--job-name=\(name)-merge", "--output=\(name)-merge-%j.log", "--export=ALL",
            "--cpus-per-task=2", "--mem=\(needs.mergeMemoryMB)M", "--time=01:00:00",
        ]
        if let partition = options.partition {
            words.append("--partition=\(ShellText.word(partition))")
        }
        if let account = options.account {
            words.append("--account=\(ShellText.word(account))")
        }
        return #"""
            if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
                refuse() { echo "$0: $1" >&2; exit 2; }
            \#(look)
                mkdir -p "$REPORTS" && [ -w "$REPORTS" ] || refuse "$REPORTS cannot be written to; set REPORTS=DIR"
                start=${START_AT:-+2 minutes}
                # Seconds since 1970 are @N for date.
                case $start in *[!0-9.]*) ;; *) start=@$start ;; esac
                asked=$(date -u -d "$start" +%s) || refuse "'$start' is not a time for date -d; write START_AT=2026-11-26T20:00:00Z"
                [ "$asked" -ge "$(date +%s)" ] || refuse "START_AT=$START_AT has passed"
                [ "$asked" -le $(($(date +%s) + \#(StartTime.daysAtMost * 86_400))) ] || refuse "START_AT=$START_AT is more than \#(StartTime.daysAtMost) days from now"
                export START_AT=$(date -u -d "@$asked" +%Y-%m-%dT%H:%M:%SZ)
                array=$(sbatch --parsable "$0") || exit
                array=${array%%;*}
                export RUN="$REPORTS/${SCREENRIG_RUN_ID:-\#(name)-$array}"
                # A continued run keeps its earlier report.
                merged=merged number=1
                while [ -e "$RUN/$merged" ]; do number=$((number + 1)) merged=merged-$number; done
                export MERGED="$RUN/$merged"
                # afterany: shards that failed or were lost are named by the merge. It waits for those that Slurm runs again.
                merge=$(sbatch --parsable --dependency="afterany:$array" \
                    \#(words.joined(separator: " ")) <<'MERGE'
            #!/bin/bash
            \#(program)
            exec "${screenrig[@]}" merge "$RUN"/shard-* --out "$MERGED"
            MERGE
                ) || exit
                echo "shards: job $array, starting at $START_AT; merge: job ${merge%%;*}"
                echo "report: $MERGED/report.html; verdict: \#(name)-merge-${merge%%;*}.log"
                exit
            fi
            """#
    }

    /// The nodes may have a program that the machine does not have where the script is submitted.
    private var look: String {
        let sbatch =
            #"    command -v sbatch >/dev/null || refuse "there is no sbatch; type this where Slurm is""#
        guard options.image == nil else { return sbatch }
        return sbatch + "\n"
            + #"    command -v "${screenrig[0]}" >/dev/null || echo "warning: no ${screenrig[0]} here; if the nodes have none either, set SCREENRIG=PATH" >&2"#
    }

    /// Defines `${screenrig[@]}`, the command that both jobs call.
    private var program: String {
        options.image.map {
            "screenrig=(apptainer exec \(ShellText.word($0)) \"${SCREENRIG:-screenrig}\")"
        } ?? "screenrig=(\"${SCREENRIG:-screenrig}\")"
    }

    private var shard: String {
        #"""
        # One shard. Slurm says which (SLURM_ARRAY_TASK_ID), and whether it ran before (SLURM_RESTART_COUNT). Its run is
        # named by the job: households, devices and addresses follow from that name, so that all shards agree on them.
        export SCREENRIG_RUN_ID="${SCREENRIG_RUN_ID:-\#(name)-$SLURM_ARRAY_JOB_ID}"
        mkdir -p "$REPORTS/$SCREENRIG_RUN_ID" || exit 3
        srun --cpus-per-task="$SLURM_CPUS_PER_TASK" "${screenrig[@]}" run \#(options.words) \
            --shard auto/\#(needs.shards) ${START_AT:+--start-at "$START_AT"} --resume \
            --lanes \#(needs.lanes) --out "$REPORTS/$SCREENRIG_RUN_ID/shard-$SLURM_ARRAY_TASK_ID"
        code=$?
        # 1 (a promise violated, a threshold missed) and 4 (the node was the bottleneck) are results, and no reason to run
        # the shard again: the merge judges all of them. Others are failures: 2 bad rig, 3 it could not run.
        case $code in 1 | 4) exit 0 ;; *) exit $code ;; esac
        """#
    }
}
