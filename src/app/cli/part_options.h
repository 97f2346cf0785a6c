/* app/cli/part_options.h - the options --thread and --find of stats, flame, find and diff. */
#ifndef APP_CLI_PART_OPTIONS_H
#define APP_CLI_PART_OPTIONS_H
#include "app/cli/traces.h"

/* Sets part->thread to --thread. EXIT_USAGE: no track of the trace matches; a message was printed. */
ExitStatus cli_part_thread(Cli *cli, const VarveTrace *trace, VarvePart *part) WARN_UNUSED;
/* Checks the text of a search before a trace is loaded, NULL = no text. EXIT_USAGE: it is wrong for every trace; a message was printed. */
ExitStatus cli_check_search(const Cli *cli, const char *text) WARN_UNUSED;
/* Sets *set to the slices that match --find, NULL without the option. The caller closes it. Any result except EXIT_DONE: a message was
 * printed. */
ExitStatus cli_part_find(Cli *cli, const VarveTrace *trace, VarveSliceSet **set) WARN_UNUSED;

#endif
