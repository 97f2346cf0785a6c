#include "app/cache/cache.h"

#include "app/cache/entries.h"
#include "app/cache/key.h"
#include "base/thread.h"
#include "format/load_kept.h"
#include "format/varve/writer.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const uint64_t MOST_BYTES = UINT64_C(10) << 30, LEAST_FREE_BYTES = UINT64_C(1) << 30;

enum { LEAST_MS = 1000 };

bool cache_of_user(Cache *cache)
{
    const char *set = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool  is_set = set != NULL && set[0] == '/';
    const char *base = is_set ? set : home;
    *cache = (Cache){ .most_bytes = MOST_BYTES, .least_free_bytes = LEAST_FREE_BYTES, .least_ms = LEAST_MS };
    if (base == NULL || base[0] != '/') return false;
    const int size =
        snprintf(cache->folder, sizeof cache->folder, "%s%s/varve", base, is_set ? "" : "/.cache");
    if (size > 0 && (size_t)size < sizeof cache->folder) return true;
    cache->folder[0] = '\0';
    return false;
}

/* ---- loads ---- */

/* True if an entry can give the result of a load with these options. */
static bool suits(const Cache *cache, const LoadOptions *options)
{
    return cache != NULL && cache->folder[0] != '\0' && options->most_bytes == 0 &&
           options->symbols.path == NULL;
}

static uint64_t now_ms(void)
{
    struct timespec now = { .tv_sec = 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

typedef enum {
    FIND_FOUND,
    FIND_MISSING,
    FIND_REFUSED /* the options are invalid for the trace */
} FindOutcome;

static FindOutcome find_entry(const Cache *cache, uint64_t key, const char *path, const LoadOptions *options,
                              Loaded *loaded, Err *err)
{
    char entry[FILE_PATH_BYTES];
    if (key == 0 || !cache_entry_path(cache, key, entry) || access(entry, F_OK) != 0) return FIND_MISSING;
    if (load_kept(entry, path, options, loaded, err)) {
        (void)utimensat(AT_FDCWD, entry, NULL, 0);
        return FIND_FOUND;
    }
    if (err->code == ERR_USAGE) return FIND_REFUSED;
    if (err->code != ERR_MEMORY) (void)unlink(entry);
    return FIND_MISSING;
}

bool cache_load_file(const Cache *cache, const char *path, const LoadOptions *options, Loaded *loaded,
                     CacheLoad *load, Err *err)
{
    CacheLoad here;
    if (load == NULL) load = &here;
    *load = (CacheLoad){ .key = suits(cache, options) ? cache_key(path, options) : 0 };
    const FindOutcome outcome = find_entry(cache, load->key, path, options, loaded, err);
    load->was_found = outcome == FIND_FOUND;
    if (outcome != FIND_MISSING) return load->was_found;
    const uint64_t begin_ms = now_ms();
    const bool     done = load_file(path, options, loaded, err);
    load->took_ms = now_ms() - begin_ms;
    return done;
}

/* True if the entry was made of a file of this name, which is in its answers. */
static bool has_name(const char *entry, const char *path)
{
    Arena      arena = arena_create(0);
    LoadedFrom from;
    Err        err;
    const bool is_same =
        load_kept_from(entry, &arena, &from, &err) && strcmp(from.name, file_name_of(path)) == 0;
    arena_release(&arena);
    return is_same;
}

RemoteFile *cache_open_tiles(const Cache *cache, const char *path, const LoadOptions *options)
{
    char           entry[FILE_PATH_BYTES];
    const bool     is_whole = options->range == NULL && options->tracks == NULL;
    const uint64_t key = is_whole && suits(cache, options) ? cache_key(path, options) : 0;
    Err            err;
    if (key == 0 || !cache_entry_path(cache, key, entry) || access(entry, F_OK) != 0 ||
        !has_name(entry, path))
        return NULL;
    return remote_open_file(entry, VARVE_COARSE_LEVELS, &err);
}

/* ---- writing ---- */

/* True if another load of the same file may give another trace: it depended on free memory or disk space, on an error of the
 * device, or on another file. */
static bool is_of_the_moment(const Trace *trace)
{
    static const char *const KINDS[] = { "memory-limit", "arguments-not-kept", "input-cut-short" };
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++)
            if (strcmp(trace->records.warnings[i].kind, KINDS[k]) == 0) return true;
    for (uint32_t i = 0; i < trace->records.property_count; i++)
        if (string_equal(trace_string(trace, trace->records.properties[i].key), STRING_LITERAL("executable")))
            return true;
    return false;
}

bool cache_is_worth_keeping(const Cache *cache, const Loaded *loaded, const CacheLoad *load)
{
    const Trace *trace = loaded->trace;
    return cache != NULL && load->key != 0 && !load->was_found && load->took_ms >= cache->least_ms &&
           loaded->from.name == NULL && trace_file_holds(trace) && !trace->window.is_set &&
           trace->window.tracks == NULL && loaded->store.read != NULL &&
           loaded->store_fault.code == ERR_NONE && !is_of_the_moment(trace);
}

/* An output that ends when it is cancelled. */
typedef struct KeepSink {
    OutputSink          file;
    const _Atomic bool *cancelled;
} KeepSink;

static bool append(void *context, const void *bytes, size_t size, Err *err)
{
    const KeepSink *sink = (const KeepSink *)context;
    if (atomic_load(sink->cancelled)) return err_set(err, ERR_CANCELLED, "cancelled");
    return sink->file.append(sink->file.context, bytes, size, err);
}

/* Returns about the size of the entry. */
static uint64_t expected_bytes(const Loaded *loaded)
{
    const uint64_t columns = trace_column_bytes(loaded->trace) + trace_index_bytes(loaded->trace);
    return columns + columns / 4 + (loaded->is_plain ? 0 : 2 * loaded->bytes);
}

/* True if the disk keeps some free space with `bytes` more. */
static bool has_space(const Cache *cache, uint64_t bytes)
{
    struct statvfs system;
    return statvfs(cache->folder, &system) == 0 &&
           (uint64_t)system.f_bavail * system.f_frsize >= bytes + cache->least_free_bytes;
}

static bool write_entry(const Loaded *loaded, const VarveTiles *tiles, FileWriter *file,
                        const _Atomic bool *cancelled)
{
    const VarveFileOptions options = {
        .packing = VARVE_MAPPED, .details = VARVE_DETAILS_SOURCE, .threads = 1, .tiles = tiles
    };
    KeepSink         sink = { output_to_file(file), cancelled };
    const OutputSink output = { .append = append, .context = &sink };
    WriterReport     report = { .loss_count = 0 };
    Err              err;
    (void)fchmod(file->handle_plus_one - 1, S_IRUSR | S_IWUSR);
    return trace_file_write(loaded, &options, &output, &report, &err) && report.loss_count == 0;
}

/* Returns the size of an open output. */
static uint64_t written_bytes(const FileWriter *file)
{
    struct stat info;
    return fstat(file->handle_plus_one - 1, &info) == 0 ? (uint64_t)info.st_size : UINT64_MAX;
}

bool cache_keep(const Cache *cache, const Loaded *loaded, const LoadOptions *options, const CacheLoad *load,
                const VarveTiles *tiles, const _Atomic bool *cancelled)
{
    char       entry[FILE_PATH_BYTES];
    FileWriter file;
    Err        err;
    if (!cache_is_worth_keeping(cache, loaded, load) || !cache_entry_path(cache, load->key, entry))
        return false;
    file_make_folders(entry);
    if (!has_space(cache, expected_bytes(loaded)) || !cache_make_room(cache, 0) ||
        !file_writer_open(&file, entry, &err))
        return false;
    thread_set_background();
    /* The room is made when the size is known. The file itself counts already: it is in the folder. */
    if (write_entry(loaded, tiles, &file, cancelled) && written_bytes(&file) <= cache->most_bytes &&
        cache_make_room(cache, 0) && cache_key(loaded->name, options) == load->key && !atomic_load(cancelled))
        return file_writer_commit(&file, &err);
    file_writer_abort(&file);
    return false;
}
