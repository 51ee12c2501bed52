#!/bin/sh
# Installs screenrig with what belongs to it, or takes it away again:
#   install.sh BINARY PREFIX           PREFIX/bin, completions, manual page, rigs, templates for CI
#   install.sh --remove PREFIX
# Packagers: make install DESTDIR=/tmp/package PREFIX=/usr
set -eu

if [ $# -ne 2 ]; then
    echo "usage: install.sh BINARY|--remove PREFIX" >&2
    exit 2
fi
binary=$1
prefix=$2
share=$prefix/share
bash=$share/bash-completion/completions/screenrig
zsh=$share/zsh/site-functions/_screenrig
fish=$share/fish/vendor_completions.d/screenrig.fish
manual=$share/man/man1/screenrig.1

if [ "$binary" = --remove ]; then
    rm -f "$prefix/bin/screenrig" "$prefix/bin/screenrig-comment" "$bash" "$zsh" "$fish" "$manual"
    rm -rf "$share/screenrig"
    echo "removed from $prefix"
    exit 0
fi

if [ ! -x "$binary" ]; then
    echo "$binary is not there; type 'make release' first" >&2
    exit 1
fi
root=$(dirname "$0")/..

install -d "$prefix/bin" "$share/screenrig"
install -m 755 "$binary" "$prefix/bin/screenrig"
install -m 755 "$root/deploy/ci/screenrig-comment" "$prefix/bin/screenrig-comment"
for file in "$bash" "$zsh" "$fish" "$manual"; do install -d "$(dirname "$file")"; done
"$binary" --generate-completion-script bash >"$bash"
"$binary" --generate-completion-script zsh >"$zsh"
"$binary" --generate-completion-script fish >"$fish"
"$binary" manual >"$manual"
cp -R "$root/rigs" "$share/screenrig/"
for file in github/action.yml gitlab.yml; do install -D -m 644 "$root/deploy/ci/$file" "$share/screenrig/ci/$file"; done
chmod 644 "$bash" "$zsh" "$fish" "$manual"
echo "installed in $prefix: bin/screenrig, bin/screenrig-comment, completions for bash, zsh and fish, screenrig(1), share/screenrig"
