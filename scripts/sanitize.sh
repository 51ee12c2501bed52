#!/bin/sh
# Runs every test under the sanitizers that are named.
#   sanitize.sh address thread
# Each has a build of its own, in .build-address and .build-thread. A report ends the tests with a failure;
# Tests/sanitizers.supp names the false ones.
set -u
cd "$(dirname "$0")/.."

failed=""
for sanitizer in "$@"; do
    echo "== $sanitizer sanitizer"
    build=.build-$sanitizer
    mkdir -p "$build"
    suppressions=$PWD/$build/suppressions
    sed -n "s/^$sanitizer //p" Tests/sanitizers.supp >"$suppressions"
    # Leaks are not looked for: the runtime keeps metadata for as long as a process lives, in places that
    # LeakSanitizer does not look at. `make soak` measures growth instead.
    export ASAN_OPTIONS="suppressions=$suppressions:detect_leaks=0"
    export TSAN_OPTIONS="suppressions=$suppressions:halt_on_error=1"
    # One after the other: slowed down and all at once, tests with deadlines would miss them.
    swift test --no-parallel --sanitize="$sanitizer" --scratch-path "$build" ||
        failed="$failed $sanitizer"
done
if [ -n "$failed" ]; then
    echo "not clean:$failed"
    exit 1
fi
