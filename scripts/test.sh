#!/bin/sh
# Runs every test. Their output is long, so what failed is said again at the end.
#   test.sh --filter RigsTests     arguments are those of 'swift test'
set -u

# Where nobody edits and builds again, whole modules at a time: less to compile, and faster tests. The index for editors has
# to stay: tests are found in it.
if [ "${CI:-}" = true ]; then
    set -- -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1 "$@"
fi

said=$(mktemp)
trap 'rm -f "$said" "$said.code"' EXIT

{
    swift test "$@"
    echo $? >"$said.code"
} 2>&1 | tee "$said"

code=$(cat "$said.code")
if [ "$code" != 0 ]; then
    echo
    echo "what failed, again:"
    grep -E -A 3 '(error:|recorded an issue)' "$said" | grep -vE '^(◇|✔|--)'
fi
exit "$code"
