/* support/reader_ways.h - reads an input in ways that must give the same trace: whole or in pieces, and with pieces that are decoded
 * ahead. */
#ifndef TEST_SUPPORT_READER_WAYS_H
#define TEST_SUPPORT_READER_WAYS_H
#include "format/reader.h"
#include "trace/file/arrays.h"

#include <stdlib.h>
#include <string.h>

typedef struct ReaderWay {
    const FormatReader *reader;
    void (*prepare)(void *state); /* changes the reader's state after `open`; NULL = not */
    bool     decodes_ahead;
    size_t   most; /* the sizes of pieces are up to `most` and follow from the seed; 0 = one piece */
    uint64_t seed;
} ReaderWay;

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
    if (copy == NULL) abort();
    if (size > 0) memcpy(copy, bytes, size);
    return copy;
}

/* Decodes a piece ahead and passes the result to the reader. */
static void give_piece(const AheadDecoding *ahead, void *ahead_state, void *state, const uint8_t *piece,
                       size_t size, uint64_t offset, Bytes *decoded)
{
    uint8_t *copy = exact_copy(piece, size);
    ahead->decode(ahead_state, copy, size, decoded);
    free(copy);
    ahead->give(state, offset, decoded);
}

/* Reads all bytes. Pieces are decoded ahead if `ahead_state` is not NULL. */
static bool read_in_pieces(const ReaderWay *way, void *state, void *ahead_state, const uint8_t *bytes,
                           size_t size, Err *err)
{
    const AheadDecoding *ahead = way->reader->ahead;
    size_t               used = 0, end = 0;
    uint64_t             seed = way->seed;
    Bytes                decoded = { 0 };
    bool                 done = true;
    do {
        const size_t from = end, most = way->most;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        end = most == 0 || size - from <= most ? size : from + 1 + (size_t)((seed >> 33) % most);
        if (ahead_state != NULL)
            give_piece(ahead, ahead_state, state, bytes + from, end - from, from, &decoded);
        uint8_t *block = exact_copy(bytes + used, end - used);
        size_t   more = 0;
        done = way->reader->read(state, block, end - used, end == size ? INPUT_ENDS : INPUT_CONTINUES, &more,
                                 err);
        free(block);
        used += more;
    } while (done && end < size);
    bytes_release(&decoded);
    return done;
}

/* Appends the trace that a way gives, as bytes; or the error. */
static void append_trace_of(const ReaderWay *way, const uint8_t *bytes, size_t size, Bytes *out)
{
    const AheadDecoding *ahead = way->reader->ahead;
    Arena                arena = arena_create(0);
    TraceBuilder        *builder = builder_create(way->reader->name, 0);
    void                *ahead_state = calloc(1, ahead->state_bytes);
    Trace               *trace = NULL;
    Err                  err = { 0 };
    void                *state = way->reader->open(&arena, builder, &err);
    if (builder == NULL || state == NULL || ahead_state == NULL) abort();
    if (way->prepare != NULL) way->prepare(state);
    builder_set_input_size(builder, size);
    if (ahead->begin != NULL) (void)ahead->begin(ahead_state, bytes, size);
    if (read_in_pieces(way, state, way->decodes_ahead ? ahead_state : NULL, bytes, size, &err))
        trace = builder_finish(builder, 1, NULL, &err);
    if (trace != NULL && !arrays_put(trace, append_array, out, &err)) abort();
    if (trace == NULL) bytes_append(out, &err.offset, sizeof err.offset);
    if (trace == NULL) bytes_append_text(out, err.message);
    trace_release(trace);
    builder_destroy(builder);
    ahead->release(ahead_state);
    free(ahead_state);
    arena_release(&arena);
}

/* True if two ways give the same trace or error. */
static inline bool ways_agree(const ReaderWay *a, const ReaderWay *b, const uint8_t *bytes, size_t size)
{
    Bytes first = { 0 }, second = { 0 };
    append_trace_of(a, bytes, size, &first);
    append_trace_of(b, bytes, size, &second);
    const bool is_same = !first.failed && !second.failed && first.size == second.size &&
                         memcmp(first.data, second.data, first.size) == 0;
    bytes_release(&first);
    bytes_release(&second);
    return is_same;
}

#endif
