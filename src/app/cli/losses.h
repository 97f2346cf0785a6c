/* app/cli/losses.h - prints the data that a format does not hold. */
#ifndef APP_CLI_LOSSES_H
#define APP_CLI_LOSSES_H
#include "app/cli/cli.h"
#include "format/writer.h"

#include <varve/varve.h>

/* The output of a conversion, for losses_note. */
typedef struct LossOutput {
    const Cli  *cli;
    const char *path;
} LossOutput;

/* Prints a line on stderr for a loss of the LossOutput `context`, unless --quiet: VarveConversion.loss. */
void losses_note(void *context, VarveText what, uint64_t count);
/* As losses_note, for each loss of a report. */
void losses_print(const Cli *cli, const char *path, const WriterReport *report);
/* Reports a failure to write `path`, or to read `loaded` again. */
ExitStatus losses_fail(const Loaded *loaded, const char *path, const Err *err);

#endif
