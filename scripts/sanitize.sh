#!/bin/sh
# Runs every test under the sanitizers that are named.
#   sanitize.sh address thread
# Each has a build of its own, in .build-address and .build-thread. A report makes the tests fail;
# Tests/Sanitizers/false.supp names the false ones.
set -u
cd "$(dirname "$0")/.."

failed=""
for sanitizer in "$@"; do
    echo "== $sanitizer sanitizer"
    build=$PWD/.build-$sanitizer
    mkdir -p "$build"
    sed -n "s/^$sanitizer //p" Tests/Sanitizers/false.supp >"$build/false.supp"
    # Leaks are not looked for: the runtime keeps metadata for as long as a process lives, in places that
    # LeakSanitizer does not look at. `make soak` measures growth instead.
    export ASAN_OPTIONS="suppressions=$build/false.supp:detect_leaks=0"
    export TSAN_OPTIONS="suppressions=$build/false.supp:halt_on_error=1"
    export SCREENRIG_PATIENCE=10
    # One after the other: slowed down and all at once, tests with deadlines would miss them.
    options="--no-parallel --sanitize=$sanitizer --scratch-path $build"
    if [ "$sanitizer" = thread ]; then
        clang -c -O1 Tests/Sanitizers/mutex.c -o "$build/mutex.o" || exit 2
        options="$options -Xlinker $build/mutex.o"
    fi
    # shellcheck disable=SC2086  # options are words
    swift test $options || failed="$failed $sanitizer"
done
if [ -n "$failed" ]; then
    echo "not clean:$failed"
    exit 1
fi
