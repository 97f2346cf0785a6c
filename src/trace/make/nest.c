/* Assigns lanes and depths to the intervals of a track, in the order of trace/make/order.c.
 *
 * A slice is inside the innermost open one that does not end before it. A slice that overlaps without nesting goes to
 * the first free lane: its times are unchanged and no slice is dropped. */
#include "base/vec.h"
#include "trace/make/finish.h"
#include "trace/make/lane_heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- lanes ---- */

typedef struct Lane {
    OpenSlice *open; /* stack; arrays in the scratch arena */
    uint32_t  *rows; /* by depth: index of the row in Nesting.rows */
    uint32_t   depth, capacity, row_count;
} Lane;

/* The lanes from LANES_SEARCHED on have one row each, because a slice goes to one only when it is empty. There may be
 * as many as slices: each needs only an entry of the heap and a count. */
typedef struct Nesting {
    Workspace *ws;
    TrackWork *work;
    Lane      *lanes; /* the first LANES_SEARCHED; in the scratch arena */
    uint32_t   lane_count, lane_capacity;
    LaneHeap   far;           /* the other lanes, by the end of their latest slice; numbered from 0 */
    VEC(HeapLane) far_memory; /* far.lanes */
    VEC(uint32_t) far_counts; /* slices of each far lane */
    WorkRow *rows;            /* of `lanes`, in order of creation; in the scratch arena */
    uint32_t row_count, row_capacity;
} Nesting;

/* Returns Interval.row of a slice on a far lane, until rows are numbered. */
static uint32_t far_row(uint32_t far_lane)
{
    return UINT32_MAX - far_lane;
}

/* Returns an array in the scratch arena with doubled capacity. NULL when out of memory. */
static void *grown(Workspace *ws, void *items, uint32_t *capacity, size_t item_size)
{
    uint32_t more = *capacity == 0 ? 16 : *capacity * 2;
    void    *copy = more <= *capacity ? NULL : arena_push(&ws->scratch, more, item_size);
    if (copy == NULL) {
        ws->failed = true;
        return NULL;
    }
    if (*capacity != 0) memcpy(copy, items, *capacity * item_size);
    *capacity = more;
    return copy;
}

/* Returns the row of a depth in a lane, created on first use. */
static uint32_t row_of(Nesting *n, uint32_t lane_index, uint32_t depth)
{
    Lane *lane = &n->lanes[lane_index];
    if (depth < lane->row_count) return lane->rows[depth];
    assert(depth == lane->row_count && depth < lane->capacity);
    if (n->row_count == n->row_capacity) {
        WorkRow *rows = (WorkRow *)grown(n->ws, n->rows, &n->row_capacity, sizeof(WorkRow));
        if (rows == NULL) return 0;
        n->rows = rows;
    }
    n->rows[n->row_count] = (WorkRow){ .lane = lane_index, .depth = depth };
    lane->rows[lane->row_count++] = n->row_count;
    return n->row_count++;
}

static bool lane_reserve(Nesting *n, Lane *lane)
{
    if (lane->depth + 1 < lane->capacity) return true; /* one more, for the row of an instant inside */
    uint32_t   capacity = lane->capacity;
    OpenSlice *open = (OpenSlice *)grown(n->ws, lane->open, &capacity, sizeof(OpenSlice));
    capacity = lane->capacity;
    uint32_t *rows = (uint32_t *)grown(n->ws, lane->rows, &capacity, sizeof(uint32_t));
    if (open == NULL || rows == NULL) return false;
    lane->open = open;
    lane->rows = rows;
    lane->capacity = capacity;
    return true;
}

/* True if an empty slice at the end of another is inside it. For slices made of begin and end events, the order of the
 * events decides; otherwise an unfinished slice contains it, and so does an empty slice of the same tick. */
static bool holds_at_its_end(const OpenSlice *top, const Interval *empty, TieRule ties)
{
    if (empty->place & top->place & INTERVAL_PAIRED) return empty->row > top->level;
    if (top->place & SLICE_UNFINISHED) return true;
    if (ties == TIES_LATER_OUTSIDE) return place_offset(empty->place) < place_offset(top->place);
    return top->begin == empty->begin;
}

/* Removes the slices that end at the interval's begin or before. */
static void lane_pop_ended(Lane *lane, const Interval *interval, TieRule ties)
{
    bool empty = interval->end == interval->begin;
    while (lane->depth > 0) {
        const OpenSlice *top = &lane->open[lane->depth - 1];
        if (top->end > interval->begin) return;
        if (empty && top->end == interval->begin && holds_at_its_end(top, interval, ties)) return;
        lane->depth--;
    }
}

static bool lane_takes(const Lane *lane, const Interval *interval)
{
    return lane->depth == 0 || interval->end <= lane->open[lane->depth - 1].end;
}

static void lane_push(Nesting *n, uint32_t lane_index, Interval *interval)
{
    Lane *lane = &n->lanes[lane_index];
    if (!lane_reserve(n, lane)) return;
    OpenSlice open = { interval->begin, interval->end, interval->place, interval->row };
    interval->row = row_of(n, lane_index, lane->depth);
    if (n->ws->failed) return;
    n->rows[interval->row].slice_count++;
    lane->open[lane->depth++] = open;
}

static bool lane_add(Nesting *n)
{
    if (n->lane_count == n->lane_capacity) {
        Lane *lanes = (Lane *)grown(n->ws, n->lanes, &n->lane_capacity, sizeof(Lane));
        if (lanes == NULL) return false;
        n->lanes = lanes;
    }
    n->lanes[n->lane_count++] = (Lane){ .open = NULL };
    return true;
}

/* Appends a far lane, which is free from `free_at` on. */
static bool far_lane_add(Nesting *n, int64_t free_at, uint32_t slice_count)
{
    vec_push(&n->far_counts, slice_count);
    if (n->far_counts.bytes.failed || vec_add(&n->far_memory) == NULL) {
        n->ws->failed = true;
        return false;
    }
    n->far.lanes = n->far_memory.items;
    lane_heap_push(&n->far, (HeapLane){ free_at, n->far.count });
    return true;
}

/* Puts the slice into the far lane that has been free longest, or into a new one. */
static void place_in_far_lane(Nesting *n, Interval *interval)
{
    if (n->far.count > 0 && n->far.lanes[0].free_at <= interval->begin) {
        const uint32_t lane = n->far.lanes[0].lane;
        interval->row = far_row(lane);
        n->far_counts.items[lane]++;
        lane_heap_take_first(&n->far, interval->end);
        return;
    }
    interval->row = far_row(n->far.count);
    (void)far_lane_add(n, interval->end, 1);
}

static void warn_overlap(Nesting *n, const Interval *interval)
{
    if (n->work->thread->is_states)
        workspace_warn(n->ws, n->work, "overlapping-states", place_offset(interval->place), interval->event,
                       "a thread is in two states at once: the later one is shown on a lane of its own");
    else
        workspace_warn(n->ws, n->work, "overlapping-slices", place_offset(interval->place), interval->event,
                       "a slice overlaps another of its thread without nesting: shown on a lane of its own");
}

static void place_in_overflow_lane(Nesting *n, Interval *interval)
{
    if (!n->work->overlaps_are_fine && n->ws->builder->rules.overlaps == OVERLAPS_REPORTED)
        warn_overlap(n, interval);
    for (uint32_t i = 1; i < n->lane_count; i++) {
        Lane *lane = &n->lanes[i];
        lane_pop_ended(lane, interval, n->ws->builder->rules.ties);
        if (!lane_takes(lane, interval)) continue;
        lane_push(n, i, interval);
        return;
    }
    if (n->lane_count == LANES_SEARCHED) {
        place_in_far_lane(n, interval);
    } else if (lane_add(n)) {
        lane_push(n, n->lane_count - 1, interval);
    }
}

/* True if an instant at `tick` is inside a slice that begins there or before. An unfinished slice goes on after the last event. */
static bool holds_instant(const OpenSlice *slice, int64_t tick)
{
    return slice->end > tick || (slice->end == tick && (slice->place & SLICE_UNFINISHED));
}

/* Places an instant inside the open slices of the thread's own lane. */
static void place_instant(Nesting *n, InstantPlace *instant)
{
    Lane *lane = &n->lanes[0];
    while (lane->depth > 0 && !holds_instant(&lane->open[lane->depth - 1], instant->mark.tick))
        lane->depth--;
    if (!lane_reserve(n, lane)) return;
    instant->row = row_of(n, 0, lane->depth);
    if (!n->ws->failed) n->rows[instant->row].instant_count++;
}

/* Places the most frequent slices, from place `i` of the order on: of some length, inside the open slices of the thread's own lane, in
 * rows that exist. Returns the place of the first other slice, or of one that begins after `until`. */
static size_t place_quickly(Nesting *n, size_t i, int64_t until)
{
    const TrackWork *const work = n->work;
    Interval *const        intervals = work->intervals;
    const uint32_t *const order = work->order, *const rows = n->lanes[0].rows;
    WorkRow *const   all_rows = n->rows;
    Lane *const      lane = &n->lanes[0];
    OpenSlice *const open = lane->open;
    const size_t     count = work->interval_count, row_count = lane->row_count;
    size_t           depth = lane->depth;
    assert(row_count == 0 || row_count < lane->capacity);
    for (; i < count; i++) {
        Interval *const interval = &intervals[order == NULL ? i : order[i]];
        const int64_t   begin = interval->begin, end = interval->end;
        if (UNLIKELY(begin == end || begin > until)) break;
        while (depth > 0 && open[depth - 1].end <= begin)
            depth--;
        if (UNLIKELY(depth >= row_count)) break;
        if (depth > 0 && UNLIKELY(end > open[depth - 1].end)) break;
        open[depth] = (OpenSlice){ begin, end, interval->place, interval->row };
        const uint32_t row = rows[depth++];
        interval->row = row;
        all_rows[row].slice_count++;
    }
    lane->depth = (uint32_t)depth;
    return i;
}

/* Places a slice of any kind. */
static void place_slice(Nesting *n, Interval *interval)
{
    Lane *lane = &n->lanes[0];
    lane_pop_ended(lane, interval, n->ws->builder->rules.ties);
    if (LIKELY(lane_takes(lane, interval))) {
        lane_push(n, 0, interval);
    } else {
        place_in_overflow_lane(n, interval);
    }
}

static void place_all(Nesting *n)
{
    const TrackWork *work = n->work;
    InstantPlace    *instants = work->instants;
    const size_t     instant_count = work->instant_count;
    size_t           next = 0; /* of the instants */
    for (size_t i = 0; i < work->interval_count && !n->ws->failed; i++) {
        i = place_quickly(n, i, next < instant_count ? instants[next].mark.tick : INT64_MAX);
        if (i == work->interval_count) break;
        Interval *interval = work_interval(work, i);
        for (; next < instant_count && instants[next].mark.tick < interval->begin; next++)
            place_instant(n, &instants[next]);
        place_slice(n, interval);
    }
    for (; next < instant_count && !n->ws->failed; next++)
        place_instant(n, &instants[next]);
}

/* Numbers the rows by lane and depth; until then their numbers are in order of creation. */
static void number_rows(Nesting *n)
{
    Workspace *ws = n->ws;
    TrackWork *work = n->work;
    WorkRow   *rows = ARENA_ARRAY(&ws->scratch, WorkRow, n->row_count);
    uint32_t  *number = ARENA_ARRAY(&ws->scratch, uint32_t, n->row_count);
    if (rows == NULL || number == NULL) {
        ws->failed = true;
        return;
    }
    uint32_t next = 0;
    bool     is_in_order = true; /* of creation */
    for (uint32_t lane = 0; lane < n->lane_count; lane++) {
        for (uint32_t depth = 0; depth < n->lanes[lane].row_count; depth++) {
            uint32_t found = n->lanes[lane].rows[depth];
            is_in_order &= found == next;
            number[found] = next;
            rows[next++] = n->rows[found];
        }
    }
    const uint32_t far_count = n->far.count;
    for (size_t i = 0; (!is_in_order || far_count > 0) && i < work->interval_count; i++) {
        const uint32_t row = work->intervals[i].row;
        work->intervals[i].row =
            far_count > 0 && row > UINT32_MAX - far_count ? next + (UINT32_MAX - row) : number[row];
    }
    for (size_t i = 0; i < work->instant_count; i++)
        work->instants[i].row = number[work->instants[i].row];
    work->rows = rows;
    work->row_count = n->row_count + far_count;
    work->lane_count = n->lane_count + far_count;
    if (far_count == 0) return;
    work->far_count = far_count;
    work->far_slice_counts = vec_copy(&n->far_counts, &ws->results);
    if (work->far_slice_counts == NULL) ws->failed = true;
}

WorkRow work_row(const TrackWork *work, uint32_t index)
{
    assert(index < work->row_count);
    const uint32_t near_count = work->row_count - work->far_count;
    if (index < near_count) return work->rows[index];
    const uint32_t far_lane = index - near_count;
    return (WorkRow){ .lane = LANES_SEARCHED + far_lane, .slice_count = work->far_slice_counts[far_lane] };
}

/* Makes the lanes as they are where the nesting begins: without slices, or with those of TrackWork.open. */
static void make_lanes(Nesting *n)
{
    const TrackWork *work = n->work;
    do {
        if (!lane_add(n)) return;
    } while (n->lane_count < work->open_lanes && n->lane_count < LANES_SEARCHED);
    for (size_t i = 0; i < work->open_count; i++) {
        const NestOpen *open = &work->open[i];
        if (open->lane >= LANES_SEARCHED) {
            if (!far_lane_add(n, open->slice.end, 0)) return;
            continue;
        }
        Lane *lane = &n->lanes[open->lane];
        if (!lane_reserve(n, lane)) return;
        (void)row_of(n, open->lane, lane->depth);
        lane->open[lane->depth++] = open->slice;
    }
}

void nest_track(Workspace *ws, TrackWork *work)
{
    order_intervals(ws, work);
    order_instants(ws, work);
    Nesting nesting = { .ws = ws, .work = work };
    if (!ws->failed) make_lanes(&nesting);
    if (!ws->failed) place_all(&nesting);
    vec_release(&nesting.far_memory);
    if (!ws->failed) number_rows(&nesting);
    vec_release(&nesting.far_counts);
}
