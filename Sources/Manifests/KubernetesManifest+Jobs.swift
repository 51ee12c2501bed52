/// The two Jobs: one runs the shards, the other merges what they recorded.
extension KubernetesManifest {
    private static let user = 1000

    var shardsJob: String {
        """
        # Exit codes of screenrig: 0 passed; 1 a promise violated or a threshold missed; 2 bad rig or command line; 3 it could not
        # run; 4 the pod itself was the bottleneck. 1 and 4 are results and end a pod as 0 does: the merge judges all shards.\(ifUploading("\n# A pod whose upload fails ends with 3: what it measured is lost."))
        apiVersion: batch/v1
        kind: Job
        \(metadata(""))
        spec:
          completionMode: Indexed
          completions: \(needs.shards)
          # All at once: a shard that waits for its turn would begin after the common start.
          parallelism: \(needs.shards)
        \(retries)
          # Two pods of one shard would sign in the same households: the second begins when the first is surely gone.
          podReplacementPolicy: Failed
          podFailurePolicy:
            rules:
        \(disruption)
            # The same rig would fail the same way: the others go on without this shard.\(ifUploading("\n    # A failed upload (3) too: another pod would sign in the same households again."))
            - action: FailIndex
              onExitCodes:
                containerName: screenrig
                operator: In
                values: [2, 3]
          template:
        \(podLabels(component: "shard"))
            spec:
        \(security)
              # As many nodes as there are: shards that share one share its network and its processors.
              topologySpreadConstraints:
              - maxSkew: 1
                topologyKey: kubernetes.io/hostname
                whenUnsatisfiable: ScheduleAnyway
                labelSelector:
                  matchLabels:
                    app.kubernetes.io/instance: \(name)
                    app.kubernetes.io/component: shard
              # A run ends within 5 s of SIGTERM, with its report; the rest is for slow disks\(ifUploading(" and the upload,\n      # whose \(Self.pauses.count) tries wait for \(Self.pauses.reduce(0, +)) s in all")).
              terminationGracePeriodSeconds: \(keepsHistories ? 30 : 120)
              containers:
              - name: screenrig
                image: \(ManifestText.scalar(options.image))
                # The shell survives SIGTERM (trap), so that screenrig, which gets it too (-g), ends the run by itself.
                command: [tini, -g, --, /bin/sh, -c]
                args:
                - |
        \(ManifestText.indented(shardScript, by: 10))
                # For Prometheus: deploy/prometheus/scrape-kubernetes.yaml.
                ports:
                - {name: metrics, containerPort: \(Self.metricsPort)}
                env:
                - name: SCREENRIG_SHARDS
                  value: "\(needs.shards)"
        \(environment)
        \(resources(cpus: needs.cpus, memoryMB: needs.memoryMB))
        \(container)
                volumeMounts:
                - {name: rig, mountPath: /rig, readOnly: true}
                - {name: copy, mountPath: /copy}
                - {name: reports, mountPath: /reports}
                - {name: tmp, mountPath: /tmp}
              volumes:
        \(rigVolume)
              # In memory: a copy of the rig that its owner alone may read, as screenrig asks of files with passwords.
              - name: copy
                emptyDir: {medium: Memory, sizeLimit: 16Mi}
              - name: reports
        \(keepsHistories ? reportsVolume : "        emptyDir: {}")
              - name: tmp
                emptyDir: {}

        """
    }

    /// Its pod has neither the shards' trap for SIGTERM nor a longer time after it, because nothing is lost with it: what
    /// shards recorded stays where it is. On the volume the signal reaches screenrig itself (`exec`), which at once removes
    /// what it has not completed: the folder is empty, or has the whole merged history, for `screenrig report`. With an
    /// upload the shell ends at once; what it had uploaded by then is replaced by that of another merge. A shell with the
    /// trap would upload a merge that is not complete.
    var mergeJob: String {
        """
        # The merge: suspended until the shards have ended (see the top). Its exit code is the verdict on the whole plan\(ifUploading(",\n# or 3 where the merged run could not be uploaded")).
        apiVersion: batch/v1
        kind: Job
        \(metadata("-merge"))
        spec:
          suspend: true
          backoffLimit: 0
          template:
        \(podLabels(component: "merge"))
            spec:
        \(security)
              containers:
              - name: screenrig
                image: \(ManifestText.scalar(options.image))
                command: [tini, --, /bin/sh, -c]
                args:
                - |
        \(ManifestText.indented(mergeScript, by: 10))
                env:
                - name: SCREENRIG_RUN_ID
                  valueFrom: {configMapKeyRef: {name: \(name)-run, key: run-id}}
        \(homes)
        \(resources(cpus: 2, memoryMB: needs.mergeMemoryMB))
        \(container)
                volumeMounts:
                - {name: reports, mountPath: /reports}
                - {name: tmp, mountPath: /tmp}
              volumes:
              - name: reports
        \(keepsHistories ? reportsVolume : "        emptyDir: {}")
              - name: tmp
                emptyDir: {}

        """
    }

    // MARK: Pieces of a pod

    static let metricsPort = 9464

    /// Histories stay on a volume, so that the next pod of a shard continues where the last one stopped.
    /// Without the volume a lost pod takes its history with it, and another one would sign in the same
    /// households again without a trace.
    var keepsHistories: Bool { options.upload == nil }

    /// A part of a comment for pods that upload their histories.
    private func ifUploading(_ text: String) -> String { keepsHistories ? "" : text }

    private var retries: String {
        keepsHistories
            ? """
              # A shard that was killed, for want of memory for example, is restarted so many times; it goes on where it was.
              backoffLimitPerIndex: 2
            """
            : """
              # A pod that is lost before its upload is not replaced: another one would sign in the same households again. The
              # merge names the shard that is missing.
              backoffLimitPerIndex: 0
            """
    }

    private var disruption: String {
        keepsHistories
            ? """
                # A node that was drained or lost: another pod, and no attempt is used up.
                - action: Ignore
                  onPodConditions:
                  - type: DisruptionTarget
                    status: "True"
            """
            : """
                # A node that was drained or lost takes the history with it.
                - action: FailIndex
                  onPodConditions:
                  - type: DisruptionTarget
                    status: "True"
            """
    }

    private func podLabels(component: String) -> String {
        """
            metadata:
              labels:
                app.kubernetes.io/name: screenrig
                app.kubernetes.io/instance: \(name)
                app.kubernetes.io/component: \(component)
        """
    }

    /// Security settings of the pod: no root user, no cluster token, no environment variables of other services.
    private var security: String {
        """
              restartPolicy: Never
              automountServiceAccountToken: false
              enableServiceLinks: false
              securityContext:
                runAsNonRoot: true
                runAsUser: \(Self.user)
                runAsGroup: \(Self.user)
                fsGroup: \(Self.user)
                fsGroupChangePolicy: OnRootMismatch
                seccompProfile: {type: RuntimeDefault}
        """
    }

    private var container: String {
        """
                securityContext:
                  readOnlyRootFilesystem: true
                  allowPrivilegeEscalation: false
                  capabilities: {drop: [ALL]}
        """
    }

    /// Resources of a container, `memoryMB` in MiB. There is no processor limit: a lane that the kernel
    /// throttles sends late.
    private func resources(cpus: Int, memoryMB: Int) -> String {
        """
                resources:
                  requests: {cpu: "\(cpus)", memory: \(memoryMB)Mi}
                  limits: {memory: \(memoryMB)Mi}
        """
    }

    private var homes: String {
        """
                - {name: HOME, value: /tmp}
                - {name: TMPDIR, value: /tmp}
        """
    }

    private var environment: String {
        var lines = """
                    - name: SCREENRIG_RUN_ID
                      valueFrom: {configMapKeyRef: {name: \(name)-run, key: run-id}}
                    - name: START_AT
                      valueFrom: {configMapKeyRef: {name: \(name)-run, key: start-at}}
            \(homes)
            """
        for variable in bundle.variables {
            lines += """

                        - name: \(variable)
                          valueFrom: {secretKeyRef: {name: \(name)-environment, key: \(variable)}}
                """
        }
        return lines
    }

    private var reportsVolume: String {
        "        persistentVolumeClaim: {claimName: \(name)-reports}"
    }

    private var rigVolume: String {
        func items(_ paths: [String]) -> String {
            paths.map {
                "              - {key: \(ManifestText.scalar(Self.key($0))), path: "
                    + "\(ManifestText.scalar($0))}"
            }.joined(separator: "\n")
        }
        var text = """
                  - name: rig
                    projected:
                      sources:
                      - configMap:
                          name: \(name)-rig
                          items:
            \(items([bundle.fileName] + bundle.openFiles.map(\.path)))
            """
        if !bundle.secretFiles.isEmpty {
            text += """

                          - secret:
                              name: \(name)-files
                              items:
                \(items(bundle.secretFiles.map(\.path)))
                """
        }
        return text
    }
}
