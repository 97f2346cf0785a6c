/* format/load_kept.h - loads the trace that a `.varve` file keeps for another file, as that other file would be loaded. */
#ifndef FORMAT_LOAD_KEPT_H
#define FORMAT_LOAD_KEPT_H
#include "format/load.h"

/* As load_file of `source`, a regular file, but takes the trace out of the `.varve` file `kept`, which was written after a load of
 * this source with options of the same effect. Checks that the size of the source is that in the file, and, if its arguments are in
 * the source, the identity of the source. ERR_USAGE: the part that `options` choose is invalid, as in load_file. ERR_CORRUPT and
 * ERR_VERSION: the file is of no use for this source. Releases everything on failure. */
bool load_kept(const char *kept, const char *source, const LoadOptions *options, Loaded *loaded,
               Err *err) WARN_UNUSED;
/* Reads which source a `.varve` file was made of, from its directory. The name is in `arena`. */
bool load_kept_from(const char *kept, Arena *arena, LoadedFrom *from, Err *err) WARN_UNUSED;

#endif
