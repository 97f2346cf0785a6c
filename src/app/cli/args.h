/* app/cli/args.h - the command line taken apart, and the help made from the same tables. */
#ifndef APP_CLI_ARGS_H
#define APP_CLI_ARGS_H
#include "app/cli/cli.h"

extern const OptionSpec COMMON_OPTIONS[];

/* Fills `cli` (given, files and the common settings) from the arguments behind the command's name. False: *status is
 * how to exit, everything has been said. */
bool args_parse(Cli *cli, int count, char **words, ExitStatus *status) WARN_UNUSED;

void args_help(const CliCommand *command, Bytes *out);
void args_help_all(Bytes *out);

#endif
