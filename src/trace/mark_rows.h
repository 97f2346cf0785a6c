/* trace/mark_rows.h - begins and ends of one thread, kept as the slices they make. For src/trace only.
 *
 * As long as a thread's marks come in order of time and every end ends the innermost open slice, it is known
 * at once where a slice will stand: in the row of as many as are open around it, behind the others there. So
 * it is put there as its marks come, and making the columns is copying rows. What slices do not say of their
 * marks (their order, where in the input they stand, what few of them have) is the trail, some 2 bytes a
 * mark, which mostly nobody reads. From both the marks can be had again: that is how those of a thread that
 * turns out to be otherwise move to its log (trace/event_log.h), and the long way through pair.c and nest.c.
 *
 * A row is a list of chunks of records, which are 3 words of 32 bits: how much later than the record before
 * it the slice begins (undefined in the first one of a chunk, whose begin stands in its head), its label, its
 * duration (undefined as long as it is open). A distance or duration that does not fit is ROW_LONG, and
 * stands among the row's longs, which are in the order in which they are met: a slice's distance, its
 * duration, the next one's distance.
 *
 * The trail is an EventLog of records of its own, in words of 16 bits, as the machine has them: bits 0-3 the
 * mark's PLACE_ bits, 4-15 how far it stands in the input behind the mark before it. Where that is 0xFFE, it
 * follows in 16 bits, then the distance of their numbers and its label in 16 bits each; where it is 0xFFF, in
 * 64 bits, then both in 32. Where it is 0xFFD, the next word says how many times a begin and an end follow, 0
 * behind each other, of which there is nothing more to say. Else the numbers are neighbours. A label stands
 * here only if the mark is an end. */
#ifndef TRACE_MARK_ROWS_H
#define TRACE_MARK_ROWS_H
#include "trace/event_log.h"
#include "trace/page_turn.h"

enum {
    ROW_RECORD_WORDS = 3,
    TRAIL_SHIFT = 4,
    TRAIL_PAIRS = 0xFFD, /* from here on a distance is none */
    TRAIL_MEDIUM = 0xFFE,
    TRAIL_LONG = 0xFFF,
    TRAIL_MOST_PAIRS = 32
};
#define ROW_LONG UINT32_MAX

typedef struct RowChunk RowChunk;
struct RowChunk {
    RowChunk *next;
    uint32_t *end;  /* behind the last record; of a row's last chunk: MarkRow.at */
    int64_t   tick; /* when its first slice begins */
    uint32_t  words[];
};

/* As long as a line of the processor's cache. */
typedef struct MarkRow {
    uint32_t *at, *limit;   /* where the next record goes; where a new chunk is due */
    int64_t   tick;         /* when the latest slice begins */
    RowChunk *first, *last; /* in blocks of MarkRows */
    ArenaList longs;        /* uint64_t[] */
} MarkRow;

/* Where the rows of all threads of a builder have their memory from. A thread that has much gets it in slabs,
 * huge pages of its own: they are whole again when its columns are made, and become pages of the next columns. */
typedef struct RowSpace {
    Arena   *arena;            /* borrowed */
    uint8_t *slab, *slabs_end; /* those at hand */
    size_t   slab_count;       /* so many were taken */
} RowSpace;

/* An end without a begin. */
typedef struct LostEnd LostEnd;
struct LostEnd {
    LostEnd    *next;
    EventRecord mark;
};

/* What is left of a block. */
typedef struct RowRoom {
    uint8_t *at, *end;
} RowRoom;

typedef struct MarkRows {
    MarkRow  *rows;      /* by depth; behind the last one an empty one */
    uint32_t  row_count; /* those that have slices */
    uint32_t  row_capacity;
    uint32_t  open_depth; /* of the first so many rows the last slice is open */
    uint32_t  all_bits;   /* the PLACE_ bits of all marks, ored */
    EventLog  trail;      /* its count is that of the marks */
    LostEnd  *first_lost, *last_lost;
    RowRoom   room, trail_room; /* the trail has blocks of its own where there is much */
    ArenaList blocks;           /* RowBlock[]: those that are worth giving back */
    size_t    held_bytes;       /* in blocks */
    PageTurn *turn; /* borrowed: their pages go into it as they are read; NULL = they stay until released */
} MarkRows;

/* NULL when out of memory. */
MarkRows *mark_rows_create(RowSpace *space) WARN_UNUSED;
/* Gives their memory back to the system, slabs to the pool if there is one (NULL); they are empty then, and
 * take no more. */
void mark_rows_release(MarkRows *rows, PagePool *pool);

/* Adds a mark that is not earlier than the one before it; an end is one of the innermost open slice, or lost
 * where there is none. False when out of memory. */
bool mark_rows_add_any(MarkRows *rows, RowSpace *space, const EventRecord *mark) WARN_UNUSED;
bool mark_rows_trail_any(MarkRows *rows, RowSpace *space, const EventRecord *mark) WARN_UNUSED;

/* The most usual mark into its row: false, and nothing done, where it takes more than that. No branch depends
 * on whether it begins or ends, because that is a toss-up. One store writes the distance of a begin, or, a
 * word before the next record, the duration of the open slice; the label that an end writes into the next
 * record is overwritten when that begins. */
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

/* As mark_rows_add_any, written out for those that are like most. */
static inline bool mark_rows_add(MarkRows *rows, RowSpace *space, const EventRecord *mark)
{
    EventLog *const trail = &rows->trail;
    const uint64_t  skipped = mark->offset - trail->offset;
    const uint32_t  is_end = mark->bits & PLACE_END;
    if (UNLIKELY(trail->at >= trail->limit || skipped >= TRAIL_PAIRS || mark->event - trail->event != 1 ||
                 (is_end != 0 && mark->label != 0))) {
        if (!mark_rows_trail_any(rows, space, mark)) return false;
    } else {
        const uint16_t word = (uint16_t)(mark->bits | (uint32_t)skipped << TRAIL_SHIFT);
        memcpy(trail->at, &word, sizeof word);
        trail->at += sizeof word;
        trail->count++;
        trail->offset = mark->offset;
        trail->event = mark->event;
    }
    rows->all_bits |= mark->bits;
    uint32_t depth = rows->open_depth;
    if (UNLIKELY(!mark_row_put(rows->rows, &depth, mark->tick, mark->label, is_end)))
        return mark_rows_add_any(rows, space, mark);
    rows->open_depth = depth;
    return true;
}

/* The label of the innermost open slice; there must be one. */
static inline uint32_t mark_rows_open_label(const MarkRows *rows)
{
    return rows->rows[rows->open_depth - 1].at[1 - ROW_RECORD_WORDS];
}

uint64_t mark_row_count(const MarkRow *row);

/* ---- walking them ---- */

/* The trail alone, in order: reader->record has offset, event, bits, and the label if it is an end. */
EventReader trail_read(const MarkRows *rows);
/* The same for who reads it last: it tells rows->turn. */
EventReader trail_read_last(const MarkRows *rows);
/* What the next one leaves to do: the rest of a record whose distance is this. */
void trail_get_far(EventReader *reader, uint32_t distance);

static inline bool trail_next(EventReader *reader)
{
    if (UNLIKELY(reader->at == reader->end)) {
        EventReader copy = *reader;
        const bool  more = event_reader_turn(&copy);
        *reader = copy;
        if (!more) return false;
    }
    uint16_t     word;
    EventRecord *r = &reader->record;
    memcpy(&word, reader->at, sizeof word);
    r->bits = word & ((1U << TRAIL_SHIFT) - 1);
    reader->at += sizeof word;
    if (UNLIKELY(word >> TRAIL_SHIFT >= TRAIL_PAIRS)) {
        EventReader copy = *reader; /* so that the caller's can live in registers */
        trail_get_far(&copy, word >> TRAIL_SHIFT);
        *reader = copy;
        return true;
    }
    r->offset += word >> TRAIL_SHIFT;
    r->event++;
    r->label = 0;
    return true;
}

/* Steps over pairs of a begin and an end that come next, of which there is nothing more to say, if there are any
 * and none of them was read: gives how many. */
static inline uint32_t trail_skip_pairs(EventReader *reader)
{
    uint16_t word, count;
    if (reader->at == reader->end) {
        EventReader copy = *reader;
        const bool  more = event_reader_turn(&copy);
        *reader = copy;
        if (!more) return 0;
    }
    memcpy(&word, reader->at, sizeof word);
    if (word >> TRAIL_SHIFT != TRAIL_PAIRS) return 0;
    memcpy(&count, reader->at + sizeof word, sizeof count);
    reader->at += sizeof word + sizeof count;
    reader->record.event += 2 * (uint32_t)count;
    return count;
}

/* Where a walk along a row is: at the slice that was begun last. */
typedef struct RowCursor {
    const RowChunk *chunk; /* NULL = before the first */
    const uint32_t *at, *end;
    int64_t         tick;
    size_t          longs_used;
} RowCursor;

/* All of the marks, as they were added. */
typedef struct MarkReader {
    const MarkRows *rows;
    EventReader     trail;
    RowCursor      *cursors; /* by depth; in an arena */
    const LostEnd  *lost;    /* the next one */
    uint32_t        depth;   /* behind the last mark read */
    EventRecord     record;  /* the last mark read */
} MarkReader;

/* False when out of memory. The rows must not change meanwhile. */
bool mark_reader_open(MarkReader *reader, const MarkRows *rows, Arena *arena) WARN_UNUSED;
/* False at the end. */
bool mark_reader_next(MarkReader *reader);

/* ---- into the columns ---- */

/* A slice of a row whose duration is ROW_LONG, by its number in the row. */
typedef struct LongSlice {
    uint64_t index, duration;
} LongSlice;

/* Whether they are work for several threads, and their pages worth taking turns. */
bool mark_rows_are_large(const MarkRows *rows);

/* What is still to be read of them. */
typedef enum { ROWS_ALONE, ROWS_AND_TRAIL } RowsToRead;
/* From now on their pages go into `turn` as they are read, each piece and, if it is to be, the trail once. */
void mark_rows_turn(MarkRows *rows, PageTurn *turn, RowsToRead what);
/* Ends that: nothing of them is read any more, and they are empty. */
void mark_rows_turned(MarkRows *rows);

/* Chunks of a row that are copied by themselves: some, or all where the row has longs, which are read in
 * their order. */
typedef struct RowPiece {
    uint32_t        depth;
    RowChunk       *first;
    const RowChunk *behind; /* NULL = to the row's end */
    uint64_t        index;  /* of its first slice in the row */
    Bytes           longs;  /* LongSlice[] of those that were copied; owned by who made the pieces */
} RowPiece;

/* Appends RowPiece for all of them, row by row. False when out of memory. */
bool mark_rows_divide(const MarkRows *rows, Bytes *pieces) WARN_UNUSED;
/* Columns of slices, which are rows->turn's beds if there is one, and which of them is the first one of a row. */
typedef struct RowPlaces {
    int64_t  *begin_ticks;
    uint32_t *labels, *durations;
    size_t    first;
} RowPlaces;

/* Writes the slices of a piece to their places. One that is open gets the duration 0. Pieces may be
 * copied at a time, each once. */
void mark_rows_take(const MarkRows *rows, RowPiece *piece, const RowPlaces *to);

#endif
