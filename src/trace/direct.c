/* The short way: a thread of begins and ends alone, in order of time and well matched, straight into the columns.
 *
 * While such events are read, how many of them had how many open ones around them is already the size of every row:
 * so one walk over the log fills the columns. Gives the same as pair.c and nest.c would; where an end turns out to
 * name another slice than the innermost, they do it over. */
#include "trace/finish.h"

typedef struct OpenBegin {
    uint64_t slice;
    int64_t  begin;
    uint64_t offset;
    uint32_t label;
    uint32_t event;
} OpenBegin;

typedef struct Direct {
    Workspace     *ws;
    TrackWork     *work;
    const Track   *track;
    SliceColumns  *slices;
    const Label   *labels;
    OpenBegin     *open;    /* by depth */
    uint64_t      *next;    /* by depth: the next slice of that row */
    uint64_t      *offsets; /* by slice of the track; NULL = none has more to say */
    uint32_t       depth, max_depth;
    bool           by_name;
    SparseColumns *sparse;
} Direct;

static bool direct_prepare(Direct *d)
{
    const ThreadLog *thread = d->work->thread;
    const uint64_t  *counts = VECTOR(thread->depth_counts, const uint64_t);
    d->max_depth = (uint32_t)VECTOR_COUNT(thread->depth_counts, uint64_t);
    d->open = ARENA_ARRAY(&d->ws->scratch, OpenBegin, d->max_depth);
    d->next = ARENA_ARRAY(&d->ws->scratch, uint64_t, d->max_depth);
    WorkRow *rows = ARENA_ARRAY(&d->ws->results, WorkRow, d->max_depth);
    if (d->open == NULL || d->next == NULL || rows == NULL) {
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

static void direct_begin(Direct *d, const EventRecord *mark)
{
    uint64_t slice = d->next[d->depth]++;
    uint8_t  flags = 0;
    if (mark->bits & PLACE_DETAILS) {
        flags |= SLICE_SOURCE;
        d->offsets[slice - d->track->first_slice] = mark->offset;
    }
    if (mark->bits & PLACE_REPAIRED) flags |= SLICE_REPAIRED;
    d->slices->begin_tick[slice] = mark->tick;
    d->slices->label[slice] = mark->label;
    d->slices->flags[slice] = flags;
    d->open[d->depth++] = (OpenBegin){ slice, mark->tick, mark->offset, mark->label, mark->event };
}

static void direct_close(Direct *d, int64_t end_tick)
{
    const OpenBegin *open = &d->open[d->depth - 1];
    uint64_t         duration = (uint64_t)end_tick - (uint64_t)open->begin;
    if (UNLIKELY(duration >= UINT32_MAX)) {
        bytes_append(&d->sparse->longs, &(SparseValue){ open->slice, duration }, sizeof(SparseValue));
        d->slices->flags[open->slice] |= SLICE_LONG;
        duration = UINT32_MAX;
    }
    d->slices->duration[open->slice] = (uint32_t)duration;
    d->depth--;
}

/* False when the end is not one of the innermost open slice. */
static bool direct_end(Direct *d, const EventRecord *mark)
{
    if (d->depth == 0) {
        if (d->by_name && mark->label != 0) return false; /* it may yet mean something: pair.c */
        workspace_warn_unmatched_end(d->ws, d->work, mark);
        return true;
    }
    const OpenBegin *open = &d->open[d->depth - 1];
    if (d->by_name && mark->label != 0 && mark->label != open->label &&
        !labels_agree(&d->labels[open->label], &d->labels[mark->label])) {
        return false;
    }
    if (mark->bits & PLACE_REPAIRED) d->slices->flags[open->slice] |= SLICE_REPAIRED;
    if (mark->bits & PLACE_DETAILS) {
        bytes_append(&d->sparse->end_sources, &(SparseValue){ open->slice, mark->offset },
                     sizeof(SparseValue));
        d->slices->flags[open->slice] |= SLICE_END_SOURCE;
    }
    direct_close(d, mark->tick);
    return true;
}

static void direct_unfinished(Direct *d)
{
    while (d->depth > 0) {
        const OpenBegin *open = &d->open[d->depth - 1];
        workspace_warn_unfinished(d->ws, d->work, open->offset, open->event);
        d->slices->flags[open->slice] |= SLICE_UNFINISHED;
        d->work->unfinished_count++;
        direct_close(d, d->work->unfinished_end);
    }
}

bool direct_is_possible(const ThreadLog *thread)
{
    return thread->completes.count == 0 && thread->instants.count == 0 && !thread->is_unsorted;
}

bool direct_track(Workspace *ws, TrackWork *work, const Track *track, SliceColumns *slices, uint64_t *offsets,
                  SparseColumns *sparse)
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
    EventReader reader = event_log_read(&work->thread->marks);
    while (event_reader_next(&reader)) {
        if (!(reader.record.bits & PLACE_END)) {
            direct_begin(&d, &reader.record);
        } else if (!direct_end(&d, &reader.record)) {
            return false;
        }
    }
    direct_unfinished(&d);
    return true;
}
