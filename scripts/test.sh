#!/bin/sh
# Runs every test. Their output is long, so what failed is said again at the end.
#   test.sh --filter RigsTests     arguments are those of 'swift test'
set -u

# Where nobody edits and builds again: whole modules at a time, which is less to compile and makes faster tests, and no
# index for editors.
flags=
if [ "${CI:-}" = true ]; then
    flags='--disable-index-store -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1'
fi

said=$(mktemp)
trap 'rm -f "$said" "$said.code"' EXIT

# Tests that run processes wait most of the time, all others compute: they go side by side.
everything() {
    swift build --build-tests $flags || return
    swift test --skip-build $flags --filter '^CommandTests\.' &
    processes=$!
    swift test --skip-build --ignore-lock $flags --skip '^CommandTests\.'
    code=$?
    wait "$processes" && return "$code"
}

{
    if [ $# = 0 ]; then everything; else swift test $flags "$@"; fi
    echo $? >"$said.code"
} 2>&1 | tee "$said"

code=$(cat "$said.code")
if [ "$code" != 0 ]; then
    echo
    echo "what failed, again:"
    grep -E -A 3 '(error:|recorded an issue)' "$said" | grep -vE '^(◇|✔|--)'
fi
exit "$code"
