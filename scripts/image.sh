#!/bin/sh
# Builds the image of the Dockerfile with buildah, as 'screenrig', and says what its base is: the official images
# where the registry is reachable, otherwise images made of this machine's packages (scripts/image-base.sh).
#   image.sh NAME    another name for the image
# Where git fetches from a mirror here (url.*.insteadOf), the build does, too.
set -eu

name=${1:-screenrig}
slim=docker.io/library/debian:bookworm-slim
swift=docker.io/library/swift:6.3-bookworm
cd "$(dirname "$0")/.."

if ! command -v buildah >/dev/null 2>&1; then
    echo "image.sh needs buildah ('apt-get install buildah'); with Docker, type: docker build -t $name ." >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if { timeout 120 buildah pull -q --policy always "$slim" && buildah pull -q --policy always "$swift"; } >/dev/null 2>"$work/registry"; then
    echo "base: the official images, from the registry"
else
    echo "no registry: $(tail -n 1 "$work/registry")"
    if buildah inspect --type image "$swift" >/dev/null 2>&1; then
        echo "base: the images that are here; for new ones, type: buildah rmi $swift $slim"
    else
        echo "base: made of this machine's packages"
        sh scripts/image-base.sh
    fi
fi

# A proxy that only apt is told of; buildah hands on the variable, and keeps it out of the image.
proxy=$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null || true)
eval "$proxy"
[ -z "${proxy:-}" ] || export http_proxy="${http_proxy:-$proxy}"

# The mirror and the line that says so are mounted, not copied. Only the first stage is built with them, since
# a mount leaves an empty folder behind; the second call finds that stage in the cache.
set --
: >"$work/gitconfig"
git config --get-regexp '^url\..*\.insteadof$' | while read -r key prefix; do
    git config --file "$work/gitconfig" --add "$key" "$prefix"
done
for mirror in $(sed -nE 's|^\[url "(file://)?(/.*)"\]$|\2|p' "$work/gitconfig"); do
    echo "Swift packages: from the mirror $mirror"
    set -- "$@" --volume "$mirror:$mirror:ro"
done
[ ! -s "$work/gitconfig" ] || set -- "$@" --volume "$work/gitconfig:/etc/gitconfig:ro"

build() { buildah build --isolation chroot --pull-never --layers "$@" .; }
build --target build "$@"
build --tag "$name"
buildah images "$name"
