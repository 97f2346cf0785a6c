/* The contents of each generation of a trace from version 1.22 on, before its events are ordered:
 * test/data/go/facts.txt. */
#include "format/go/v2/spec.h"
#include "format/go_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Found {
    const Bytes *file;
    uint64_t     number; /* of the last generation */
    Bytes        lines;
} Found;

static int compare_threads(const void *a, const void *b)
{
    const GoThread *x = a, *y = b;
    return (x->m > y->m) - (x->m < y->m);
}

/* Writes "M TICKS NAME ARG..." for each event of a batch. */
static void print_batch(const GoBatch *batch, const uint8_t *bytes, Bytes *out)
{
    ByteCursor c = cursor_over(bytes + batch->at, batch->size, batch->at);
    uint64_t   ticks = batch->time;
    while (cursor_left(&c) > 0) {
        size_t        before = out->size;
        uint8_t       type = cursor_u8(&c);
        const V2Spec *spec = &V2_SPECS[type < V2_TYPE_COUNT ? type : 0];
        ticks += cursor_varint(&c, ULEB_REFUSE_EXCESS);
        bytes_printf(out, "%" PRId64 " %" PRIu64 " %s", batch->m, ticks,
                     spec->name == NULL ? "?" : spec->name);
        for (unsigned i = 0; i < spec->arg_count; i++)
            bytes_printf(out, " %" PRIu64, cursor_varint(&c, ULEB_REFUSE_EXCESS));
        bytes_append_text(out, "\n");
        if (c.failed || !spec->is_timed) { /* Go does not read further either */
            out->size = before;
            return;
        }
    }
}

static void print_generation(Found *found, const GoGeneration *generation)
{
    const uint8_t *bytes = found->file->data + generation->origin;
    GoThread      *threads = calloc(generation->thread_count + 1, sizeof *threads);
    Bytes          stream = { 0 };
    uint32_t       batches = 0;
    char           hash[65];
    CHECK(threads != NULL);
    if (generation->thread_count > 0)
        memcpy(threads, generation->threads, generation->thread_count * sizeof *threads);
    qsort(threads, generation->thread_count, sizeof *threads, compare_threads);
    for (uint32_t i = 0; i < generation->thread_count; i++) {
        for (uint32_t at = threads[i].first; at != 0; at = generation->batches[at - 1].next, batches++)
            print_batch(&generation->batches[at - 1], bytes, &stream);
    }
    sha256_text(stream.data, stream.size, hash);
    bytes_printf(&found->lines, " generation %" PRIu64 " %g %u %u %u %u %u %" PRIu64 " %s\n",
                 generation->number, generation->ns_per_tick, generation->tables.string_count,
                 generation->tables.stack_count, generation->sample_count, batches, generation->thread_count,
                 generation->min_ticks, hash);
    bytes_release(&stream);
    free(threads);
}

static void begin(void *context, const GoTrace *trace)
{
    (void)context, (void)trace;
}

static bool take(void *context, GoTrace *trace, const GoEvent *event)
{
    Found   *found = context;
    uint64_t number = trace->generation.number; /* 0: the end of the last one */
    if (!trace->is_v2 || number == 0 || event->kind != GO_SYNC || number == found->number) return true;
    found->number = number;
    print_generation(found, &trace->generation);
    return true;
}

static bool end(void *context, GoTrace *trace)
{
    (void)context, (void)trace;
    return true;
}

PRINTF_LIKE(4, 0)
static void no_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    (void)context, (void)kind, (void)offset, (void)format, (void)args;
}

static bool has_generations(const char *facts)
{
    for (; *facts == ' '; facts = strchr(facts, '\n') + 1)
        if (strncmp(facts, " generation ", 12) == 0) return true;
    return false;
}

/* Returns the number of generations of a file that equal Go's. All generations must, if Go reads any: it gives up if a
 * generation's clock is not the first record of its batch. */
static size_t check_file(const char *name, const char *facts)
{
    Bytes  file = { 0 };
    Err    err;
    size_t same = 0;
    go_file_read(name, &file);
    Found  found = { .file = &file };
    GoSink sink = { V1_BY_TIME, begin, take, end, { no_warning, NULL }, &found, NULL, NULL };
    CHECK_DONE(go_events(&file, file.size, 0, &sink, &err), err);
    for (const char *at = facts; *at == ' '; at = strchr(at, '\n') + 1) {
        if (strncmp(at, " generation ", 12) != 0) continue;
        size_t length = strcspn(at, "\n") + 1;
        for (size_t i = 0; i + length <= found.lines.size; i++)
            same += memcmp(found.lines.data + i, at, length) == 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < found.lines.size && has_generations(facts); i++)
        count += found.lines.data[i] == '\n';
    if (same != count) print_error("%s:\n%.*s", name, (int)found.lines.size, (const char *)found.lines.data);
    CHECK_UINT(same, count);
    bytes_release(&found.lines);
    bytes_release(&file);
    return same;
}

TEST(generations_are_those_that_go_finds)
{
    Bytes  facts = { 0 };
    size_t same = 0;
    fixture_read("go/facts.txt", &facts);
    bytes_append(&facts, "", 1);
    for (char *at = (char *)facts.data; *at != '\0';) {
        char  name[128];
        char *lines = strchr(at, '\n') + 1;
        snprintf(name, sizeof name, "%.*s", (int)(lines - 1 - at), at);
        same += check_file(name, lines);
        for (at = lines; *at == ' ';)
            at = strchr(at, '\n') + 1;
    }
    CHECK_UINT(same, 71);
    bytes_release(&facts);
}

TEST_MAIN("go_generations", TEST_CASE(generations_are_those_that_go_finds))
