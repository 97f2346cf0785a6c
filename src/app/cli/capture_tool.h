/* app/cli/capture_tool.h - functions shared by the commands for apitrace captures. */
#ifndef APP_CLI_CAPTURE_TOOL_H
#define APP_CLI_CAPTURE_TOOL_H
#include "app/cli/cli.h"
#include "format/apitrace/tools.h"

/* Sets *given to the set of an option, or to NULL without the option. False: the value is malformed, and a message was printed. */
bool capture_option_set(Cli *cli, const char *name, CallSet *set, const CallSet **given);
/* Prints the warnings about the capture and returns the exit status. `err` is the tool's error, NULL if it succeeded; an
 * ERR_OUTPUT is about the option -o. */
ExitStatus capture_tool_end(const Cli *cli, const char *path, const ToolResult *result, const Err *err);

#endif
