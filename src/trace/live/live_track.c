/* Puts the slices and instants of a thread into its rows.
 *
 * Slices of begin and end events are appended to the rows in order of arrival (live_pair.c). Complete events arrive at
 * their ends, and some end events change finished slices. Then the slices after the last synchronisation point are
 * laid out again together with the new ones, by nest.c as in a load. */
#include "trace/live/live_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- complete events, instants ---- */

/* Returns the end of unfinished slices. */
static int64_t open_end(const LiveTrace *live, const ThreadLog *thread)
{
    return live->builder->rules.unfinished == UNFINISHED_TO_TRACE_END ? live->trace.end_tick
                                                                      : thread->max_tick;
}

static bool take_completes(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    EventReader reader = event_log_read(thread->completes);
    StackCursor stacks = stack_cursor_over(live->builder, thread->complete_stacks);
    for (uint64_t n = 0; event_reader_next(&reader); n++) {
        const EventRecord *c = &reader.record;
        const bool         has_end = !(c->bits & PLACE_NO_END);
        uint32_t           both[2];
        stack_cursor_take_both(&stacks, n, both);
        const LiveSlice slice = {
            .begin = c->tick,
            .end = has_end ? (int64_t)((uint64_t)c->tick + c->duration) : open_end(live, thread),
            .offset = c->offset,
            .label = c->label,
            .flags = live_slice_flags(c->bits) | (has_end ? 0 : (uint32_t)SLICE_UNFINISHED),
            .stack = both[0],
            .end_stack = both[1],
            .cpu = cpu_between(cpu_find(&live->now.cpu_times, c->offset), NULL),
        };
        live->event_count++;
        if (!has_end) {
            if (track->endless_count == 0 || slice.begin < track->endless_from)
                track->endless_from = slice.begin;
            track->endless_count++;
        }
        live_note_change(live, track, slice.begin);
        if (!live_append(live, &track->fresh, &slice, sizeof slice)) return false;
    }
    return true;
}

/* Returns the number of slices in lane 0 that contain the tick. */
static uint32_t depth_at(const LiveTrace *live, const LiveTrack *track, int64_t tick, int64_t end)
{
    const LiveRow  *rows = live_rows(track);
    const LiveOpen *open = VECTOR(track->pairing.open, const LiveOpen);
    uint32_t        depth = 0, count = live_row_count(track);
    for (; depth < count && rows[depth].row.lane == 0; depth++) {
        bool is_open = depth < track->pairing.depth && open[depth].tick <= tick && tick < end;
        if (!is_open && row_slice_at(&live->trace, &rows[depth].row, tick) == UINT32_MAX) break;
    }
    return depth;
}

/* Takes the instants at or after the last begin or end out of the rows again: the events that follow determine their
 * depths. Before the first begin or end these are all instants. */
static bool reconsider_instants(LiveTrace *live, LiveTrack *track, bool any)
{
    const int64_t from = track->any_mark ? track->last_mark_tick : INT64_MIN;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow       *row = &live_rows(track)[r];
        const uint32_t first = row_instant_bound(&live->trace, &row->row, from);
        for (uint32_t i = first; i < row->row.extras->instant_count; i++) {
            const LiveInstant instant = live_instant_at(live, row, i);
            if (!live_append(live, &track->fresh_instants, &instant, sizeof instant)) return false;
            if (any) live_note_change(live, track, instant.mark.tick);
        }
        track->instant_count -= row->row.extras->instant_count - first;
        live_instants_cut(row, first);
    }
    return true;
}

static bool place_instants(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    const LiveInstant *fresh = VECTOR(track->fresh_instants, const LiveInstant);
    const size_t       count = VECTOR_COUNT(track->fresh_instants, LiveInstant);
    for (size_t i = 0; i < count; i++) {
        const uint32_t depth = depth_at(live, track, fresh[i].mark.tick, open_end(live, thread));
        LiveRow       *row = live_row_get(live, track, 0, depth);
        if (row == NULL || !live_instant_add(live, row, &fresh[i].mark, fresh[i].stack)) return false;
        track->instant_count++;
    }
    bytes_clear(&track->fresh_instants);
    return true;
}

static bool take_instants(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    StackCursor stacks = stack_cursor_over(live->builder, thread->instants.stacks);
    uint64_t    n = 0;
    for (const InstantChunk *chunk = thread->instants.first; chunk != NULL; chunk = chunk->next) {
        for (uint64_t i = 0; i < chunk->count; i++) {
            const LiveInstant fresh = { .mark = chunk->marks[i], .stack = stack_cursor_take(&stacks, n++) };
            live->event_count++;
            live_note_change(live, track, fresh.mark.tick);
            if (!live_append(live, &track->fresh_instants, &fresh, sizeof fresh)) return false;
        }
    }
    return true;
}

/* ---- laying out again ---- */

/* Returns the last synchronisation point at or before `tick`: no earlier slice reaches it. */
static int64_t sync_point_before(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    const LiveRow *rows = live_rows(track);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t r = 0; r < live_row_count(track); r++) {
            const Row *row = &rows[r].row;
            if (row->depth > 0) continue; /* it is inside a slice of the row above */
            uint32_t before = row_lower_bound(&live->trace, row, tick);
            if (before == 0 || trace_slice_end(&live->trace, row->first_slice + before - 1) < tick) continue;
            tick = live->trace.slices.begin_tick[row->first_slice + before - 1];
            moved = true;
        }
    }
    return tick;
}

/* The slices and instants that are laid out again. */
typedef struct Again {
    Bytes  slices;   /* LiveSlice[] */
    Bytes  instants; /* LiveInstant[] */
    size_t paired_count;
} Again;

static void again_release(Again *again)
{
    bytes_release(&again->slices);
    bytes_release(&again->instants);
}

static int64_t earliest_fresh(const LiveTrack *track)
{
    const LiveSlice   *slices = VECTOR(track->fresh, const LiveSlice);
    const LiveInstant *instants = VECTOR(track->fresh_instants, const LiveInstant);
    int64_t            tick = INT64_MAX;
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh, LiveSlice); i++)
        if (slices[i].begin < tick) tick = slices[i].begin;
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh_instants, LiveInstant); i++)
        if (instants[i].mark.tick < tick) tick = instants[i].mark.tick;
    if (track->pairing.depth > 0 && VECTOR(track->pairing.open, const LiveOpen)[0].tick < tick)
        tick = VECTOR(track->pairing.open, const LiveOpen)[0]
                   .tick; /* an unfinished slice contains all later ones */
    if (track->endless_count > 0 && track->endless_from < tick) tick = track->endless_from;
    return tick;
}

static uint64_t slices_from(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        count += row->slice_count - row_lower_bound(&live->trace, row, tick);
    }
    return count;
}

/* Removes the slices and instants from `tick` on from the rows. Open slices are taken from the stack of begin events
 * instead. */
static void take_out(LiveTrace *live, LiveTrack *track, int64_t tick, int64_t end, Again *again)
{
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow *row = &live_rows(track)[r];
        uint32_t first = row_lower_bound(&live->trace, &row->row, tick);
        for (uint32_t i = first; i < row->row.slice_count; i++) {
            LiveSlice slice = live_slice_at(live, row, i);
            if ((slice.flags & SLICE_UNFINISHED) && slice.level != 0) continue;
            if (slice.flags & SLICE_UNFINISHED) slice.end = end;
            bytes_append(&again->slices, &slice, sizeof slice);
        }
        track->slice_count -= row->row.slice_count - first;
        live_slices_cut(live, row, first);
        uint32_t first_instant = row_instant_bound(&live->trace, &row->row, tick);
        for (uint32_t i = first_instant; i < row->row.extras->instant_count; i++) {
            const LiveInstant instant = live_instant_at(live, row, i);
            bytes_append(&again->instants, &instant, sizeof instant);
        }
        track->instant_count -= row->row.extras->instant_count - first_instant;
        live_instants_cut(row, first_instant);
    }
}

static void add_open(const LiveTrack *track, int64_t end, Again *again)
{
    const LiveOpen *open = VECTOR(track->pairing.open, const LiveOpen);
    for (size_t level = 0; level < track->pairing.depth; level++) {
        const LiveSlice slice = live_slice_of_open(&open[level], end);
        bytes_append(&again->slices, &slice, sizeof slice);
    }
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

/* Orders instants of one time by arrival: the removed ones were in one row, and the fresh ones came later. Not every
 * instant has an offset. */
static int compare_instants(const void *left, const void *right)
{
    const LiveInstant *a = (const LiveInstant *)left, *b = (const LiveInstant *)right;
    if (a->mark.tick != b->mark.tick) return a->mark.tick < b->mark.tick ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
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

/* Returns the slices as pair.c hands them to nest.c. Interval.extra is 1 + their number in `again`. */
static Interval *as_intervals(Workspace *ws, Again *again)
{
    LiveSlice *slices = VECTOR(again->slices, LiveSlice);
    size_t     count = VECTOR_COUNT(again->slices, LiveSlice);
    Interval  *intervals = (Interval *)workspace_pages(ws, &ws->intervals, count, sizeof(Interval));
    if (intervals == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        slices[i].order = (uint32_t)i;
    if (count > 1) qsort(slices, count, sizeof *slices, compare_slices);
    count = drop_replaced(slices, count);
    again->slices.size = count * sizeof *slices;
    for (size_t i = 0; i < count; i++) {
        const LiveSlice *slice = &slices[i];
        const bool       paired = slice->level != 0;
        again->paired_count += paired;
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

/* Makes a log of the instants, for nest.c. */
static bool as_log(LiveTrace *live, Again *again, InstantLog *log)
{
    LiveInstant *instants = VECTOR(again->instants, LiveInstant);
    size_t       count = VECTOR_COUNT(again->instants, LiveInstant);
    *log = (InstantLog){ .count = count };
    if (count == 0) return true;
    InstantChunk *chunk =
        (InstantChunk *)arena_push_raw(&live->scratch, 1, sizeof(InstantChunk) + count * sizeof(InstantMark));
    if (chunk == NULL) return false;
    for (size_t i = 0; i < count; i++)
        instants[i].order = (uint32_t)i;
    if (count > 1) qsort(instants, count, sizeof *instants, compare_instants);
    chunk->next = NULL;
    chunk->count = chunk->capacity = count;
    log->first = log->last = chunk;
    for (size_t i = 0; i < count; i++) {
        const StackNote note = { .number = i, .stack = instants[i].stack };
        chunk->marks[i] = instants[i].mark;
        if (note.stack != 0 && !stack_note(&log->stacks, &live->scratch, &note)) return false;
    }
    return true;
}

static bool put_back(LiveTrace *live, LiveTrack *track, const TrackWork *work, const Again *again)
{
    const LiveSlice *slices = VECTOR(again->slices, const LiveSlice);
    for (uint32_t i = 0; i < work->row_count; i++) {
        const WorkRow row = work_row(work, i);
        if (live_row_get(live, track, row.lane, row.depth) == NULL) return false;
    }
    LiveRow **rows = ARENA_ARRAY(&live->scratch, LiveRow *, work->row_count);
    if (rows == NULL) return false;
    for (uint32_t i = 0; i < work->row_count; i++) {
        const WorkRow row = work_row(work, i);
        rows[i] = live_row_get(live, track, row.lane, row.depth);
    }
    for (size_t i = 0; i < work->interval_count; i++) {
        const Interval *interval = &work->intervals[i];
        if (!live_slice_append(live, rows[interval->row], &slices[interval->extra - 1])) return false;
    }
    for (size_t i = 0; i < work->instant_count; i++) {
        const InstantPlace *instant = &work->instants[i];
        if (!live_instant_add(live, rows[instant->row], &instant->mark, instant->stack)) return false;
    }
    track->slice_count += work->interval_count;
    track->instant_count += work->instant_count;
    return true;
}

static bool nest_again(LiveTrace *live, LiveTrack *track, const ThreadLog *thread, int64_t tick)
{
    Workspace    *ws = &live->workspace;
    Again         again = { .paired_count = 0 };
    const int64_t end = open_end(live, thread);
    take_out(live, track, tick, end, &again);
    bytes_append(&again.slices, track->fresh.data, track->fresh.size);
    bytes_append(&again.instants, track->fresh_instants.data, track->fresh_instants.size);
    add_open(track, end, &again);
    bytes_clear(&track->fresh);
    bytes_clear(&track->fresh_instants);
    live_note_change(live, track, tick);
    arena_clear(&ws->scratch);
    arena_clear(&ws->results);
    ThreadLog as_thread = { .min_tick = tick };
    TrackWork work = { .thread = &as_thread, .overlaps_are_fine = true };
    bool done = !again.slices.failed && !again.instants.failed && as_log(live, &again, &as_thread.instants);
    if (done) {
        work.intervals = as_intervals(ws, &again);
        work.interval_count = VECTOR_COUNT(again.slices, LiveSlice);
        work.paired_count = again.paired_count;
        if (work.intervals != NULL) nest_track(ws, &work);
        done = !ws->failed && put_back(live, track, &work, &again);
    }
    again_release(&again);
    if (!done) live->failed = true;
    return done;
}

/* True if the layout waits for more changes, because many slices overlap or are inside a long one. */
static bool postpones(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    const uint64_t fresh =
        VECTOR_COUNT(track->fresh, LiveSlice) + VECTOR_COUNT(track->fresh_instants, LiveInstant);
    const uint64_t again = slices_from(live, track, tick);
    return live_postpones(live, fresh, again, MUCH_TO_LAY_OUT);
}

static bool ends_unfinished(const LiveTrace *live, const LiveRow *row)
{
    if (row->row.slice_count == 0) return false;
    return (live->trace.slices.flags[row->row.first_slice + row->row.slice_count - 1] & SLICE_UNFINISHED) !=
           0;
}

/* True if the last slice of a row can grow with the trace. A slice inside a finished one cannot: it moves to another
 * row. `above`: can_grow of the row above. */
static bool can_grow(const LiveTrace *live, const LiveRow *row, bool above)
{
    return (row->row.depth == 0 || above) && ends_unfinished(live, row);
}

static bool must_move(const LiveTrace *live, const LiveTrack *track, const ThreadLog *thread)
{
    if (open_end(live, thread) == track->drawn_to) return false;
    bool    grows = false;
    size_t  growing = 0;
    int64_t drawn_end = INT64_MAX, last_instant = INT64_MIN;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        const Row     *places = &row->row;
        grows = can_grow(live, row, grows);
        if (!grows && ends_unfinished(live, row)) return true;
        if (grows) drawn_end = trace_slice_end(&live->trace, places->first_slice + places->slice_count - 1);
        growing += grows;
        if (places->extras->instant_count == 0) continue;
        const int64_t tick =
            live->trace.instants.tick[places->extras->first_instant + places->extras->instant_count - 1];
        if (tick > last_instant) last_instant = tick;
    }
    /* An instant, or an empty slice, at the previous end of the open slices is inside them now: an open slice is then
     * not the last one of its row. */
    return track->endless_count > 0 || last_instant >= drawn_end || growing < track->pairing.depth;
}

/* Lays out the changed part again, unless it is postponed. */
static bool lay_out_by_time(LiveTrace *live, LiveTrack *track, const ThreadLog *thread, bool any)
{
    if (!any && !track->is_postponed && !must_move(live, track, thread)) return true;
    const int64_t tick = sync_point_before(live, track, earliest_fresh(track));
    track->is_postponed = postpones(live, track, tick);
    if (track->is_postponed) return true;
    if (!nest_again(live, track, thread, tick)) return false;
    if (track->nesting == LIVE_BY_TIME_ONCE) track->nesting = LIVE_BY_MARKS;
    return true;
}

bool live_thread_absorb(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    const bool any =
        thread->marks.count > 0 || thread_complete_count(thread) > 0 || thread->instants.count > 0;
    if (track->is_removed && !any) return true;
    if (track->is_removed) live->shape.is_stale = true;
    track->is_removed = false;
    if (thread_complete_count(thread) > 0) track->nesting = LIVE_BY_TIME;
    if (track->nesting == LIVE_BY_MARKS && track->instant_count > 0 && !reconsider_instants(live, track, any))
        return false;
    if (!live_marks_take(live, track, thread)) return false;
    if (thread->completes != NULL && !take_completes(live, track, thread)) return false;
    if (!take_instants(live, track, thread)) return false;
    return track->nesting == LIVE_BY_MARKS ? place_instants(live, track, thread)
                                           : lay_out_by_time(live, track, thread, any);
}

void live_track_empty(LiveTrace *live, LiveTrack *track)
{
    if (track->fresh.size + track->fresh_instants.size + track->pairing.open.size > 0) return;
    live_rows_tidy(live, track);
    bytes_release(&track->rows);
    bytes_release(&track->fresh);
    bytes_release(&track->fresh_instants);
    live_pairing_release(live, track);
    track->is_removed = true;
    live->shape.is_stale = true;
}

void live_thread_stretch(LiveTrace *live, LiveTrack *track, const ThreadLog *thread)
{
    const int64_t end = open_end(live, thread);
    bool          grows = false;
    track->drawn_to = end;
    for (uint32_t r = 0; r < live_row_count(track); r++) { /* open slices are the last ones of their rows */
        LiveRow *row = &live_rows(track)[r];
        grows = can_grow(live, row, grows);
        if (!grows) continue;
        const uint32_t last = row->row.slice_count - 1;
        const uint64_t slice = row->row.first_slice + last;
        const uint32_t flags = live->trace.slices.flags[slice] & (uint32_t)~SLICE_LONG;
        if (trace_slice_end(&live->trace, slice) == end) continue;
        live_note_change(live, track, trace_slice_end(&live->trace, slice));
        live_slice_set_end(live, row, last, end, flags, 0);
    }
}

void live_track_convert(LiveTrace *live, LiveTrack *track, ClockConversion *conversion)
{
    LiveSlice   *fresh = VECTOR(track->fresh, LiveSlice);
    LiveInstant *fresh_instants = VECTOR(track->fresh_instants, LiveInstant);
    for (uint32_t r = 0; r < live_row_count(track); r++)
        live_row_convert(live, &live_rows(track)[r], conversion);
    live_pairing_convert(track, conversion);
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh, LiveSlice); i++) {
        clock_convert(conversion, &fresh[i].begin);
        clock_convert(conversion, &fresh[i].end);
    }
    for (size_t i = 0; i < VECTOR_COUNT(track->fresh_instants, LiveInstant); i++)
        clock_convert(conversion, &fresh_instants[i].mark.tick);
    clock_convert(conversion, &track->endless_from);
    if (track->sums.tick > INT64_MIN) clock_convert(conversion, &track->sums.tick);
    track->drawn_to = INT64_MIN; /* it was in ticks of the previous clock */
    track->changed = true;
}
