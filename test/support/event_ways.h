/* support/event_ways.h - reads trace event JSON in the ways that must give the same trace: by the general parser of events, by
 * the one for repeated spellings, and with pieces that are decoded ahead. */
#ifndef TEST_SUPPORT_EVENT_WAYS_H
#define TEST_SUPPORT_EVENT_WAYS_H
#include "format/trace_event/read/document.h"
#include "trace/file/arrays.h"

#include <stdlib.h>
#include <string.h>

typedef enum { WAY_GENERAL, WAY_SHAPES, WAY_AHEAD } EventWay;

static bool append_array(void *context, const TraceArray *array, Err *err)
{
    Bytes *out = (Bytes *)context;
    bytes_append(out, array->name, strlen(array->name) + 1);
    bytes_append(out, &array->count, sizeof array->count);
    bytes_append(out, array->items, array_item_bytes(array->type) * (size_t)array->count);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory");
}

/* Copies bytes to memory of their exact size, so that a read behind them is found. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = (uint8_t *)malloc(size == 0 ? 1 : size);
    if (copy != NULL && size > 0) memcpy(copy, bytes, size);
    return copy;
}

/* Reads all bytes in pieces: the sizes below `most` follow from the seed; 0 = one piece. Each piece is decoded ahead if `ahead` is not
 * NULL. */
static bool read_in_ways(Document *document, AheadState *ahead, const uint8_t *bytes, size_t size,
                         size_t most, uint64_t seed, Err *err)
{
    size_t used = 0, end = 0;
    Bytes  decoded = { 0 };
    bool   done = true;
    do {
        const size_t from = end;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        end = most == 0 || size - from <= most ? size : from + 1 + (size_t)((seed >> 33) % most);
        if (ahead != NULL) {
            uint8_t *piece = exact_copy(bytes + from, end - from);
            if (piece == NULL) abort();
            ahead_decode(ahead, piece, end - from, &decoded);
            free(piece);
            document_give_ahead(document, from, &decoded);
        }
        uint8_t *block = exact_copy(bytes + used, end - used);
        size_t   more = 0;
        if (block == NULL) abort();
        done = document_read(document, block, end - used, end == size ? INPUT_ENDS : INPUT_CONTINUES, &more,
                             err);
        free(block);
        used += more;
    } while (done && end < size);
    bytes_release(&decoded);
    return done;
}

/* Appends the trace that one way gives, as bytes; or the error. */
static void append_trace_of(EventWay way, const uint8_t *bytes, size_t size, size_t most, uint64_t seed,
                            Bytes *out)
{
    Arena         arena = arena_create(0);
    TraceBuilder *builder = builder_create("trace-event", 0);
    Document     *document = ARENA_NEW(&arena, Document);
    AheadState   *ahead = (AheadState *)calloc(1, sizeof *ahead);
    Trace        *trace = NULL;
    Err           err = { 0 };
    if (builder == NULL || document == NULL || ahead == NULL || !document_open(document, &arena, builder))
        abort();
    if (way == WAY_GENERAL) document->shapes = NULL;
    builder_set_input_size(builder, size);
    if (read_in_ways(document, way == WAY_AHEAD ? ahead : NULL, bytes, size, most, seed, &err))
        trace = builder_finish(builder, 1, NULL, &err);
    if (trace != NULL && !arrays_put(trace, append_array, out, &err)) abort();
    if (trace == NULL) bytes_append(out, &err.offset, sizeof err.offset);
    if (trace == NULL) bytes_append_text(out, err.message);
    trace_release(trace);
    builder_destroy(builder);
    arena_release(&arena);
    ahead_release(ahead);
    free(ahead);
}

/* True if the way gives the same trace as the general one. */
static inline bool event_way_is_right(EventWay way, const uint8_t *bytes, size_t size, size_t most,
                                      uint64_t seed)
{
    Bytes general = { 0 }, other = { 0 };
    append_trace_of(WAY_GENERAL, bytes, size, 0, 0, &general);
    append_trace_of(way, bytes, size, most, seed, &other);
    const bool is_same = !general.failed && !other.failed && general.size == other.size &&
                         memcmp(general.data, other.data, other.size) == 0;
    bytes_release(&general);
    bytes_release(&other);
    return is_same;
}

#endif
