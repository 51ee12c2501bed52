#!/bin/sh
# Installs the system packages that screenrig builds against, if any is missing. Works as root or
# with sudo; where it may not install, it prints exactly what to type and stops.
#   setup.sh bench    also what 'make bench' measures against
set -eu

packages="libcurl4-openssl-dev libssl-dev libsqlite3-dev libjemalloc-dev"
[ "${1:-}" = bench ] && packages="$packages nginx wrk hey nghttp2-client apache2-utils openssl curl"

if ! command -v swift >/dev/null 2>&1; then
    echo "screenrig needs a Swift 6.3 toolchain: install one from https://www.swift.org/install/linux and put 'swift' on the PATH" >&2
    exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
case "$version" in
    6.[3-9]* | 6.[1-9][0-9]* | [7-9].* | [1-9][0-9].*) ;;
    *)
        echo "screenrig needs Swift 6.3 or newer; 'swift --version' says ${version:-nothing it can read}. See https://www.swift.org/install/linux" >&2
        exit 1
        ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "this is not Debian or Ubuntu: install the development files of libcurl (OpenSSL), OpenSSL, SQLite 3 and jemalloc yourself, then run 'swift build -c release'" >&2
    exit 0
fi

missing=""
for package in $packages; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
        missing="$missing $package"
    fi
done
[ -z "$missing" ] && exit 0

echo "missing system packages:$missing"
if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo="sudo"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
    sudo="sudo"
else
    echo "they cannot be installed from here; as an administrator, type:" >&2
    echo "    apt-get update && apt-get install -y$missing" >&2
    exit 1
fi
echo "installing them"
if ! { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q $missing; }; then
    echo "that did not work; as an administrator, type:" >&2
    echo "    apt-get update && apt-get install -y$missing" >&2
    exit 1
fi
