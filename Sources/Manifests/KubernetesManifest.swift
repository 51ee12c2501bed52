internal import Formats
internal import Rigs

/// The shards of a plan as an Indexed Job of Kubernetes, with everything that its pods need: plain YAML, with
/// comments for the person who applies it.
///
/// It needs Kubernetes 1.29 (`backoffLimitPerIndex`, `podReplacementPolicy`).
public struct KubernetesManifest: Sendable {
    /// Settings that a rig does not have.
    public struct Options: Sendable, Hashable {
        public var name: JobName
        public var image: String
        /// Of all objects; nil: the current namespace of kubectl.
        public var namespace: String?
        /// Of the volume for histories; nil: the cluster's default.
        public var storageClass: String?
        /// A shell command that copies a run directory, `{}`, to a store; nil: histories stay on a volume.
        public var upload: String?
        /// A shell command that prints the history of an uploaded run directory, `{}`. Nil with `upload`: the
        /// cluster does not merge.
        public var fetch: String?
        /// Id of the run; nil: chosen when the run is started.
        public var runID: String?
        /// Common start in UTC (RFC 3339); nil: chosen when the run is started.
        public var startAt: String?

        public init(
            name: JobName, image: String, namespace: String? = nil, storageClass: String? = nil,
            upload: String? = nil, fetch: String? = nil, runID: String? = nil,
            startAt: String? = nil
        ) {
            self.name = name
            self.image = image
            self.namespace = namespace
            self.storageClass = storageClass
            self.upload = upload
            self.fetch = fetch
            self.runID = runID
            self.startAt = startAt
        }
    }

    /// One file of a Kustomize base.
    public struct File: Sendable, Hashable {
        public var name: String
        public var text: String
    }

    let bundle: RigBundle
    let needs: ShardNeeds
    let options: Options
    var name: JobName { options.name }

    public init(_ bundle: RigBundle, _ needs: ShardNeeds, _ options: Options) {
        (self.bundle, self.needs, self.options) = (bundle, needs, options)
    }

    /// All documents in one file, for `kubectl apply -f`.
    public var text: String {
        ManifestText.comment(head(applying: "\(kubectl) apply -f FILE")) + "\n"
            + files.map { "---\n" + $0.text }.joined()
    }

    /// The same documents as the files of a Kustomize base.
    public var base: [File] {
        let list = files.map { "- \($0.name)" }.joined(separator: "\n")
        let kustomization = """
            \(ManifestText.comment(head(applying: "\(kubectl) apply -k FOLDER")))
            apiVersion: kustomize.config.k8s.io/v1beta1
            kind: Kustomization
            resources:
            \(list)

            """
        return files + [File(name: "kustomization.yaml", text: kustomization)]
    }

    private var files: [File] {
        var files = [File(name: "rig.yaml", text: rigDocument)]
        if let runDocument { files.append(File(name: "run.yaml", text: runDocument)) }
        if let secretDocuments { files.append(File(name: "secrets.yaml", text: secretDocuments)) }
        if options.upload == nil { files.append(File(name: "reports.yaml", text: claim)) }
        files.append(File(name: "shards.yaml", text: shardsJob))
        if merges { files.append(File(name: "merge.yaml", text: mergeJob)) }
        return files
    }

    /// Whether a merge in the cluster can read the histories.
    private var merges: Bool { options.upload == nil || options.fetch != nil }

    // MARK: Comments at the top

    private var kubectl: String {
        options.namespace.map { "kubectl -n \($0)" } ?? "kubectl"
    }

    private func head(applying: String) -> [String] {
        var lines =
            [
                "Rig '\(bundle.rig.name)' as \(needs.shards) shards of an Indexed Job. Written by "
                    + "'screenrig manifest kubernetes'; needs Kubernetes 1.29 or newer."
            ]
            + needs.lines + [""] + secretLines
        if let warning = bundle.targetWarning(place: "pod") { lines += [warning, ""] }
        let programs = bundle.rig.commands
        if !programs.isEmpty {
            lines += [
                "The rig runs programs, which the image must have (commands of events run in shard 0 alone):"
            ]
            lines += programs.map { "  \($0)" } + [""]
        }
        lines += ["Start:", "  \(applying)"]
        if runDocument == nil {
            lines += [
                "  \(kubectl) create configmap \(name)-run \\",
                "    --from-literal=run-id=\"\(name)-$(date -u +%Y%m%dT%H%M%SZ)\" \\",
                "    --from-literal=start-at=\"$(date -u -d '+5 minutes' +%Y-%m-%dT%H:%M:%SZ)\"",
                "The pods wait for that ConfigMap, pull their image meanwhile, and then start together at that "
                    + "time. For another run: delete both Jobs and the ConfigMap, and begin again.",
            ]
        }
        return lines + afterwards
    }

    private var secretLines: [String] {
        guard secretDocuments != nil else { return [] }
        return [
            "Secrets are placeholders (???): fill them in, or take those documents out and create them from what you "
                + "have:"
        ]
            + (bundle.variables.isEmpty
                ? []
                : [
                    "  \(kubectl) create secret generic \(name)-environment "
                        + bundle.variables.map { "--from-literal=\($0)=\"$\($0)\"" }
                        .joined(separator: " ")
                ])
            + (bundle.secretFiles.isEmpty
                ? []
                : [
                    "  \(kubectl) create secret generic \(name)-files "
                        + bundle.secretFiles.map {
                            "--from-file=\(Self.key($0.path))=\(ShellText.word($0.source))"
                        }.joined(separator: " ")
                ]) + [""]
    }

    private var afterwards: [String] {
        var lines: [String] = []
        if let upload = options.upload {
            lines += [
                "Each pod ends with its upload, where {} is /reports/RUN-ID/shard-I:",
                "  \(upload)",
            ]
        }
        guard merges else {
            return lines + [
                "Fetch these folders when the Job has ended, and merge them:",
                "  screenrig merge shard-* --out merged",
            ]
        }
        lines += [
            "Merge, when the Job has ended (an index that failed counts as ended):",
            "  until \(kubectl) get job \(name) -o jsonpath='{.status.conditions[*].type}' | "
                + "grep -Eq 'Complete|Failed'; do sleep 10; done",
            "  \(kubectl) patch job \(name)-merge -p '{\"spec\":{\"suspend\":false}}'",
            "  \(kubectl) logs -f job/\(name)-merge",
            "The log ends with the verdict on the whole plan; report.html is "
                + (options.upload == nil
                    ? "on the volume, in RUN-ID/merged."
                    : "where /reports/RUN-ID/merged is uploaded to."),
        ]
        return lines
    }

    /// A name or path as a key of a ConfigMap or Secret: every character that a key cannot have becomes '_'.
    static func key(_ path: String) -> String {
        String(
            path.map { character in
                character.isASCII
                    && (character.isLetter || character.isNumber || "-_.".contains(character))
                    ? character : "_"
            })
    }
}

// MARK: Rig, run, secrets and volume

extension KubernetesManifest {
    func metadata(_ suffix: String, depth: Int = 0) -> String {
        var lines = ["metadata:", "  name: \(name)\(suffix)"]
        if let namespace = options.namespace {
            lines.append("  namespace: \(ManifestText.scalar(namespace))")
        }
        lines += [
            "  labels:", "    app.kubernetes.io/name: screenrig",
            "    app.kubernetes.io/instance: \(name)",
        ]
        return ManifestText.indented(lines, by: depth).joined(separator: "\n")
    }

    private var rigDocument: String {
        let files =
            [(Self.key(bundle.fileName), bundle.text)]
            + bundle.openFiles.map { (Self.key($0.path), $0.text ?? "") }
        let data = files.map { ManifestText.block($0.0, $0.1, depth: 2) }
        return """
            # The rig as it is run, and the files beside it that hold no secret.
            apiVersion: v1
            kind: ConfigMap
            \(metadata("-rig"))
            data:
            \(data.joined(separator: "\n"))

            """
    }

    /// The ConfigMap with the run's id and start; nil: the user creates it to start the run.
    private var runDocument: String? {
        guard let runID = options.runID, let startAt = options.startAt else { return nil }
        return """
            # The same for all shards: what the run is called, and when its load begins.
            apiVersion: v1
            kind: ConfigMap
            \(metadata("-run"))
            data:
              run-id: \(ManifestText.scalar(runID))
              start-at: \(ManifestText.scalar(startAt))

            """
    }

    private var secretDocuments: String? {
        let environment = bundle.variables.map { "  \($0): ???" }
        let files = bundle.secretFiles.map { "  \(ManifestText.scalar(Self.key($0.path))): ???" }
        let documents = [("-environment", environment), ("-files", files)].filter { !$0.1.isEmpty }
        guard !documents.isEmpty else { return nil }
        return documents.map { suffix, lines in
            """
            # \(suffix == "-files" ? "Files of the rig that hold secrets" : "What the rig takes from the environment"): placeholders.
            apiVersion: v1
            kind: Secret
            \(metadata(suffix))
            type: Opaque
            stringData:
            \(lines.joined(separator: "\n"))

            """
        }.joined(separator: "---\n")
    }

    private var claim: String {
        let storage = options.storageClass.map {
            "  storageClassName: \(ManifestText.scalar($0))\n"
        }
        return """
            # Histories and reports of all shards. Pods of several nodes write to it, and the merge reads all of it: its
            # storage class must offer ReadWriteMany, with file locks (NFS 4, CephFS, Filestore, EFS ...).
            apiVersion: v1
            kind: PersistentVolumeClaim
            \(metadata("-reports"))
            spec:
            \(storage ?? "")  accessModes: [ReadWriteMany]
              resources:
                requests:
                  storage: \(needs.storageGB)Gi

            """
    }
}
