/* varve cache - lists and removes the traces that are kept for the next opening. */
#include "app/cache/entries.h"
#include "app/cli/cli.h"
#include "app/cli/table_text.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const OptionSpec OPTIONS[] = { { "clear", '\0', NULL, "remove all of them" },
                                      { "json", '\0', NULL, "one JSON object, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

enum { SIZE_WIDTH = 14 };

/* ---- as JSON ---- */

static void write_entry(JsonWriter *w, const CacheEntry *entry)
{
    json_object_begin(w);
    json_put_view_or_null(w, "source", c_string_view(entry->source));
    json_put_u64(w, "source_bytes", entry->source_bytes);
    json_put_u64(w, "bytes", entry->bytes);
    json_put_i64(w, "used_unix_ns", entry->used_ns);
    json_put_string(w, "file", entry->path);
    json_object_end(w);
}

static void put_json(const Cache *cache, const CacheEntries *entries, Bytes *out)
{
    JsonWriter w = json_writer_to(out, 2);
    json_object_begin(&w);
    json_put_string(&w, "folder", cache->folder);
    json_put_u64(&w, "bytes", entries->bytes);
    json_put_u64(&w, "most_bytes", cache->most_bytes);
    json_put_array(&w, "entries");
    for (size_t i = entries->count; i-- > 0;)
        write_entry(&w, &entries->entries[i]);
    json_array_end(&w);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

/* ---- as text ---- */

static void put_size(Bytes *out, uint64_t bytes)
{
    char text[DIGITS_TEXT];
    (void)digits_put_whole(bytes, text);
    table_put_right(out, text, SIZE_WIDTH);
}

static void put_date(Bytes *out, int64_t unix_ns)
{
    const time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm    date;
    char         text[32];
    if (localtime_r(&seconds, &date) == NULL || strftime(text, sizeof text, "%Y-%m-%d %H:%M", &date) == 0)
        return;
    bytes_printf(out, "  %s  ", text);
}

static void put_total(Bytes *out, const char *verb, const CacheEntries *entries, const Cache *cache)
{
    char bytes[DIGITS_TEXT], most[DIGITS_TEXT];
    (void)digits_put_whole(entries->bytes, bytes);
    (void)digits_put_whole(cache->most_bytes, most);
    bytes_printf(out, "%s%zu %s, %s bytes of at most %s, in %s\n", verb, entries->count,
                 entries->count == 1 ? "trace" : "traces", bytes, most, cache->folder);
}

static void put_text(const Cache *cache, const CacheEntries *entries, Bytes *out)
{
    if (entries->count > 0)
        bytes_append_text(out, "         bytes      of source  last use          source\n");
    for (size_t i = entries->count; i-- > 0;) {
        const CacheEntry *entry = &entries->entries[i];
        Bytes             name = { 0 };
        put_size(out, entry->bytes);
        put_size(out, entry->source_bytes);
        put_date(out, entry->used_ns);
        bytes_append_text(&name, entry->source[0] == '\0' ? "(unfinished or damaged)" : entry->source);
        text_append_plain(out, bytes_view(&name));
        bytes_append_text(out, "\n");
        bytes_release(&name);
    }
    put_total(out, "", entries, cache);
}

/* ---- the command ---- */

static ExitStatus clear(const Cli *cli, const Cache *cache, const CacheEntries *entries)
{
    Bytes        out = { 0 };
    const size_t left = cache_clear(entries);
    if (left > 0) {
        (void)fprintf(stderr, "varve: %s: %zu files cannot be removed\n", cache->folder, left);
        return EXIT_OUTPUT;
    }
    if (!cli->quiet) put_total(&out, "removed ", entries, cache);
    const ExitStatus status = cli_print(&out);
    bytes_release(&out);
    return status;
}

static ExitStatus run(Cli *cli)
{
    Cache        cache;
    CacheEntries entries;
    Bytes        out = { 0 };
    if (cli->file_count > 0) return cli_usage_error(cli, "cache takes no file");
    if (!cache_of_user(&cache)) {
        (void)fputs("varve: no cache: neither XDG_CACHE_HOME nor HOME is a folder\n", stderr);
        return EXIT_OUTPUT;
    }
    if (!cache_list(&cache, ENTRY_SOURCES, &cli->arena, &entries)) {
        (void)fputs("varve: out of memory\n", stderr);
        return EXIT_OUTPUT;
    }
    if (cli_option(cli, "clear") != NULL) return clear(cli, &cache, &entries);
    if (cli_option(cli, "json") != NULL)
        put_json(&cache, &entries, &out);
    else
        put_text(&cache, &entries, &out);
    const ExitStatus status = cli_print(&out);
    bytes_release(&out);
    return status;
}

const CliCommand COMMAND_CACHE = {
    .name = "cache",
    .summary = "Lists the traces that are kept for instant reopening, or removes them",
    .usage = "[--clear] [--json]",
    .details =
        "varve open keeps a trace that took more than a second to load. It is opened at once the next\n"
        "time, by every command, until its file changes. At most 10 GB are kept; beyond that the\n"
        "traces that were not used for the longest time are removed.",
    .examples = "  varve cache\n"
                "  varve cache --clear\n"
                "  varve open --no-cache trace.json   # neither read nor written",
    .options = OPTIONS,
    .run = run
};
