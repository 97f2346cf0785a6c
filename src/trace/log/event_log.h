/* trace/log/event_log.h - events of one thread in input order, packed. For src/trace only. (Most begin and end events are
 * not in a log: trace/log/mark_rows.h.)
 *
 * A record is the difference from the previous record: usually 6 or 8 bytes instead of the 40 of an EventRecord,
 * because fresh memory is the most expensive resource of a load. Layout, little-endian:
 *
 *   short   8 bits head: 0-3 the event's PLACE_ bits, 4 it has a label, 5 its number is not the next one,
 *                        6 the time goes back, 7 clear
 *          24 bits distance in time, 16 bits distance in the input, 16 bits label (only if it has one)
 *          32 bits duration (only in logs of completes), 16 bits distance of its number (only if not the next)
 *   long    8 bits head: 0-3 as above, 6 the time goes back, 7 set
 *          64 bits distance in time, 64 bits distance in the input, 64 bits duration, 32 bits label, 32 bits distance
 *          of its number: for values that do not fit into a short record, and for a first time below 0
 *
 * Records are written and read eight bytes at a time: a chunk has room for that after its last record. Full chunks of the
 * largest size leave the memory if the program has functions for that (base/external_store.h). */
#ifndef TRACE_LOG_EVENT_LOG_H
#define TRACE_LOG_EVENT_LOG_H
#include "base/arena.h"
#include "base/bits.h"

/* Properties of an event beside its time and name. */
enum {
    PLACE_END = 1 << 0,     /* an end event; otherwise a begin event */
    PLACE_DETAILS = 1 << 1, /* EVENT_DETAILS */
    PLACE_NO_END = 1 << 2,  /* EVENT_NO_END */
    PLACE_REPAIRED = 1 << 3 /* EVENT_REPAIRED, or a time changed by the builder */
};

typedef struct EventRecord {
    int64_t  tick;
    uint64_t duration; /* of completes; 0 for begins and ends */
    uint64_t offset;   /* in the input */
    uint32_t label;
    uint32_t event; /* low 32 bits of the event's number: see builder_event_number */
    uint32_t bits;  /* PLACE_ */
    uint32_t stack; /* of the trace; not in the log: see trace/log/stack_log.h */
} EventRecord;

typedef struct LogChunk LogChunk;
struct LogChunk {
    LogChunk *next;
    /* after the last record; NULL of the log's last chunk, which ends at EventLog.at, and of chunks outside of the memory */
    uint8_t *end;
    size_t   size; /* bytes of the chunk, this header included */
    /* of the record before its first one */
    int64_t  tick;
    uint64_t offset;
    uint32_t event;
};

typedef struct EventLog {
    LogChunk *first, *last, *before_last; /* in an arena */
    uint8_t  *at, *limit; /* the place of the next record; the end of the room in this chunk */
    uint64_t  count;
    bool      has_durations;   /* a log of completes: set before the first record */
    bool      stays_in_memory; /* its readers do not check EventReader.failed: set before the first record */
    int64_t   tick;            /* of the last record, like offset and event */
    uint64_t  offset;
    uint32_t  event;
} EventLog;

enum { EVENT_LOG_RECORD_BYTES = 48 /* maximum, including the padding after it */ };

/* Makes room for the next record: stores the last chunk outside of the memory, or appends a new one. False when out of memory. */
bool event_log_grow(EventLog *log, Arena *arena) WARN_UNUSED;
/* Adds a chunk for the next records in memory of the caller: event_log_chunk_bytes of it, which is sizeof(LogChunk) and more than
 * EVENT_LOG_RECORD_BYTES, up to `most`; aligned as a pointer. */
size_t event_log_chunk_bytes(const EventLog *log, size_t most);
void   event_log_add_chunk(EventLog *log, void *memory, size_t bytes);

enum { RECORD_LABEL = 1 << 4, RECORD_SKIPS = 1 << 5, RECORD_BACK = 1 << 6, RECORD_LONG = 1 << 7 };

/* Appends a record of any size. False when out of memory. */
bool event_log_append_any(EventLog *log, Arena *arena, const EventRecord *r) WARN_UNUSED;

/* The properties of records that the caller knows. */
typedef enum {
    RECORDS_ANY,
    RECORDS_OF_COMPLETES,
    RECORDS_IN_ORDER /* begins and ends, of which none is earlier than the record before: no short record goes back */
} RecordKind;

/* Appends a record that is short and fits into the chunk. False without any effect for others. */
static ALWAYS_INLINE bool event_log_append_short(EventLog *log, const EventRecord *r, RecordKind kind)
{
    const uint32_t timed = kind == RECORDS_ANY ? log->has_durations : kind == RECORDS_OF_COMPLETES;
    const uint32_t back = kind != RECORDS_IN_ORDER && r->tick < log->tick;
    const uint64_t tick = (uint64_t)r->tick, before = (uint64_t)log->tick;
    const uint64_t moved = back ? before - tick : tick - before, skipped = r->offset - log->offset;
    const uint32_t events = r->event - log->event;
    uint8_t       *at = log->at;
    if (UNLIKELY(at >= log->limit)) return false;
    if (UNLIKELY((moved >> 24 | skipped >> 16 | (r->label | events) >> 16 | r->duration >> 32) != 0))
        return false;
    if (kind == RECORDS_ANY && UNLIKELY(back != 0 && log->count == 0)) return false;
    /* without branches, because these are unpredictable */
    const uint32_t named = r->label != 0, skips = events != 1;
    const uint32_t head = r->bits | back * RECORD_BACK | named * RECORD_LABEL | skips * RECORD_SKIPS;
    bits_store_u64(at, head | moved << 8 | skipped << 32 | (uint64_t)r->label << 48);
    at += 6 + 2 * named;
    bits_store_u64(at,
                   r->duration | (uint64_t)events << 32 * timed); /* without durations, r->duration is 0 */
    at += 4 * timed + 2 * skips;
    log->at = at;
    log->count++;
    log->tick = r->tick;
    log->offset = r->offset;
    log->event = r->event;
    return true;
}

/* Appends the packed record of an event. False when out of memory. */
static ALWAYS_INLINE WARN_UNUSED bool event_log_append(EventLog *log, Arena *arena, const EventRecord *r)
{
    if (LIKELY(event_log_append_short(log, r, RECORDS_ANY))) return true;
    const EventRecord copy = *r; /* lets the compiler keep the record in registers */
    return event_log_append_any(log, arena, &copy);
}

/* Empties the log; the memory of its records is returned to the system. */
void event_log_discard(EventLog *log);

/* Walks a log from its begin; the log must not grow in the meantime. Close it if the end was not reached. */
typedef struct EventReader {
    const EventLog *log;
    const LogChunk *chunk;
    const uint8_t  *at, *end;
    const uint8_t  *back,
        *back_end; /* set while records of a block are read from elsewhere: at and end to continue with */
    bool     has_durations;
    bool     failed; /* a chunk outside of the memory could not be read: the records end before it */
    uint8_t *stored; /* owned: the bytes of `chunk` if they are not in memory */
    /* set by the last reader: receives the bytes that were read (trace/log/page_remap.h) */
    struct PageRemap *remap;
    EventRecord       record; /* the last one read */
} EventReader;

EventReader event_log_read(const EventLog *log);
void        event_reader_close(EventReader *reader);
/* Moves to the next chunk that is not empty; false at the end. */
bool event_reader_next_block(EventReader *reader);

void event_reader_get_long(EventReader *reader);

/* As event_reader_next, for records of which the caller knows the kind. */
static ALWAYS_INLINE bool event_reader_next_of(EventReader *reader, RecordKind kind)
{
    if (UNLIKELY(reader->at == reader->end)) {
        EventReader copy = *reader; /* so that the compiler can keep the caller's in registers */
        bool        more = event_reader_next_block(&copy);
        *reader = copy;
        if (!more) return false;
    }
    EventRecord   *r = &reader->record;
    const uint8_t *at = reader->at;
    uint64_t       word = bits_load_u64(at);
    if (UNLIKELY(word & RECORD_LONG)) {
        EventReader copy = *reader;
        event_reader_get_long(&copy);
        *reader = copy;
        return true;
    }
    /* without branches on the bits of the head, because these are unpredictable */
    const uint32_t named = (uint32_t)word / RECORD_LABEL & 1, skips = (uint32_t)word / RECORD_SKIPS & 1;
    const uint64_t moved = word >> 8 & 0xffffff;
    const uint64_t back = kind == RECORDS_IN_ORDER ? 0 : 0 - (word / RECORD_BACK & 1); /* all ones, or 0 */
    r->tick = (int64_t)((uint64_t)r->tick + ((moved ^ back) - back));
    r->offset += word >> 32 & 0xffff;
    r->label = (uint32_t)(word >> 48) & (0 - named);
    r->bits = (uint32_t)word & 15;
    at += 6 + 2 * named;
    uint64_t rest = bits_load_u64(at);
    if (kind == RECORDS_ANY ? reader->has_durations : kind == RECORDS_OF_COMPLETES) {
        r->duration = rest & UINT32_MAX;
        rest >>= 32;
        at += 4;
    }
    r->event += 1 + ((((uint32_t)rest & 0xffff) - 1) & (0 - skips));
    at += sizeof(uint16_t) * skips;
    reader->at = at;
    return true;
}

/* Reads the next record into reader->record; false at the end. */
static inline bool event_reader_next(EventReader *reader)
{
    return event_reader_next_of(reader, RECORDS_ANY);
}

/* Reads the records of a log from its last one to its first one, a chunk at a time. Close it. */
typedef struct BackReader {
    const LogChunk **chunks; /* the unread ones, in order */
    size_t           chunk_count;
    EventRecord     *records; /* the unread ones of the latest chunk, in order */
    size_t           count;
    EventReader      reader;
} BackReader;

size_t event_log_chunk_count(const EventLog *log);
size_t event_log_chunk_records(const EventLog *log); /* at most so many are in a chunk */
/* Opens a log of completes, or of begins and ends in order of time, which must not grow in the meantime. `chunks` has room
 * for event_log_chunk_count, `records` for event_log_chunk_records. */
BackReader event_log_read_back(const EventLog *log, const LogChunk **chunks, EventRecord *records);
/* Reads the records of the chunk before. False at the begin, or if it could not be read (reader.failed). */
bool back_reader_next_chunk(BackReader *back);
void back_reader_close(BackReader *back);

/* Returns the record before, valid until the next call; NULL at the begin of the log, or if a chunk could not be
 * read (reader.failed). */
static ALWAYS_INLINE const EventRecord *back_reader_next(BackReader *back)
{
    if (UNLIKELY(back->count == 0) && !back_reader_next_chunk(back)) return NULL;
    return &back->records[--back->count];
}

#endif
