#!/bin/sh
# Builds everything once, optimised as users have it, and runs every test. Their output is long, so
# what failed is said again at the end.
#   test.sh --filter RigsTests     arguments are those of 'swift test'
set -u

build=.build/tests
said=$(mktemp)
trap 'rm -f "$said" "$said.code"' EXIT

{
    SCREENRIG_PROGRAM="$PWD/$build/release/screenrig" \
        swift test -c release --scratch-path "$build" --disable-index-store "$@"
    echo $? >"$said.code"
} 2>&1 | tee "$said"

code=$(cat "$said.code")
if [ "$code" != 0 ]; then
    echo
    echo "what failed, again:"
    grep -E -A 3 '(error:|recorded an issue)' "$said" | grep -vE '^(◇|✔|--)'
fi
exit "$code"
