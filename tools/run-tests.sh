#!/bin/sh
# Runs the tests of every build directory named, however the others fare, and counts them all.
# usage: run-tests.sh BUILD_DIR...
set -u
cd "$(dirname "$0")/.." || exit 1

for build in "$@"; do
    rm -f "$build"/meson-logs/testlog.json "$build"/meson-logs/testlog.junit.xml
    # Sanitizers make a test some times slower; the count below judges the outcome.
    meson test -C "$build" --print-errorlogs --timeout-multiplier 3
done

exec python3 tools/count-tests.py "$@"
