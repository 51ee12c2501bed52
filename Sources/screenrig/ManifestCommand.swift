internal import ArgumentParser
internal import Formats
internal import Manifests
internal import Rigs
internal import Runner

struct ManifestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Write what Kubernetes or Slurm needs to run a rig as shards on many machines.",
        discussion: """
            Example:
                screenrig manifest kubernetes mine.yaml --shards 8 --image me/screenrig:1
                screenrig manifest slurm mine.yaml --shards 8 --out mine.sh

            Each prints a text to read, keep and change: how many processors and how much memory a shard asks \
            for, how shards start together, what happens to one whose machine is lost, and the merge at the \
            end. Secrets are named in it and never contained. docs/scale.md explains both.
            """,
        subcommands: [ManifestKubernetesCommand.self, ManifestSlurmCommand.self])
}

/// The options of both engines.
struct ManifestOptions: ParsableArguments {
    @Argument(
        help: RigChanges.rig, completion: RigChanges.rigFiles, transform: RigFolders.path)
    var rig: String

    @OptionGroup var changes: RigChanges

    @Option(help: ArgumentHelp("Number of shards.", valueName: "N"))
    var shards: Int

    @Option(
        help: ArgumentHelp(
            "Name of the jobs; default: that of the rig, in lower-case letters.",
            valueName: "NAME"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Lanes of each shard; default: as many as the plan needs.", valueName: "N"))
    var lanes: Int?

    func validate() throws {
        guard (1...10_000).contains(shards) else {
            throw ValidationError("--shards is \(shards); it must be 1 to 10000")
        }
        if let lanes, !(1...64).contains(lanes) {
            throw ValidationError("--lanes is \(lanes); it must be 1 to 64")
        }
    }

    /// The rig without its secrets, which this machine need not have, with the resources of a shard and the
    /// job's name.
    func read() throws -> (bundle: RigBundle, needs: ShardNeeds, name: JobName) {
        let reading = try RigFile.reading(rig, changes, secrets: .omitted)
        for warning in reading.warnings {
            Terminal.complain(inWords: "warning: \(warning)", hanging: 9)
        }
        do {
            let bundle = try RigBundle(reading, path: rig)
            let estimate = PlanEstimate(
                Plan(reading.rig, seed: reading.rig.seed), on: .here(for: reading.rig))
            _ = try bundle.rig.part(of: Shard(0, of: shards))
            let needs = ShardNeeds(estimate, of: reading.rig, shards: shards, lanes: lanes)
            return (
                bundle, needs, try name.map { try JobName($0) } ?? JobName(rig: reading.rig.name)
            )
        } catch let error as ManifestError {
            throw CommandFailure.badInput("\(error)")
        }
    }

    static func print(_ text: String) {
        Terminal.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}

struct ManifestKubernetesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubernetes",
        abstract: "An Indexed Job with everything its pods need, and the Job that merges.",
        discussion: """
            Example:
                screenrig manifest kubernetes mine.yaml --shards 8 --image me/screenrig:1 \\
                    --target https://auth.staging.example --out job.yaml
                screenrig manifest kubernetes mine.yaml --shards 8 --image me/screenrig:1 \\
                    --upload 'aws s3 cp --recursive {} s3://loads{}' --out deploy/mine

            Comments at the top say how to fill in secrets, start the run, and merge. --out DIR writes a base \
            of Kustomize instead of one file. The rig is written as it would run here, with --set and --target \
            applied, and the files beside it; files with secrets and environment variables become Secrets \
            with placeholders.
            """)

    @OptionGroup var options: ManifestOptions

    @Option(
        help: ArgumentHelp(
            "The image with screenrig, as the Dockerfile builds it.", valueName: "IMAGE"))
    var image: String

    @Option(help: ArgumentHelp("Namespace of all objects.", valueName: "NAME"))
    var namespace: String?

    @Option(
        help: ArgumentHelp(
            "Storage class of the volume for histories; it must offer ReadWriteMany.",
            valueName: "NAME"))
    var storageClass: String?

    @Option(
        help: ArgumentHelp(
            "Instead of a volume: a shell command of the image that carries a run directory, {}, away.",
            valueName: "COMMAND"))
    var upload: String?

    @Option(
        help: ArgumentHelp(
            "With --upload, for a merge in the cluster: a command that prints the history.sqlite of {}.",
            valueName: "COMMAND"))
    var fetch: String?

    @Option(
        name: .customLong("run-id"),
        help: ArgumentHelp(
            "What the run is called, with --start-at; default: named when it is started.",
            valueName: "TEXT"))
    var runID: String?

    @Option(
        help: ArgumentHelp(
            "When the load begins, such as 2026-11-26T20:00:00Z; default: said when it is started.",
            valueName: "TIME"))
    var startAt: String?

    @Option(
        help: ArgumentHelp(
            "Write to this file, or with a name without .yaml to this folder; neither exists yet.",
            valueName: "FILE|DIR"))
    var out: String?

    func validate() throws {
        if storageClass != nil, upload != nil {
            throw ValidationError(
                "--storage-class and --upload exclude each other; remove one of them")
        }
        if let upload, !upload.contains("{}") {
            throw ValidationError(
                "--upload has no {}, which stands for the run directory; write for example "
                    + "--upload 'aws s3 cp --recursive {} s3://loads{}'")
        }
        if let fetch {
            guard upload != nil else {
                throw ValidationError(
                    "--fetch needs --upload: histories on a volume are read from there")
            }
            guard fetch.contains("{}") else {
                throw ValidationError(
                    "--fetch has no {}, which stands for the run directory; write for example "
                        + "--fetch 'aws s3 cp s3://loads{}/history.sqlite -'")
            }
        }
        if (runID == nil) != (startAt == nil) {
            throw ValidationError("--run-id and --start-at need each other; add the other one")
        }
        if let startAt, UTCTime(rfc3339: startAt) == nil {
            throw ValidationError(
                "--start-at is '\(startAt)'; it must be a time in UTC such as 2026-11-26T20:00:00Z")
        }
    }

    func run() throws {
        let (bundle, needs, name) = try options.read()
        let manifest = KubernetesManifest(
            bundle, needs,
            KubernetesManifest.Options(
                name: name, image: image, namespace: namespace, storageClass: storageClass,
                upload: upload, fetch: fetch, runID: runID, startAt: startAt))
        guard let out else { return ManifestOptions.print(manifest.text) }
        guard !out.hasSuffix(".yaml"), !out.hasSuffix(".yml") else {
            try NewFile.write(manifest.text, to: out)
            return Terminal.print("Wrote \(out). Its first lines say how to start the run.")
        }
        for file in manifest.base {
            try NewFile.write(file.text, to: "\(out)/\(file.name)")
        }
        Terminal.print(
            "Wrote \(out). The first lines of \(out)/kustomization.yaml say how to start the run.")
    }
}

struct ManifestSlurmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slurm",
        abstract: "A script that submits an array of shards, and the job that merges them.",
        discussion: """
            Example:
                screenrig manifest slurm mine.yaml --shards 8 --out mine.sh
                bash mine.sh

            The shards start together two minutes after that, or when START_AT says. A shard whose node is \
            lost is run again by Slurm and goes on where it was. The rig, its files and reports/ must lie in a \
            folder that every node sees.
            """)

    @OptionGroup var options: ManifestOptions

    @Option(help: ArgumentHelp("Partition to run in.", valueName: "NAME"))
    var partition: String?

    @Option(help: ArgumentHelp("Account to charge.", valueName: "NAME"))
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Time limit of a shard, as sbatch takes it; default: by the plan, half as long again.",
            valueName: "TIME"))
    var time: String?

    @Option(
        help: ArgumentHelp(
            "An image of Apptainer with screenrig, where it is not installed on the nodes.",
            valueName: "IMAGE"))
    var image: String?

    @Option(
        help: ArgumentHelp("Write to this file, which must not exist yet.", valueName: "FILE"),
        completion: .file(extensions: ["sh"]))
    var out: String?

    func validate() throws {
        if let time, time.wholeMatch(of: /[0-9]+(-[0-9]+)?(:[0-9]+){0,2}/) == nil {
            throw ValidationError(
                "--time is '\(time)'; it must be minutes, HH:MM:SS or D-HH:MM:SS, such as 01:30:00")
        }
    }

    func run() throws {
        let (bundle, needs, name) = try options.read()
        let script = SlurmScript(
            bundle, needs,
            SlurmScript.Options(
                name: name, words: options.changes.words(of: options.rig), partition: partition,
                account: account,
                time: time, image: image, file: out))
        guard let out else { return ManifestOptions.print(script.text) }
        try NewFile.write(script.text, to: out)
        Terminal.print("Wrote \(out). Next: bash \(out)")
    }
}
