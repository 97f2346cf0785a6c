/* app/cli/losses.h - prints the data that a format does not hold. */
#ifndef APP_CLI_LOSSES_H
#define APP_CLI_LOSSES_H
#include "app/cli/cli.h"

#include <varve/varve.h>

/* The output of a conversion, for losses_note. */
typedef struct LossOutput {
    const Cli  *cli;
    const char *path;
} LossOutput;

/* Prints a line on stderr for a loss of the LossOutput `context`, unless --quiet: VarveConversion.loss. */
void losses_note(void *context, VarveText what, uint64_t count);
/* Reports a failure to write `path`, or to read the input `name` again. */
ExitStatus losses_fail(const char *name, const char *path, const Err *err);

#endif
