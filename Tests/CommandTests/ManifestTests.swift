import Foundation
import TestSupport
import Testing
import Yams

/// What `manifest` prints is what people apply and submit: its text is kept, and its scripts are run, with a stand-in for
/// screenrig that notes how it was called.
@Suite("Manifests", .ownThread)
struct ManifestTests {
    static let image = ["--image", "registry.example/screenrig:1"]

    /// A rig with files beside it, open ones and secret ones, and with secrets of the environment.
    static func full(in folder: TestFolder) throws {
        _ = try folder.write(
            """
            rig: Premiere, full
            target:
              base: https://auth.staging.example
              allow: [auth.staging.example]
              software-statement: ${SOFTWARE_STATEMENT}
              tls: {ca: tls/ca.pem, certificate: tls/client.pem, key: tls/key.pem}
            load: {arrivals: [{ramp-to: 50/s, over: 1m}, {hold: 10m}]}
            accounts: {file: accounts.csv}
            events: [{name: rollout, at: 5m, run: kubectl rollout restart deploy/auth, shell: false}]

            """, to: "full.yaml")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "tls"), withIntermediateDirectories: true)
        for name in ["ca", "client", "key"] {
            _ = try folder.write("a \(name)\nof two lines\n", to: "tls/\(name).pem")
        }
        let accounts = (1...16).map { "DemoCable,ann-\($0),${ANN_PASSWORD}\n" }
        _ = try folder.write(
            "mvpd,user,password\n" + accounts.joined(), to: "accounts.csv")
    }

    static func manifest(_ arguments: [String], in folder: TestFolder) async throws -> String {
        let ended = try await Command(["manifest"] + arguments, in: folder).ended()
        #expect(ended.code == 0, "\(ended.errors)")
        return ended.output
    }

    @Test(
        "each is a text to read",
        arguments: [
            (["kubernetes", "full.yaml", "--shards", "8"] + image, "kubernetes.yaml"),
            (
                [
                    "kubernetes", "full.yaml", "--shards", "8", "--namespace", "load", "--name",
                    "night", "--upload", "aws s3 cp --recursive {} s3://loads{}", "--fetch",
                    "aws s3 cp s3://loads{}/history.sqlite -", "--run-id", "night-7", "--start-at",
                    "2026-11-26T20:00:00Z",
                ] + image, "kubernetes-upload.yaml"
            ),
            (["slurm", "full.yaml", "--shards", "8"], "slurm.sh"),
            (
                [
                    "slurm", "full.yaml", "--shards", "16", "--partition", "short", "--account",
                    "tests", "--time", "1-00:00:00", "--image", "screenrig.sif", "--target",
                    "https://other.example", "--set", "rig=Premiere, other",
                ], "slurm-image.sh"
            ),
        ])
    func texts(arguments: [String], name: String) async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Golden.expect(
            try await Self.manifest(arguments, in: folder), is: "manifest/\(name)")
    }

    @Test(
        "the merge gets memory for the households that its judge keeps at once",
        arguments: [
            ("{base: embedded}", "{closed: {households: 4}}", 512),
            ("{base: embedded}", "{closed: {households: 200000}}", 1_280),
            // 126,000 households that come and go.
            ("{base: embedded}", "{arrivals: [{ramp-to: 200/s, over: 1m}, {hold: 10m}]}", 512),
            // The same, and their requests wait until all of them are there.
            (
                "{base: embedded, max-rate: 20/s}",
                "{arrivals: [{ramp-to: 200/s, over: 1m}, {hold: 10m}]}", 768
            ),
        ] as [(target: String, load: String, megabytes: Int)])
    func mergeMemory(target: String, load: String, megabytes: Int) async throws {
        let folder = TestFolder()
        _ = try folder.write("rig: many\ntarget: \(target)\nload: \(load)\n", to: "many.yaml")
        let plan = ["many.yaml", "--shards", "2"]
        let text = try await Self.manifest(["kubernetes"] + plan + Self.image, in: folder)
        let job = try #require(try Self.job("many-merge", in: text))
        let spec = try #require(job["spec"] as? [String: Any])
        let resources = try Self.container(of: spec)["resources"] as? [String: [String: Any]]
        #expect(resources?["limits"]?["memory"] as? String == "\(megabytes)Mi")
        #expect(resources?["requests"]?["memory"] as? String == "\(megabytes)Mi")
        let script = try await Self.manifest(["slurm"] + plan, in: folder)
        #expect(script.contains("--cpus-per-task=2 --mem=\(megabytes)M --time"))
    }

    @Test(
        "a target that would be each shard's own is said so",
        arguments: [
            ("embedded", "'embedded': each shard would test a stand-in of its own"),
            (
                "http://127.0.0.1:8080",
                "127.0.0.1, which is the PLACE itself: each shard would test its own PLACE"
            ),
            ("http://LOCALHOST:8080", "which is the PLACE itself"),
            ("http://[::1]:8080", "which is the PLACE itself"), ("http://127.example.com", nil),
            ("https://auth.example", nil),
        ] as [(String, String?)])
    func ownTarget(base: String, warning: String?) async throws {
        let folder = TestFolder()
        _ = try folder.write(
            "rig: many\ntarget: {base: \"\(base)\"}\nload: {closed: {households: 4}}\n",
            to: "many.yaml")
        let plan = ["many.yaml", "--shards", "2"]
        for (words, place) in [
            (["kubernetes"] + plan + Self.image, "pod"), (["slurm"] + plan, "node"),
        ] {
            let text = try await Self.manifest(words, in: folder)
                .replacing("\n# ", with: " ")
            #expect(text.contains("The rig's target is") == (warning != nil))
            if let warning { #expect(text.contains(warning.replacing("PLACE", with: place))) }
        }
    }

    @Test("a certificate and its key in one file are a secret")
    func oneFileForBoth() async throws {
        let folder = TestFolder()
        _ = try folder.write(
            """
            rig: both
            target:
              base: https://auth.staging.example
              allow: [auth.staging.example]
              tls: {certificate: both.pem, key: both.pem}
            load: {arrivals: [{ramp-to: 1/s, over: 1m}]}

            """, to: "both.yaml")
        _ = try folder.write("a certificate\nTHE-KEY-ITSELF\n", to: "both.pem")
        let text = try await Self.manifest(
            ["kubernetes", "both.yaml", "--shards", "2"] + Self.image, in: folder)
        #expect(!text.contains("THE-KEY-ITSELF"))
        #expect(text.contains("both.pem"))
    }

    @Test(
        "a command of several lines stays within its comment", arguments: ["kubernetes", "slurm"])
    func commandOfSeveralLines(engine: String) async throws {
        let folder = TestFolder()
        _ = try folder.write(
            """
            rig: lines
            target: {base: embedded}
            load: {arrivals: [{ramp-to: 1/s, over: 1m}]}
            events:
              - name: rollout
                at: 30s
                shell: true
                run: |
                  kubectl rollout restart deploy/auth
                  kubectl rollout status deploy/auth

            """, to: "lines.yaml")
        let text = try await Self.manifest(
            [engine, "lines.yaml", "--shards", "2"]
                + (engine == "kubernetes" ? Self.image : []), in: folder)
        let head = text.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.isEmpty || $0.hasPrefix("#") }
        #expect(text.contains("kubectl rollout status"))
        #expect(head.contains { $0.contains("kubectl rollout status") })
    }

    @Test("no secret that is there is in it, and none needs to be there")
    func secrets() async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        let bare = try await Self.manifest(
            ["kubernetes", "full.yaml", "--shards", "8"] + Self.image, in: folder)
        let ended = try await Command(
            ["manifest", "kubernetes", "full.yaml", "--shards", "8"] + Self.image, in: folder,
            environment: ["SOFTWARE_STATEMENT": "hush-1", "ANN_PASSWORD": "hush-2"]
        ).ended()
        #expect(ended.output == bare)
        #expect(!bare.contains("DemoCable") && !bare.contains("a key"))
        try FileManager.default.removeItem(atPath: folder.path("tls/key.pem"))
        let without = try await Self.manifest(
            ["kubernetes", "full.yaml", "--shards", "8"] + Self.image, in: folder)
        #expect(without == bare)
    }

    @Test("accounts that are on another machine are not counted")
    func accountsElsewhere() async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try FileManager.default.removeItem(atPath: folder.path("accounts.csv"))
        let text = try await Self.manifest(["slurm", "full.yaml", "--shards", "17"], in: folder)
        #expect(text.contains("#SBATCH --array=0-16"))
    }

    @Test(
        "what cannot be is told, with what to write",
        arguments: [
            (["kubernetes", "full.yaml", "--shards", "0"], "--shards is 0; it must be 1 to 10000"),
            (
                ["kubernetes", "few.yaml", "--shards", "9"],
                "the plan has households for 4 shards at most, and it is split into 9"
            ),
            (
                ["kubernetes", "full.yaml", "--shards", "17"],
                "accounts.csv has 16 accounts for DemoCable, and each of 17 shards needs one of its own; add accounts, "
                    + "or use at most 16 shards"
            ),
            (
                ["slurm", "full.yaml", "--shards", "17"],
                "accounts.csv has 16 accounts for DemoCable"
            ),
            (["kubernetes", "outside.yaml", "--shards", "2"], "move it there"),
            (["kubernetes", "missing.yaml", "--shards", "2"], "gone.txt"),
            (["kubernetes", "alike.yaml", "--shards", "2"], "rename one of them"),
            (
                ["kubernetes", "full.yaml", "--shards", "2", "--name", "No_Name"],
                "the name 'No_Name' is not possible"
            ),
            (["kubernetes", "full.yaml", "--shards", "2", "--upload", "cp"], "--upload has no {}"),
            (
                ["kubernetes", "full.yaml", "--shards", "2", "--fetch", "cat {}"],
                "--fetch needs --upload"
            ),
            (
                ["kubernetes", "full.yaml", "--shards", "2", "--run-id", "a"],
                "--run-id and --start-at need each other"
            ),
            (
                [
                    "kubernetes", "full.yaml", "--shards", "2", "--run-id", "a", "--start-at",
                    "soon",
                ], "a time in UTC such as"
            ),
            (["slurm", "full.yaml", "--shards", "2", "--time", "an hour"], "--time is 'an hour'"),
            (["slurm", "full.yaml", "--shards", "2", "--lanes", "0"], "--lanes is 0"),
            (["slurm", "few.yaml", "--shards", "2", "--out", "few.yaml"], "already exists"),
        ])
    func mistakes(arguments: [String], words: String) async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        let load = "target: {base: embedded}\nload: {closed: {households: 4}}\n"
        _ = try folder.write("rig: few\n" + load, to: "few.yaml")
        _ = try folder.write(
            "rig: outside\n" + load + "accounts: {file: ../accounts.csv}\n", to: "outside.yaml")
        _ = try folder.write(
            "rig: missing\n" + load + "forwarded-for: {file: gone.txt}\n", to: "missing.yaml")
        _ = try folder.write(
            "rig: alike\n" + load
                + "accounts: {file: tls/ca.pem}\nforwarded-for: {file: tls_ca.pem}\n",
            to: "alike.yaml")
        _ = try folder.write("203.0.113.7\n", to: "tls_ca.pem")
        let more = arguments[0] == "kubernetes" ? Self.image : []
        let ended = try await Command(["manifest"] + arguments + more, in: folder).ended()
        #expect(ended.code == 2, "\(ended.output)")
        let told = ended.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(told.contains(words), "\(told)")
    }

    @Test("deploy/kubernetes/base is what the command writes")
    func base() async throws {
        let folder = TestFolder()
        _ = try await Self.manifest(
            [
                "kubernetes", Command.rig("staging.yaml"), "--shards", "8", "--set",
                "load.arrivals=[{ramp-to: 200/s, over: 5m}, {hold: 30m}]", "--set",
                "target.max-rate=4000/s", "--out",
                folder.path("base"),
            ] + Self.image, in: folder)
        let base = Repository.root.appending(path: "deploy/kubernetes/base")
        let files = FileManager.default
        let written = try files.contentsOfDirectory(atPath: folder.path("base")).sorted()
        if Golden.isUpdating {
            try? files.removeItem(at: base)
            try files.createDirectory(
                at: base.deletingLastPathComponent(), withIntermediateDirectories: true)
            try files.copyItem(atPath: folder.path("base"), toPath: base.path)
        }
        #expect(written == (try? files.contentsOfDirectory(atPath: base.path).sorted()))
        for name in written {
            let kept = try? String(contentsOf: base.appending(path: name), encoding: .utf8)
            #expect(
                try folder.read("base/\(name)") == kept,
                "SCREENRIG_UPDATE_GOLDEN=1 rewrites \(name)")
        }
        // The overlay changes these, by name.
        let overlay = try String(
            contentsOf: Repository.root.appending(
                path: "deploy/kubernetes/overlays/sixteen/kustomization.yaml"), encoding: .utf8)
        let shards = try #require(try Self.job("staging", in: folder.read("base/shards.yaml")))
        let spec = try #require(shards["spec"] as? [String: Any])
        let patch = try #require(try Self.patch(of: overlay))
        let changed = try #require(patch["spec"] as? [String: Any])
        for key in ["completions", "parallelism"] {
            #expect(spec[key] is Int && changed[key] as? Int == 16, "\(key)")
        }
        let names = try [spec, changed].map { try Self.environment(of: $0).keys }
        #expect(Set(names[0]).isSuperset(of: names[1]) && names[1].contains("SCREENRIG_SHARDS"))
    }

    static func job(_ name: String, in text: String) throws -> [String: Any]? {
        try Yams.load_all(yaml: text).compactMap { $0 as? [String: Any] }.first {
            $0["kind"] as? String == "Job"
                && ($0["metadata"] as? [String: Any])?["name"] as? String == name
        }
    }

    private static func patch(of overlay: String) throws -> [String: Any]? {
        let page = try Yams.load(yaml: overlay) as? [String: Any]
        let patches = page?["patches"] as? [[String: Any]]
        let texts = patches?.compactMap { $0["patch"] as? String } ?? []
        return try texts.compactMap { try job("staging", in: $0) }.first
    }

    private static func container(of spec: [String: Any]) throws -> [String: Any] {
        let template = try #require(spec["template"] as? [String: Any])
        let pod = try #require(template["spec"] as? [String: Any])
        return try #require((pod["containers"] as? [[String: Any]])?.first)
    }

    private static func environment(of spec: [String: Any]) throws -> [String: Any] {
        let list = try #require(try container(of: spec)["env"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: list.compactMap { one in
                (one["name"] as? String).map { ($0, one["value"] ?? "") }
            })
    }
}

// MARK: Their scripts

extension ManifestTests {
    /// Stands for screenrig: notes its arguments and the run's name, makes the run directory (the last argument) unless
    /// the rig is bad (2), and ends with the code that is asked for.
    static let stub = """
        #!/bin/sh
        echo "run $SCREENRIG_RUN_ID of ${SCREENRIG_SHARDS:-?}: $*" >> "$CALLS"
        ls -l /dev/null > /dev/null
        [ "${CODE:-0}" = 2 ] || { for out; do :; done; mkdir -p "$out"; }
        [ -n "${HANG:-}" ] && { trap 'exit 130' TERM; echo waiting >> "$CALLS"; while :; do sleep 0.05; done; }
        exit "${CODE:-0}"

        """

    static func program(_ text: String, _ name: String, in folder: TestFolder) throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "bin"), withIntermediateDirectories: true)
        let path = try folder.write(text, to: "bin/\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    static func environment(_ folder: TestFolder, _ more: [String: String]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": "\(folder.path("bin")):\(path)", "CALLS": folder.path("calls")]
            .merging(more) { $1 }
    }

    /// The shell script of a pod, with the folder's paths for the pod's.
    static func podScript(_ job: String, in folder: TestFolder, of text: String) throws -> String {
        let spec = try #require(try Self.job(job, in: text)?["spec"] as? [String: Any])
        let arguments = try #require(try container(of: spec)["args"] as? [String])
        let script = try #require(arguments.first)
        for name in ["rig", "copy", "reports"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: "pod/\(name)"), withIntermediateDirectories: true)
        }
        return ["rig", "copy", "reports"].reduce(script) {
            $0.replacing("/\($1)/", with: folder.path("pod/\($1)") + "/")
        }
    }

    @Test(
        "a pod runs its shard with its own copy of the rig, and ends well with a result of any kind",
        arguments: [(0, 0), (1, 0), (4, 0), (2, 2), (3, 3), (130, 130)] as [(Int, Int32)])
    func pod(code: Int, ends: Int32) async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Self.program(Self.stub, "screenrig", in: folder)
        let text = try await Self.manifest(
            ["kubernetes", "full.yaml", "--shards", "8"] + Self.image, in: folder)
        let script = try Self.podScript("premiere-full", in: folder, of: text)
        _ = try folder.write("rig: x\n", to: "pod/rig/full.yaml")
        _ = try folder.write("secret\n", to: "pod/rig/accounts.csv")
        let ended = try await Command(
            ["-c", script], in: folder,
            environment: Self.environment(
                folder,
                [
                    "SCREENRIG_SHARDS": "8", "SCREENRIG_RUN_ID": "night-7",
                    "JOB_COMPLETION_INDEX": "3",
                    "START_AT": "2026-11-26T20:00:00Z", "CODE": "\(code)",
                ]), program: "/bin/sh"
        ).ended()
        #expect(ended.code == ends, "\(ended.errors)")
        #expect(
            try folder.read("calls") == """
                run night-7 of 8: run \(folder.path("pod/copy/full.yaml")) --shard auto --start-at 2026-11-26T20:00:00Z \
                --resume --lanes 1 --metrics 9464 --metrics-host 0.0.0.0 --out \(folder.path("pod/reports/night-7/shard-3"))

                """)
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path("pod/copy/accounts.csv"))[
                .posixPermissions] as? NSNumber
        #expect(
            mode.map { $0.intValue & 0o077 } == 0, "screenrig refuses accounts that others can read"
        )
    }

    @Test("a pod that is told to end lets the run end by itself, and carries its history away")
    func evicted() async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Self.program(Self.stub, "screenrig", in: folder)
        let text = try await Self.manifest(
            [
                "kubernetes", "full.yaml", "--shards", "8", "--upload",
                "echo carry {} >> \"$CALLS\"",
            ] + Self.image, in: folder)
        let script = try Self.podScript("premiere-full", in: folder, of: text)
        _ = try folder.write("rig: x\n", to: "pod/rig/full.yaml")
        // As tini -g does: the signal goes to the shell and to screenrig.
        let command = try Command(
            ["-c", script], in: folder,
            environment: Self.environment(
                folder,
                [
                    "SCREENRIG_SHARDS": "8", "SCREENRIG_RUN_ID": "night-7",
                    "JOB_COMPLETION_INDEX": "3",
                    "START_AT": "2026-11-26T20:00:00Z", "HANG": "1",
                ]), program: "/bin/sh")
        try await command.wait("running shard") {
            (try? folder.read("calls"))?.contains("waiting") ?? false
        }
        command.sendToGroup(SIGTERM)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.errors)")
        let calls = try folder.read("calls")
        #expect(
            calls.hasSuffix("carry \(folder.path("pod/reports/night-7/shard-3"))\n"), "\(calls)")
        #expect(
            !calls.contains("--resume"), "its history is gone with the pod: nothing can be resumed")
    }

    @Test("a merge that is told to end uploads nothing, as it is not complete")
    func endedMerge() async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Self.program(Self.stub, "screenrig", in: folder)
        let text = try await Self.manifest(
            [
                "kubernetes", "full.yaml", "--shards", "8", "--upload",
                "echo carry {} >> \"$CALLS\"", "--fetch", "cat {}",
            ] + Self.image, in: folder)
        let script = try Self.podScript("premiere-full-merge", in: folder, of: text)
        let command = try Command(
            ["-c", script], in: folder,
            environment: Self.environment(folder, ["SCREENRIG_RUN_ID": "night-7", "HANG": "1"]),
            program: "/bin/sh")
        try await command.wait("running merge") {
            (try? folder.read("calls"))?.contains("waiting") ?? false
        }
        command.sendToGroup(SIGTERM)
        #expect(try await command.ended().wasSignalled)
        #expect(folder.holds("pod/reports/night-7/merged"))
        let calls = try folder.read("calls")
        #expect(!calls.contains("carry"), "\(calls)")
    }

    @Test(
        "a shard in Slurm is run by srun, and ends well with a result of any kind",
        arguments: [(0, 0), (1, 0), (4, 0), (2, 2), (3, 3)] as [(Int, Int32)])
    func task(code: Int, ends: Int32) async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Self.program(Self.stub, "screenrig", in: folder)
        try Self.program("#!/bin/sh\nshift\nexec \"$@\"\n", "srun", in: folder)
        _ = try await Self.manifest(
            ["slurm", "full.yaml", "--shards", "8", "--out", "full.sh"], in: folder)
        let job = [
            "SLURM_ARRAY_JOB_ID": "77", "SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "2",
            "CODE": "\(code)", "SOFTWARE_STATEMENT": "s", "ANN_PASSWORD": "p",
            "START_AT": "2026-11-26T20:00:00Z",
        ]
        let ended = try await Command(
            ["full.sh"], in: folder, environment: Self.environment(folder, job),
            program: "/bin/bash"
        ).ended()
        #expect(ended.code == ends, "\(ended.errors)")
        #expect(
            try folder.read("calls") == """
                run premiere-full-77 of ?: run full.yaml --shard auto/8 --start-at 2026-11-26T20:00:00Z --resume --lanes 1 \
                --out reports/premiere-full-77/shard-3

                """)
        #expect(folder.holds("reports/premiere-full-77"))
        var lacking = job
        lacking["ANN_PASSWORD"] = nil
        let refused = try await Command(
            ["full.sh"], in: folder, environment: Self.environment(folder, lacking),
            program: "/bin/bash"
        ).ended()
        #expect(refused.code != 0 && refused.errors.contains("ANN_PASSWORD"), "\(refused.errors)")
    }

    @Test("outside of Slurm the script submits itself, and the merge behind it")
    func submission() async throws {
        let folder = TestFolder()
        try Self.full(in: folder)
        try Self.program(Self.stub, "screenrig", in: folder)
        let sbatch = """
            #!/bin/sh
            echo "sbatch $* at $START_AT" >> "$CALLS"
            case "$*" in *dependency*) cat > merge.sh; echo 78 ;; *) echo '77;cluster' ;; esac

            """
        try Self.program(sbatch, "sbatch", in: folder)
        _ = try await Self.manifest(
            ["slurm", "full.yaml", "--shards", "8", "--out", "full.sh"], in: folder)
        let start = Date(timeIntervalSinceNow: 86_400).formatted(.iso8601)
        let environment = Self.environment(
            folder,
            [
                "SOFTWARE_STATEMENT": "s", "ANN_PASSWORD": "p", "REPORTS": "shared",
                "START_AT": start.replacing("T", with: " "),
            ])
        for (name, value, words) in [
            ("START_AT", "soon", "'soon' is not a time for date -d"),
            ("START_AT", "2099-01-01T00:00:00Z", "is more than 31 days from now"),
            ("START_AT", "2020-01-01T00:00:00Z", "START_AT=2020-01-01T00:00:00Z has passed"),
            ("REPORTS", "/proc/reports", "/proc/reports cannot be written to; set REPORTS=DIR"),
        ] {
            let refused = try await Command(
                ["full.sh"], in: folder, environment: environment.merging([name: value]) { $1 },
                program: "/bin/bash"
            ).ended()
            #expect(refused.code == 2 && refused.errors.contains(words), "\(refused.errors)")
        }
        #expect(!folder.holds("calls"))
        let ended = try await Command(
            ["full.sh"], in: folder, environment: environment, program: "/bin/bash"
        ).ended()
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(
            ended.output.contains("shards: job 77, starting at \(start); merge: job 78")
        )
        #expect(ended.output.contains("report: shared/premiere-full-77/merged/report.html"))
        let calls = try folder.read("calls").split(separator: "\n")
        #expect(calls.first == "sbatch --parsable full.sh at \(start)")
        #expect(calls.last?.hasPrefix("sbatch --parsable --dependency=afterany:77 ") ?? false)
        for number in [0, 1] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: "shared/premiere-full-77/shard-\(number)"),
                withIntermediateDirectories: true)
        }
        let merged = try await Command(
            ["merge.sh"], in: folder,
            environment: environment.merging([
                "RUN": "shared/premiere-full-77", "MERGED": "shared/premiere-full-77/merged",
            ]) { $1 },
            program: "/bin/bash"
        ).ended()
        #expect(merged.code == 0, "\(merged.errors)")
        #expect(
            try folder.read("calls").hasSuffix(
                "merge shared/premiere-full-77/shard-0 shared/premiere-full-77/shard-1 --out "
                    + "shared/premiere-full-77/merged\n"))
    }
}

/// With programs of others: the schemas of Kubernetes, and a Slurm that runs.
@Suite(
    "Manifests elsewhere", .ownThread,
    .enabled(if: ForeignServer.hasPython, "needs python3, for the scripts in Tests"))
struct ManifestScriptTests {
    @Test("what is printed for Kubernetes is valid by its published schemas")
    func kubernetes() async throws {
        #expect(
            try await Command.check("Kubernetes/check.py", within: .seconds(500)).contains(
                "every manifest is valid"))
    }

    @Test("eight shards run on a Slurm of four nodes, and every household is accounted for once")
    func slurm() async throws {
        // 'make cluster-test' kills a node as well.
        #expect(
            try await Command.check(
                "Cluster/cluster.py", ["--households", "64", "--rate", "8", "--install"],
                within: .seconds(500)
            ).contains("every household is accounted for"))
    }
}
