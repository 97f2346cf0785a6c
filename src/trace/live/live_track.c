/* Puts the slices and instants of a thread into its rows.
 *
 * The new slices are laid out by nest.c, as in a load. It continues where the earliest of them begins: slices of the
 * rows from there on are laid out again, and earlier slices that reach this tick are open. Complete events arrive at their ends,
 * so that they may be around many slices. */
#include "trace/live/live_state.h"
#include "trace/make/lane_heap.h"

#include <stdlib.h>
#include <string.h>

/* Returns the end of unfinished slices. */
static int64_t open_end(const LiveTrace *live, const ThreadLog *thread)
{
    return live->builder->rules.unfinished == UNFINISHED_TO_TRACE_END ? live->trace.end_tick
                                                                      : thread->max_tick;
}

/* True if slice i of a row is unfinished. */
static bool is_unfinished(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    return (live->trace.slices.flags[row->row.first_slice + i] & SLICE_UNFINISHED) != 0;
}

/* Returns the number of slices of a row that begin before `tick`. Searches from the end, where it usually is. */
static uint32_t count_before(const LiveTrace *live, const LiveRow *row, int64_t tick)
{
    const int64_t *begins = live->trace.slices.begin_tick + row->row.first_slice;
    uint32_t       high = row->row.slice_count, step = 1;
    for (; step <= high && begins[high - step] >= tick; step *= 2)
        high -= step;
    uint32_t low = step <= high ? high - step + 1 : 0;
    LOWER_BOUND(uint32_t, low, high, i, begins[i] < tick);
    return low;
}

/* ---- instants ---- */

static bool take_instants(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    StackCursor stacks = stack_cursor_over(live->builder, thread->instants.stacks);
    uint64_t    n = 0;
    for (const InstantChunk *chunk = thread->instants.first; chunk != NULL; chunk = chunk->next) {
        for (uint64_t i = 0; i < chunk->count; i++) {
            const InstantPlace fresh = { .mark = chunk->marks[i], .stack = stack_cursor_take(&stacks, n++) };
            live->event_count++;
            if (fresh.mark.tick < track->from) track->from = fresh.mark.tick;
            live_note_change(live, track, fresh.mark.tick);
            if (!live_append(live, &track->fresh_instants, &fresh, sizeof fresh)) return false;
        }
    }
    return true;
}

/* ---- laying out again ---- */

/* The instants that are laid out again, those of one time in order of arrival, and the slices before them. The slices that are laid out again are appended to
 * LiveTrack.fresh. */
typedef struct Again {
    Bytes  instants;    /* InstantPlace[] */
    Bytes  open;        /* NestOpen[] */
    size_t fresh_count; /* number of fresh slices */
} Again;

/* Returns the tick from which on the new end of unfinished slices changes the layout; INT64_MAX = it does not. It does where
 * a slice or instant is at the lesser of both ends, and for unfinished slices inside, or beside, a finished one that
 * ends there. */
static int64_t changed_by_end(const LiveTrace *live, const LiveTrack *track, int64_t end)
{
    const int64_t edge = end < track->drawn_to ? end : track->drawn_to;
    int64_t       from = INT64_MAX, finished_from = INT64_MAX;
    if (end == track->drawn_to || track->pairing.depth + track->endless_count == 0) return INT64_MAX;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        const Row     *of = &row->row;
        uint32_t       before = count_before(live, row, edge);
        if (before < of->slice_count || row_instant_bound(&live->trace, of, edge) < row->extras.instant_count)
            from = edge;
        while (before > 0 && is_unfinished(live, row, before - 1))
            before--;
        if (before == 0 || trace_slice_end(&live->trace, of->first_slice + before - 1) != edge) continue;
        const int64_t begin = live->trace.slices.begin_tick[of->first_slice + before - 1];
        if (begin < finished_from) finished_from = begin;
    }
    for (uint32_t r = 0; finished_from < INT64_MAX && r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        const uint32_t first = count_before(live, row, finished_from);
        for (uint32_t i = row->row.slice_count; i > first && is_unfinished(live, row, i - 1); i--) {
            const int64_t begin = live->trace.slices.begin_tick[row->row.first_slice + i - 1];
            if (begin < from) from = begin;
        }
    }
    return from;
}

static uint64_t slices_from(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        count += row->row.slice_count - count_before(live, row, tick);
    }
    return count;
}

void live_track_cut(LiveTrace *live, LiveTrack *track, int64_t tick)
{
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow       *row = &live_rows(track)[r];
        const uint32_t slices = count_before(live, row, tick);
        const uint32_t instants = row_instant_bound(&live->trace, &row->row, tick);
        track->slice_count -= row->row.slice_count - slices;
        track->instant_count -= row->row.extras->instant_count - instants;
        live_slices_cut(live, row, slices);
        live_instants_cut(row, instants);
    }
}

/* Removes the slices and instants from `tick` on from the rows. Open slices are taken from the stack of begin events
 * instead. */
static void take_out(LiveTrace *live, LiveTrack *track, int64_t tick, Again *again)
{
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        for (uint32_t i = count_before(live, row, tick); i < row->row.slice_count; i++) {
            const LiveSlice slice = live_slice_at(live, row, i);
            if ((slice.flags & SLICE_UNFINISHED) && slice.level != 0) continue;
            bytes_append(&track->fresh, &slice, sizeof slice);
        }
        for (uint32_t i = row_instant_bound(&live->trace, &row->row, tick);
             i < row->row.extras->instant_count; i++) {
            const LiveInstant  instant = live_instant_at(live, row, i);
            const InstantPlace place = { .mark = instant.mark, .stack = instant.stack };
            bytes_append(&again->instants, &place, sizeof place);
        }
    }
    live_track_cut(live, track, tick);
}

/* Adds the open slices that are not in the rows, and the new instants. */
static void add_fresh(LiveTrace *live, LiveTrack *track, int64_t tick, Again *again)
{
    const PairedSlice *open = VECTOR(track->pairing.slices, const PairedSlice);
    CpuCursor          cpu = live_cpu_cursor(&track->cpu);
    for (size_t i = 0; i < track->known_depth; i++) {
        if (open[i].interval.begin < tick) continue; /* it is in a row */
        const LiveSlice slice = live_slice_of(live, &open[i].interval, &open[i].extra, &cpu);
        bytes_append(&track->fresh, &slice, sizeof slice);
    }
    track->known_depth = track->pairing.depth;
    bytes_append(&again->instants, track->fresh_instants.data, track->fresh_instants.size);
    bytes_clear(&track->fresh_instants);
}

/* Lists the slices of the rows that reach `tick`, after those from there on were removed. Returns the number of lanes. */
static uint32_t list_open(const LiveTrace *live, const LiveTrack *track, int64_t tick, Bytes *open)
{
    const SliceColumns *slices = &live->trace.slices;
    uint32_t            lanes = 0, depth = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        if (row->slice_count == 0) continue;
        for (; lanes <= row->lane; lanes++) {
            const NestOpen none = { .slice = { .end = INT64_MIN }, .lane = lanes };
            if (lanes >= LANES_SEARCHED && lanes < row->lane) bytes_append(open, &none, sizeof none);
            depth = 0;
        }
        const uint64_t last = row->first_slice + row->slice_count - 1;
        const int64_t  end = trace_slice_end(&live->trace, last);
        const uint16_t level = live->columns.levels[last];
        if (row->lane < LANES_SEARCHED && (end < tick || row->depth != depth++)) continue;
        const NestOpen item = { .slice = { .begin = slices->begin_tick[last],
                                           .end = end,
                                           .place = live->places.source[last] << PLACE_BITS |
                                                    (slices->flags[last] & SLICE_UNFINISHED) |
                                                    (level == 0 ? 0 : (uint64_t)INTERVAL_PAIRED),
                                           .level = level == 0 ? 0 : level - 1u },
                                .lane = row->lane };
        bytes_append(open, &item, sizeof item);
    }
    return lanes;
}

/* Orders slices made of begins and ends first, in order of time, then by their place in the input. */
static int compare_slices(const void *left, const void *right)
{
    const LiveSlice *a = (const LiveSlice *)left, *b = (const LiveSlice *)right;
    const bool       a_paired = a->level != 0, b_paired = b->level != 0;
    if (a_paired != b_paired) return a_paired ? -1 : 1;
    if (a_paired && a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return (a->level > b->level) - (a->level < b->level);
}

static bool is_same_begin(const LiveSlice *a, const LiveSlice *b)
{
    return a->level != 0 && b->level != 0 && a->begin == b->begin && a->offset == b->offset;
}

/* Removes the replaced slices. `slices` are in order. Returns the number of slices that are left. */
static size_t drop_replaced(LiveSlice *slices, size_t count)
{
    size_t kept = 0;
    for (size_t first = 0, last; first < count; first = last) {
        size_t newest = first;
        bool   any = slices[first].replaces;
        for (last = first + 1; last < count && is_same_begin(&slices[first], &slices[last]); last++) {
            any |= slices[last].replaces;
            if (slices[last].order > slices[newest].order) newest = last;
        }
        if (any) {
            slices[kept++] = slices[newest];
        } else {
            memmove(slices + kept, slices + first, (last - first) * sizeof *slices);
            kept += last - first;
        }
    }
    return kept;
}

/* Brings the slices in order, and removes the replaced ones. */
static void sort_slices(LiveTrack *track, const Again *again)
{
    LiveSlice *slices = VECTOR(track->fresh, LiveSlice);
    size_t     count = VECTOR_COUNT(track->fresh, LiveSlice), sorted = 1;
    while (sorted < count && compare_slices(&slices[sorted - 1], &slices[sorted]) < 0)
        sorted++;
    if (sorted >= count) return; /* the most frequent case */
    for (size_t i = 0; i < count; i++)
        slices[i].order = (uint32_t)(i < again->fresh_count ? i + count : i);
    qsort(slices, count, sizeof *slices, compare_slices);
    track->fresh.size = drop_replaced(slices, count) * sizeof *slices;
}

/* Returns the slices as pair.c hands them to nest.c. Unfinished ones get this end. Interval.extra is 1 + their number in
 * LiveTrack.fresh. */
static Interval *as_intervals(Workspace *ws, LiveTrack *track, int64_t end, size_t *paired_count)
{
    LiveSlice   *slices = VECTOR(track->fresh, LiveSlice);
    const size_t count = VECTOR_COUNT(track->fresh, LiveSlice);
    Interval    *intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval));
    for (size_t i = 0; intervals != NULL && i < count; i++) {
        LiveSlice *slice = &slices[i];
        const bool paired = slice->level != 0;
        if (slice->flags & SLICE_UNFINISHED) slice->end = end;
        *paired_count += paired;
        intervals[i] = (Interval){ .begin = slice->begin,
                                   .end = slice->end,
                                   .place = slice->offset << PLACE_BITS | slice->flags |
                                            (paired ? (uint64_t)INTERVAL_PAIRED : 0),
                                   .label = slice->label,
                                   .extra = (uint32_t)i + 1,
                                   .row = paired ? slice->level - 1u : 0 };
    }
    return intervals;
}

static bool nest_again(LiveTrace *live, LiveTrack *track, int64_t tick, int64_t end)
{
    Workspace *ws = &live->workspace;
    Again      again = { .fresh_count = VECTOR_COUNT(track->fresh, LiveSlice) };
    ThreadLog  as_thread = { .min_tick = tick };
    TrackWork  work = { .thread = &as_thread, .overlaps_are_fine = true };
    arena_clear(&ws->scratch);
    arena_clear(&ws->results);
    live_note_change(live, track, tick);
    take_out(live, track, tick, &again);
    add_fresh(live, track, tick, &again);
    live_rows_stretch(live, track, INT64_MAX, end);
    work.open_lanes = list_open(live, track, tick, &again.open);
    work.open = VECTOR(again.open, const NestOpen);
    work.open_count = VECTOR_COUNT(again.open, NestOpen);
    work.instants = VECTOR(again.instants, InstantPlace);
    work.instant_count = VECTOR_COUNT(again.instants, InstantPlace);
    bool done = !track->fresh.failed && !again.instants.failed && !again.open.failed;
    if (done) {
        sort_slices(track, &again);
        work.intervals = as_intervals(ws, track, end, &work.paired_count);
        work.interval_count = VECTOR_COUNT(track->fresh, LiveSlice);
        if (work.intervals != NULL) nest_track(ws, &work);
        done = !ws->failed &&
               live_rows_put(live, track, &work,
                             &(PutItems){ .slices = VECTOR(track->fresh, const LiveSlice), .from = tick });
    }
    bytes_release(&again.instants);
    bytes_release(&again.open);
    bytes_clear(&track->fresh);
    bytes_release(&live->threads.spare);
    live->threads.spare = track->fresh;
    track->fresh = (Bytes){ .data = NULL };
    if (!done) live->failed = true;
    return done;
}

/* Lays out the changed part again, unless it waits for more changes, because many slices overlap or are inside a long
 * one. */
static bool lay_out(LiveTrace *live, LiveTrack *track, int64_t end)
{
    const uint64_t fresh =
        VECTOR_COUNT(track->fresh, LiveSlice) + VECTOR_COUNT(track->fresh_instants, InstantPlace);
    const int64_t changed = changed_by_end(live, track, end);
    if (changed < track->from) track->from = changed;
    track->drawn_to = end;
    if (track->from < INT64_MAX &&
        live_postpones(live, fresh, slices_from(live, track, track->from), MUCH_TO_LAY_OUT)) {
        live_rows_stretch(live, track, INT64_MAX, end);
        return true;
    }
    if (track->from < INT64_MAX) {
        if (!nest_again(live, track, track->from, end)) return false;
        track->from = INT64_MAX;
    } else {
        live_rows_stretch(live, track, INT64_MAX, end);
    }
    return true;
}

bool live_thread_absorb(LiveTrace *live, LiveTrack *track, ThreadLog *thread)
{
    const bool any =
        thread->marks.count > 0 || thread_complete_count(thread) > 0 || thread->instants.count > 0;
    const int64_t end = open_end(live, thread);
    if (track->is_removed && !any) return true;
    if (track->is_removed) live->shape.is_stale = true;
    track->is_removed = false;
    return live_events_take(live, track, thread, end) && take_instants(live, track, thread) &&
           lay_out(live, track, end);
}

void live_track_empty(LiveTrace *live, LiveTrack *track)
{
    if (track->fresh.size + track->fresh_instants.size + track->pairing.slices.size > 0) return;
    live_rows_tidy(live, track);
    live_track_release(live, track);
    track->is_removed = true;
    live->shape.is_stale = true;
}

void live_track_convert(LiveTrace *live, LiveTrack *track, ClockConversion *conversion)
{
    for (uint32_t r = 0; r < live_row_count(track); r++)
        live_row_convert(live, &live_rows(track)[r], conversion);
    live_pairing_convert(track, conversion);
    CONVERT_TICKS(track->fresh, LiveSlice, begin, conversion);
    CONVERT_TICKS(track->fresh, LiveSlice, end, conversion);
    CONVERT_TICKS(track->fresh_instants, InstantPlace, mark.tick, conversion);
    live_convert_tick(conversion, &track->from);
    live_convert_tick(conversion, &track->drawn_to);
    live_convert_tick(conversion, &track->sums.tick);
    track->changed = true;
}
