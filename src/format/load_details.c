/* Reads the bytes of events again and decodes their details. */
#include "format/load.h"

#include "base/lru.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <string.h>

/* Cached blocks begin at multiples of BLOCK_BYTES and overlap the next one, so that few events cross the end of a
 * block. There are many blocks, because consecutive slices of several threads come from many places of the input. */
enum { BLOCK_COUNT = 64, BLOCK_BYTES = 64 << 10, BLOCK_OVERLAP = 4 << 10, LARGE_BYTES = 1 << 20 };
static const size_t MOST_DETAIL_BYTES = (size_t)1 << 28;

typedef struct InputBlock {
    uint8_t *bytes;        /* in the reader's arena; NULL = not used yet */
    size_t   size;         /* bytes read */
    uint64_t number_plus1; /* the block begins at (number_plus1 - 1) * BLOCK_BYTES; 0 = empty */
    uint64_t last_use;
} InputBlock;

struct DetailReader {
    Arena        *arena;  /* borrowed */
    const Loaded *loaded; /* borrowed */
    uint64_t      uses;
    InputBlock    blocks[BLOCK_COUNT];
    InputBlock   *last;     /* the block that was used last */
    Bytes         large[2]; /* a begin and an end event that exceed their block */
};

DetailReader *detail_reader_create(Arena *arena, const Loaded *loaded)
{
    DetailReader *reader = ARENA_NEW(arena, DetailReader);
    if (reader == NULL) return NULL;
    reader->arena = arena;
    reader->loaded = loaded;
    reader->last = reader->blocks;
    return reader;
}

void detail_reader_release(DetailReader *reader)
{
    if (reader == NULL) return;
    bytes_release(&reader->large[0]);
    bytes_release(&reader->large[1]);
}

/* Returns the cached block with this number, else the least recently used one. */
static InputBlock *block_choose(DetailReader *reader, uint64_t number)
{
    const InputBlock *blocks = reader->blocks;
    size_t            place;
    if (LIKELY(reader->last->number_plus1 == number + 1)) return reader->last;
    LRU_CHOOSE(place, BLOCK_COUNT, i, blocks[i].number_plus1 == number + 1, true, blocks[i].last_use);
    reader->last = &reader->blocks[place];
    return reader->last;
}

static bool block_read(DetailReader *reader, InputBlock *block, uint64_t number, Err *err)
{
    const InputStore *store = &reader->loaded->store;
    if (block->bytes == NULL) {
        block->bytes = (uint8_t *)arena_push_raw(reader->arena, 1, BLOCK_BYTES + BLOCK_OVERLAP);
        if (block->bytes == NULL) return err_set(err, ERR_MEMORY, "out of memory for events' arguments");
    }
    block->number_plus1 = number + 1;
    block->size =
        store->read(store->context, number * BLOCK_BYTES, block->bytes, BLOCK_BYTES + BLOCK_OVERLAP);
    return true;
}

/* Returns the offset from which to read the event at `offset`. */
static uint64_t lead_of(const DetailReader *reader, uint64_t offset)
{
    const Loaded *loaded = reader->loaded;
    return loaded->reader->lead == NULL ? offset : loaded->reader->lead(loaded->trace, offset);
}

static bool cannot_read_again(const DetailReader *reader, uint64_t offset, Err *err)
{
    const Err *fault = &reader->loaded->store_fault;
    if (fault->code == ERR_NONE)
        return err_set_at(err, ERR_IO, offset, ERR_NOWHERE, "the input cannot be read again");
    return err_set_at(err, ERR_IO, offset, ERR_NOWHERE, "the input cannot be read again: %.140s",
                      fault->message);
}

/* Returns the bytes of the event at `offset`, out of `size` bytes of the input from `from` (<= offset) on. */
static EventBytes window_over(const uint8_t *bytes, size_t size, uint64_t from, uint64_t offset)
{
    assert(offset >= from);
    size_t lead = offset - from < size ? (size_t)(offset - from) : size;
    return (EventBytes){ .bytes = bytes + lead, .size = size - lead, .offset = offset, .lead = lead };
}

static bool window_in_block(DetailReader *reader, uint64_t offset, EventBytes *window, Err *err)
{
    uint64_t    from = lead_of(reader, offset), number = from / BLOCK_BYTES;
    size_t      at = (size_t)(from % BLOCK_BYTES);
    InputBlock *block = block_choose(reader, number);
    if (block->number_plus1 != number + 1 && !block_read(reader, block, number, err)) return false;
    block->last_use = ++reader->uses;
    if (at >= block->size) {
        block->number_plus1 = 0; /* a later call tries again */
        return cannot_read_again(reader, offset, err);
    }
    *window = window_over(block->bytes + at, block->size - at, from, offset);
    window->ends_input = block->size < BLOCK_BYTES + BLOCK_OVERLAP;
    return true;
}

static bool window_enlarge(DetailReader *reader, Bytes *large, size_t size, EventBytes *window, Err *err)
{
    const InputStore *store = &reader->loaded->store;
    uint64_t          offset = window->offset, from = lead_of(reader, offset);
    bytes_clear(large);
    void *room = bytes_reserve(large, size);
    if (room == NULL) return err_set(err, ERR_MEMORY, "out of memory for an event's arguments");
    bytes_grow(large, store->read(store->context, from, room, size));
    if (large->size == 0) return cannot_read_again(reader, offset, err);
    *window = window_over(large->data, large->size, from, offset);
    window->ends_input = large->size < size;
    return true;
}

static void details_clear(EventDetails *details)
{
    bytes_clear(&details->args);
    bytes_clear(&details->other);
    bytes_clear(&details->blob);
    details->old_phase = '\0';
}

typedef struct Place { /* of an event */
    uint64_t offset;
    int64_t  tick;
} Place;

/* Decodes the events at *begin and *end (NULL = no such event). Reads more of the input until the records are
 * complete. */
static bool decode(DetailReader *reader, const Place *begin, const Place *end, EventDetails *details,
                   Err *err)
{
    const Loaded *loaded = reader->loaded;
    EventBytes    first = { .ends_input = true }, second = first;
    if (begin != NULL && !window_in_block(reader, begin->offset, &first, err)) return false;
    if (end != NULL && !window_in_block(reader, end->offset, &second, err)) return false;
    for (size_t size = LARGE_BYTES;; size *= 8) {
        first.tick = begin == NULL ? 0 : begin->tick;
        second.tick = end == NULL ? 0 : end->tick;
        Err failure;
        if (loaded->reader->details(loaded->trace, &first, &second, details, &failure)) return true;
        details_clear(details);
        if (failure.code != ERR_TRUNCATED || (first.ends_input && second.ends_input) ||
            size > MOST_DETAIL_BYTES) {
            *err = failure;
            return false;
        }
        if (!first.ends_input && !window_enlarge(reader, &reader->large[0], size, &first, err)) return false;
        if (!second.ends_input && !window_enlarge(reader, &reader->large[1], size, &second, err))
            return false;
    }
}

/* ---- many events ---- */

bool detail_reader_slice(DetailReader *reader, uint64_t slice, EventDetails *details, Err *err)
{
    const Trace *trace = reader->loaded->trace;
    Place        begin, end;
    details_clear(details);
    bool has_begin = trace_slice_source(trace, slice, &begin.offset);
    bool has_end = trace_slice_end_source(trace, slice, &end.offset);
    if (!has_begin && !has_end) return true;
    begin.tick = trace_slice_begin(trace, slice);
    end.tick = trace_slice_end_from(trace, slice, begin.tick);
    return decode(reader, has_begin ? &begin : NULL, has_end ? &end : NULL, details, err);
}

bool detail_reader_instant(DetailReader *reader, uint64_t instant, EventDetails *details, Err *err)
{
    const Trace *trace = reader->loaded->trace;
    Place        place = { 0, trace_instant_tick(trace, instant) };
    details_clear(details);
    if (!trace_instant_source(trace, instant, &place.offset)) return true;
    return decode(reader, &place, NULL, details, err);
}

bool detail_reader_other(DetailReader *reader, uint64_t other, EventDetails *details, Err *err)
{
    assert(other < reader->loaded->trace->records.other_count);
    const OtherEvent *event = &reader->loaded->trace->records.others[other];
    Place             place = { event->offset, event->has_tick ? event->tick : 0 };
    details_clear(details);
    return decode(reader, &place, NULL, details, err);
}

/* ---- one event ---- */

static bool read_once(const Loaded *loaded, ReadDetails read, uint64_t id, EventDetails *details, Err *err)
{
    Arena         arena = arena_create(0);
    DetailReader *reader = detail_reader_create(&arena, loaded);
    bool          done;
    *details = (EventDetails){ .args = { NULL, 0, 0, false } };
    done = reader == NULL ? err_set(err, ERR_MEMORY, "out of memory") : read(reader, id, details, err);
    detail_reader_release(reader);
    arena_release(&arena);
    return done;
}

bool load_slice_details(const Loaded *loaded, uint64_t slice, EventDetails *details, Err *err)
{
    return read_once(loaded, detail_reader_slice, slice, details, err);
}

bool load_instant_details(const Loaded *loaded, uint64_t instant, EventDetails *details, Err *err)
{
    return read_once(loaded, detail_reader_instant, instant, details, err);
}

bool load_other_details(const Loaded *loaded, uint64_t other, EventDetails *details, Err *err)
{
    return read_once(loaded, detail_reader_other, other, details, err);
}

bool load_slice_blob(const Loaded *loaded, uint64_t slice, uint64_t number, Bytes *blob, Err *err)
{
    Arena         arena = arena_create(0);
    DetailReader *reader = detail_reader_create(&arena, loaded);
    EventDetails  details = { .blob_wanted = number + 1 };
    bool          done = reader == NULL ? err_set(err, ERR_MEMORY, "out of memory")
                                        : detail_reader_slice(reader, slice, &details, err);
    *blob = details.blob;
    bytes_release(&details.args);
    bytes_release(&details.other);
    detail_reader_release(reader);
    arena_release(&arena);
    return done;
}

/* ---- begin and end of a slice ---- */

bool load_has_ends(const Loaded *loaded, uint64_t slice)
{
    const SliceContext *context = loaded->reader->slice_context;
    return context != NULL && context->has_ends(loaded->trace, slice);
}

bool load_slice_ends(const Loaded *loaded, uint64_t slice, Arena *arena, SliceEnds *ends, Err *err)
{
    const ReadAgain again = { loaded->store.read, loaded->store.context };
    *ends = (SliceEnds){ .previous = SLICE_NOWHERE, .next = SLICE_NOWHERE };
    if (!load_has_ends(loaded, slice)) return true;
    if (loaded->store_fault.code != ERR_NONE) {
        *err = loaded->store_fault;
        return false;
    }
    return loaded->reader->slice_context->ends(loaded->trace, slice, &again, arena, ends, err);
}
