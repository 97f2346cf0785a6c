/* varve go - statistics of Go execution traces. */
#include "app/cli/traces.h"
#include "base/file.h"

#include <string.h>
#include <strings.h>

enum { USUAL_TOP = 40 };

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

static const char *const PROFILES[] = { "net", "sync", "syscall", "sched" }; /* from VARVE_GO_NETWORK on */
static const char *const SORTS[] = {
    "execution", "total",     "network", "sync",  "other", "syscall", /* by VarveGoSort */
    "blocking",  "scheduler", "assist",  "sweep", "gc",    "count",   "name", "id"
};
static const char *const TOOLS[] = { "go" };
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("pprof", PROFILES),
                                          OPTION_WORDS("sort", SORTS),
                                          OPTION_WORDS("like", TOOLS),
                                          { NULL, NULL, 0 } };

/* -- options -- */

static bool find_report(const char *name, VarveGoReport *found)
{
    for (*found = VARVE_GO_FUNCTIONS; *found <= VARVE_GO_GC; ++*found)
        if (strcmp(varve_go_report_name(*found), name) == 0) return true;
    return false;
}

static ExitStatus parse_options(const Cli *cli, VarveGoOptions *options)
{
    const char *perspective = cli_option(cli, "perspective");
    size_t      tool = 0;
    if (perspective != NULL && strcasecmp(perspective, "goroutines") != 0)
        return cli_usage_error(cli, "--perspective=%.60s: varve go counts by goroutines only", perspective);
    if (!cli_option_word(cli, "like", &tool)) return EXIT_USAGE;
    *options = (VarveGoOptions){ .rules = cli_option(cli, "like") == NULL ? VARVE_GO_RULES_EXACT
                                                                          : VARVE_GO_RULES_OF_GO,
                                 .range = cli_option(cli, "range"),
                                 .counts = cli_option(cli, "counts") };
    if (cli_option(cli, "per-processor") != NULL) options->processors = VARVE_GO_PROCESSORS_WORST;
    return EXIT_DONE;
}

static ExitStatus parse_output(const Cli *cli, VarveGoOutput *output)
{
    size_t sort = VARVE_GO_SORT_EXECUTION;
    output->function = cli_option(cli, "function");
    output->style = cli->color ? VARVE_TEXT_COLORED : VARVE_TEXT_PLAIN;
    if (!cli_option_number(cli, "top", 1, UINT64_MAX, &output->row_most) ||
        !cli_option_word(cli, "sort", &sort))
        return EXIT_USAGE;
    output->sort = (VarveGoSort)sort;
    if (cli->file_count > 1 && !find_report(cli->files[1], &output->report))
        return cli_usage_error(
            cli,
            "unknown report \"%s\": expected functions, goroutines, net, sync, syscall, sched, tasks, "
            "regions, mmu, gc",
            cli->files[1]);
    return EXIT_DONE;
}

/* Sets the form. A profile of --pprof takes the place of the report. */
static ExitStatus parse_form(const Cli *cli, VarveGoOutput *output)
{
    const char *pprof = cli_option(cli, "pprof");
    const bool  is_of_stacks = output->report >= VARVE_GO_NETWORK && output->report <= VARVE_GO_SCHEDULER;
    const bool  is_folded = cli_option(cli, "folded") != NULL;
    size_t      profile = 0;
    if (!cli_option_word(cli, "pprof", &profile)) return EXIT_USAGE;
    if ((pprof != NULL) != (cli_option(cli, "output") != NULL))
        return cli_usage_error(cli, "--pprof=PROFILE and -o OUT need each other");
    if (is_folded && !is_of_stacks)
        return cli_usage_error(cli, "--folded is for net, sync, syscall and sched");
    if (output->function != NULL && output->report > VARVE_GO_GOROUTINES)
        return cli_usage_error(cli, "--function is for functions and goroutines");
    if (pprof != NULL) output->report = (VarveGoReport)(VARVE_GO_NETWORK + profile);
    output->form = pprof != NULL                     ? VARVE_GO_PPROF
                   : cli_option(cli, "json") != NULL ? VARVE_GO_JSON
                   : is_folded                       ? VARVE_GO_FOLDED
                                                     : VARVE_GO_TABLE;
    if (output->form == VARVE_GO_TABLE && output->row_most == 0) output->row_most = USUAL_TOP;
    return EXIT_DONE;
}

/* -- output -- */

/* Reports that the statistics could not be made. */
static ExitStatus fail(const Cli *cli, const VarveError *error)
{
    const Err err = cli_library_err(error);
    if (error->code == VARVE_ERROR_USAGE) return cli_usage_error(cli, "%s", error->message);
    cli_input_error(cli->files[0], &err);
    return EXIT_INPUT;
}

static ExitStatus answer(const Cli *cli, VarveGo *go, const VarveGoOutput *output)
{
    const char *path = cli_option(cli, "output");
    VarveBytes  made = { 0 };
    VarveError  error;
    ExitStatus  status = EXIT_DONE;
    if (varve_go_fault(go, &error)) {
        if (!cli->quiet) cli_library_error(cli->files[0], &error);
        if (cli->strict) return EXIT_STRICT;
    }
    if (!varve_go_print(go, output, &made, &error)) return fail(cli, &error);
    if (path == NULL) {
        status = cli_print(&(Bytes){ .data = made.bytes, .size = made.size_bytes });
    } else {
        Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
        if (!file_write_whole(path, made.bytes, made.size_bytes, &err)) {
            cli_output_error(path, &err);
            status = EXIT_OUTPUT;
        }
    }
    varve_bytes_release(&made);
    return status;
}

/* Counts a range of dates. The trace is loaded for it, because it has the time of day. */
static ExitStatus answer_dates(Cli *cli, const VarveGoOptions *options, const VarveGoOutput *output)
{
    CliTraces  traces = { .count = 0 };
    VarveError error;
    if (strcmp(cli->files[0], "-") == 0)
        return cli_usage_error(cli, "--range by time of day reads a trace twice: it needs a file");
    ExitStatus status = cli_traces_load_any(cli, 0, 1, &traces);
    if (status == EXIT_DONE) {
        VarveGo *go = varve_go_open(traces.handles[0], options, &error);
        status = go == NULL ? fail(cli, &error) : answer(cli, go, output);
        varve_go_close(go);
    }
    cli_traces_release(&traces);
    return status;
}

static ExitStatus run(Cli *cli)
{
    VarveGoOptions options;
    VarveGoOutput  output = { .report = VARVE_GO_FUNCTIONS };
    VarveError     error;
    if (cli->file_count == 0 || cli->file_count > 2) return cli_usage_error(cli, "go needs one FILE");
    ExitStatus status = parse_options(cli, &options);
    if (status == EXIT_DONE) status = parse_output(cli, &output);
    if (status == EXIT_DONE) status = parse_form(cli, &output);
    if (status != EXIT_DONE) return status;
    if (options.range != NULL && strchr(options.range, ':') != NULL)
        return answer_dates(cli, &options, &output);
    VarveGo *go = varve_go_open_file(cli->files[0], &options, &error);
    status = go == NULL ? fail(cli, &error) : answer(cli, go, &output);
    varve_go_close(go);
    return status;
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
    .words = OF_OPTIONS,
    .run = run
};
