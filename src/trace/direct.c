/* The short way: a thread of begins, ends and instants, in order of time and well matched, straight into the columns.
 *
 * While such events are read, how many of them had how many open ones around them is already the size of every row:
 * so one walk over the log fills the columns. Gives the same as pair.c and nest.c would; where an end turns out to
 * name another slice than the innermost, they do it over. */
#include "trace/finish.h"

#include <assert.h>

typedef struct Direct {
    Workspace    *ws;
    TrackWork    *work;
    const Track  *track;
    SliceColumns *slices;
    const Label  *labels;
    uint64_t *next; /* by depth: behind the latest slice of that row; an open one is the latest of its row */
    uint64_t *offsets; /* by slice of the track; NULL = none has more to say */
    uint32_t  depth, max_depth;
    bool      by_name;
    SparseColumns *sparse;
} Direct;

static bool direct_prepare(Direct *d)
{
    const ThreadLog *thread = d->work->thread;
    const uint64_t  *counts = thread->depth_counts;
    d->max_depth = thread->depth_count;
    while (d->max_depth > 0 && counts[d->max_depth - 1] == 0)
        d->max_depth--; /* an end looked one deeper */
    d->next = ARENA_ARRAY(&d->ws->scratch, uint64_t, d->max_depth);
    WorkRow *rows =
        ARENA_ARRAY(&d->ws->results, WorkRow, (size_t)d->max_depth + 1); /* one for instants alone */
    if (d->next == NULL || rows == NULL) {
        d->ws->failed = true;
        return false;
    }
    uint64_t at = d->track->first_slice;
    for (uint32_t depth = 0; depth < d->max_depth; depth++) {
        rows[depth] = (WorkRow){ .depth = depth, .slice_count = counts[depth] };
        d->next[depth] = at;
        at += counts[depth];
    }
    d->work->rows = rows;
    d->work->row_count = d->max_depth;
    d->work->lane_count = 1;
    return true;
}

static void note_long(Direct *d, uint64_t slice, uint64_t duration)
{
    bytes_append(&d->sparse->longs, &(SparseValue){ slice, duration }, sizeof(SparseValue));
    d->slices->flags[slice] |= SLICE_LONG;
    d->slices->duration[slice] = UINT32_MAX;
}

/* What few events have. */
static void note_details(Direct *d, uint64_t slice, const EventRecord *mark)
{
    if (mark->bits & PLACE_REPAIRED) d->slices->flags[slice] |= SLICE_REPAIRED;
    if (!(mark->bits & PLACE_DETAILS)) return;
    if (mark->bits & PLACE_END) {
        bytes_append(&d->sparse->end_sources, &(SparseValue){ slice, mark->offset }, sizeof(SparseValue));
        d->slices->flags[slice] |= SLICE_END_SOURCE;
    } else {
        d->offsets[slice - d->track->first_slice] = mark->offset;
        d->slices->flags[slice] |= SLICE_SOURCE;
    }
}

/* Is this the end of the innermost open slice, and nothing more? One that colours its slice anew is left to pair.c. */
static bool end_matches(const Direct *d, uint32_t depth, uint32_t label)
{
    const uint32_t open = d->slices->label[d->next[depth - 1] - 1];
    if (label == 0 || label == open) return true;
    const Label *end = &d->labels[label];
    if (end->colour != 0) return false;
    return !d->by_name || end->name.index == 0 || labels_agree(&d->labels[open], end);
}

/* What is to be done with an end that may not be one of the innermost open slice. */
typedef enum { END_PLAIN, END_IGNORED, END_GIVE_UP } EndVerdict;

static EndVerdict judge_end(Direct *d, uint32_t depth, const EventRecord *mark)
{
    if (depth > 0) return end_matches(d, depth, mark->label) ? END_PLAIN : END_GIVE_UP;
    if (d->by_name && mark->label != 0) return END_GIVE_UP; /* its name may yet mean something: pair.c */
    workspace_add_unmatched_end(d->ws, d->work, mark);
    return END_IGNORED;
}

/* Whether the labels of ends count, so that one of them may show that the thread is not simple. */
static bool may_give_up(const Direct *d)
{
    return d->work->thread->end_labels != 0 && (d->by_name || d->ws->builder->has_colours);
}

/* False when the thread is not as simple as it looked.
 *
 * A begin writes its slice, an end writes the same slice again, now with its duration: no branch depends on which of
 * the two it is, because that is a toss-up. Columns are zeroed when they are made: what a begin adds to a zero, an end adds
 * nothing to. What is needed for every mark is kept in locals. */
static bool direct_all_marks(Direct *d)
{
    int64_t *const  begin_ticks = d->slices->begin_tick;
    uint32_t *const labels = d->slices->label, *const durations = d->slices->duration;
    uint64_t *const all_next = d->next;
    const uint64_t  first_slice = d->track->first_slice;
    const uint32_t  judged = may_give_up(d) ? PLACE_END : 0; /* ends whose labels count */
    const bool      is_last = judged == 0 && d->work->thread->mark_stacks == NULL;
    uint32_t        depth = 0;
    EventLog        taken, *log = &d->work->thread->marks;
    EventReader     reader = is_last ? event_log_read_last(log, &taken) : event_log_read(log);
    while (event_reader_next_mark(&reader)) {
        const EventRecord mark = reader.record;
        const uint32_t    is_end = mark.bits & PLACE_END;
        if (UNLIKELY(is_end > depth) || (mark.bits & judged) != 0) {
            EventRecord copy = mark; /* so that the record can live in registers */
            EndVerdict  verdict = judge_end(d, depth, &copy);
            if (verdict == END_GIVE_UP) return false;
            if (verdict == END_IGNORED) continue;
        }
        depth -= is_end;
        const uint64_t slice = all_next[depth] - is_end;
        const uint64_t is_begin = (uint64_t)is_end - 1; /* all ones, or 0 */
        const uint64_t begin = (uint64_t)begin_ticks[slice] | ((uint64_t)mark.tick & is_begin);
        const uint64_t duration = (uint64_t)mark.tick - begin;
        all_next[depth] = slice + 1;
        begin_ticks[slice] = (int64_t)begin;
        labels[slice] |= mark.label & (uint32_t)is_begin;
        durations[slice] = (uint32_t)duration;
        depth += is_end ^ 1;
        if (UNLIKELY(duration >= UINT32_MAX)) note_long(d, slice, duration);
        if (UNLIKELY(mark.bits & ~(uint32_t)PLACE_END)) {
            if (mark.bits == PLACE_DETAILS) { /* a begin that has more to say, and is else as any other */
                d->offsets[slice - first_slice] = mark.offset;
                d->slices->flags[slice] |= SLICE_SOURCE;
                continue;
            }
            EventRecord copy = mark;
            note_details(d, slice, &copy);
        }
    }
    d->depth = depth;
    return true;
}

/* Where the begins stand that are open at the end: few, so that a walk of its own finds them. It comes first: the walk that
 * fills the columns may leave nothing of the log. */
static void warn_of_unfinished(Direct *d)
{
    EventRecord *open = ARENA_ARRAY(&d->ws->scratch, EventRecord, d->max_depth);
    uint32_t     depth = 0;
    EventReader  reader = event_log_read(&d->work->thread->marks);
    if (open == NULL) {
        d->ws->failed = true;
        return;
    }
    while (event_reader_next(&reader)) {
        if (!(reader.record.bits & PLACE_END)) {
            open[depth++] = reader.record;
        } else if (depth > 0) {
            depth--;
        }
    }
    for (uint32_t i = 0; i < depth; i++)
        workspace_warn_unfinished(d->ws, d->work, open[i].offset, open[i].event);
}

static void direct_unfinished(Direct *d)
{
    for (; d->depth > 0; d->depth--) {
        const uint64_t slice = d->next[d->depth - 1] - 1;
        const uint64_t duration = (uint64_t)d->work->unfinished_end - (uint64_t)d->slices->begin_tick[slice];
        d->slices->flags[slice] |= SLICE_UNFINISHED;
        d->slices->duration[slice] = (uint32_t)duration;
        if (duration >= UINT32_MAX) note_long(d, slice, duration);
        d->work->unfinished_count++;
    }
}

/* A second walk, only where there are stacks: the same slices in the same order. */
static void direct_stacks(Direct *d, const TrackStacks *stacks)
{
    uint64_t   *open = ARENA_ARRAY(&d->ws->scratch, uint64_t, d->max_depth);
    uint64_t   *next = ARENA_ARRAY(&d->ws->scratch, uint64_t, d->max_depth);
    uint32_t    depth = 0;
    EventReader reader = event_log_read(&d->work->thread->marks);
    StackCursor cursor = stack_cursor_over(d->ws->builder, d->work->thread->mark_stacks);
    if (open == NULL || next == NULL) {
        d->ws->failed = true;
        return;
    }
    for (uint32_t i = 1; i < d->max_depth; i++)
        next[i] = next[i - 1] + d->work->rows[i - 1].slice_count;
    for (uint64_t n = 0; event_reader_next_mark(&reader); n++) {
        uint32_t stack = stack_cursor_take(&cursor, n);
        if (!(reader.record.bits & PLACE_END)) {
            open[depth] = next[depth]++;
            stacks->begins[open[depth++]] = stack;
        } else if (depth > 0) {
            stacks->ends[open[--depth]] = stack;
        }
    }
}

/* As nest.c places them: inside the slices that begin at their time or earlier and end later. */
static void direct_instants(Direct *d)
{
    TrackWork *work = d->work;
    order_instants(d->ws, work);
    uint32_t    depth = 0;
    EventReader reader = event_log_read(&work->thread->marks);
    bool        has_mark = event_reader_next_mark(&reader);
    for (size_t i = 0; i < work->instant_count && !d->ws->failed; i++) {
        InstantPlace *instant = &work->instants[i];
        while (has_mark && reader.record.tick <= instant->mark.tick) {
            if (!(reader.record.bits & PLACE_END)) {
                depth++;
            } else if (depth > 0) {
                depth--;
            }
            has_mark = event_reader_next_mark(&reader);
        }
        instant->row =
            instant->mark.tick < work->unfinished_end ? depth : 0; /* then what is open ends, too */
        work->rows[instant->row].instant_count++;
        if (instant->row == work->row_count) {
            work->rows[instant->row].depth = instant->row;
            work->row_count++;
        }
    }
}

bool direct_is_possible(const ThreadLog *thread)
{
    return thread_complete_count(thread) == 0 && !thread->is_unsorted && !thread->has_cpu_times;
}

bool direct_track(Workspace *ws, TrackWork *work, const Track *track, SliceColumns *slices, uint64_t *offsets,
                  const TrackStacks *stacks, SparseColumns *sparse)
{
    Direct d = { .ws = ws,
                 .work = work,
                 .track = track,
                 .slices = slices,
                 .labels = VECTOR(ws->builder->labels, const Label),
                 .offsets = offsets,
                 .by_name = ws->builder->match == MATCH_BY_TIME_AND_NAME,
                 .sparse = sparse };
    if (!direct_prepare(&d)) return false;
    if (work->thread->open_depth > 0 && ws->builder->endless != ENDLESS_EXPECTED) warn_of_unfinished(&d);
    if (work->thread->instants.count > 0) direct_instants(&d);
    if (d.ws->failed || !direct_all_marks(&d)) return false;
    assert(d.depth == work->thread->open_depth);
    direct_unfinished(&d);
    if (work->thread->mark_stacks != NULL) direct_stacks(&d, stacks);
    event_log_discard(&work->thread->marks);
    return true;
}
