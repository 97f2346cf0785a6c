/* Compares every fixture of a folder of test/data with its expected text, expected/NAME.txt: readers_test FOLDER. The folder has the
 * name of its format. */
#include "json_fixtures.h"

#include <stdio.h>
#include <string.h>

/* Counts that only increase with the length of a prefix. */
static uint64_t raw_events(const Trace *trace)
{
    return trace->records.other_count;
}

static uint64_t raw_events_and_instants(const Trace *trace)
{
    return trace->records.other_count + trace->instants.count;
}

static uint64_t all_events(const Trace *trace)
{
    return trace->slices.count + trace->instants.count + trace->records.other_count;
}

static const JsonFixtures SETS[] = {
    { .folder = "cpuprofile",
      .suffix = "cpuprofile",
      .kept = raw_events,
      .names =
          FIXTURES("bad_middle", "empty", "hits_only", "node_fib", "odd_samples", "order_any", "protocol"),
      .without_memory = FIXTURES("hits_only", "odd_samples", "order_any") },
    { .folder = "speedscope",
      .suffix = "speedscope.json",
      .kept = raw_events,
      .names = FIXTURES("bad_middle", "empty", "evented", "odd_events", "odd_samples", "order_any", "py_spy",
                        "units"),
      .without_memory = FIXTURES("evented", "odd_events", "odd_samples", "order_any") },
    { .folder = "firefox",
      .suffix = "firefox.json",
      .kept = raw_events,
      .names = FIXTURES("bad_middle", "bytes", "empty", "gecko", "odd", "shared", "threads"),
      .without_memory = FIXTURES("bytes", "gecko", "odd", "shared", "threads") },
    { .folder = "perf",
      .suffix = "perf",
      .kept = raw_events_and_instants,
      .names = FIXTURES("flat", "no_times", "odd_lines", "source_lines", "stacks", "tasks", "tracepoints"),
      .without_memory = FIXTURES("no_times", "odd_lines") },
    { .folder = "perf_data",
      .suffix = "data",
      .kept = raw_events_and_instants,
      .names = FIXTURES("all_fields", "bad_header", "compressed", "no_times", "odd", "pipe", "stacks",
                        "tracepoints", "unfinished"),
      .without_memory = FIXTURES("all_fields", "compressed", "odd", "pipe", "stacks", "tracepoints") },
    { .folder = "ftrace",
      .suffix = "ftrace",
      .kept = raw_events_and_instants,
      .names = FIXTURES("kernel", "no_processes", "odd_lines", "trace_cmd"),
      .without_memory = FIXTURES("odd_lines", "trace_cmd") },
    { .folder = "strace",
      .suffix = "strace",
      .kept = raw_events_and_instants,
      .names = FIXTURES("names", "odd_lines", "relative", "threads", "time_of_day"),
      .without_memory = FIXTURES("odd_lines") },
    { .folder = "perfetto",
      .suffix = "pftrace",
      .kept = all_events,
      .names = FIXTURES("arguments", "bad_ftrace", "bad_middle", "chrome", "clock_units", "compact",
                        "compressed", "flows", "legacy", "lost", "samples", "system", "threads", "tracks"),
      .without_memory =
          FIXTURES("arguments", "clock_units", "compact", "compressed", "flows", "system", "tracks") },
    { .folder = "pprof",
      .suffix = "pprof",
      .kept = raw_events,
      .names =
          FIXTURES("bad_message", "bad_middle", "empty", "go_block", "inline", "odd", "order_any", "units"),
      .without_memory = FIXTURES("inline", "odd", "order_any", "units") },
    { .folder = "folded",
      .suffix = "folded",
      .kept = raw_events,
      .names = FIXTURES("crlf", "difference", "no_line_end", "odd", "perf"),
      .without_memory = FIXTURES("difference", "odd", "perf") },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof SETS / sizeof SETS[0]; i++)
        if (strcmp(SETS[i].folder, argv[1]) == 0) return json_fixtures_run(&SETS[i]);
    (void)fprintf(stderr, "usage: readers_test FOLDER\n");
    return 2;
}
