/* app/cache/entries.h - the files in the folder of the cache. */
#ifndef APP_CACHE_ENTRIES_H
#define APP_CACHE_ENTRIES_H
#include "app/cache/cache.h"

/* A file in the folder: an entry, or the unfinished file of a process. */
typedef struct CacheEntry {
    const char *path;   /* in the arena of the list, like the texts below */
    const char *source; /* name of the source; "" = an unfinished or damaged file */
    uint64_t    source_bytes;
    uint64_t    bytes;
    int64_t     used_ns; /* Unix time of its last use */
} CacheEntry;

typedef struct CacheEntries {
    CacheEntry *entries; /* the least recently used first */
    size_t      count;
    uint64_t    bytes; /* of all */
} CacheEntries;

/* ENTRY_FILES: without `source` and `source_bytes`, for which each entry is opened. */
typedef enum { ENTRY_FILES, ENTRY_SOURCES } EntryFacts;

/* Lists the folder, in `arena`; empty if it does not exist. False when out of memory. */
bool cache_list(const Cache *cache, EntryFacts facts, Arena *arena, CacheEntries *out) WARN_UNUSED;
/* Removes the least recently used entries until `room` bytes more are within the limit, and the unfinished files of processes
 * that ended without removing them. False: `room` alone is above the limit. */
bool cache_make_room(const Cache *cache, uint64_t room);
/* Removes all files. Returns the number of files that remain. */
size_t cache_clear(const CacheEntries *entries);
/* Sets the path of an entry. False: it is too long. */
bool cache_entry_path(const Cache *cache, uint64_t key, char path[FILE_PATH_BYTES]) WARN_UNUSED;

#endif
