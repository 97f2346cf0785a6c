/* varve diff - compares two traces. */
#include "app/cli/diff.h"

#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "by", '\0', "KEY",
      "a row for each name (default), call path, or value of an argument: name, path, arg:KEY" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or with it in their title" },
    { "range-a", '\0', "BEGIN..END", "only this time of A, instead of --range" },
    { "range-b", '\0', "BEGIN..END", "only this time of B, instead of --range" },
    { "align", '\0', "NAME", "times of ranges count from the first slice of this name in each trace" },
    { "sort", '\0', "KEY",
      "by the change of self (default), total, count, average, self_average, p50 or p99" },
    { "top", '\0', "N", "rows at most; default: 40, with --json and --csv all" },
    { "fail-above", '\0', "PERCENT",
      "exit status 5 if calls of a name are slower by more, and that is not noise" },
    { "json", '\0', NULL, "one JSON object, stable for programs" },
    { "csv", '\0', NULL, "comma-separated values, with a heading" },
    { "calls", '\0', "SET", "captures: compare only these calls of both" },
    { "ignore-addresses", '\0', NULL, "captures: pointers and handles count as equal" },
    { "verbose", 'v', NULL, "captures: also calls of little interest" },
    { NULL, '\0', NULL, NULL }
};

static const char *const KEYS[] = { "name", "path" };                                /* by VarveDiffBy */
static const char *const MEASURES[] = { "self",         "total", "count", "average", /* by VarveMeasure */
                                        "self_average", "p50",   "p99" };
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("by", KEYS),
                                          OPTION_WORDS("sort", MEASURES),
                                          { NULL, NULL, 0 } };

/* Options of one kind of comparison. */
static const char *const OF_CALLS[] = { "calls", "ignore-addresses", "verbose" };
static const char *const OF_TRACES[] = { "by",   "thread", "align", "sort",    "top",    "fail-above",
                                         "json", "csv",    "range", "range-a", "range-b" };

/* Returns the first option of the list that is given, or NULL. */
static const char *first_given(const Cli *cli, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cli_option(cli, names[i]) != NULL) return names[i];
    return NULL;
}
#define FIRST_GIVEN(cli, names) first_given((cli), (names), sizeof(names) / sizeof(names)[0])

static bool note_format(void *context, const ObservedRecord *record)
{
    *(const char **)context = record->reader->name;
    return false;
}

/* True if the first event of the file is one of a capture. Standard input can be read once only: false. */
static bool is_capture(const Cli *cli, const char *path)
{
    const char        *format = "";
    const LoadObserver observer = { .event = note_format, .context = &format };
    LoadOptions        options = cli->load;
    Err                err;
    options.range = NULL;
    return strcmp(path, "-") != 0 && load_observe(path, &options, &observer, &err) &&
           strcmp(format, "apitrace") == 0;
}

static ExitStatus run(Cli *cli)
{
    const char *of_calls = FIRST_GIVEN(cli, OF_CALLS), *of_traces = FIRST_GIVEN(cli, OF_TRACES);
    if (cli->file_count != 2) return cli_usage_error(cli, "diff needs two FILEs");
    if (of_calls != NULL && of_traces != NULL)
        return cli_usage_error(cli, "--%s compares calls of captures, --%s times of traces: use one of them",
                               of_calls, of_traces);
    if (of_calls != NULL) return diff_calls(cli);
    if (of_traces == NULL && is_capture(cli, cli->files[0]) && is_capture(cli, cli->files[1]))
        return diff_calls(cli);
    return diff_traces(cli);
}

const CliCommand COMMAND_DIFF = {
    .name = "diff",
    .summary = "Compares two traces by name, call path or argument: slower, faster, new, gone",
    .usage = "[OPTIONS] A B",
    .details = "The verdict says whether calls take longer: slower, faster, noise (no more than chance), few "
               "(less than 8\n"
               "calls in a trace: not judged), new, gone. Two apitrace captures are compared call by call, "
               "unless an option\n"
               "for traces is given: \"@@ 10,2 12,1 @@\" are two calls of A from the tenth on against one of "
               "B from the\n"
               "twelfth on. Exit status 5: --fail-above found something, or the calls differ.",
    .examples = "  varve diff before.json after.json\n"
                "  varve diff --by=path --sort=total before.spall after.spall\n"
                "  varve diff --by=arg:url before.json after.json\n"
                "  varve diff --align=request --range=0..50ms a.json b.json\n"
                "  varve diff --range-a=1s..2s --range-b=1.4s..2.4s a.json b.json\n"
                "  varve diff --fail-above=10 --json main.json branch.json > comparison.json\n"
                "  varve diff --ignore-addresses before.trace after.trace",
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
