internal import Formats

/// The shell scripts of the pods, for any POSIX sh.
extension KubernetesManifest {
    /// Seconds before each try of an upload. Together they leave room for the tries themselves in the time that a
    /// pod has after SIGTERM (`terminationGracePeriodSeconds`).
    static let pauses = [0, 10, 20, 40]

    var shardScript: String {
        let start = """
            trap : TERM
            cp -RL /rig/* /copy/ && chmod -R go= /copy/* || exit 3
            run="/reports/$SCREENRIG_RUN_ID/shard-$JOB_COMPLETION_INDEX"
            mkdir -p "/reports/$SCREENRIG_RUN_ID" || exit 3
            screenrig run \(ShellText.word("/copy/" + bundle.fileName)) --shard auto --start-at "$START_AT"\(keepsHistories ? " --resume" : "") --lanes \(needs.lanes) --metrics \(Self.metricsPort) --metrics-host 0.0.0.0 --out "$run"
            code=$?

            """
        let upload = options.upload.map {
            Self.uploading(
                $0,
                orSay:
                    "This history is lost with the pod, and the merge will name the shard as missing. "
                    + "Correct the upload command or its permissions, and start a new run.") + "\n"
        }
        return start + (upload ?? "") + "case $code in 1 | 4) exit 0 ;; *) exit $code ;; esac"
    }

    var mergeScript: String {
        guard let fetch = options.fetch, let upload = options.upload else {
            return
                #"exec screenrig merge "/reports/$SCREENRIG_RUN_ID"/shard-* --out "/reports/$SCREENRIG_RUN_ID/merged""#
        }
        let uploading = Self.uploading(
            upload,
            orSay: "The merged run is lost with the pod; the uploaded shards are not. "
                + "Correct the upload command or its permissions, and merge again.")
        return """
            run="/reports/$SCREENRIG_RUN_ID/merged"
            screenrig merge $(seq -f "/reports/$SCREENRIG_RUN_ID/shard-%.0f" 0 \(needs.shards - 1)) \\
              --fetch \(ShellText.word(fetch)) --out "$run"
            code=$?
            \(uploading)
            exit $code
            """
    }

    /// Uploads the run directory `$run`, if there is one. Where no try succeeds, it says so on standard error, with
    /// `consequence`, and a `$code` of a complete run (0, 1 or 4) becomes 3: a pod that has kept nothing is not
    /// complete. Other codes already say why there is no result.
    private static func uploading(_ command: String, orSay consequence: String) -> String {
        """
        # A run that cannot be uploaded is lost with the pod, so the pod must not count as complete.
        upload_run() {
          for pause in \(pauses.map(String.init).joined(separator: " ")); do
            sleep "$pause"
            (
              \(command.replacing("{}", with: "\"$run\""))
            ) && return
            failed=$?
          done
          echo "run $SCREENRIG_RUN_ID: upload of $run failed \(pauses.count) times, the last time with exit code $failed. \(consequence)" >&2
          case $code in 0 | 1 | 4) code=3 ;; esac
        }
        [ ! -d "$run" ] || upload_run
        """
    }
}
