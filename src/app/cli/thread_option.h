/* app/cli/thread_option.h - the option --thread of the commands that count or find. */
#ifndef APP_CLI_THREAD_OPTION_H
#define APP_CLI_THREAD_OPTION_H
#include "app/cli/cli.h"

/* Finds the tracks that --thread means, without it those of choose_tracks_all. *tracks is in the command's arena. Otherwise
 * than EXIT_DONE: a message was printed, because no track matches or memory is out. */
ExitStatus cli_thread_option(Cli *cli, const Trace *trace, const uint32_t **tracks, uint32_t *count) WARN_UNUSED;

#endif
