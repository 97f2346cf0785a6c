/* app/cli/traces.h - the traces of a command as handles of varve/varve.h, loaded with the cache of the user. */
#ifndef APP_CLI_TRACES_H
#define APP_CLI_TRACES_H
#include "app/cli/cli.h"

#include <varve/varve.h>

typedef struct CliTraces {
    VarveTrace        *owned;   /* in the arena of the command */
    const VarveTrace **handles; /* of `owned`, likewise */
    uint32_t           count;
} CliTraces;

/* Loads `count` files of the command from index `first` on by cli_load_strict. Release the traces in any case. */
ExitStatus cli_traces_load(Cli *cli, size_t first, size_t count, CliTraces *traces) WARN_UNUSED;
/* As cli_traces_load, by cli_load. */
ExitStatus cli_traces_load_any(Cli *cli, size_t first, size_t count, CliTraces *traces) WARN_UNUSED;
void       cli_traces_release(CliTraces *traces);

/* As cli_warnings and cli_anomalies. */
void cli_trace_warnings(const Cli *cli, const VarveTrace *trace);

/* Prints about one loaded file of the command. */
typedef ExitStatus CliDescribe(const Cli *cli, const char *path, const VarveTrace *trace);

/* Loads each file of the command by cli_load, and describes it before the next one is loaded. EXIT_STRICT if is_strict
 * and a trace has anomalies. Returns EXIT_INPUT if a file cannot be read, otherwise the first status that is not
 * EXIT_DONE. */
ExitStatus cli_describe_files(Cli *cli, CliDescribe *describe, bool is_strict) WARN_UNUSED;

/* Prints a text of the library on stdout, as cli_print, and releases it. `is_made` false: prints the error. */
ExitStatus cli_print_made(const char *file, bool is_made, VarveBytes *text,
                          const VarveError *error) WARN_UNUSED;

/* Returns an error of the library. */
Err cli_library_err(const VarveError *error);
/* Prints an error of the library, as cli_error. */
void cli_library_error(const char *file, const VarveError *error);

#endif
