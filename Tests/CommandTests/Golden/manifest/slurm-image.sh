#!/bin/bash
# Rig 'Premiere, other' as 16 shards of a Slurm array. Written by 'screenrig manifest slurm'.
# The plan: about 31500 households, up to 1133 requests/s, about 10 h.
# One of its 16 shards: 1 lane, 2 processors, 512 MB, about 345 open files.
# At most 20 requests/s leave, over all shards together (target.max-rate; off loopback it is 20/s
# unless the rig says more): those beyond wait.
#
# Type it in the folder in which this works; every node must see that folder:
#   screenrig run full.yaml --target https://other.example --set 'rig=Premiere, other'
#
#   bash premiere-other.sh                                    both jobs; all shards start 2 minutes later
#   START_AT=2026-11-26T20:00:00Z bash premiere-other.sh      they start then, in UTC
#   sbatch premiere-other.sh                                  the shards alone, each at once
# REPORTS=DIR names another folder than 'reports', SCREENRIG=PATH another program. Shard 15 of a run
# again, for the households that it has not begun, and then 'screenrig merge':
#   SCREENRIG_RUN_ID=premiere-other-JOB sbatch --array=15 premiere-other.sh
#
# The rig runs programs, which each node must have (commands of events run in shard 0 alone):
#   rollout, 5 min after the load begins: kubectl rollout restart deploy/auth (without a shell, at most 10 min; not in virtual time)
#
#SBATCH --job-name=premiere-other
#SBATCH --array=0-15
#SBATCH --output=premiere-other-%A-%a.log
#SBATCH --cpus-per-task=2
#SBATCH --mem=512M
#SBATCH --time=1-00:00:00
#SBATCH --signal=TERM@30  # a run ends within 5 s of it, with its report
#SBATCH --requeue         # a shard whose node is lost runs again elsewhere, and goes on where it was
#SBATCH --open-mode=append
#SBATCH --export=ALL
#SBATCH --partition=short
#SBATCH --account=tests

set -u
screenrig=(apptainer exec screenrig.sif "${SCREENRIG:-screenrig}")
export REPORTS="${REPORTS:-reports}"
: "${ANN_PASSWORD:?export it first, the rig needs it}"

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    refuse() { echo "$0: $1" >&2; exit 2; }
    command -v sbatch >/dev/null || refuse "there is no sbatch; type this where Slurm is"
    mkdir -p "$REPORTS" && [ -w "$REPORTS" ] || refuse "$REPORTS cannot be written to; set REPORTS=DIR"
    start=${START_AT:-+2 minutes}
    # Seconds since 1970 are @N for date.
    case $start in *[!0-9.]*) ;; *) start=@$start ;; esac
    asked=$(date -u -d "$start" +%s) || refuse "'$start' is not a time for date -d; write START_AT=2026-11-26T20:00:00Z"
    [ "$asked" -ge "$(date +%s)" ] || refuse "START_AT=$START_AT has passed"
    [ "$asked" -le $(($(date +%s) + 2678400)) ] || refuse "START_AT=$START_AT is more than 31 days from now"
    export START_AT=$(date -u -d "@$asked" +%Y-%m-%dT%H:%M:%SZ)
    array=$(sbatch --parsable "$0") || exit
    array=${array%%;*}
    export RUN="$REPORTS/${SCREENRIG_RUN_ID:-premiere-other-$array}"
    # A continued run keeps its earlier report.
    merged=merged number=1
    while [ -e "$RUN/$merged" ]; do number=$((number + 1)) merged=merged-$number; done
    export MERGED="$RUN/$merged"
    # afterany: shards that failed or were lost are named by the merge. It waits for those that Slurm runs again.
    merge=$(sbatch --parsable --dependency="afterany:$array" \
        --job-name=premiere-other-merge --output=premiere-other-merge-%j.log --export=ALL --cpus-per-task=2 --mem=512M --time=01:00:00 --partition=short --account=tests <<'MERGE'
#!/bin/bash
screenrig=(apptainer exec screenrig.sif "${SCREENRIG:-screenrig}")
exec "${screenrig[@]}" merge "$RUN"/shard-* --out "$MERGED"
MERGE
    ) || exit
    echo "shards: job $array, starting at $START_AT; merge: job ${merge%%;*}"
    echo "report: $MERGED/report.html; verdict: premiere-other-merge-${merge%%;*}.log"
    exit
fi

# One shard. Slurm says which (SLURM_ARRAY_TASK_ID), and whether it ran before (SLURM_RESTART_COUNT). Its run is
# named by the job: households, devices and addresses follow from that name, so that all shards agree on them.
export SCREENRIG_RUN_ID="${SCREENRIG_RUN_ID:-premiere-other-$SLURM_ARRAY_JOB_ID}"
mkdir -p "$REPORTS/$SCREENRIG_RUN_ID" || exit 3
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" "${screenrig[@]}" run full.yaml --target https://other.example --set 'rig=Premiere, other' \
    --shard auto/16 ${START_AT:+--start-at "$START_AT"} --resume \
    --lanes 1 --out "$REPORTS/$SCREENRIG_RUN_ID/shard-$SLURM_ARRAY_TASK_ID"
code=$?
# 1 (a promise violated, a threshold missed) and 4 (the node was the bottleneck) are results, and no reason to run
# the shard again: the merge judges all of them. Others are failures: 2 bad rig, 3 it could not run.
case $code in 1 | 4) exit 0 ;; *) exit $code ;; esac
