/* format/varve/remote.h - a `.varve` file that is read by ranges: answers for the view from its tiles (format/varve/tiles.h).
 *
 * Opening takes one or two requests. The tiles of a place take at most three: one for the index, one or two for tiles. Blocks
 * are kept in memory, the least recently used are dropped. Nothing of the file is trusted: each size and offset is checked, each
 * part has a checksum, each tile is verified. Any thread; requests wait for each other. */
#ifndef FORMAT_VARVE_REMOTE_H
#define FORMAT_VARVE_REMOTE_H
#include "base/progress.h"
#include "base/string_view.h"
#include "format/ranges.h"
#include "format/varve/levels.h"
#include "trace/wire/outline.h"
#include "trace/wire/tile.h"

typedef struct RemoteFile RemoteFile;

/* Opens a file that has at least these levels and takes the ownership of the source, also on failure. NULL: ERR_UNKNOWN if it has no
 * such tiles, or they are of another version: it must be loaded as a whole. */
RemoteFile *remote_open(const RangeSource *source, VarveLevels levels, Err *err) WARN_UNUSED;
/* Opens the file at an address that load_is_address accepts. ERR_UNKNOWN also if it does not begin as a `.varve` file, or if the
 * address does not end in ".varve": then nothing is requested. `progress` is NULL or outlives the file, and cancels requests. */
RemoteFile *remote_open_address(const char *address, const Progress *progress, Err *err) WARN_UNUSED;
/* Opens a file of this machine with at least these levels. Fails as remote_open, and with ERR_IO. */
RemoteFile *remote_open_file(const char *path, VarveLevels levels, Err *err) WARN_UNUSED;
void        remote_close(RemoteFile *file); /* accepts NULL */

/* True if the file has the levels of all these tiles, or lists of which they can be cut. */
bool remote_has_levels(const RemoteFile *file, const TileKey *keys, size_t count);
/* Returns the size of the file in bytes. */
uint64_t remote_size(const RemoteFile *file);
/* Returns the outline, valid until remote_close. */
const Outline *remote_outline(const RemoteFile *file);
/* Appends the stored answer to a request of docs/PROTOCOL.md, without the parameter `trace`. *found = false: no such answer. False: err
 * filled. */
bool remote_answer(RemoteFile *file, StringView request, Bytes *out, bool *found, Err *err) WARN_UNUSED;
/* Appends for each key the size of the tile (u32) and the tile; size 0: no such tile. key.filter is copied into the tile. The file has
 * their levels (remote_has_levels). False: err filled. */
bool remote_tiles(RemoteFile *file, const TileKey *keys, size_t count, Bytes *out, Err *err) WARN_UNUSED;

#endif
