/* A reader on any bytes: loads and checks the trace, then decodes its details, or reads it again in small pieces, which
 * must give the same trace, or loads it for each perspective. One target for each format: FUZZ_FORMAT is its name. */
#include "fuzz.h"

#include "base/json_check.h"
#include "base/utf8.h"
#include "format/load.h"

#include <string.h>

#define MEMORY_LIMIT (UINT64_C(1) << 28)

typedef bool (*DetailsFunction)(const Loaded *loaded, uint64_t index, EventDetails *details, Err *err);

static void expect_json(const void *json, size_t size)
{
    expect(size == 0 || json_valid((const char *)json, size), "details are not valid JSON");
}

/* Damage may keep details from being decoded; decoded details are JSON. */
static void decode_all(const Loaded *loaded, DetailsFunction decode, uint64_t count)
{
    enum { MOST = 256 };
    for (uint64_t i = 0; i < count && i < MOST; i++) {
        EventDetails details = { 0 };
        Err          err;
        if (!decode(loaded, i, &details, &err)) continue;
        expect_json(details.args.data, details.args.size);
        expect_json(details.other.data, details.other.size);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

static void look_at_details(const Loaded *loaded)
{
    const Trace *trace = loaded->trace;
    for (uint32_t i = 0; i < trace->records.property_count; i++)
        expect_json(trace->records.properties[i].json, trace->records.properties[i].size);
    decode_all(loaded, load_slice_details, trace->slices.count);
    decode_all(loaded, load_instant_details, trace->instants.count);
    decode_all(loaded, load_other_details, trace->records.other_count);
}

static void look_at_ends(const Loaded *loaded)
{
    enum { MOST = 16 };
    const Trace *trace = loaded->trace;
    for (uint64_t s = 0; s < trace->slices.count; s += trace->slices.count / MOST + 1) {
        Arena      arena = arena_create(0);
        SliceEnds  ends;
        Err        err;
        const bool done = load_slice_ends(loaded, s, &arena, &ends, &err);
        for (size_t i = 0; done && i < ends.end.frame_count; i++) {
            const StringView function = ends.end.frames[i].function;
            expect(utf8_valid_prefix(function.bytes, function.size) == function.size, "ends: no UTF-8");
        }
        arena_release(&arena);
    }
}

typedef struct Span {
    const uint8_t *data;
    size_t         size;
} Span;

static size_t read_span(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Span *span = context;
    if (offset >= span->size) return 0;
    if (size > span->size - offset) size = span->size - (size_t)offset;
    memcpy(buffer, span->data + offset, size);
    return size;
}

static Trace *read_in_pieces(const FormatReader *reader, const uint8_t *data, size_t size, size_t piece)
{
    Arena         arena = arena_create(0);
    TraceBuilder *builder = builder_create(FUZZ_FORMAT, 0);
    Trace        *trace = NULL;
    Err           err;
    if (builder == NULL) return NULL;
    void *state = reader->open(&arena, builder, &err);
    /* half of the inputs can be read only once; those of perf.data have names behind the events, which a load reads first */
    Span       span = { data, size };
    const bool is_again = size % 2 == 0 || strcmp(FUZZ_FORMAT, "perf-data") == 0;
    if (state != NULL && reader->configure != NULL && is_again)
        reader->configure(state, &(ReadContext){ .again = { read_span, &span } });
    size_t begin = 0, end = 0;
    bool   more = state != NULL;
    while (more) {
        end = size - end > piece ? end + piece : size;
        size_t used = 0;
        more = reader->read(state, data + begin, end - begin, end == size ? INPUT_ENDS : INPUT_CONTINUES,
                            &used, &err) &&
               !builder_failed(builder);
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
    expect(a->source.complete == b->source.complete, "pieces: completeness");
    expect(a->records.warning_count == b->records.warning_count, "pieces: warnings");
    for (uint32_t i = 0; i < a->records.warning_count; i++) {
        expect(a->records.warnings[i].kind == b->records.warnings[i].kind &&
                   a->records.warnings[i].count == b->records.warnings[i].count &&
                   a->records.warnings[i].first.offset == b->records.warnings[i].first.offset,
               "pieces: a warning");
    }
    for (uint64_t i = 0; i < a->slices.count; i++) {
        expect(trace_slice_begin(a, i) == trace_slice_begin(b, i) &&
                   trace_slice_label(a, i) == trace_slice_label(b, i) &&
                   a->slices.flags[i] == b->slices.flags[i],
               "pieces: a slice");
    }
}

/* Loads the input once for each perspective, as the viewer does: the code differs from loading all at once. */
static void look_at_perspectives(const uint8_t *data, size_t size, const Trace *all)
{
    for (size_t i = 0; i < all->perspectives.count; i++) {
        const LoadOptions options = { .format_name = FUZZ_FORMAT,
                                      .threads = 1,
                                      .perspective = all->perspectives.names[i] };
        Loaded            loaded;
        Err               err;
        if (!load_bytes(data, size, "fuzz", &options, &loaded, &err)) continue; /* out of memory */
        if (!trace_check(loaded.trace, &err)) expect(false, err.message);
        expect(loaded.trace->source.complete == all->source.complete, "perspective: completeness");
        loaded_release(&loaded);
    }
}

/* A further check of a loaded trace. Each input gets one of them. */
typedef enum { LOOK_AT_DETAILS, LOOK_AT_ENDS, LOOK_AT_PIECES, LOOK_AT_PERSPECTIVES, LOOK_COUNT } Look;

static void look_at(Look look, const uint8_t *data, size_t size, const Loaded *loaded)
{
    Trace *pieces;
    switch (look) {
    case LOOK_AT_DETAILS:
        look_at_details(loaded);
        break;
    case LOOK_AT_ENDS:
        look_at_ends(loaded);
        break;
    case LOOK_AT_PERSPECTIVES:
        look_at_perspectives(data, size, loaded->trace);
        break;
    case LOOK_AT_PIECES:
        if (!loaded->is_plain) break;
        pieces = read_in_pieces(loaded->reader, data, size, size % 61 + 1);
        expect(pieces != NULL, "pieces: refused an input that was read as a whole");
        compare(loaded->trace, pieces);
        trace_release(pieces);
        break;
    case LOOK_COUNT:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LoadOptions         options = { .format_name = FUZZ_FORMAT, .threads = 1 };
    Loaded              loaded;
    Err                 err;
    const FormatReader *reader = format_find(FUZZ_FORMAT);
    expect(reader != NULL, "no such format");
    memory_set_limit(MEMORY_LIMIT);
    (void)reader->probe(data, size);
    if (!load_bytes(data, size, "fuzz", &options, &loaded, &err)) return 0;
    if (!trace_check(loaded.trace, &err)) expect(false, err.message);
    look_at((Look)choose(data, size, LOOK_COUNT), data, size, &loaded);
    loaded_release(&loaded);
    return 0;
}
