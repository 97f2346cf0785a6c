/* app/cli/capture_tool.h - functions shared by the commands for apitrace captures. */
#ifndef APP_CLI_CAPTURE_TOOL_H
#define APP_CLI_CAPTURE_TOOL_H
#include "app/cli/traces.h"

/* Prints the error of such a function, or the fault of the capture, and returns the exit status. `error` is NULL after a success; a
 * VARVE_ERROR_OUTPUT is about the option -o. */
ExitStatus capture_tool_end(const Cli *cli, const char *path, const VarveError *fault,
                            const VarveError *error);

#endif
