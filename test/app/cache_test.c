/* The cache of loaded traces: src/app/cache. */
#include "app/cache/entries.h"
#include "base/thread.h"
#include "support/test.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char SOURCE[] =
    "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"name\":\"outer\",\"args\":{\"n\":1}},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"inner\"},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":4,\"args\":{\"m\":2}},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4}]\n";

static const _Atomic bool NOT_CANCELLED = false, CANCELLED = true;

/* A cache in a new folder, with a source beside it. */
typedef struct Place {
    char  folder[64], source[96];
    Cache cache;
} Place;

static void write_source(const Place *place, const char *path, const char *text)
{
    Err err;
    (void)place;
    CHECK_DONE(file_write_whole(path, text, strlen(text), &err), err);
}

static Place make_place(void)
{
    Place place = { .folder = "/tmp/varve-cache-XXXXXX" };
    CHECK(mkdtemp(place.folder) != NULL);
    (void)snprintf(place.source, sizeof place.source, "%s/source.json", place.folder);
    place.cache.most_bytes = 1 << 20;
    (void)snprintf(place.cache.folder, sizeof place.cache.folder, "%s/a/varve", place.folder);
    write_source(&place, place.source, SOURCE);
    return place;
}

static CacheEntries list(const Place *place, Arena *arena)
{
    CacheEntries entries;
    CHECK(cache_list(&place->cache, ENTRY_SOURCES, arena, &entries));
    return entries;
}

static size_t entry_count(const Place *place)
{
    Arena        arena = arena_create(0);
    const size_t count = list(place, &arena).count;
    arena_release(&arena);
    return count;
}

static void release_place(Place *place)
{
    char               path[FILE_PATH_BYTES];
    Arena              arena = arena_create(0);
    const CacheEntries entries = list(place, &arena);
    CHECK_UINT(cache_clear(&entries), 0);
    arena_release(&arena);
    (void)unlink(place->source);
    (void)rmdir(place->cache.folder);
    (void)snprintf(path, sizeof path, "%s/a", place->folder);
    (void)rmdir(path);
    CHECK(rmdir(place->folder) == 0); /* the cache left no other file */
}

/* Loads a file, checks its events, and keeps it. Returns true if it came out of the cache. */
static bool load_and_keep(const Place *place, const char *path, const LoadOptions *options)
{
    Loaded    loaded;
    CacheLoad load;
    Err       err;
    CHECK_DONE(cache_load_file(&place->cache, path, options, &loaded, &load, &err), err);
    CHECK_UINT(loaded.trace->slices.count, 2);
    CHECK_UINT(loaded.trace->records.warning_count, 1);
    CHECK(strcmp(loaded.name, path) == 0 && strcmp(loaded.context.path, path) == 0 &&
          loaded.from.name == NULL);
    CHECK(loaded.is_plain && loaded.codec == CODEC_NONE && loaded.bytes == sizeof SOURCE - 1);
    EventDetails details = { .blob_wanted = 0 };
    CHECK_DONE(load_slice_details(&loaded, 1, &details, &err), err);
    CHECK(bytes_view(&details.args).size > 0 && memcmp(details.args.data, "{\"m\":2}", 7) == 0);
    bytes_release(&details.args);
    bytes_release(&details.other);
    CHECK(cache_keep(&place->cache, &loaded, options, &load, NULL, &NOT_CANCELLED) == !load.was_found);
    loaded_release(&loaded);
    return load.was_found;
}

static const LoadOptions DEFAULTS = { .threads = 1 };

TEST(a_kept_trace_is_found_under_any_path)
{
    Place place = make_place();
    char  other[FILE_PATH_BYTES];
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK(load_and_keep(&place, place.source, &DEFAULTS));
    (void)snprintf(other, sizeof other, "%s/moved.json", place.folder);
    CHECK(rename(place.source, other) == 0);
    CHECK(load_and_keep(&place, other, &DEFAULTS));
    CHECK(rename(other, place.source) == 0);
    CHECK_UINT(entry_count(&place), 1);
    release_place(&place);
}

TEST(only_the_owner_can_read_the_folder)
{
    Place       place = make_place();
    struct stat info;
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK(stat(place.cache.folder, &info) == 0 && (info.st_mode & 0777) == 0700);
    Arena arena = arena_create(0);
    CHECK(stat(list(&place, &arena).entries[0].path, &info) == 0 && (info.st_mode & 0777) == 0600);
    arena_release(&arena);
    release_place(&place);
}

TEST(the_list_names_the_source)
{
    Place place = make_place();
    Arena arena = arena_create(0);
    CHECK_UINT(list(&place, &arena).count, 0);
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    const CacheEntries entries = list(&place, &arena);
    CHECK_UINT(entries.count, 1);
    CHECK(strcmp(entries.entries[0].source, "source.json") == 0);
    CHECK_UINT(entries.entries[0].source_bytes, sizeof SOURCE - 1);
    CHECK(entries.bytes == entries.entries[0].bytes && entries.bytes > 0);
    arena_release(&arena);
    release_place(&place);
}

TEST(a_changed_source_is_loaded_again)
{
    Place                 place = make_place();
    const struct timespec times[2] = { { .tv_sec = 5 }, { .tv_sec = 5 } };
    char                  text[sizeof SOURCE];
    CHECK(utimensat(AT_FDCWD, place.source, times, 0) == 0);
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK(load_and_keep(&place, place.source, &DEFAULTS));
    memcpy(text, SOURCE, sizeof text);
    memcpy(strstr(text, "outer"), "OUTER", 5); /* with the same size and time of change */
    write_source(&place, place.source, text);
    CHECK(utimensat(AT_FDCWD, place.source, times, 0) == 0);
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK(utimensat(AT_FDCWD, place.source, NULL, 0) == 0); /* the same content, written again */
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK_UINT(entry_count(&place), 3);
    release_place(&place);
}

TEST(a_source_that_changed_while_it_was_loaded_is_not_kept)
{
    Place     place = make_place();
    Loaded    loaded;
    CacheLoad load;
    Err       err;
    CHECK_DONE(cache_load_file(&place.cache, place.source, &DEFAULTS, &loaded, &load, &err), err);
    write_source(&place, place.source, "[]");
    CHECK(!cache_keep(&place.cache, &loaded, &DEFAULTS, &load, NULL, &NOT_CANCELLED));
    loaded_release(&loaded);
    CHECK_UINT(entry_count(&place), 0);
    release_place(&place);
}

TEST(options_that_change_the_trace_have_entries_of_their_own)
{
    Place             place = make_place();
    const LoadOptions named = { .format_name = "trace-event" }, limited = { .record_limit = 1 << 20 },
                      part = { .range = "0..1s", .tracks = "1" }, wrong = { .tracks = "no such track" };
    Loaded    loaded;
    CacheLoad load;
    Err       err;
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    CHECK(!load_and_keep(&place, place.source, &named));
    CHECK(!load_and_keep(&place, place.source, &limited));
    CHECK_DONE(cache_load_file(&place.cache, place.source, &part, &loaded, &load, &err), err);
    CHECK(load.was_found && loaded.trace->window.is_set && loaded.trace->window.tracks != NULL);
    loaded_release(&loaded);
    CHECK(!cache_load_file(&place.cache, place.source, &wrong, &loaded, &load, &err));
    CHECK(err.code == ERR_USAGE);
    CHECK_UINT(entry_count(&place), 3);
    release_place(&place);
}

static void flip(const char *path, long offset)
{
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, offset, SEEK_SET) == 0);
    const int byte = fgetc(file);
    CHECK(byte != EOF && fseek(file, offset, SEEK_SET) == 0 && fputc(byte ^ 1, file) != EOF &&
          fclose(file) == 0);
}

TEST(a_damaged_entry_is_removed_and_the_source_loaded)
{
    enum { STEP = 101 };
    Place place = make_place();
    Arena arena = arena_create(0);
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    const CacheEntry entry = list(&place, &arena).entries[0];
    size_t           found = 0, places = 0;
    for (uint64_t at = 0; at < entry.bytes; at += STEP, places++) {
        flip(entry.path, (long)at);
        if (load_and_keep(&place, place.source, &DEFAULTS)) { /* a byte between the blocks */
            flip(entry.path, (long)at);
            found++;
        }
        CHECK_UINT(entry_count(&place), 1);
    }
    CHECK(found < places / 2);
    for (uint64_t size = 0; size < entry.bytes; size += STEP) {
        CHECK(truncate(entry.path, (off_t)size) == 0);
        CHECK(!load_and_keep(&place, place.source, &DEFAULTS)); /* and is kept again */
    }
    arena_release(&arena);
    release_place(&place);
}

TEST(the_least_recently_used_entries_make_room)
{
    Place             place = make_place();
    const LoadOptions options[] = { { .record_limit = 1 << 20 },
                                    { .record_limit = 2 << 20 },
                                    { .record_limit = 3 << 20 } };
    Arena             arena = arena_create(0);
    CHECK(!load_and_keep(&place, place.source, &options[0]));
    place.cache.most_bytes = list(&place, &arena).bytes * 5 / 2;
    CHECK(!load_and_keep(&place, place.source, &options[1]));
    CHECK(
        load_and_keep(&place, place.source, &options[0])); /* now the other one is the least recently used */
    CHECK(!load_and_keep(&place, place.source, &options[2]));
    CHECK_UINT(entry_count(&place), 2);
    CHECK(load_and_keep(&place, place.source, &options[0]));
    CHECK(load_and_keep(&place, place.source, &options[2]));
    place.cache.most_bytes = 100; /* less than an entry */
    Loaded    loaded;
    CacheLoad load;
    Err       err;
    CHECK_DONE(cache_load_file(&place.cache, place.source, &options[1], &loaded, &load, &err), err);
    CHECK(!load.was_found && !cache_keep(&place.cache, &loaded, &options[1], &load, NULL, &NOT_CANCELLED));
    loaded_release(&loaded);
    CHECK_UINT(entry_count(&place), 0);
    arena_release(&arena);
    release_place(&place);
}

TEST(unfinished_files_are_removed_when_they_are_old)
{
    Place place = make_place();
    char  path[2][FILE_PATH_BYTES + 64];
    CHECK(!load_and_keep(&place, place.source, &DEFAULTS));
    (void)snprintf(path[0], sizeof path[0], "%s/0123456789abcdef.varve.7-0.tmp", place.cache.folder);
    (void)snprintf(path[1], sizeof path[1], "%s/other", place.cache.folder);
    write_source(&place, path[0], "unfinished");
    write_source(&place, path[1], "of another program");
    CHECK(cache_make_room(&place.cache, 0));
    CHECK_UINT(entry_count(&place), 2);
    CHECK(utimensat(AT_FDCWD, path[0], (const struct timespec[2]){ { .tv_sec = 5 }, { .tv_sec = 5 } }, 0) ==
          0);
    CHECK(cache_make_room(&place.cache, 0));
    CHECK_UINT(entry_count(&place), 1);
    CHECK(unlink(path[1]) == 0); /* it is still there */
    release_place(&place);
}

TEST(a_cancelled_or_quick_load_is_not_kept)
{
    Place     place = make_place();
    Loaded    loaded;
    CacheLoad load;
    Err       err;
    CHECK_DONE(cache_load_file(&place.cache, place.source, &DEFAULTS, &loaded, &load, &err), err);
    CHECK(!cache_keep(&place.cache, &loaded, &DEFAULTS, &load, NULL, &CANCELLED));
    place.cache.least_ms = 1000000;
    CHECK(!cache_keep(&place.cache, &loaded, &DEFAULTS, &load, NULL, &NOT_CANCELLED));
    CHECK(!cache_keep(NULL, &loaded, &DEFAULTS, &load, NULL, &NOT_CANCELLED));
    loaded_release(&loaded);
    CHECK_UINT(entry_count(&place), 0);
    release_place(&place);
}

static void keep_and_load(void *context, size_t i)
{
    const Place *place = context;
    (void)i;
    for (int round = 0; round < 20; round++) {
        Loaded    loaded;
        CacheLoad load;
        Err       err;
        CHECK_DONE(cache_load_file(&place->cache, place->source, &DEFAULTS, &loaded, &load, &err), err);
        CHECK_UINT(loaded.trace->slices.count, 2);
        load.was_found = false;
        (void)cache_keep(&place->cache, &loaded, &DEFAULTS, &load, NULL, &NOT_CANCELLED);
        loaded_release(&loaded);
        if (round % 5 == 4)
            (void)cache_make_room(&place->cache, place->cache.most_bytes); /* removes the entry */
    }
}

TEST(threads_share_a_folder)
{
    Place place = make_place();
    thread_run(4, 4, keep_and_load, &place);
    CHECK(entry_count(&place) <= 1);
    release_place(&place);
}

TEST_MAIN("cache", TEST_CASE(a_kept_trace_is_found_under_any_path),
          TEST_CASE(only_the_owner_can_read_the_folder), TEST_CASE(the_list_names_the_source),
          TEST_CASE(a_changed_source_is_loaded_again),
          TEST_CASE(a_source_that_changed_while_it_was_loaded_is_not_kept),
          TEST_CASE(options_that_change_the_trace_have_entries_of_their_own),
          TEST_CASE(a_damaged_entry_is_removed_and_the_source_loaded),
          TEST_CASE(the_least_recently_used_entries_make_room),
          TEST_CASE(unfinished_files_are_removed_when_they_are_old),
          TEST_CASE(a_cancelled_or_quick_load_is_not_kept), TEST_CASE(threads_share_a_folder))
