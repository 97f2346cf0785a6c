/* app/cli/convert_html.h - `varve convert --to=html`: the viewer and a trace as one HTML file, which needs no other file and no
 * network. Its begin is the file share.html of the viewer (web/page.mjs); the trace and the view follow in data blocks, which
 * web/src/page_files.ts describes. */
#ifndef APP_CLI_CONVERT_HTML_H
#define APP_CLI_CONVERT_HTML_H
#include "app/cli/view_argument.h"

/* Writes the file `path`. The trace is the input as it is, or in JSON if an option chooses a part of it or interprets it.
 * Reports errors, and the losses of JSON, on stderr. */
ExitStatus convert_html(const Cli *cli, const Loaded *loaded, const ViewArgument *view, const char *path);

#endif
