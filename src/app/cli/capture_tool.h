/* app/cli/capture_tool.h - what the commands for apitrace captures share. */
#ifndef APP_CLI_CAPTURE_TOOL_H
#define APP_CLI_CAPTURE_TOOL_H
#include "app/cli/cli.h"
#include "format/apitrace/tools.h"

/* The set that an option names, or NULL when it is not given. False: the user was told. */
bool capture_option_set(Cli *cli, const char *name, CallSet *set, const CallSet **given);
/* Prints what the tool found wrong with its capture, and returns the exit status. `done` false: it failed with err; one
 * of ERR_OUTPUT is about the option -o. */
ExitStatus capture_tool_end(const Cli *cli, const char *path, bool done, const ToolResult *result,
                            const Err *err);

#endif
