/* app/cli/output_check.h - refuses an output that cannot be created before the input is read, which can take minutes. */
#ifndef APP_CLI_OUTPUT_CHECK_H
#define APP_CLI_OUTPUT_CHECK_H
#include "app/cli/cli.h"

/* True if the command has no output file, or the file exists, or its folder allows new files. Prints the reason otherwise. */
bool output_check(const Cli *cli);

#endif
