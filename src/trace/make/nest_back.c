/* Nests the slices of a thread whose events were written at the times of their ends: one walk from the last event to
 * the first.
 *
 * Most programs write a complete event when it ends. Its parents follow it in the file, so a walk in file order does
 * not know them; a walk back has met them all. A stack has the slices that are open at the time of the event: an end or
 * a complete event is put on it, a begin takes its end from it, and completes that began later are removed. The size of
 * the stack is the depth. Nothing is sorted: the slices of a row are disjoint, and the walk meets them from the last to
 * the first.
 *
 * The result equals that of pair.c, order.c and nest.c. The walk gives up, and they start anew, if the events are not
 * in this order, overlap without nesting, need a repair, or if the rules of equal times (order.c) would decide. */
#include "trace/make/pairing.h"

#include <assert.h>
#include <string.h>

/* Begin of an open slice whose begin event is not reached yet. */
#define NOT_REACHED INT64_MIN

/* An open slice: of a complete event, or of an end event. */
typedef struct OpenBack {
    int64_t  begin; /* or NOT_REACHED */
    int64_t  end;
    uint64_t offset; /* of the end event, like label and bits */
    uint32_t label, bits;
} OpenBack;

typedef struct BackNesting {
    Workspace *ws;
    TrackWork *work;
    size_t     left;          /* the number of free places in work->intervals, its first ones */
    size_t     instants_left; /* the ones that are not placed yet */
    int64_t    reached;       /* the time of the event that was read last */
    int64_t    latest_begin;  /* the time of the begin event that was read last */
    OpenBack  *open;          /* stack, outermost first; in the scratch arena, like `rows` */
    WorkRow   *rows;          /* by depth */
    uint32_t   depth, row_count, capacity;
} BackNesting;

/* Enlarges the stack and the rows. False when out of memory. */
static NOINLINE bool grow(BackNesting *n)
{
    const uint32_t capacity = n->capacity == 0 ? 32 : 2 * n->capacity;
    OpenBack      *open = capacity <= n->capacity ? NULL : ARENA_ARRAY(&n->ws->scratch, OpenBack, capacity);
    WorkRow       *rows = open == NULL ? NULL : ARENA_ARRAY(&n->ws->scratch, WorkRow, capacity);
    if (rows == NULL) {
        n->ws->failed = true;
        return false;
    }
    if (n->capacity > 0) memcpy(open, n->open, n->depth * sizeof *open);
    if (n->capacity > 0) memcpy(rows, n->rows, n->capacity * sizeof *rows);
    n->open = open;
    n->rows = rows;
    n->capacity = capacity;
    return true;
}

/* Makes room for one more open slice and its row, and for the row of an instant in it. False when out of memory. */
static inline bool reserve(BackNesting *n)
{
    if (LIKELY(n->depth + 1 < n->capacity)) return true;
    BackNesting copy = *n; /* lets the compiler keep the caller's in registers */
    const bool  is_done = grow(&copy);
    *n = copy;
    return is_done;
}

/* Removes the open slices that begin after `tick`. */
static inline void close_after(BackNesting *n, int64_t tick)
{
    while (n->depth > 0 && n->open[n->depth - 1].begin > tick)
        n->depth--;
}

/* Places the instants from `tick` on, whose slices are all open. */
static NOINLINE void place_instants(BackNesting *n, int64_t tick)
{
    InstantPlace *const instants = n->work->instants;
    while (n->instants_left > 0 && instants[n->instants_left - 1].mark.tick >= tick) {
        InstantPlace *instant = &instants[--n->instants_left];
        close_after(n, instant->mark.tick);
        if (!reserve(n)) return;
        instant->row = n->depth;
        n->rows[n->depth].instant_count++;
        if (n->depth >= n->row_count) n->row_count = n->depth + 1;
    }
}

/* Goes back to the time of an event. False if it is later than the event after it. */
static inline bool go_back(BackNesting *n, int64_t tick)
{
    if (UNLIKELY(tick > n->reached || tick == NOT_REACHED)) return false;
    n->reached = tick;
    if (UNLIKELY(n->instants_left > 0)) {
        BackNesting copy = *n;
        place_instants(&copy, tick);
        *n = copy;
    }
    return true;
}

/* Stores a slice in the row of the present depth. */
static inline Interval *store(BackNesting *n, const EventRecord *begin, int64_t end, uint32_t flags)
{
    const uint32_t row = n->depth;
    Interval      *interval = &n->work->intervals[--n->left];
    if (row >= n->row_count) n->row_count = row + 1;
    n->rows[row].slice_count++;
    *interval = (Interval){ .begin = begin->tick,
                            .end = end,
                            .place = begin->offset << PLACE_BITS | flags | slice_flags(begin->bits),
                            .label = begin->label,
                            .event = begin->event,
                            .row = row };
    return interval;
}

/* False: the walk gives up. order.c has the rules of equal times: of two complete events with the same times the earlier in
 * the file is outside, but the walk has met the later one first; an empty one is beside a slice that ends there, and inside
 * one that begins there, even if the begin event follows it in the file. */
static ALWAYS_INLINE bool take_complete(BackNesting *n, const EventRecord *complete)
{
    const int64_t begin = complete->tick, end = (int64_t)((uint64_t)begin + complete->duration);
    const bool    is_empty = begin == end;
    if (UNLIKELY((complete->bits & PLACE_NO_END) || end < begin || begin == NOT_REACHED)) return false;
    if (!go_back(n, end)) return false;
    close_after(n, is_empty ? end : end - 1);
    if (n->depth > 0) {
        const OpenBack *parent = &n->open[n->depth - 1];
        if (UNLIKELY(parent->begin > begin)) return false; /* they overlap */
        if (UNLIKELY(parent->end == end) && (is_empty || parent->begin == begin)) return false;
    }
    if (UNLIKELY(is_empty) && n->latest_begin == begin) return false;
    if (!reserve(n)) return false;
    (void)store(n, complete, end, 0);
    n->open[n->depth].begin = begin;
    n->open[n->depth++].end = end;
    return true;
}

static ALWAYS_INLINE bool take_end(BackNesting *n, const EventRecord *end)
{
    if (!go_back(n, end->tick)) return false;
    close_after(n, end->tick - 1);
    if (!reserve(n)) return false;
    n->open[n->depth++] = (OpenBack){ NOT_REACHED, end->tick, end->offset, end->label, end->bits };
    return true;
}

/* Adds the properties of the end event. */
static NOINLINE void take_end_properties(Workspace *ws, Interval *interval, const OpenBack *open)
{
    const EventRecord end = { .offset = open->offset, .label = open->label, .bits = open->bits };
    if (end.bits & PLACE_REPAIRED) interval->place |= SLICE_REPAIRED;
    interval_take_end(ws, interval, &end);
}

/* False: the walk gives up, as for the end of an outer slice, another name, and equal times as in take_complete. */
static ALWAYS_INLINE bool take_begin(BackNesting *n, const EventRecord *begin)
{
    const int64_t tick = begin->tick;
    if (!go_back(n, tick)) return false;
    close_after(n, tick - 1);
    if (UNLIKELY(n->depth == 0 || n->open[n->depth - 1].begin != NOT_REACHED)) return false;
    const OpenBack *const own = &n->open[--n->depth];
    if (UNLIKELY(own->end == tick)) return false; /* it is empty */
    if (n->depth > 0 && UNLIKELY(own[-1].begin >= tick))
        if (own[-1].begin > tick || own[-1].end == own->end) return false;
    if (UNLIKELY(own->label != 0) && !end_agrees(n->ws->builder, begin->label, own->label)) return false;
    Interval *const interval = store(n, begin, own->end, INTERVAL_PAIRED);
    if (UNLIKELY((own->bits ^ PLACE_END) | own->label)) take_end_properties(n->ws, interval, own);
    n->latest_begin = tick;
    return true;
}

static bool take_all(BackNesting *nesting, BackReader *marks, BackReader *completes)
{
    BackNesting        n = *nesting;
    const EventRecord *mark = back_reader_next(marks), *complete = back_reader_next(completes);
    while (mark != NULL || complete != NULL) {
        if (complete != NULL && (mark == NULL || complete->offset > mark->offset)) {
            if (!take_complete(&n, complete)) return false;
            complete = back_reader_next(completes);
            continue;
        }
        if (complete != NULL && complete->offset == mark->offset) return false;
        if (!(mark->bits & PLACE_END ? take_end(&n, mark) : take_begin(&n, mark))) return false;
        mark = back_reader_next(marks);
    }
    *nesting = n;
    if (n.instants_left > 0) place_instants(nesting, INT64_MIN);
    return !marks->reader.failed && !completes->reader.failed && !n.ws->failed;
}

/* Opens a reader over a log. When out of memory ws->failed is set. */
static BackReader read_back(Workspace *ws, const EventLog *log, Pages *pages)
{
    const LogChunk **chunks = ARENA_ARRAY(&ws->scratch, const LogChunk *, event_log_chunk_count(log));
    EventRecord     *records =
        (EventRecord *)workspace_pages(ws, pages, event_log_chunk_records(log), sizeof *records);
    if (chunks == NULL) ws->failed = true;
    return ws->failed ? (BackReader){ .chunk_count = 0 } : event_log_read_back(log, chunks, records);
}

/* Returns the memory of the walk for the work that starts anew. */
static void give_up(Workspace *ws, TrackWork *work)
{
    enum { MANY_BYTES = 256 << 10 };
    if (ws->marks.size > MANY_BYTES) workspace_release_pages(&ws->marks);
    if (ws->run.size > MANY_BYTES) workspace_release_pages(&ws->run);
    work->instants = NULL; /* they may be in ws->sorted, which order.c needs first */
    work->instant_count = 0;
}

/* True if the walk back may succeed, as far as the counts of events tell. */
static bool may_nest_back(const Workspace *ws, const ThreadLog *thread)
{
    return thread->completes != NULL && !thread->is_unsorted && thread->mark_stacks == NULL &&
           thread->complete_stacks == NULL && thread->marks.count == 2 * thread->begin_count &&
           thread->begin_count + thread->completes->count <= MOST_INTERVALS &&
           ws->builder->rules.ties == TIES_EARLIER_OUTSIDE;
}

bool nest_track_back(Workspace *ws, TrackWork *work)
{
    ThreadLog *const thread = work->thread;
    if (!may_nest_back(ws, thread)) return false;
    const size_t count = (size_t)(thread->begin_count + thread->completes->count);
    order_instants(ws, work);
    BackReader  marks = read_back(ws, &thread->marks, &ws->marks);
    BackReader  completes = read_back(ws, thread->completes, &ws->run);
    BackNesting n = { .ws = ws,
                      .work = work,
                      .left = count,
                      .instants_left = work->instant_count,
                      .reached = INT64_MAX,
                      .latest_begin = INT64_MAX };
    vec_clear(&ws->extras);
    work->intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval));
    const bool is_done = !ws->failed && take_all(&n, &marks, &completes);
    if (marks.reader.failed || completes.reader.failed) ws->failed = true;
    back_reader_close(&marks);
    back_reader_close(&completes);
    if (!is_done) {
        give_up(ws, work);
        return ws->failed;
    }
    assert(n.left == 0);
    for (uint32_t depth = 0; depth < n.row_count; depth++)
        n.rows[depth].depth = depth;
    work->interval_count = count;
    work->rows = n.rows;
    work->row_count = n.row_count;
    work->lane_count = 1;
    event_log_discard(&thread->marks);
    event_log_discard(thread->completes);
    return true;
}
