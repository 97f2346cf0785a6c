/* app/cli/view_argument.h - a view among the files of `open` and `render`: a view file (docs/view-files.md) or a link of the
 * viewer. */
#ifndef APP_CLI_VIEW_ARGUMENT_H
#define APP_CLI_VIEW_ARGUMENT_H
#include "app/cli/cli.h"

typedef struct ViewArgument {
    const char *name; /* for messages; NULL = no view is given */
    StringView  text; /* in the arena of the Cli */
} ViewArgument;

/* Takes the view out of cli->files and reads it: a name that ends with ".varve-view", or an address with "#view=". Unless
 * --perspective is given, sets the perspective of the loads to that of the view. Prints errors. */
ExitStatus view_argument_take(Cli *cli, ViewArgument *view) WARN_UNUSED;
/* If no view is given and the only file is an HTML page (by its name) with a trace and its view, sets view->text to that view. A view
 * that cannot be read is left out. */
void view_argument_of_page(Cli *cli, ViewArgument *view);

#endif
