/* app/cli/help.h - the texts of `varve help` and of the manual pages, from the tables of commands, options and formats. */
#ifndef APP_CLI_HELP_H
#define APP_CLI_HELP_H
#include "app/cli/cli.h"

/* Appends the page of the command, format or topic `name`, or of a command and a format that share this name. False:
 * there is no such page. */
bool help_page(const char *name, Bytes *out);
/* Calls `visit` with each name that help_page knows. A name may be visited twice. */
void help_each_name(void (*visit)(void *context, const char *name), void *context);

/* Prints help_command on stdout. */
ExitStatus help_print_command(const CliCommand *command) WARN_UNUSED;
/* Prints the version on stdout. */
ExitStatus help_print_version(void) WARN_UNUSED;
/* Prints help_overview on stdout. */
ExitStatus help_print_overview(void) WARN_UNUSED;

/* Appends the manual page of `command`, or of the whole program if it is NULL, in the man macros of roff. */
void manual_page(const CliCommand *command, Bytes *out);

#endif
