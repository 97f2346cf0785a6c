#include "app/cache/entries.h"

#include "base/vec.h"
#include "format/load_kept.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    KEY_DIGITS = 16,
    UNFINISHED_S = 600 /* a file that is being written changes all the time: an older one is left over */
};

static const char SUFFIX[] = ".varve";

bool cache_entry_path(const Cache *cache, uint64_t key, char path[FILE_PATH_BYTES])
{
    const int size = snprintf(path, FILE_PATH_BYTES, "%s/%016" PRIx64 "%s", cache->folder, key, SUFFIX);
    return cache->folder[0] != '\0' && size > 0 && size < FILE_PATH_BYTES;
}

/* ---- the list ---- */

/* OTHER_FILE: not of the cache. It is neither listed nor removed. */
typedef enum { OTHER_FILE, ENTRY_FILE, UNFINISHED_FILE } FileKind;

static FileKind file_kind(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef"), suffix = sizeof SUFFIX - 1, size = strlen(name);
    if (digits != KEY_DIGITS || strncmp(name + digits, SUFFIX, suffix) != 0) return OTHER_FILE;
    if (size == digits + suffix) return ENTRY_FILE;
    return name[digits + suffix] == '.' && strcmp(name + size - 4, ".tmp") == 0 ? UNFINISHED_FILE
                                                                                : OTHER_FILE;
}

static int64_t unix_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool set_source(CacheEntry *entry, Arena *arena)
{
    LoadedFrom from;
    Err        err;
    if (!load_kept_from(entry->path, arena, &from, &err)) return err.code != ERR_MEMORY;
    entry->source = from.name;
    entry->source_bytes = from.bytes;
    return true;
}

/* Fills an entry for a file of the folder. False: another file, or *done is false: out of memory. */
static bool find_entry(const Cache *cache, const char *name, EntryFacts facts, Arena *arena,
                       CacheEntry *entry, bool *done)
{
    const FileKind kind = file_kind(name);
    const size_t   size = strlen(cache->folder) + strlen(name) + 2;
    struct stat    info;
    char          *path = kind == OTHER_FILE ? NULL : arena_push_raw(arena, 1, size);
    if (kind == OTHER_FILE) return false;
    *done = path != NULL;
    if (path == NULL) return false;
    (void)snprintf(path, size, "%s/%s", cache->folder, name);
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    *entry = (CacheEntry){
        .path = path, .source = "", .bytes = (uint64_t)info.st_size, .used_ns = unix_ns(&info.st_mtim)
    };
    *done = kind != ENTRY_FILE || facts == ENTRY_FILES || set_source(entry, arena);
    return *done;
}

static int compare_use(const void *a, const void *b)
{
    const CacheEntry *x = (const CacheEntry *)a, *y = (const CacheEntry *)b;
    if (x->used_ns != y->used_ns) return x->used_ns < y->used_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

bool cache_list(const Cache *cache, EntryFacts facts, Arena *arena, CacheEntries *out)
{
    VEC(CacheEntry) entries = VEC_EMPTY;
    DIR *folder = cache->folder[0] == '\0' ? NULL : opendir(cache->folder);
    bool done = true;
    *out = (CacheEntries){ .count = 0 };
    for (const struct dirent *file; done && folder != NULL && (file = readdir(folder)) != NULL;) {
        CacheEntry entry;
        if (!find_entry(cache, file->d_name, facts, arena, &entry, &done)) continue;
        vec_push(&entries, entry);
        out->bytes += entry.bytes;
    }
    if (folder != NULL) (void)closedir(folder);
    out->count = vec_count(&entries);
    out->entries = vec_copy(&entries, arena);
    done = done && out->entries != NULL;
    vec_release(&entries);
    if (done && out->count > 0) qsort(out->entries, out->count, sizeof *out->entries, compare_use);
    return done;
}

/* ---- removal ---- */

size_t cache_clear(const CacheEntries *entries)
{
    size_t failed = 0;
    for (size_t i = 0; i < entries->count; i++)
        failed += unlink(entries->entries[i].path) != 0;
    return failed;
}

bool cache_make_room(const Cache *cache, uint64_t room)
{
    Arena           arena = arena_create(0);
    CacheEntries    list;
    struct timespec now;
    if (room > cache->most_bytes) return false;
    const bool done =
        cache_list(cache, ENTRY_FILES, &arena, &list) && clock_gettime(CLOCK_REALTIME, &now) == 0;
    const uint64_t most = cache->most_bytes - room;
    for (size_t i = 0; done && i < list.count; i++) {
        const CacheEntry *entry = &list.entries[i];
        const bool        is_entry = file_kind(file_name_of(entry->path)) == ENTRY_FILE;
        const bool        is_left_over =
            !is_entry && unix_ns(&now) - entry->used_ns > UNFINISHED_S * INT64_C(1000000000);
        if (is_left_over || (is_entry && list.bytes > most)) {
            (void)unlink(entry->path);
            list.bytes -= entry->bytes;
        }
    }
    arena_release(&arena);
    return done && list.bytes <= most;
}
