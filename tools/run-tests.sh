#!/bin/sh
# Runs the tests of each build directory, also after failures in another one, and counts all of them. BUILD_DIR:SUITE runs
# the tests of one suite and builds only the programs that they need.
# usage: run-tests.sh BUILD_DIR[:SUITE]...
set -u
cd "$(dirname "$0")/.." || exit 1

# Tests also wait: for pages, servers, and the end of other programs. In that time another test uses the processor.
processes=$(($(nproc) + ($(nproc) + 1) / 2))

for argument in "$@"; do
    build=${argument%:*}
    suite=${argument#"$build"}
    rm -f "$build"/meson-logs/testlog.json "$build"/meson-logs/testlog.junit.xml
    # Sanitizers make a test some times slower; the count below judges the outcome.
    meson test -C "$build" ${suite:+--suite "${suite#:}"} --num-processes "$processes" --print-errorlogs --timeout-multiplier 3
    shift
    set -- "$@" "$build" # after the loop: the directories alone
done

exec python3 tools/count-tests.py "$@"
