/* Threads with few events, which have no log: their begins and ends become intervals in rows at once.
 *
 * A trace may have millions of such threads. The result equals that of pair.c and nest.c. */
#include "trace/make/pairing.h"

/* The slices of the thread. */
typedef struct FewSlices {
    Interval *intervals; /* in order of begin; their rows are their depths */
    WorkRow  *rows;
    uint32_t  count, row_count;
    uint32_t  open[FIRST_EVENTS_MOST]; /* open slices, outermost first */
    uint32_t  depth;
} FewSlices;

static void few_begin(FewSlices *few, const EventRecord *begin)
{
    const uint32_t row = few->depth++;
    few->open[row] = few->count;
    few->intervals[few->count++] =
        (Interval){ .begin = begin->tick,
                    .place = begin->offset << PLACE_BITS | INTERVAL_PAIRED | slice_flags(begin->bits),
                    .label = begin->label,
                    .event = begin->event,
                    .row = row };
    few->rows[row].slice_count++;
    if (row < few->row_count) return;
    few->rows[row].depth = row;
    few->row_count++;
}

/* Closes the innermost slice. False: the end has properties, or may belong to another slice. */
static bool few_end(FewSlices *few, const EventRecord *end)
{
    if (few->depth == 0 || end->bits != PLACE_END) return false;
    Interval *interval = &few->intervals[few->open[few->depth - 1]];
    if (end->label != 0 && end->label != interval->label) return false;
    interval->end = end->tick;
    few->depth--;
    return true;
}

bool few_track(Workspace *ws, TrackWork *work, uint32_t thread, ThreadLog *made)
{
    const TraceBuilder *builder = ws->builder;
    const FirstEvents  *all = &builder->threads.first_events;
    const ThreadEvents  events = builder->threads.events.items[thread];
    const size_t        count = events.begins;
    if (thread_events_first(all, events) == 0 || events.kind != FIRST_MARK || 2 * count != events.count)
        return false;
    FewSlices few = { .intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval)),
                      .rows = ARENA_ARRAY(&ws->scratch, WorkRow, count) };
    if (few.intervals == NULL || few.rows == NULL) {
        ws->failed = true;
        return false;
    }
    for (uint32_t i = thread_events_first(all, events); i != 0; i = thread_events_next(all, events, i)) {
        const EventRecord event = first_event_record(all, i);
        if (event.bits & PLACE_END) {
            if (!few_end(&few, &event)) return false;
        } else {
            few_begin(&few, &event);
        }
    }
    thread_log_counts(builder, thread, made);
    work->thread = made;
    work->intervals = few.intervals;
    work->interval_count = work->paired_count = count;
    work->rows = few.rows;
    work->row_count = few.row_count;
    return true;
}
