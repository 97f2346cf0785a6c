/* app/cli/args.h - parses the command line by the tables of options. */
#ifndef APP_CLI_ARGS_H
#define APP_CLI_ARGS_H
#include "app/cli/cli.h"

extern const OptionSpec COMMON_OPTIONS[];

/* Fills `cli` (given, files and the common settings) from the arguments after the command's name. False:
 * *status is the exit status, and all messages were printed. */
bool args_parse(Cli *cli, int count, char **words, ExitStatus *status) WARN_UNUSED;

#endif
