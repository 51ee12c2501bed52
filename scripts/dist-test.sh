#!/bin/sh
# Installs the .deb of 'make dist' as a user would, and runs a rig: on a tree of Debian's own packages, in which there is
# no Swift and no repository. Ends with 1 where something is not as docs/ci.md says. Needs root, for chroot.
#   dist-test.sh TREE            TREE is kept, and made by mmdebstrap where it is not there; SUITE=trixie for another Debian
# Then the tarball, unpacked where a user may write.
set -eu

tree=$1
suite=${SUITE:-bookworm}
root=$(cd "$(dirname "$0")/.." && pwd)
limit=60 # seconds from the beginning of the installation to the verdict
stop() {
    echo "dist-test.sh: $1" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || stop "needs root: try 'sudo make dist-test'"
package=$(ls "$root"/dist/screenrig_*.deb 2>/dev/null) || stop "no package in dist; type 'make dist' first"
archive=$(ls "$root"/dist/screenrig-*.tar.gz)
(cd "$root/dist" && sha256sum --quiet --check SHA256SUMS) || stop "the checksums in dist are of other files"

if [ ! -d "$tree" ]; then
    command -v mmdebstrap >/dev/null 2>&1 || stop "needs mmdebstrap; as an administrator, type: apt-get install mmdebstrap"
    echo "making a tree of Debian $suite: the required packages and apt"
    mmdebstrap --quiet --variant=apt "$suite" "$tree.tar"
    mkdir -p "$tree.part"
    tar -xf "$tree.tar" -C "$tree.part" --exclude=./dev
    rm "$tree.tar"
    mv "$tree.part" "$tree"
fi

# A run gets a copy of the tree; below it hard links would let dpkg change the original.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
bare=$work/tree
cp -a "$tree" "$bare"
mkdir -p "$bare/dev" "$bare/proc" "$bare/home/viewer"
cp "$package" "$archive" "$bare/tmp/"
cp -L /etc/resolv.conf "$bare/etc/resolv.conf" 2>/dev/null || true
cp -L /etc/hosts "$bare/etc/hosts"
for file in /etc/apt/apt.conf.d/*proxy*; do [ ! -f "$file" ] || cp "$file" "$bare/etc/apt/apt.conf.d/"; done
[ ! -d "$bare/opt/swift" ] && ! ls "$bare"/usr/lib/*/libswiftCore.so >/dev/null 2>&1 || stop "the tree has Swift"
chown 1000:1000 "$bare/home/viewer"

# inside USER COMMAND: in the tree, in a process space of its own, with an almost empty environment.
inside() {
    export bare as="$1" words="$2"
    unshare --mount --pid --fork --kill-child sh -euc '
        mount --rbind /dev "$bare/dev"
        mount -t proc proc "$bare/proc"
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/viewer \
            DEBIAN_FRONTEND=noninteractive chroot --userspec="$as" "$bare" sh -euc "cd /home/viewer; $words"'
}
passed() { echo "ok: $1"; }
expect() { # WHAT USER COMMAND PATTERN
    inside "$2" "$3" >"$work/said" 2>&1 || {
        code=$?
        cat "$work/said" >&2
        stop "$1 ended with $code"
    }
    grep -qE "$4" "$work/said" || { cat "$work/said" >&2; stop "$1 did not say '$4'"; }
    passed "$1: $(grep -E "$4" "$work/said" | tail -n 1 | cut -c1-100)"
}

! inside 0:0 'command -v swift || command -v screenrig' >/dev/null || stop "the tree is not bare"
inside 0:0 'apt-get update -qq' >"$work/said" 2>&1 || { cat "$work/said" >&2; stop "apt-get update in the tree"; }
before=$(date +%s)
inside 0:0 "apt-get install -y -qq --no-install-recommends /tmp/$(basename "$package")" >"$work/said" 2>&1 \
    || { cat "$work/said" >&2; stop "apt-get install"; }
installed=$(date +%s)
expect "run smoke as a user" 1000:1000 "screenrig run smoke" '^Passed'
after=$(date +%s)
took=$((after - before))
passed "installed with its dependencies in $((installed - before)) s, verdict $((after - installed)) s later"
[ $took -le $limit ] || stop "from the installation to the verdict $took s; at most $limit s"
for file in report.html summary.json summary.md junit.xml history.sqlite; do
    [ -s "$bare/home/viewer/reports/latest/$file" ] || stop "the run left no $file"
done
passed "the run left its report"

expect "list rigs" 1000:1000 "screenrig list rigs" '^  smoke  '
expect "validate smoke" 1000:1000 "screenrig validate smoke" '^/usr/share/screenrig/rigs/smoke.yaml: rig is valid'
expect "a rig of one's own hides it" 1000:1000 \
    "mkdir -p rigs && cp /usr/share/screenrig/rigs/smoke.yaml rigs/ && screenrig validate smoke; rm -r rigs" '^rigs/smoke.yaml: rig is valid'
expect "a finding of a race" 1000:1000 \
    "screenrig race races/poll-authenticate --virtual --trials 200 --fault ack-before-apply:window=30ms || test \$? = 1" 'sign-in-visible'
expect "the manual" 0:0 "zcat /usr/share/man/man1/screenrig.1.gz" '^\.TH SCREENRIG 1'
expect "the licences" 0:0 "cd /usr/share/doc/screenrig && head -n 5 copyright && ls licenses | wc -l" '^[1-9][0-9]*$'
expect "dpkg's own check" 0:0 "dpkg --verify screenrig && echo unchanged" '^unchanged$'
expect "the removal" 0:0 "apt-get remove -y -qq screenrig && ! command -v screenrig && ! ls /usr/share/screenrig 2>&1 && echo gone" '^gone$'
expect "the tarball" 1000:1000 "tar -xf /tmp/$(basename "$archive") && screenrig-*/bin/screenrig run smoke --set seed=2" '^Passed'
