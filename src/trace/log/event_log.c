#include "trace/log/event_log.h"

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
    size_t size = log->chunk_bytes == 0               ? FIRST_CHUNK_BYTES
                  : log->chunk_bytes < FASTEST_GROWTH ? log->chunk_bytes * 4
                                                      : log->chunk_bytes * 2;
    return sizeof(LogChunk) + (size < most ? size : most);
}

void event_log_add_chunk(EventLog *log, void *memory, size_t bytes)
{
    LogChunk *chunk = (LogChunk *)memory;
    *chunk = (LogChunk){ .size = bytes };
    if (log->last == NULL) {
        log->first = chunk;
    } else {
        log->last->end = log->at;
        log->last->next = chunk;
    }
    log->last = chunk;
    log->chunk_bytes = bytes - sizeof *chunk;
    log->at = chunk_bytes(chunk);
    log->limit = log->at + log->chunk_bytes - EVENT_LOG_RECORD_BYTES;
}

bool event_log_grow(EventLog *log, Arena *arena)
{
    size_t bytes = event_log_chunk_bytes(log, LARGEST_CHUNK_BYTES);
    void  *memory = arena_push_raw(arena, 1, bytes);
    if (memory == NULL) return false;
    event_log_add_chunk(log, memory, bytes);
    return true;
}

static void reader_enter(EventReader *reader)
{
    const LogChunk *chunk = reader->chunk;
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
        page_remap_done(reader->remap, left, (size_t)(left->end - (const uint8_t *)left));
        reader_enter(reader);
    }
    return true;
}

/* True if `next` begins at the end of `chunk`: both are in one block of their arena. */
static bool is_beside(const LogChunk *chunk, const LogChunk *next)
{
    enum { ARENA_ALIGNMENT = 16 };
    return next != NULL && (uintptr_t)next - ((uintptr_t)chunk + chunk->size) < ARENA_ALIGNMENT;
}

/* Adjacent chunks are discarded together, including the pages that they share. */
void event_log_discard(EventLog *log)
{
    for (LogChunk *chunk = log->first; chunk != NULL;) {
        uint8_t  *begin = chunk_bytes(chunk);
        LogChunk *last = chunk, *next = chunk->next;
        for (; is_beside(last, next); next = next->next)
            last = next;
        const uint8_t *end = last == log->last ? log->at : last->end;
        memory_discard(begin, (size_t)(end - begin));
        chunk = next;
    }
    *log = (EventLog){ .has_durations = log->has_durations };
}

uint8_t *event_log_put_long(uint8_t *at, uint32_t head, uint64_t moved, uint64_t skipped, uint64_t duration,
                            uint32_t label, uint32_t events)
{
    at[0] = (uint8_t)(head | RECORD_LONG);
    store_u64le(at + 1, moved);
    store_u64le(at + 9, skipped);
    store_u64le(at + 17, duration);
    store_u64le(at + 25, label | (uint64_t)events << 32);
    return at + 33;
}

void event_reader_get_long(EventReader *reader)
{
    EventRecord   *r = &reader->record;
    const uint8_t *at = reader->at;
    uint64_t       moved = load_u64le(at + 1), last = load_u64le(at + 25);
    r->tick = (int64_t)(at[0] & RECORD_BACK ? (uint64_t)r->tick - moved : (uint64_t)r->tick + moved);
    r->offset += load_u64le(at + 9);
    r->duration = load_u64le(at + 17);
    r->label = (uint32_t)last;
    r->event += (uint32_t)(last >> 32);
    r->bits = at[0] & 15U;
    reader->at = at + 33;
}
