#!/bin/sh
# Runs the image as its users do, and ends with 1 where something is not as README.md (Docker) says.
#   image-check.sh NAME    another image than 'screenrig'
# A container here is the files of the image, read-only but for /reports, and a process 1 of its own: what
# 'docker run --read-only' makes, without Docker. Needs root, for mounts and users.
set -eu

name=${1:-screenrig}
work=$(mktemp -d)
said="$work/said"
container=""
running=""
cleanup() {
    [ -z "$running" ] || signal KILL 2>/dev/null || true
    [ -z "$container" ] || buildah rm "$container" >/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# The step that is under way, with its output where it failed.
failed() {
    echo "failed: $1" >&2
    cat "$said" >&2
    exit 1
}
passed() { echo "ok: $1"; }

[ "$(id -u)" = 0 ] || { echo "image-check.sh needs root: try 'sudo make image'" >&2; exit 1; }
container=$(buildah from --pull-never "$name")
root=$(buildah mount "$container")
config() { buildah inspect --type container --format "$1" "$container"; }
user=$(config '{{.OCIv1.Config.User}}')
entrypoint=$(config '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}')
mkdir -m 1777 "$work/reports"

# inside USER ARGUMENT...: replaces this shell by the container; $work/reports is its /reports, $said gets its output.
inside() {
    export root work entrypoint as="$1"
    shift
    exec unshare --mount --pid --fork --kill-child sh -euc '
        mount --bind "$root" "$root"
        mount -o remount,bind,ro "$root"
        mount --bind "$work/reports" "$root/reports"
        mount --bind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot --userspec="$as" "$root" $entrypoint "$@"' sh "$@" >"$said" 2>&1
}
# signal NAME: to process 1 of the container of $running, an unshare, as Ctrl-C and 'docker stop' do.
signal() { kill -s "$1" "$(cat "/proc/$running/task/$running/children")"; }
# ends NAME CODE WHAT: $running ends with CODE after that signal.
ends() {
    signal "$1"
    code=0
    wait "$running" || code=$?
    running=""
    [ "$code" = "$2" ] || failed "$3 ended with $code after SIG$1, not with $2"
    passed "$3 ends with $2 after SIG$1"
}

(inside "$user" --version) || failed "--version as $user"
passed "--version: $(cat "$said")"

# reported USER WHAT: a run left its report, owned by that user.
reported() {
    [ -s "$work/reports/latest/report.html" ] || failed "$2 left no report"
    [ "$(stat -L -c %u "$work/reports/latest/report.html")" = "${1%%:*}" ] || failed "the report of $2 is not of user $1"
    rm -rf "$work"/reports/*
    passed "$2, with a report: $(grep -E '^(Passed|Failed|Interrupted)' "$said" | tail -n 1)"
}
buildah run --isolation chroot --volume "$work/reports:/reports" "$container" -- screenrig run rigs/smoke.yaml >"$said" 2>&1 \
    || failed "run by buildah"
reported "$user" "run, by 'buildah run'"
# Docker gives a number that /etc/passwd does not know the group 0.
for as in "$user" 12345:0; do
    (inside "$as" run rigs/smoke.yaml) || failed "run as $as"
    reported "$as" "run as $as, read-only root"
done

(said="$work/served" && inside "$user" serve --port 0) &
running=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    url=$(sed -n 's|^\(http://[^ ]*\)$|\1|p' "$work/served" 2>/dev/null | head -n 1)
    [ -z "$url" ] || break
done
[ -n "$url" ] || failed "serve names no URL within 10 s"
(inside "$user" run rigs/smoke.yaml --target "$url") || failed "run --target $url"
reported "$user" "run --target $url, against serve in another container"
ends TERM 0 serve

for interrupt in INT TERM; do
    (inside "$user" run rigs/smoke.yaml --set load.arrivals.1.hold=60s) &
    running=$!
    sleep 4
    ends $interrupt 130 run
    reported "$user" "that run"
done

# Process 1 gets no signal that it has no handler for: a command without one ends only by what stands before it.
(inside "$user" calibrate --for 60s) &
running=$!
sleep 3
ends TERM 143 calibrate
