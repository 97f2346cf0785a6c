#include "trace/event_log.h"

/* The first chunk has room for a few events, because a trace may have very many threads that do next to nothing; a thread that
 * goes on soon has large ones. */
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

bool event_log_grow(EventLog *log, Arena *arena)
{
    size_t size = log->chunk_bytes == 0               ? FIRST_CHUNK_BYTES
                  : log->chunk_bytes < FASTEST_GROWTH ? log->chunk_bytes * 4
                                                      : log->chunk_bytes * 2;
    if (size > LARGEST_CHUNK_BYTES) size = LARGEST_CHUNK_BYTES;
    LogChunk *chunk = (LogChunk *)arena_push_raw(arena, 1, sizeof(LogChunk) + size);
    if (chunk == NULL) return false;
    *chunk = (LogChunk){ .next = NULL };
    if (log->last == NULL) {
        log->first = chunk;
    } else {
        log->last->end = log->at;
        log->last->next = chunk;
    }
    log->last = chunk;
    log->chunk_bytes = size;
    log->at = chunk_bytes(chunk);
    log->limit = log->at + size - EVENT_LOG_RECORD_BYTES;
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

EventReader event_log_read_last(EventLog *log, EventLog *taken)
{
    *taken = *log;
    *log = (EventLog){ .has_durations = taken->has_durations };
    EventReader reader = event_log_read(taken);
    reader.kept = taken->first == NULL ? NULL : chunk_bytes(taken->first);
    return reader;
}

/* The reader leaves a chunk for the next one. Chunks that lie one behind the other go together, up to where a huge page
 * ends: giving back a part of one would take it apart. */
static void discard_read(EventReader *reader, LogChunk *next)
{
    enum { GAP_MOST = EVENT_LOG_RECORD_BYTES + 16 };
    const uintptr_t huge_page = (uintptr_t)2 << 20;
    const uintptr_t end = (uintptr_t)reader->end, kept = (uintptr_t)reader->kept;
    bool            goes_on = (uintptr_t)next >= end && (uintptr_t)next - end <= GAP_MOST;
    uintptr_t       given = goes_on ? end - end % huge_page : end;
    if (given > kept) memory_discard(reader->kept, given - kept);
    if (!goes_on) {
        reader->kept = next == NULL ? NULL : chunk_bytes(next);
    } else if (given > kept) {
        reader->kept += given - kept;
    }
}

/* To the chunk behind; false at the end. */
static bool reader_leave(EventReader *reader)
{
    LogChunk *next = reader->chunk == NULL ? NULL : reader->chunk->next;
    if (reader->kept != NULL) discard_read(reader, next);
    if (next == NULL) return false;
    reader->chunk = next;
    reader_enter(reader);
    return true;
}

bool event_reader_turn(EventReader *reader)
{
    while (reader->at == reader->end) {
        if (!reader_leave(reader)) return false;
    }
    return true;
}

void event_log_discard(EventLog *log)
{
    EventLog    taken;
    EventReader reader = event_log_read_last(log, &taken);
    while (reader_leave(&reader)) {
    }
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

void event_reader_next_rare(EventReader *reader)
{
    (void)event_reader_next(reader); /* there is one: it was looked at */
}
