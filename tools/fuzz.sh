#!/bin/sh
# Runs every fuzz target, or those named, for some seconds each, under libFuzzer with the address and undefined-behaviour
# sanitizers. Starts from the kept corpus, fuzz/corpus/NAME, and adds the inputs that reach new code to it.
# usage: fuzz.sh BUILD_DIR SECONDS [NAME...]
#
# Exits with 1 if a target found anything; the input is then in BUILD_DIR/findings.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 seconds=$2
shift 2

# Returns the limit on the bytes of an input: larger ones are slow, and reach little more.
most_bytes_of() {
    case $1 in
    view) echo 512 ;;
    compare) echo 8192 ;; # two traces
    go_* | render | stream | trace | capture_tools | writers) echo 1024 ;;
    *) echo 4096 ;;
    esac
}

# A small quarantine reuses memory, so that an execution takes few fresh pages. Without the stacks on the heap an execution takes a
# quarter less time; the replay of the corpus in `make check` has them.
export ASAN_OPTIONS="malloc_context_size=4:quarantine_size_mb=8:allocator_release_to_os_interval_ms=-1:detect_stack_use_after_return=0"

# The directory of fixtures that a reader's target starts from, beside its corpus.
fixtures_of() {
    folder="test/data/$(echo "$1" | sed 's/_v[12]$//; s/_shapes$//; s/_builds$//; s/_nodes$//')"
    if test -d "$folder"; then echo "$folder"; fi
}

targets=$*
if [ -z "$targets" ]; then
    targets=$(find "$build/fuzz" -maxdepth 1 -name '*_fuzz' -type f | sed 's|.*/||; s|_fuzz$||' | sort)
fi

mkdir -p "$build/findings"
found=0 total=0
printf '%-16s %12s %10s %8s  %s\n' target executions 'a second' added result
for name in $targets; do
    work="$build/corpus/$name" log="$build/corpus/$name.log"
    mkdir -p "$work" "fuzz/corpus/$name"
    # shellcheck disable=SC2046 # at most one word
    "$build/fuzz/${name}_fuzz" -max_total_time="$seconds" -max_len="$(most_bytes_of "$name")" -timeout=20 \
        -rss_limit_mb=4096 -entropic=0 \
        -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "$work" "fuzz/corpus/$name" \
        $(fixtures_of "$name") >"$log" 2>&1
    status=$?
    before=$(find "fuzz/corpus/$name" -type f | wc -l)
    # Only as many inputs as are needed for the code that the kept ones do not reach.
    # shellcheck disable=SC2046
    "$build/fuzz/${name}_fuzz" -set_cover_merge=1 -use_counters=0 -timeout=20 "fuzz/corpus/$name" $(fixtures_of "$name") "$work" >>"$log" 2>&1
    added=$(($(find "fuzz/corpus/$name" -type f | wc -l) - before))
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | head -n 1)
    runs=${runs:-0}
    total=$((total + runs))
    result=clean
    if [ $status -ne 0 ]; then
        result="FOUND: see $log"
        found=1
    fi
    printf '%-16s %12s %10s %8s  %s\n' "$name" "$runs" $((runs / seconds)) "$added" "$result"
done
echo "executions in all: $total"
exit $found
