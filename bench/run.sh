#!/bin/sh
# Generates traces with a fixed seed and measures them: bench/run.sh BUILD_DIR [varve-bench options] [FILE...]
# bench/run.sh BUILD_DIR --peers [options] measures other programs beside Varve: the text at the begin of peers/peers.py.
# EVENTS=N is the number of calls, or scheduler's events, of each trace (10 million: some 500 MB a file, 50 MB the Go traces, 1 GB the capture).
# Traces with very large tables follow, divided in the same way for fewer events.
set -eu

build=${1:?usage: bench/run.sh BUILD_DIR [--runs=N] [--threads=N] or bench/run.sh BUILD_DIR --peers [options]}
shift
if [ "${1:-}" = --peers ]; then
    shift
    exec python3 "$(dirname "$0")/peers/peers.py" "$build" "$@"
fi
events=${EVENTS:-10000000}
data="$build/bench/data"
mkdir -p "$data"

generate() { # FORMAT FILE
    if [ ! -f "$data/$2" ]; then
        "$build/bench/gen/varve-gen" --format "$1" --events "$events" --output "$data/$2.part"
        mv "$data/$2.part" "$data/$2"
    fi
}

generate json "calls-$events.json"
generate spall1 "calls-$events-v1.spall"
generate spall3 "calls-$events-v3.spall"
for version in 1.19 1.26; do
    go="$data/go-$events-$version.trace"
    [ -f "$go" ] || "$build/bench/gen/varve-gen-go" "$version" "$events" 200 "$go"
done

capture="$data/capture-$events.trace"
if [ ! -f "$capture" ]; then
    "$build/bench/gen/varve-gen-capture" "$events" "$capture.part"
    mv "$capture.part" "$capture"
fi

"$build/bench/varve-bench" "$@" \
    "$data/calls-$events.json" "$data/calls-$events-v1.spall" "$data/calls-$events-v3.spall" \
    "$data/go-$events-1.19.trace" "$data/go-$events-1.26.trace" "$capture"

scale=$((10000000 / events))
if [ "$scale" -lt 1 ]; then scale=1; fi
if [ "$scale" -gt 1000 ]; then scale=1000; fi
"$build/bench/varve-bench-extremes" "--scale=$scale"
