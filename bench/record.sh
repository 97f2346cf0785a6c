#!/bin/sh
# Measures recorders in one run: bench/record.sh BUILD_DIR [EVENTS]
#
# 1. Begin and end events in a loop (record.c). 2. Instrumented functions that do nothing else (functions.c).
# 3. A real program: examples/c/count_slices.c, with all of libvarve compiled with -finstrument-functions, loads JSON.
#
# TRACY=DIR is Tracy's folder public/, with TracyClient.cpp; PERFETTO_SDK=DIR is the C SDK of Perfetto: perfetto_c.h and
# perfetto_c.cc. They are compiled to BUILD_DIR/bench/recorders, and measured beside. The real program takes them minutes.
# EVENTS is the number of events of each thread (5 million).
set -eu

build=$(realpath "${1:?usage: bench/record.sh BUILD_DIR [EVENTS]}")
events=${2:-5000000}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$build/bench/recorders
cc="${CC:-cc} -O2 -std=gnu17 -I$root/include -I$root/bench"
cxx="${CXX:-c++} -O2 -std=c++17 -w"
mkdir -p "$work"

# ---- the other recorders ----

peers='' objects='' defines=''
if [ -n "${TRACY:-}" ]; then
    version=$(sed -n 's/.*ProtocolVersion = \([0-9]*\);.*/\1/p' "$TRACY/common/TracyProtocol.hpp")
    # Zones alone: no samples, context switches or call stacks, and no second event of the C interface to verify each zone.
    options="-DTRACY_ENABLE -DTRACY_ONLY_LOCALHOST -DTRACY_NO_BROADCAST -DTRACY_NO_SYSTEM_TRACING -DTRACY_NO_SAMPLING"
    options="$options -DTRACY_NO_CALLSTACK -DTRACY_NO_CODE_TRANSFER -DTRACY_NO_CRASH_HANDLER -DTRACY_NO_VERIFY"
    $cxx $options -c "$TRACY/TracyClient.cpp" -o "$work/TracyClient.o"
    $cc $options -DTRACY_PROTOCOL="$version" -isystem "$TRACY" -c "$root/bench/record_tracy.c" -o "$work/record_tracy.o"
    peers="$peers tracy" objects="$objects $work/TracyClient.o $work/record_tracy.o" defines="$defines -DBENCH_TRACY"
    export TRACY_PORT="${TRACY_PORT:-18086}"
fi
if [ -n "${PERFETTO_SDK:-}" ]; then
    # It takes two minutes.
    [ "$work/perfetto_c.o" -nt "$PERFETTO_SDK/perfetto_c.cc" ] || $cxx -DNDEBUG -c "$PERFETTO_SDK/perfetto_c.cc" -o "$work/perfetto_c.o"
    $cc -isystem "$PERFETTO_SDK" -c "$root/bench/record_perfetto.c" -o "$work/record_perfetto.o"
    peers="$peers perfetto" objects="$objects $work/perfetto_c.o $work/record_perfetto.o" defines="$defines -DBENCH_PERFETTO"
fi
link="$cxx -pthread -rdynamic"
[ -n "$peers" ] || link="$cc -pthread"

# ---- events in a loop ----

# shellcheck disable=SC2086 # lists of options and files
{
    $cc $defines -c "$root/bench/record.c" -o "$work/record.o"
    $link "$work/record.o" $objects -ldl -o "$work/record"
}
"$work/record" "$events" "$work" 2>"$work/messages"

# ---- instrumented functions, and a real program ----

instrumented=$work/libvarve
[ -e "$instrumented/build.ninja" ] || meson setup "$instrumented" "$root" -Dminimal=true -Dtests=false -Dweb=disabled -Dsqlite=disabled \
    -Dwerror=false -Dc_args=-finstrument-functions >/dev/null
ninja -C "$instrumented" src/api/libvarve.a >/dev/null
libraries="$instrumented/src/api/libvarve.a $(pkg-config --libs libzstd libbrotlidec libbrotlienc libpcre2-8 zlib) -lsnappy"
if pkg-config --exists libisal; then libraries="$libraries $(pkg-config --libs libisal)"; fi
json=$work/calls.json
[ -e "$json" ] || "$build/bench/gen/varve-gen" --format json --events 100000 --output "$json"

# Compiles both programs with hooks to functions-NAME and program-NAME.
program() { # NAME HOOK_FILE...
    name=$1
    shift
    # shellcheck disable=SC2086
    {
        $cc -finstrument-functions -c "$root/bench/functions.c" -o "$work/functions.o"
        $cc -finstrument-functions -c "$root/examples/c/count_slices.c" -o "$work/count_slices.o"
        $link "$work/functions.o" "$@" -ldl -o "$work/functions-$name"
        $link "$work/count_slices.o" "$@" $libraries -lm -ldl -o "$work/program-$name"
    }
}
$cc -c "$root/include/varve/instrument.c" -o "$work/instrument.o"
$cc -c "$root/bench/functions_spall.c" -o "$work/functions_spall.o"
program varve "$work/instrument.o"
program spall "$work/functions_spall.o"
for peer in $peers; do
    # shellcheck disable=SC2086
    $cc -DPEER=PEER_"$(echo "$peer" | tr a-z A-Z)" -c "$root/bench/functions_peer.c" -o "$work/functions_$peer.o"
    # shellcheck disable=SC2086
    program "$peer" "$work/functions_$peer.o" $(echo "$objects" | tr ' ' '\n' | grep -i "$peer")
done

printf '\n%-28s %8s %8s %8s\n' 'instrumented functions' '1 thread' 'threads' bytes
"$build/bench/varve-bench-functions-plain" none
"$work/functions-varve" 'varve, not recorded'
VARVE_INSTRUMENT=$work/recording "$work/functions-varve" varve 3000000 "$work/recording"
FUNCTIONS_SPALL=$work/recording "$work/functions-spall" 'structure of spall.h' 3000000 "$work/recording"
for peer in $peers; do
    FUNCTIONS_PEER=$work/recording "$work/functions-$peer" "$peer" 1000000 2>>"$work/messages"
done

# Prints the least processor time of the whole program, of some runs, and the size of its recording.
run() { # NAME PROGRAM RUN...
    name=$1 program=$2 best=
    shift 2
    for _; do
        rm -f "$work/recording"
        taken=$(python3 - "$program" "$json" 2>>"$work/messages" <<'TIME'
import os, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
times = os.times()
print(f"{times.children_user + times.children_system:.2f}")
TIME
)
        best=$(printf '%s\n%s\n' "$taken" "${best:-$taken}" | sort -n | head -n 1)
    done
    size=$(stat -c %s "$work/recording" 2>/dev/null || echo 0)
    printf '%-28s %8s %8s\n' "$name" "$best" "$((size / 1000000))"
}
printf '\n%-28s %8s %8s\n' "count_slices, $(($(stat -c %s "$json") / 1000000)) MB of JSON" 'time s' MB
run 'not instrumented' "$build/examples/c/example_count_slices" 1 2 3
run 'varve, not recorded' "$work/program-varve" 1 2 3
export VARVE_INSTRUMENT="$work/recording" FUNCTIONS_SPALL="$work/recording" FUNCTIONS_PEER="$work/recording"
run varve "$work/program-varve" 1 2 3
run 'structure of spall.h' "$work/program-spall" 1 2 3
for peer in $peers; do run "$peer" "$work/program-$peer" 1; done
rm -f "$work/recording"
grep lost "$work/messages" || true # the number of events that Perfetto has lost
