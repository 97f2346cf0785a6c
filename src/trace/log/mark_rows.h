/* trace/log/mark_rows.h - begin and end events of one thread, stored as the slices they make. For src/trace only.
 *
 * While the events of a thread arrive in order of time and every end closes the innermost open slice, the position of a
 * slice is known at once: its row is the number of open slices around it, after the slices already in the row. So each
 * slice is written there directly, and the columns are copies of the rows. The properties of events that slices do not
 * have (their order, positions in the input, rare flags) are in a sidecar of about 2 bytes an event, which is rarely
 * read. The events can be restored from rows and sidecar: the events of a thread that later breaks the rule move to its
 * log (trace/log/event_log.h), and take the slow path through pair.c and nest.c.
 *
 * A row is a list of chunks of records, which are 3 words of 32 bits: the distance of the slice's begin from that of
 * the record before it (undefined in the first record of a chunk, whose begin is in the chunk's head), its label, its
 * duration (undefined while it is open). A distance or duration that does not fit is ROW_LONG, and is among the row's
 * longs, which are in the order of occurrence: a slice's distance, its duration, the next slice's distance.
 *
 * The sidecar is an EventLog of its own records, in words of 16 bits in native byte order: bits 0-3 the event's PLACE_
 * bits, 4-15 the distance of its offset in the input from the event before it. If that is 0xFFE, the distance follows
 * in 16 bits, then the difference of their numbers and the label in 16 bits each; if it is 0xFFF, in 64 bits, then both
 * in 32. If it is 0xFFD, the next word is the number of adjacent pairs of a begin and an end that have no further
 * properties; if it is 0xFFC, of pairs of an end and a begin. Otherwise the numbers differ by 1. The label is present
 * only for an end. */
#ifndef TRACE_LOG_MARK_ROWS_H
#define TRACE_LOG_MARK_ROWS_H
#include "base/vec.h"
#include "trace/log/event_log.h"
#include "trace/log/page_remap.h"

enum {
    ROW_RECORD_WORDS = 3,
    SIDECAR_SHIFT = 4,
    SIDECAR_CHANGES = 0xFFC, /* values from here on are not distances */
    SIDECAR_PAIRS = 0xFFD,
    SIDECAR_MEDIUM = 0xFFE,
    SIDECAR_LONG = 0xFFF,
    SIDECAR_MOST_PAIRS = 32
};
#define ROW_LONG UINT32_MAX

typedef struct RowChunk RowChunk;
struct RowChunk {
    RowChunk *next;
    uint32_t *end;  /* after the last record; of a row's last chunk: MarkRow.at */
    int64_t   tick; /* begin of its first slice */
    uint32_t  words[];
};

/* The size of a cache line. */
typedef struct MarkRow {
    uint32_t *at, *limit;   /* the place of the next record; the end of the room in this chunk */
    int64_t   tick;         /* begin of the latest slice */
    RowChunk *first, *last; /* in blocks of MarkRows */
    ARENA_LIST(uint64_t) longs;
} MarkRow;

/* The memory for the rows of all threads of a builder. Threads with many slices get slabs, whole huge pages: these are
 * complete again when the columns are made, and become pages of the next columns. */
typedef struct RowSpace {
    Arena   *arena;            /* borrowed */
    uint8_t *slab, *slabs_end; /* the available slabs */
    size_t   slab_count;       /* number of slabs taken so far */
} RowSpace;

/* An end without a begin. */
typedef struct LostEnd LostEnd;
struct LostEnd {
    LostEnd    *next;
    EventRecord mark;
};

typedef struct RowBlock {
    uint8_t *bytes;
    size_t   size;
} RowBlock;

/* The unused rest of a block. */
typedef struct RowRoom {
    uint8_t *at, *end;
} RowRoom;

typedef struct MarkRows {
    MarkRow  *rows;      /* by depth; the last one is followed by an empty one */
    uint32_t  row_count; /* rows with slices */
    uint32_t  row_capacity;
    uint32_t  open_depth; /* the number of rows, from the first on, whose last slice is open */
    uint32_t  all_bits;   /* the union of the PLACE_ bits of all events */
    EventLog  sidecar;    /* its count is that of the events */
    uint16_t *changes;    /* the number of pairs of an end and a begin, if it is the sidecar's last word */
    LostEnd  *first_lost, *last_lost;
    RowRoom   room, sidecar_room; /* a large sidecar has its own blocks */
    ARENA_LIST(RowBlock) blocks;  /* blocks large enough to be released separately */
    size_t     held_bytes;        /* in blocks */
    PageRemap *remap;             /* borrowed: receives their pages as they are read; NULL = none */
} MarkRows;

/* NULL when out of memory. */
MarkRows *mark_rows_create(RowSpace *space) WARN_UNUSED;
/* Returns their memory to the system, and slabs to the pool unless it is NULL; they are empty then and must not be used
 * for more events. */
void mark_rows_release(MarkRows *rows, PagePool *pool);

/* Adds an event that is not earlier than the one before it. An end closes the innermost open slice, or is lost
 * if no slice is open. False when out of memory. */
bool mark_rows_add(MarkRows *rows, RowSpace *space, const EventRecord *mark) WARN_UNUSED;

/* Adds the most frequent events to their row; false without any effect for others. No branch depends on begin or end,
 * because that is unpredictable. One store writes the distance of a begin or, one word before the next record, the
 * duration of the open slice; the label that an end writes into the next record is overwritten when that record
 * begins. */
static ALWAYS_INLINE bool mark_row_put(MarkRow *rows, uint32_t *depth, int64_t tick, uint32_t label,
                                       uint32_t is_end)
{
    if (UNLIKELY(is_end > *depth)) return false;
    MarkRow *const row = &rows[*depth - is_end];
    uint32_t      *at = row->at;
    const uint64_t before = (uint64_t)row->tick, passed = (uint64_t)tick - before;
    const uint64_t is_begin = (uint64_t)is_end - 1; /* all ones, or 0 */
    if (UNLIKELY(at >= row->limit || passed >= ROW_LONG)) return false;
    *(at - is_end) = (uint32_t)passed;
    at[1] = label;
    row->at = at + ((size_t)is_begin & ROW_RECORD_WORDS);
    row->tick = (int64_t)(before + (passed & is_begin));
    *depth += 1 - 2 * is_end;
    return true;
}

/* As mark_rows_add, for the most frequent events; false without any effect for others. */
static ALWAYS_INLINE bool mark_rows_put(MarkRows *rows, const EventRecord *mark)
{
    EventLog *const sidecar = &rows->sidecar;
    uint8_t *const  at = sidecar->at;
    const uint32_t  is_end = mark->bits & PLACE_END, label = mark->label & (0 - is_end);
    const uint64_t  skipped = mark->offset - sidecar->offset;
    const uint32_t  events = mark->event - sidecar->event;
    uint32_t        depth = rows->open_depth;
    if (UNLIKELY(at >= sidecar->limit || (skipped | events | label) >> 16 != 0)) return false;
    if (UNLIKELY(!mark_row_put(rows->rows, &depth, mark->tick, mark->label, is_end))) return false;
    /* without a branch, because it is unpredictable if the events of several threads alternate */
    const bool     is_near = skipped < SIDECAR_CHANGES && events == 1 && label == 0;
    const uint16_t word =
        (uint16_t)(mark->bits | (is_near ? (uint32_t)skipped : SIDECAR_MEDIUM) << SIDECAR_SHIFT);
    memcpy(at, &word, sizeof word);
    bits_store_u64(at + sizeof word, skipped | (uint64_t)events << 16 | (uint64_t)label << 32);
    sidecar->at = at + (is_near ? sizeof word : 8);
    sidecar->count++;
    sidecar->offset = mark->offset;
    sidecar->event = mark->event;
    rows->all_bits |= mark->bits;
    rows->open_depth = depth;
    return true;
}

/* Records `count` pairs of an end and a begin without further properties, whose slices are in their row. The sidecar has room for
 * their records. */
void mark_rows_note_changes(MarkRows *rows, uint32_t count);

/* Returns the label of the innermost open slice; a slice must be open. */
static inline uint32_t mark_rows_open_label(const MarkRows *rows)
{
    return rows->rows[rows->open_depth - 1].at[1 - ROW_RECORD_WORDS];
}

uint64_t mark_row_count(const MarkRow *row);

/* ---- walking ---- */

/* Reads the sidecar, in order: reader->record has offset, event, bits, and the label if it is an end. */
EventReader sidecar_read(const MarkRows *rows);
/* As sidecar_read, for the last reader: it reports the read bytes to rows->remap. */
EventReader sidecar_read_last(const MarkRows *rows);
/* Reads the rest of a record with this distance, which sidecar_next leaves. */
void sidecar_get_far(EventReader *reader, uint32_t distance);

static inline bool sidecar_next(EventReader *reader)
{
    if (UNLIKELY(reader->at == reader->end)) {
        EventReader copy = *reader;
        const bool  more = event_reader_next_block(&copy);
        *reader = copy;
        if (!more) return false;
    }
    uint16_t     word;
    EventRecord *r = &reader->record;
    memcpy(&word, reader->at, sizeof word);
    r->bits = word & ((1U << SIDECAR_SHIFT) - 1);
    reader->at += sizeof word;
    if (UNLIKELY(word >> SIDECAR_SHIFT >= SIDECAR_CHANGES)) {
        EventReader copy = *reader; /* lets the compiler keep the caller's in registers */
        sidecar_get_far(&copy, word >> SIDECAR_SHIFT);
        *reader = copy;
        return true;
    }
    r->offset += word >> SIDECAR_SHIFT;
    r->event++;
    r->label = 0;
    return true;
}

/* Skips the following pairs of a begin and an end without further properties, or with SIDECAR_CHANGES of an end and a
 * begin, unless one of them was already read. Returns the number of pairs. */
static inline uint32_t sidecar_skip_pairs(EventReader *reader, uint32_t kind)
{
    uint16_t word, count;
    if (reader->at == reader->end) {
        EventReader copy = *reader;
        const bool  more = event_reader_next_block(&copy);
        *reader = copy;
        if (!more) return 0;
    }
    memcpy(&word, reader->at, sizeof word);
    if (word >> SIDECAR_SHIFT != kind) return 0;
    memcpy(&count, reader->at + sizeof word, sizeof count);
    reader->at += sizeof word + sizeof count;
    reader->record.event += 2 * (uint32_t)count;
    return count;
}

/* The position of a walk along a row: the latest slice that has begun. */
typedef struct RowCursor {
    const RowChunk *chunk; /* NULL = before the first */
    const uint32_t *at, *end;
    int64_t         tick;
    size_t          longs_used;
} RowCursor;

/* Reads all begin and end events as they were added. */
typedef struct MarkReader {
    const MarkRows *rows;
    EventReader     sidecar;
    RowCursor      *cursors; /* by depth; in an arena */
    const LostEnd  *lost;    /* the next one */
    uint32_t        depth;   /* after the last event */
    EventRecord     record;  /* the last event */
} MarkReader;

/* Begins reading. False when out of memory. The rows must not change in the meantime. */
bool mark_reader_open(MarkReader *reader, const MarkRows *rows, Arena *arena) WARN_UNUSED;
/* Reads the next event. False at the end. */
bool mark_reader_next(MarkReader *reader);

/* ---- into the columns ---- */

/* A slice of a row whose duration is ROW_LONG, by its index in the row. */
typedef struct LongSlice {
    uint64_t index, duration;
} LongSlice;

/* True if the rows are large enough for several threads, and for reusing their pages. */
bool mark_rows_are_large(const MarkRows *rows);

/* The parts that are still to be read. */
typedef enum { ROWS_ALONE, ROWS_AND_SIDECAR } RowsToRead;
/* Gives the pages of the rows to `remap` while they are read: each piece once and, with ROWS_AND_SIDECAR, the sidecar
 * once. */
void mark_rows_remap(MarkRows *rows, PageRemap *remap, RowsToRead what);
/* Ends mark_rows_remap: the rows are empty and must not be read. */
void mark_rows_remapped(MarkRows *rows);

/* Chunks of a row that are copied independently: some, or all if the row has longs, which are read in order. */
typedef struct RowPiece {
    uint32_t        depth;
    RowChunk       *first;
    const RowChunk *behind; /* NULL = to the row's end */
    uint64_t        index;  /* of its first slice in the row */
    VEC(LongSlice) longs;   /* of the copied slices; owned by the creator of the pieces */
} RowPiece;
typedef VEC(RowPiece) RowPieces;

/* Appends RowPiece for all of them, row by row. False when out of memory. */
bool mark_rows_divide(const MarkRows *rows, RowPieces *pieces) WARN_UNUSED;
/* Columns of slices, the destinations of rows->remap if there is one, and the index of the first slice of a row. */
typedef struct RowPlaces {
    int64_t  *begin_ticks;
    uint16_t *labels;
    uint16_t *high_labels; /* NULL = all labels are below 2^16 */
    uint32_t *durations;
    size_t    first;
} RowPlaces;

/* Writes the slices of a piece to their places. An open slice gets the duration 0. Pieces may be copied in parallel,
 * each once. */
void mark_rows_take(const MarkRows *rows, RowPiece *piece, const RowPlaces *to);

#endif
