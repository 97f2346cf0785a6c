/* app/cache/cache.h - the cache of loaded traces: files in the user's cache folder from which a trace is opened again without being
 * read.
 *
 * An entry is a `.varve` file (docs/formats/varve.md) whose arrays are mapped. The arguments of events stay in the source; if the
 * source is compressed, the entry has its bytes. The name of an entry is the key: a hash of the size of the source, of its time of
 * change, of samples of its content, of the options of the load and of the version of this program. So an entry is found whatever
 * the path of the source, and is not found after a change. An entry is as little trusted as any input: one that is damaged is
 * removed, and the source is loaded.
 *
 * Entries are written under another name and renamed, and never changed, so any number of processes may use the folder at once.
 * The time of change of an entry is that of its last use. No function reports an error of the cache itself: without it everything
 * works, slower.
 *
 * An entry has the tiles of the whole trace and the first answers of the page (format/varve/tiles.h), which are read without the
 * rest of the file: the first picture does not wait until all columns are checked. Native only. */
#ifndef APP_CACHE_CACHE_H
#define APP_CACHE_CACHE_H
#include "base/file.h"
#include "format/load.h"
#include "format/varve/remote.h"

typedef struct VarveTiles VarveTiles; /* format/varve/writer.h */

typedef struct Cache {
    char     folder[FILE_PATH_BYTES]; /* "" = nothing is found or kept */
    uint64_t most_bytes;              /* of all entries */
    uint64_t least_free_bytes;        /* of the disk, with a new entry */
    uint64_t least_ms;                /* a load that took less time is not kept */
} Cache;

/* Sets *cache to the user's: $XDG_CACHE_HOME/varve or ~/.cache/varve, 10 GB, 1 GB of the disk free, loads of a second. False: there is no such folder. */
bool cache_of_user(Cache *cache) WARN_UNUSED;

/* A load, for cache_keep. */
typedef struct CacheLoad {
    uint64_t key; /* of the source before the load; 0 = the load is not for the cache */
    uint64_t took_ms;
    bool     was_found;
} CacheLoad;

/* As load_file. Takes the trace from the cache if it is there. `cache` and `load` may be NULL. Any thread. */
bool cache_load_file(const Cache *cache, const char *path, const LoadOptions *options, Loaded *loaded,
                     CacheLoad *load, Err *err) WARN_UNUSED;

/* Opens the tiles of the entry that cache_load_file would take the trace from. NULL: no entry, or the load is of a part of the
 * trace. The caller closes it. Any thread. */
RemoteFile *cache_open_tiles(const Cache *cache, const char *path, const LoadOptions *options) WARN_UNUSED;

/* True if the load took long, its result depends on the file and the options alone, and it is not in the cache. */
bool cache_is_worth_keeping(const Cache *cache, const Loaded *loaded, const CacheLoad *load);
/* Writes the entry of a load with these options, and removes the least recently used entries to make room. `tiles` has the answers
 * for the first picture; NULL: the entry has none. Stops soon after *cancelled is set. False: nothing was kept. Gives the calling
 * thread the lowest priority. Any thread; *loaded is only read. */
bool cache_keep(const Cache *cache, const Loaded *loaded, const LoadOptions *options, const CacheLoad *load,
                const VarveTiles *tiles, const _Atomic bool *cancelled);

#endif
