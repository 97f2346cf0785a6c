/* app/cli/losses.h - prints the data that a format does not hold. */
#ifndef APP_CLI_LOSSES_H
#define APP_CLI_LOSSES_H
#include "app/cli/cli.h"
#include "format/writer.h"

/* Prints a line on stderr for each loss of the output `path`, unless --quiet. */
void losses_print(const Cli *cli, const char *path, const WriterReport *report);
/* Reports a failure to write `path`, or to read `loaded` again. */
ExitStatus losses_fail(const Loaded *loaded, const char *path, const Err *err);

#endif
