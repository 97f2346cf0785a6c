/* The Heph reader on any bytes: opens, finishes and checks the trace, decodes details, and reads the same again in
 * small pieces, which must give the same. */
#include "format/heph/heph.h"
#include "format/load.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "heph_fuzz: %s\n", what);
    abort();
}

static void look_at_details(const Loaded *loaded)
{
    const Trace *trace = loaded->trace;
    for (uint64_t i = 0; i < trace->slices.count && i < 64; i++) {
        EventDetails details = { 0 };
        Err          err;
        if (load_slice_details(loaded, i, &details, &err)) {
            bytes_release(&details.args);
            bytes_release(&details.other);
        }
    }
    for (uint64_t i = 0; i < trace->other_count && i < 64; i++) {
        EventDetails details = { 0 };
        Err          err;
        if (load_other_details(loaded, i, &details, &err)) {
            bytes_release(&details.args);
            bytes_release(&details.other);
        }
    }
}

static Trace *read_in_pieces(const uint8_t *data, size_t size, size_t piece)
{
    Arena         arena = arena_create(0);
    TraceBuilder *builder = builder_create("heph", 0);
    Trace        *trace = NULL;
    Err           err;
    if (builder == NULL) return NULL;
    void  *state = HEPH_READER.open(&arena, builder, &err);
    size_t begin = 0, end = 0;
    bool   more = state != NULL;
    while (more) {
        end = size - end > piece ? end + piece : size;
        size_t used = 0;
        more = HEPH_READER.read(state, data + begin, end - begin, end == size ? INPUT_ENDS : INPUT_CONTINUES,
                                 &used, &err);
        expect(!more || used <= end - begin, "used more than there is");
        begin += used;
        if (more && end == size) {
            trace = builder_finish(builder, 1, NULL, &err);
            more = false;
        }
    }
    builder_destroy(builder);
    arena_release(&arena);
    return trace;
}

static void compare(const Trace *a, const Trace *b)
{
    expect(a->slices.count == b->slices.count, "pieces: number of slices");
    expect(a->begin_tick == b->begin_tick && a->end_tick == b->end_tick, "pieces: range");
    expect(a->complete == b->complete, "pieces: completeness");
    expect(a->warning_count == b->warning_count, "pieces: warnings");
    for (uint32_t i = 0; i < a->warning_count; i++) {
        expect(a->warnings[i].kind == b->warnings[i].kind && a->warnings[i].count == b->warnings[i].count &&
                   a->warnings[i].first.offset == b->warnings[i].first.offset,
               "pieces: a warning");
    }
    for (uint64_t i = 0; i < a->slices.count; i++) {
        expect(a->slices.begin_tick[i] == b->slices.begin_tick[i] &&
                   a->slices.label[i] == b->slices.label[i] && a->slices.flags[i] == b->slices.flags[i],
               "pieces: a slice");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LoadOptions options = { .format_name = "heph", .threads = 1, .memory_limit = UINT64_C(1) << 30 };
    Loaded      loaded;
    Err         err;
    (void)HEPH_READER.probe(data, size);
    bool   whole = load_bytes(data, size, "fuzz", &options, &loaded, &err);
    Trace *pieces = read_in_pieces(data, size, size % 61 + 1);
    if (whole) {
        if (!trace_check(loaded.trace, &err)) expect(false, err.message);
        look_at_details(&loaded);
        if (loaded.codec == CODEC_NONE) {
            expect(pieces != NULL, "pieces: refused what was read whole");
            compare(loaded.trace, pieces);
        }
        loaded_release(&loaded);
    }
    trace_release(pieces);
    return 0;
}
