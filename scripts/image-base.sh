#!/bin/sh
# Makes the two base images of the Dockerfile out of this machine's own packages, for where no registry is reachable:
#   debian:bookworm-slim   the required packages and apt, fetched by apt, unpacked with dpkg-deb
#   swift:6.3-bookworm     on top of it: what the official image installs, and the Swift toolchain of this machine
# They stand in for the official ones on this machine only: never push them. Needs root on Debian 12 and buildah.
set -eu

slim=docker.io/library/debian:bookworm-slim
swift=docker.io/library/swift:6.3-bookworm
packages="binutils gcc git libc6-dev libcurl4-openssl-dev libedit2 libncurses6 libsqlite3-dev libstdc++-12-dev libxml2-dev pkg-config tzdata uuid-dev zlib1g-dev"

stop() {
    echo "image-base.sh: $1" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || stop "needs root, to unpack packages with their owners: try 'sudo make image'"
command -v apt-get >/dev/null 2>&1 || stop "needs Debian's apt-get, which is not here"

work=$(mktemp -d)
container=""
cleanup() {
    [ -z "$container" ] || buildah rm "$container" >/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# The mirrors of this machine, and of them only Debian's own: what the official image would come from.
apt-get indextargets --format '$(ORIGIN) $(COMPONENT) deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) main' \
    'Created-By: Packages' | sed -n 's/^Debian main \(deb .* bookworm[a-z-]* main\)$/\1/p' | sort -u >"$work/sources.list"
[ -s "$work/sources.list" ] || stop "this machine's apt has no sources of Debian 12 (bookworm); on Debian 12, type 'apt-get update'"

# An apt of its own that takes nothing as installed, so that it fetches everything and leaves this machine's apt alone.
mkdir -p "$work/lists/partial" "$work/archives/partial"
: >"$work/status"
cat >"$work/apt.conf" <<CONFIGURATION
Dir::State "$work";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
CONFIGURATION
echo "fetching Debian's required packages"
APT_CONFIG="$work/apt.conf" apt-get update -qq
APT_CONFIG="$work/apt.conf" apt-get install -qq --no-install-recommends --download-only -y \
    '?or(?essential,?priority(required))' apt debian-archive-keyring usr-is-merged >"$work/log" || stop "$(cat "$work/log")"

container=$(buildah from scratch)
root=$(buildah mount "$container")
inside() { buildah run --isolation chroot "$container" -- env DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || stop "$* ended with $?:
$(tail -n 30 "$work/log")"; }

echo "unpacking $(ls "$work"/archives/*.deb | wc -l) packages to $slim"
# /bin, /sbin and the like are links into /usr (merged /usr) before the first package comes.
for directory in bin sbin lib lib64; do
    mkdir -p "$root/usr/$directory"
    ln -s "usr/$directory" "$root/$directory"
done
for package in "$work"/archives/*.deb; do
    # 'dpkg-deb -x', but the links stay: by itself it would put folders in their place.
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink
done
# As in the official slim image: no documentation but licences, no translations, also of what is installed later.
rm -rf "$root/usr/share/doc" "$root/usr/share/man" "$root/usr/share/info" "$root/usr/share/locale"
cat >"$root/etc/dpkg/dpkg.cfg.d/slim" <<'CONFIGURATION'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/man/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
CONFIGURATION
# Unpacked files run; now dpkg installs the same packages, so that apt inside the image knows them.
ln -sf mawk "$root/usr/bin/awk"
: >"$root/var/lib/dpkg/status"
mkdir -p "$root/packages"
cp "$work"/archives/*.deb "$root/packages"
quietly inside sh -c 'dpkg --install --force-depends /packages/base-passwd_*.deb /packages/base-files_*.deb'
quietly inside sh -c 'dpkg --force-unsafe-io --unpack --force-depends /packages/*.deb && dpkg --force-unsafe-io --configure --pending'
rm -rf "$root/packages" "$root"/var/log/*.log
rm -f "$root"/etc/apt/sources.list.d/* && cp "$work/sources.list" "$root/etc/apt/sources.list"
buildah config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    --label screenrig.base=packages "$container"
buildah commit -q "$container" "$slim" >/dev/null
buildah rm "$container" >/dev/null

echo "adding the Swift toolchain to $swift"
toolchain=$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath" *: *"\(.*\)/lib/swift".*|\1|p')
[ -d "$toolchain/bin" ] || stop "no Swift toolchain: 'swift -print-target-info' names no runtimeResourcePath"
[ "$toolchain" != /usr ] || stop "the Swift toolchain lies in /usr among other programs; unpack one into a folder of its own"
container=$(buildah from --pull-never "$slim")
root=$(buildah mount "$container")
quietly inside apt-get update
quietly inside apt-get install -y --no-install-recommends $packages
quietly inside sh -c 'apt-get clean && rm -rf /var/lib/apt/lists/*'
cp -a "$toolchain/." "$root/usr/"
inside swift --version
buildah commit -q "$container" "$swift" >/dev/null
