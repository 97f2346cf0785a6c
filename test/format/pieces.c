#include "format/pieces.h"

#include "support/golden.h"
#include "trace/log/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static size_t next_piece(const Pieces *pieces, size_t left)
{
    size_t size = left;
    if (pieces->random != NULL)
        size = 1 + (size_t)test_random_below(pieces->random, pieces->most);
    else if (pieces->fixed != 0)
        size = pieces->fixed;
    return size < left ? size : left;
}

bool read_pieces(void *state, ReadPiece read, const void *bytes, size_t size, Pieces pieces, Err *err)
{
    size_t begin = 0, end = 0;
    for (;;) {
        end += next_piece(&pieces, size - end);
        size_t   used = 0, piece_size = end - begin;
        uint8_t *piece = malloc(piece_size == 0 ? 1 : piece_size);
        CHECK(piece != NULL);
        if (piece_size > 0) memcpy(piece, (const uint8_t *)bytes + begin, piece_size);
        InputState input = end == size ? INPUT_ENDS : INPUT_CONTINUES;
        bool       done = read(state, piece, piece_size, input, &used, err);
        free(piece);
        if (!done) return false;
        CHECK(used <= piece_size);
        begin += used;
        if (input == INPUT_ENDS) return true;
    }
}

Built built_by(const FormatReader *reader, const char *perspective, const void *bytes, size_t size,
               Pieces pieces)
{
    Built         built = { 0 };
    Arena         arena = arena_create(0);
    TraceBuilder *builder = builder_create(reader->name, 0);
    void         *state = NULL;
    if (builder == NULL) {
        err_set(&built.err, ERR_MEMORY, "no builder");
        goto done;
    }
    if (perspective != NULL) builder_want_perspective(builder, perspective);
    state = reader->open(&arena, builder, &built.err);
    if (state == NULL || !read_pieces(state, reader->read, bytes, size, pieces, &built.err)) goto done;
    built.trace = builder_finish(builder, 1, NULL, &built.err);
done:
    builder_destroy(builder);
    arena_release(&arena);
    return built;
}

Trace *built_whole_by(const FormatReader *reader, Bytes *bytes)
{
    Built built = built_by(reader, NULL, bytes->data, bytes->size, (Pieces){ 0 });
    CHECK_DONE(built.trace != NULL, built.err);
    Err err;
    CHECK_DONE(trace_check(built.trace, &err), err);
    bytes_release(bytes);
    return built.trace;
}

/* ---- contents of a trace ---- */

uint64_t warning_count(const Trace *trace, const char *kind, const Warning **first)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        if (strcmp(trace->records.warnings[i].kind, kind) != 0) continue;
        if (first != NULL) *first = &trace->records.warnings[i];
        return trace->records.warnings[i].count;
    }
    return 0;
}

uint64_t event_count(const Trace *trace, const char *kind)
{
    StringView wanted = { kind, strlen(kind) };
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        if (string_equal(trace_string(trace, trace->records.event_kinds[i].name), wanted))
            return trace->records.event_kinds[i].count;
    }
    return 0;
}

void text_tick(const Trace *trace, int64_t tick, Bytes *out)
{
    char text[CLOCK_TICK_TEXT];
    clock_format_tick(&trace->clock, tick, text);
    bytes_append_text(out, text);
}

static void text_quoted(const Trace *trace, StringId id, Bytes *out)
{
    StringView view = trace_string(trace, id);
    bytes_printf(out, "'%.*s'", (int)view.size, view.bytes);
}

void text_properties(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        text_quoted(trace, trace->records.properties[i].key, out);
        bytes_printf(out, " %.*s\n", (int)trace->records.properties[i].size,
                     trace->records.properties[i].json);
    }
}

void text_event_kinds(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        text_quoted(trace, trace->records.event_kinds[i].name, out);
        bytes_printf(out, " x %" PRIu64 "\n", trace->records.event_kinds[i].count);
    }
}

void text_warnings(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        char           line[320];
        err_format(&warning->first, line, sizeof line);
        bytes_printf(out, "%s x %" PRIu64 ": %s\n", warning->kind, warning->count, line);
    }
}

static void text_refusal(const Err *err, Bytes *out)
{
    char line[320];
    err_format(err, line, sizeof line);
    bytes_printf(out, "refused (%s): %s\n", err_code_name(err->code), line);
}

void text_built(Built built, TextTrace text_trace, const void *bytes, size_t size, Bytes *out)
{
    Err err;
    bytes_clear(out);
    if (built.trace != NULL) {
        text_trace(built.trace, bytes, size, out);
        CHECK_DONE(trace_check(built.trace, &err), err);
        trace_release(built.trace);
    } else {
        text_refusal(&built.err, out);
    }
    CHECK(!out->failed);
}

/* ---- properties of every reader ---- */

void check_text_of(TextOf text_of, Bytes *file, const char *expected)
{
    Bytes text = { 0 };
    text_of(file, file->size, (Pieces){ 0 }, &text);
    bytes_append(&text, "", 1);
    CHECK(!text.failed);
    CHECK_STRING((const char *)text.data, expected);
    bytes_release(&text);
    bytes_release(file);
}

void check_golden_files(TextOf text_of, const char *folder, const char *suffix, const char *const *names,
                        size_t count)
{
    Bytes file = { 0 }, text = { 0 };
    for (size_t i = 0; i < count; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s.%s", folder, names[i], suffix);
        print_message("# %s\n", path);
        fixture_read(path, &file);
        text_of(&file, file.size, (Pieces){ 0 }, &text);
        (void)snprintf(path, sizeof path, "%s/%s.txt", folder, names[i]);
        golden_check(path, text.data, text.size);
        bytes_release(&file);
    }
    bytes_release(&text);
}

static void check_pieces(TextOf text_of, const Bytes *file, Pieces pieces, const Bytes *whole)
{
    Bytes text = { 0 };
    text_of(file, file->size, pieces, &text);
    CHECK(text.size == whole->size && memcmp(text.data, whole->data, whole->size) == 0);
    bytes_release(&text);
}

void check_any_pieces(TextOf text_of, const Bytes *file)
{
    static const size_t MOST[] = { 3, 40, 700, 5000 };
    TestRandom          random = { 5 };
    Bytes               whole = { 0 };
    text_of(file, file->size, (Pieces){ 0 }, &whole);
    check_pieces(text_of, file, (Pieces){ .fixed = 1 }, &whole);
    for (size_t n = 0; n < 12; n++)
        check_pieces(text_of, file, (Pieces){ .most = MOST[n % 4], .random = &random }, &whole);
    bytes_release(&whole);
}

void check_any_byte(TextOf text_of, Bytes *file, size_t first, TestRandom *random)
{
    Bytes whole = { 0 };
    for (int turn = 0; turn < 300; turn++) {
        size_t  at = first + (size_t)test_random_below(random, file->size - first);
        uint8_t before = file->data[at];
        file->data[at] = (uint8_t)test_random(random);
        text_of(file, file->size, (Pieces){ 0 }, &whole);
        check_pieces(text_of, file, (Pieces){ .most = 64, .random = random }, &whole);
        file->data[at] = before;
    }
    bytes_release(&whole);
}

void check_every_allocation(Build build, const Bytes *file)
{
    uint64_t n = 0;
    for (;; n++) {
        memory_fail_after(n);
        Built built = build(file);
        memory_fail_after(UINT64_MAX);
        if (built.trace != NULL) {
            trace_release(built.trace);
            break;
        }
        CHECK_INT(built.err.code, ERR_MEMORY);
        CHECK(n < 10000);
    }
    CHECK(n > 3);
}
