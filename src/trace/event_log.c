#include "trace/event_log.h"

enum { FIRST_CHUNK_BYTES = 512, LARGEST_CHUNK_BYTES = 256 << 10 };

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
    size_t size = log->chunk_bytes == 0 ? FIRST_CHUNK_BYTES : log->chunk_bytes * 2;
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
    EventReader reader = { .log = log, .chunk = log->first };
    reader_enter(&reader);
    return reader;
}

bool event_reader_turn(EventReader *reader)
{
    while (reader->at == reader->end) {
        if (reader->chunk == NULL || reader->chunk->next == NULL) return false;
        reader->chunk = reader->chunk->next;
        reader_enter(reader);
    }
    return true;
}
