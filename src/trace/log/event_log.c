#include "trace/log/event_log.h"

#include "base/external_store.h"
#include "trace/log/page_remap.h"

/* The first chunk has room for only a few events, because a trace may have very many threads with few events; later
 * chunks are larger. */
enum {
    FIRST_CHUNK_BYTES = EVENT_LOG_RECORD_BYTES + 16,
    LARGEST_CHUNK_BYTES = 256 << 10,
    FASTEST_GROWTH = 512
};

static uint8_t *chunk_bytes(LogChunk *chunk)
{
    return (uint8_t *)(chunk + 1);
}

static const uint8_t *chunk_begin(const LogChunk *chunk)
{
    return (const uint8_t *)(chunk + 1);
}

size_t event_log_chunk_bytes(const EventLog *log, size_t most)
{
    const size_t last = log->last == NULL ? 0 : log->last->size - sizeof(LogChunk);
    const size_t size = last == 0 ? FIRST_CHUNK_BYTES : last < FASTEST_GROWTH ? last * 4 : last * 2;
    return sizeof(LogChunk) + (size < most ? size : most);
}

void event_log_add_chunk(EventLog *log, void *memory, size_t bytes)
{
    LogChunk *chunk = (LogChunk *)memory;
    *chunk = (LogChunk){ .size = bytes, .tick = log->tick, .offset = log->offset, .event = log->event };
    if (log->last == NULL) {
        log->first = chunk;
    } else {
        log->last->end = log->at;
        log->last->next = chunk;
    }
    log->before_last = log->last;
    log->last = chunk;
    log->at = chunk_bytes(chunk);
    log->limit = (uint8_t *)memory + bytes - EVENT_LOG_RECORD_BYTES;
}

/* A chunk whose bytes are outside of the memory. */
typedef struct StoredChunk {
    LogChunk chunk; /* end: NULL */
    uint64_t place;
    size_t   size; /* of the records */
} StoredChunk;

static bool is_stored(const EventLog *log, const LogChunk *chunk)
{
    return chunk->end == NULL && chunk != log->last;
}

/* Stores the records of the last chunk outside of the memory, and empties it. False: they stay. */
static bool put_external(EventLog *log, Arena *arena)
{
    LogChunk *const last = log->last;
    if (last == NULL || last->size < sizeof *last + LARGEST_CHUNK_BYTES || log->stays_in_memory) return false;
    const size_t size = (size_t)(log->at - chunk_begin(last));
    uint64_t     place;
    if (!external_store_put(chunk_begin(last), size, &place)) return false;
    StoredChunk *stored = ARENA_NEW(arena, StoredChunk);
    if (stored == NULL) return false;
    *stored = (StoredChunk){ *last, place, size };
    stored->chunk.next = last;
    stored->chunk.size = sizeof *stored;
    last->tick = log->tick;
    last->offset = log->offset;
    last->event = log->event;
    log->before_last->next = &stored->chunk; /* the first chunk of a log is small */
    log->before_last = &stored->chunk;
    log->at = chunk_bytes(last);
    return true;
}

bool event_log_grow(EventLog *log, Arena *arena)
{
    if (put_external(log, arena)) return true;
    size_t bytes = event_log_chunk_bytes(log, LARGEST_CHUNK_BYTES);
    void  *memory = arena_push_raw(arena, 1, bytes);
    if (memory == NULL) return false;
    event_log_add_chunk(log, memory, bytes);
    return true;
}

void event_reader_close(EventReader *reader)
{
    memory_unmap(reader->stored, LARGEST_CHUNK_BYTES);
    reader->stored = NULL;
}

/* Reads the bytes of a chunk that is not in memory. If that fails the reader is at its end. */
static void enter_stored(EventReader *reader)
{
    const StoredChunk *stored = (const StoredChunk *)(const void *)reader->chunk;
    if (reader->stored == NULL) reader->stored = (uint8_t *)memory_map(LARGEST_CHUNK_BYTES);
    reader->failed =
        reader->stored == NULL || !external_store_get(stored->place, reader->stored, stored->size);
    reader->at = reader->stored;
    reader->end = reader->at + stored->size;
    if (!reader->failed) return;
    event_reader_close(reader);
    reader->chunk = NULL;
    reader->at = reader->end = NULL;
}

static void reader_enter(EventReader *reader)
{
    const LogChunk *chunk = reader->chunk;
    if (chunk != NULL && is_stored(reader->log, chunk)) {
        enter_stored(reader);
        return;
    }
    event_reader_close(reader); /* at the latest before the last chunk, which is in memory */
    reader->at = chunk == NULL ? NULL : chunk_begin(chunk);
    reader->end = chunk == NULL ? NULL : chunk == reader->log->last ? reader->log->at : chunk->end;
}

EventReader event_log_read(const EventLog *log)
{
    EventReader reader = { .log = log, .chunk = log->first, .has_durations = log->has_durations };
    reader_enter(&reader);
    return reader;
}

bool event_reader_next_block(EventReader *reader)
{
    if (reader->back != NULL) {
        reader->at = reader->back;
        reader->end = reader->back_end;
        reader->back = NULL;
    }
    while (reader->at == reader->end) {
        if (reader->chunk == NULL || reader->chunk->next == NULL) return false;
        const LogChunk *left = reader->chunk;
        reader->chunk = left->next;
        if (left->end != NULL)
            page_remap_done(reader->remap, left, (size_t)(left->end - (const uint8_t *)left));
        reader_enter(reader);
    }
    return true;
}

/* ---- back ---- */

size_t event_log_chunk_count(const EventLog *log)
{
    size_t count = 0;
    for (const LogChunk *chunk = log->first; chunk != NULL; chunk = chunk->next)
        count++;
    return count;
}

size_t event_log_chunk_records(const EventLog *log)
{
    enum { SHORTEST_RECORD_BYTES = 6 };
    size_t most = 0;
    for (const LogChunk *chunk = log->first; chunk != NULL; chunk = chunk->next) {
        const bool   is_away = is_stored(log, chunk);
        const size_t bytes = is_away ? ((const StoredChunk *)(const void *)chunk)->size : chunk->size;
        if (bytes > most) most = bytes;
    }
    return most / SHORTEST_RECORD_BYTES + 1;
}

BackReader event_log_read_back(const EventLog *log, const LogChunk **chunks, EventRecord *records)
{
    BackReader back = { .chunks = chunks,
                        .records = records,
                        .reader = { .log = log, .has_durations = log->has_durations } };
    for (const LogChunk *chunk = log->first; chunk != NULL; chunk = chunk->next)
        chunks[back.chunk_count++] = chunk;
    return back;
}

/* Reads the records of the reader's chunk. Inlined for each kind. Returns their number. */
static ALWAYS_INLINE size_t read_chunk(EventReader *from, RecordKind kind, EventRecord *records)
{
    EventReader reader = *from; /* so that the compiler can keep it in registers */
    size_t      count = 0;
    while (reader.at != reader.end && event_reader_next_of(&reader, kind))
        records[count++] = reader.record;
    *from = reader;
    return count;
}

bool back_reader_next_chunk(BackReader *back)
{
    EventReader *const reader = &back->reader;
    while (back->count == 0 && back->chunk_count > 0 && !reader->failed) {
        reader->chunk = back->chunks[--back->chunk_count];
        reader->record = (EventRecord){ .tick = reader->chunk->tick,
                                        .offset = reader->chunk->offset,
                                        .event = reader->chunk->event };
        reader_enter(reader);
        back->count = reader->has_durations ? read_chunk(reader, RECORDS_OF_COMPLETES, back->records)
                                            : read_chunk(reader, RECORDS_IN_ORDER, back->records);
    }
    return back->count > 0;
}

void back_reader_close(BackReader *back)
{
    event_reader_close(&back->reader);
}

/* True if `next` begins at the end of `chunk`: both are in one block of their arena. */
static bool is_beside(const EventLog *log, const LogChunk *chunk, const LogChunk *next)
{
    enum { ARENA_ALIGNMENT = 16 };
    return next != NULL && !is_stored(log, chunk) && !is_stored(log, next) &&
           (uintptr_t)next - ((uintptr_t)chunk + chunk->size) < ARENA_ALIGNMENT;
}

/* Adjacent chunks are discarded together, including the pages that they share. */
void event_log_discard(EventLog *log)
{
    for (LogChunk *chunk = log->first; chunk != NULL;) {
        uint8_t  *begin = chunk_bytes(chunk);
        LogChunk *last = chunk, *next = chunk->next;
        for (; is_beside(log, last, next); next = next->next)
            last = next;
        const uint8_t *end = last == log->last ? log->at : last->end;
        if (end != NULL) memory_discard(begin, (size_t)(end - begin));
        chunk = next;
    }
    *log = (EventLog){ .has_durations = log->has_durations, .stays_in_memory = log->stays_in_memory };
}

bool event_log_append_any(EventLog *log, Arena *arena, const EventRecord *r)
{
    if (log->at >= log->limit && !event_log_grow(log, arena)) return false;
    if (event_log_append_short(log, r, RECORDS_ANY)) return true;
    const bool     back = r->tick < log->tick;
    const uint64_t tick = (uint64_t)r->tick, before = (uint64_t)log->tick;
    uint8_t *const at = log->at;
    at[0] = (uint8_t)(r->bits | (back ? (uint32_t)RECORD_BACK : 0) | RECORD_LONG);
    bits_store_u64(at + 1, back ? before - tick : tick - before);
    bits_store_u64(at + 9, r->offset - log->offset);
    bits_store_u64(at + 17, r->duration);
    bits_store_u64(at + 25, r->label | (uint64_t)(r->event - log->event) << 32);
    log->at = at + 33;
    log->count++;
    log->tick = r->tick;
    log->offset = r->offset;
    log->event = r->event;
    return true;
}

void event_reader_get_long(EventReader *reader)
{
    EventRecord   *r = &reader->record;
    const uint8_t *at = reader->at;
    uint64_t       moved = bits_load_u64(at + 1), last = bits_load_u64(at + 25);
    r->tick = (int64_t)(at[0] & RECORD_BACK ? (uint64_t)r->tick - moved : (uint64_t)r->tick + moved);
    r->offset += bits_load_u64(at + 9);
    r->duration = bits_load_u64(at + 17);
    r->label = (uint32_t)last;
    r->event += (uint32_t)(last >> 32);
    r->bits = at[0] & 15U;
    reader->at = at + 33;
}
