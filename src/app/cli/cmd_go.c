/* varve go - statistics of Go execution traces. */
#include "app/cli/cli.h"
#include "app/cli/go_table.h"
#include "base/file.h"
#include "format/go/go.h"
#include "format/go/stats/pprof.h"
#include "format/gzip_sink.h"
#include "trace/store/time_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const OptionSpec OPTIONS[] = {
    { "json", '\0', NULL, "one JSON object, stable for programs" },
    { "folded", '\0', NULL, "stacks of net, sync, syscall or sched as lines for flame graphs" },
    { "pprof", '\0', "PROFILE", "net, sync, syscall or sched as a file for `go tool pprof`; with -o" },
    { "output", 'o', "OUT", "output of --pprof (\"-\": standard output)" },
    { "sort", '\0', "KEY", "goroutines and functions: time (default: execution), total, count, name, id" },
    { "top", '\0', "N", "rows at most; default: 40, with --json and --folded all" },
    { "function", '\0', "TEXT", "only goroutines with this text in the name of their function" },
    { "counts", '\0', "LIST",
      "mmu: activities that count: stw,background,assist,sweep; default: the first three" },
    { "per-processor", '\0', NULL, "mmu: the worst processor, not the mean of all" },
    { "like", '\0', "go", "the exact numbers of Go's tools, including their errors" },
    { NULL, '\0', NULL, NULL }
};

/* -- options -- */

static bool parse_top(const char *text, uint64_t *top)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    *top = strtoull(text, &end, 10);
    return *end == '\0' && *top > 0;
}

/* Finds a range given as times of day. The trace is loaded for it, because it contains the clock. */
static ExitStatus find_range_of_day(Cli *cli, GoStatsRequest *request)
{
    Loaded loaded = { 0 };
    if (strcmp(cli->files[0], "-") == 0)
        return cli_usage_error(cli, "--range by time of day reads a trace twice: it needs a file");
    cli->load.store = STORE_UNUSED;
    ExitStatus status = cli_load(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    const Trace *trace = loaded.trace;
    request->begin = trace->window.begin - trace->begin_tick; /* ticks are ns */
    request->end = trace->window.end - trace->begin_tick;
    loaded_release(&loaded);
    return EXIT_DONE;
}

static ExitStatus find_range(Cli *cli, const char *range, GoStatsRequest *request)
{
    const Clock    clock = clock_ns();
    const TimeAxis axis = { &clock, 0, INT64_MAX };
    TimeRange      parsed;
    Err            err;
    if (!time_range_parse(range, &parsed, &err)) return cli_usage_error(cli, "%s", err.message);
    if (time_range_has_time_of_day(&parsed)) return find_range_of_day(cli, request);
    if (time_range_find(range, &axis, &request->begin, &request->end, &err)) return EXIT_DONE;
    return cli_usage_error(cli, "%s", err.message);
}

static ExitStatus parse_request(Cli *cli, GoStatsRequest *request)
{
    const char *range = cli_option(cli, "range"), *counts = cli_option(cli, "counts");
    const char *like = cli_option(cli, "like");
    const char *perspective = cli_option(cli, "perspective");
    if (perspective != NULL && strcasecmp(perspective, GO_READER.counted_perspective) != 0)
        return cli_usage_error(cli, "--perspective=%.60s: varve go counts by goroutines only", perspective);
    *request = (GoStatsRequest){ .util = GO_UTIL_USUAL, .is_from_begin = true };
    if (like != NULL && strcmp(like, "go") != 0) return cli_usage_error(cli, "--like=%s: expected go", like);
    if (like != NULL) request->rules = GO_RULES_OF_GO;
    request->has_range = range != NULL;
    if (range != NULL) {
        ExitStatus status = find_range(cli, range, request);
        if (status != EXIT_DONE) return status;
    }
    if (counts != NULL && !go_counts_parse((StringView){ counts, strlen(counts) }, &request->util))
        return cli_usage_error(cli, "--counts=%s: expected a list of stw, background, assist, sweep", counts);
    if (cli_option(cli, "per-processor") != NULL) request->util |= GO_UTIL_PER_PROC;
    return EXIT_DONE;
}

static ExitStatus parse_table(const Cli *cli, GoTable *table)
{
    const char *top = cli_option(cli, "top"), *sort = cli_option(cli, "sort");
    table->function = cli_option(cli, "function");
    table->color = cli->color;
    if (top != NULL && !parse_top(top, &table->top))
        return cli_usage_error(cli, "--top=%s: expected a number above 0", top);
    if (!go_table_sort_find(sort == NULL ? "execution" : sort, &table->sort))
        return cli_usage_error(cli, "--sort=%s: unknown key", sort);
    if (cli->file_count > 1 &&
        !go_what_find((StringView){ cli->files[1], strlen(cli->files[1]) }, &table->what))
        return cli_usage_error(
            cli,
            "unknown report \"%s\": expected functions, goroutines, net, sync, syscall, sched, tasks, "
            "regions, mmu, gc",
            cli->files[1]);
    return EXIT_DONE;
}

/* -- output -- */

static ExitStatus write_pprof(const Cli *cli, const GoStats *stats, GoProfile profile)
{
    const char *path = cli_option(cli, "output");
    Bytes       plain = { 0 }, packed = { 0 };
    OutputSink  to = output_to_bytes(&packed);
    GzipSink    gzip = { 0 };
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool        done = go_pprof_write(stats, profile, &plain) || err_set(&err, ERR_MEMORY, "out of memory");
    done = done && gzip_sink_open(&gzip, &to, &err) && writer_flush(&gzip.sink, &plain, 0, &err) &&
           gzip_sink_finish(&gzip, &err) && file_write_whole(path, packed.data, packed.size, &err);
    gzip_sink_close(&gzip);
    if (!done) cli_input_error(path, &err);
    bytes_release(&plain);
    bytes_release(&packed);
    return done ? EXIT_DONE : EXIT_OUTPUT;
}

static ExitStatus print_answer(Cli *cli, const GoStats *stats, const GoStatsRequest *request, GoTable *table)
{
    Bytes out = { 0 };
    Err   err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool  done = true;
    if (cli_option(cli, "json") != NULL) {
        JsonWriter writer = json_writer_to(&out, 0);
        GoJson     json = { .writer = &writer, .stats = stats, .util = request->util, .top = table->top };
        go_json_put(&json, table->what);
        bytes_append_text(&out, "\n");
    } else if (cli_option(cli, "folded") != NULL) {
        done = go_table_folded(table, stats, &out, &err);
    } else {
        if (table->top == 0) table->top = 40;
        go_table_put(table, stats, &cli->arena, &out);
    }
    if (!done) cli_input_error(cli->files[0], &err);
    ExitStatus status = done ? cli_print(&out) : EXIT_INPUT;
    bytes_release(&out);
    return status;
}

static ExitStatus answer(Cli *cli, const GoStatsRequest *request, GoTable *table, const GoProfile *pprof)
{
    GoStats stats;
    Err     err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!go_stats_file(cli->files[0], request, &stats, &err)) {
        cli_input_error(cli->files[0], &err);
        go_stats_release(&stats);
        return EXIT_INPUT;
    }
    ExitStatus status = EXIT_DONE;
    if (!stats.complete) {
        if (!cli->quiet) cli_error(cli->files[0], &stats.why);
        if (cli->strict) status = EXIT_STRICT;
    }
    if (status == EXIT_DONE)
        status = pprof != NULL ? write_pprof(cli, &stats, *pprof) : print_answer(cli, &stats, request, table);
    go_stats_release(&stats);
    return status;
}

static ExitStatus run(Cli *cli)
{
    GoStatsRequest request;
    GoTable        table = { .what = GO_WHAT_FUNCTIONS };
    GoProfile      profile;
    const char    *pprof = cli_option(cli, "pprof");
    if (cli->file_count == 0 || cli->file_count > 2) return cli_usage_error(cli, "go needs one FILE");
    ExitStatus status = parse_request(cli, &request);
    if (status == EXIT_DONE) status = parse_table(cli, &table);
    if (status != EXIT_DONE) return status;
    if (pprof != NULL && !go_profile_find(pprof, &profile))
        return cli_usage_error(cli, "--pprof=%s: expected net, sync, syscall or sched", pprof);
    if ((pprof != NULL) != (cli_option(cli, "output") != NULL))
        return cli_usage_error(cli, "--pprof=PROFILE and -o OUT need each other");
    bool is_profile = table.what >= GO_WHAT_PROFILES && table.what < GO_WHAT_TASKS;
    if (cli_option(cli, "folded") != NULL && !is_profile)
        return cli_usage_error(cli, "--folded is for net, sync, syscall and sched");
    if (table.function != NULL && table.what > GO_WHAT_GOROUTINES)
        return cli_usage_error(cli, "--function is for functions and goroutines");
    return answer(cli, &request, &table, pprof != NULL ? &profile : NULL);
}

const CliCommand COMMAND_GO = {
    .name = "go",
    .summary = "Analyses Go traces: goroutines, waits, tasks, mutator utilisation, garbage collection",
    .usage = "FILE [REPORT] [OPTIONS]",
    .details = "REPORT is one of\n"
               "  functions    time by the function that goroutines begin with (default)\n"
               "  goroutines   time by goroutine\n"
               "  net sync syscall sched\n"
               "               stacks of waits for the network, for channels and locks, in syscalls, for "
               "a processor\n"
               "  tasks regions\n"
               "               how long user tasks and regions take\n"
               "  mmu          minimum mutator utilisation: the share of time left to the program\n"
               "  gc           cycles, stops of the world, assists, the heap",
    .examples = "  varve go trace.out\n"
                "  varve go trace.out sync --range=1s..2s\n"
                "  varve go trace.out sched --folded | flamegraph.pl > sched.svg\n"
                "  varve go trace.out --pprof=net -o net.pb.gz && go tool pprof -top net.pb.gz",
    .options = OPTIONS,
    .run = run
};
