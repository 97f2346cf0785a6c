/* trace/event_log.h - events of one thread as they are read, packed. For src/trace only.
 *
 * A record is what changed since the one before it: some 6 to 12 bytes instead of the 32 of an EventRecord, because
 * fresh memory is the dearest thing a loader uses. Layout of a record: a 16-bit header, then four fields of 0 to 8
 * bytes, little-endian, whose sizes the header names:
 *
 *   bits 0-3 of the header   PLACE_ bits of the event          bit 4  the time goes back
 *   bits 5-6   size of the time's distance:   1, 2, 4, 8       bits 7-8    of the duration: 0, 2, 4, 8
 *   bits 9-10  size of the offset's distance: 1, 2, 4, 8       bits 11-12  of the label:    0, 1, 2, 4
 *   bits 13-14 size of the event's distance:  0 (= 1), 1, 2, 4
 *
 * Fields are written and read eight bytes at a time: behind the last record of a chunk there is room for that. */
#ifndef TRACE_EVENT_LOG_H
#define TRACE_EVENT_LOG_H
#include "base/arena.h"

/* What an event is, beside its time and name. */
enum {
    PLACE_END = 1 << 0,     /* a mark that ends a slice; else it begins one */
    PLACE_DETAILS = 1 << 1, /* EVENT_DETAILS */
    PLACE_NO_END = 1 << 2,  /* EVENT_NO_END */
    PLACE_REPAIRED = 1 << 3 /* EVENT_REPAIRED, or moved by the builder */
};

typedef struct EventRecord {
    int64_t  tick;
    uint64_t duration; /* of completes; 0 for marks */
    uint64_t offset;   /* in the input */
    uint32_t label;
    uint32_t event; /* low 32 bits of the event's number: see builder_event_number */
    uint32_t bits;  /* PLACE_ */
} EventRecord;

typedef struct LogChunk LogChunk;
struct LogChunk {
    LogChunk *next;
    uint8_t  *end; /* behind the last record; of the log's last chunk: EventLog.at */
};

typedef struct EventLog {
    LogChunk *first, *last; /* in an arena */
    uint8_t  *at, *limit;   /* where the next record goes; where a new chunk is due */
    uint64_t  count;
    size_t    chunk_bytes;
    int64_t   tick; /* of the last record; so are offset and event */
    uint64_t  offset;
    uint32_t  event;
} EventLog;

enum { EVENT_LOG_RECORD_BYTES = 48 /* at most, the room behind it included */ };

/* A new chunk at the end. False when out of memory. */
bool event_log_grow(EventLog *log, Arena *arena) WARN_UNUSED;

static inline void store_u64le(uint8_t *b, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> (8 * i)); /* compilers make it one store */
}

static inline uint64_t load_u64le(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* Of sizes 1, 2, 4, 8: which one holds the value. */
static inline unsigned size_class(uint64_t value)
{
    return (unsigned)(value > 0xff) + (unsigned)(value > 0xffff) + (unsigned)(value > UINT32_MAX);
}

/* The packed record of an event. False when out of memory. */
static inline bool event_log_append(EventLog *log, Arena *arena, const EventRecord *r)
{
    if (UNLIKELY(log->at >= log->limit) && !event_log_grow(log, arena)) return false;
    bool     back = r->tick < log->tick;
    uint64_t moved = back ? (uint64_t)log->tick - (uint64_t)r->tick : (uint64_t)r->tick - (uint64_t)log->tick;
    uint64_t skipped = r->offset - log->offset;
    uint32_t events = r->event - log->event;
    unsigned tick_class = size_class(moved), offset_class = size_class(skipped);
    unsigned duration_class =
        r->duration == 0 ? 0 : (unsigned)(1 + (r->duration > 0xffff) + (r->duration > UINT32_MAX));
    unsigned label_class = r->label == 0 ? 0 : 1 + size_class(r->label);
    unsigned event_class = events == 1 ? 0 : 1 + size_class(events);
    uint64_t header = r->bits | (uint64_t)back << 4 | (uint64_t)tick_class << 5 |
                      (uint64_t)duration_class << 7 | (uint64_t)offset_class << 9 |
                      (uint64_t)label_class << 11 | (uint64_t)event_class << 13;
    uint8_t *at = log->at;
    at[0] = (uint8_t)header;
    at[1] = (uint8_t)(header >> 8);
    at += 2;
    store_u64le(at, moved);
    at += (size_t)1 << tick_class;
    store_u64le(at, r->duration);
    at += (size_t)1 << duration_class & ~(size_t)1;
    store_u64le(at, skipped);
    at += (size_t)1 << offset_class;
    store_u64le(at, r->label);
    at += (size_t)1 << label_class >> 1;
    store_u64le(at, events);
    at += (size_t)1 << event_class >> 1;
    log->at = at;
    log->count++;
    log->tick = r->tick;
    log->offset = r->offset;
    log->event = r->event;
    return true;
}

/* Walks a log from its begin; the log must not grow meanwhile. */
typedef struct EventReader {
    const EventLog *log;
    const LogChunk *chunk;
    const uint8_t  *at, *end;
    EventRecord     record; /* the last one read */
} EventReader;

EventReader event_log_read(const EventLog *log);
/* Goes on to the next chunk that is not empty; false at the end. */
bool event_reader_turn(EventReader *reader);

/* The next record in reader->record; false at the end. */
static inline bool event_reader_next(EventReader *reader)
{
    static const uint64_t FIRST_BYTES[9] = { 0, 0xff, 0xffff, 0, 0xffffffff, 0, 0, 0, UINT64_MAX };
    if (UNLIKELY(reader->at == reader->end) && !event_reader_turn(reader)) return false;
    EventRecord   *r = &reader->record;
    const uint8_t *at = reader->at;
    unsigned       header = at[0] | (unsigned)at[1] << 8;
    size_t         tick_size = (size_t)1 << (header >> 5 & 3),
           duration_size = (size_t)1 << (header >> 7 & 3) & ~(size_t)1;
    size_t offset_size = (size_t)1 << (header >> 9 & 3), label_size = (size_t)1 << (header >> 11 & 3) >> 1;
    size_t event_size = (size_t)1 << (header >> 13 & 3) >> 1;
    at += 2;
    uint64_t moved = load_u64le(at) & FIRST_BYTES[tick_size];
    at += tick_size;
    r->tick = (int64_t)(header & 1U << 4 ? (uint64_t)r->tick - moved : (uint64_t)r->tick + moved);
    r->duration = load_u64le(at) & FIRST_BYTES[duration_size];
    at += duration_size;
    r->offset += load_u64le(at) & FIRST_BYTES[offset_size];
    at += offset_size;
    r->label = (uint32_t)(load_u64le(at) & FIRST_BYTES[label_size]);
    at += label_size;
    r->event += event_size == 0 ? 1 : (uint32_t)(load_u64le(at) & FIRST_BYTES[event_size]);
    at += event_size;
    r->bits = header & 15;
    reader->at = at;
    return true;
}

#endif
