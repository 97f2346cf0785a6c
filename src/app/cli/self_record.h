/* app/cli/self_record.h - records the work of this program to a file: `--self-trace=FILE`. */
#ifndef APP_CLI_SELF_RECORD_H
#define APP_CLI_SELF_RECORD_H
#include "app/cli/cli.h"

/* Starts the recording that --self-trace asks for. Call it once, while the program has one thread. EXIT_OUTPUT: the file
 * cannot be written, and a message was printed. */
ExitStatus self_record_start(const Cli *cli) WARN_UNUSED;
/* Completes the file, if a recording runs. Returns `status`, or EXIT_OUTPUT, with a message, if the file is incomplete. */
ExitStatus self_record_stop(const Cli *cli, ExitStatus status) WARN_UNUSED;

#endif
