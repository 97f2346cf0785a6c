#include "app/cli/part_options.h"

#include "analysis/find_pattern.h"

#include <string.h>

ExitStatus cli_part_thread(Cli *cli, const VarveTrace *trace, VarvePart *part)
{
    part->thread = cli_option(cli, "thread");
    if (varve_part_exists(trace, part)) return EXIT_DONE;
    return cli_usage_error(cli, "--thread=%.100s: no thread has this name or id, and no title contains it",
                           part->thread);
}

static bool is_search(const char *text, const Clock *clock, Err *err)
{
    FindPattern pattern;
    Arena       arena = { 0 };
    const bool  is_right = find_pattern_parse(&pattern, c_string_view(text), clock, &arena, err);
    find_pattern_release(&pattern);
    arena_release(&arena);
    return is_right;
}

ExitStatus cli_check_search(const Cli *cli, const char *text)
{
    /* ">5" is a search in a trace without time only, ">5ms" in one with time only. */
    const Clock with_time = clock_ns(), without_time = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    Err         err, other;
    if (text == NULL || is_search(text, &with_time, &err) || is_search(text, &without_time, &other))
        return EXIT_DONE;
    return err.code == ERR_USAGE ? cli_usage_error(cli, "%s", err.message) : EXIT_DONE;
}

ExitStatus cli_part_find(Cli *cli, const VarveTrace *trace, VarveSliceSet **set)
{
    const char *text = cli_option(cli, "find");
    VarveError  error;
    *set = NULL;
    if (text == NULL) return EXIT_DONE;
    *set = varve_slice_set_find(trace, text, cli_threads(cli), &error);
    if (*set != NULL) return EXIT_DONE;
    if (error.code == VARVE_ERROR_USAGE) return cli_usage_error(cli, "%s", error.message);
    cli_library_error(cli->files[0], &error);
    return EXIT_INPUT;
}
