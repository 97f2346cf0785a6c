/* app/cli/thread_option.h - the option --thread of diff. */
#ifndef APP_CLI_THREAD_OPTION_H
#define APP_CLI_THREAD_OPTION_H
#include "app/cli/cli.h"

/* Finds the tracks of --thread; without the option, the tracks of choose_tracks_all. *tracks is in the
 * command's arena. Any result except EXIT_DONE: no track matches, or out of memory; a message was printed. */
ExitStatus cli_thread_option(Cli *cli, const Trace *trace, const uint32_t **tracks,
                             uint32_t *count) WARN_UNUSED;

#endif
