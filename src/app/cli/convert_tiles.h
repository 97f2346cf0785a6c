/* app/cli/convert_tiles.h - a .varve file with tiles, which the viewer opens by ranges from a web server. */
#ifndef APP_CLI_CONVERT_TILES_H
#define APP_CLI_CONVERT_TILES_H
#include "app/cli/cli.h"

#include <varve/varve.h>

/* Writes the file, and prints the losses or the error. Releases the trace. */
ExitStatus convert_with_tiles(const Cli *cli, const Loaded *loaded, VarveArgumentUse arguments,
                              const char *path) WARN_UNUSED;

#endif
