#include "app/cli/part_options.h"

ExitStatus cli_part_thread(Cli *cli, const VarveTrace *trace, VarvePart *part)
{
    part->thread = cli_option(cli, "thread");
    if (varve_part_exists(trace, part)) return EXIT_DONE;
    return cli_usage_error(cli, "--thread=%.100s: no thread has this name or id, and no title contains it",
                           part->thread);
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
