#include "trace/make/flow_log.h"

#include "base/search.h"

#include <assert.h>

/* Limits on the lanes (overlapping slices) and levels (deep nesting) that are searched. */
enum { MOST_LANES = 64, MOST_LEVELS = 256 };

/* Rows of one lane, by depth. */
typedef struct Lane {
    const Row *rows;
    uint32_t   count;
} Lane;

static Lane lane_of(const Trace *trace, const Track *track, uint32_t track_index, uint32_t lane)
{
    const Row     *rows = &trace->rows[track->first_row];
    const uint32_t lane_count = track_lane_count(trace, track);
    if (LIKELY(lane_count == 1 && track_row_count(track) > 0 && rows->depth == 0))
        return (Lane){ rows, track_row_count(track) };
    uint32_t first = trace_find_row(trace, track_index, lane, 0),
             end = track->first_row + track_row_count(track);
    if (first == UINT32_MAX) return (Lane){ NULL, 0 };
    if (lane + 1 < lane_count) {
        uint32_t next = trace_find_row(trace, track_index, lane + 1, 0);
        if (next != UINT32_MAX) end = next;
    }
    return (Lane){ &trace->rows[first], end - first };
}

/* As ticks_lower_bound, searching from `near` in steps that double. */
static uint32_t find_far(const int64_t *ticks, uint32_t count, uint32_t near, int64_t tick)
{
    uint32_t low = near, high = near, step = 1; /* invariant: the bound is in [low, high] */
    if (near < count && ticks[near] < tick) {
        do {
            low = high + 1;
            high = count - high > step ? high + step : count;
            step *= 2;
        } while (high < count && ticks[high] < tick);
    } else {
        for (; low > 0 && ticks[low - 1] >= tick; step *= 2) {
            high = low - 1;
            low = low > step ? low - step : 0;
        }
    }
    return low + ticks_lower_bound(ticks + low, high - low, tick);
}

/* Returns the number of ticks that are at or before `tick`, searching from `near` (<= count), which is usually the
 * result or near it. */
static inline uint32_t bound_near(const int64_t *ticks, uint32_t count, uint32_t near, int64_t tick)
{
    enum { FEW = 8 };
    uint32_t bound = near;
    if (bound < count && ticks[bound] <= tick) {
        const uint32_t end = count - near < FEW ? count : near + FEW;
        do {
            bound++;
        } while (bound < end && ticks[bound] <= tick);
        if (LIKELY(bound < end || end == count)) return bound;
    } else {
        const uint32_t end = near < FEW ? 0 : near - FEW;
        while (bound > end && ticks[bound - 1] > tick)
            bound--;
        if (LIKELY(bound > end || end == 0)) return bound;
    }
    return tick == INT64_MAX ? count : find_far(ticks, count, bound, tick + 1);
}

/* As row_lower_bound, searching from the last result of the row. */
static uint32_t find_bound(FlowBinder *binder, const Row *row, int64_t tick)
{
    if (row->slice_count == 0 || tick == INT64_MIN) return 0;
    const uint32_t index = (uint32_t)(row - binder->trace->rows);
    RowHint       *hint = &binder->rows[index % FLOW_ROW_HINTS];
    const int64_t *ticks = binder->trace->slices.begin_tick + row->first_slice;
    const uint32_t near = hint->row_plus_one == index + 1 ? hint->bound : 0;
    *hint = (RowHint){ index + 1, bound_near(ticks, row->slice_count, near, tick - 1) };
    return hint->bound;
}

/* Returns the last slice of the row that begins before `tick`, or at it; FLOW_LOST if no slice does. */
typedef enum { BEGINS_BEFORE, BEGINS_BY } BeginRule;
static uint64_t last_begun(FlowBinder *binder, const Row *row, int64_t tick, BeginRule rule)
{
    if (rule == BEGINS_BY && tick == INT64_MAX && row->slice_count > 0)
        return row->first_slice + row->slice_count - 1;
    uint32_t after = find_bound(binder, row, rule == BEGINS_BY && tick < INT64_MAX ? tick + 1 : tick);
    return after == 0 ? FLOW_LOST : row->first_slice + after - 1;
}

/* Conditions on a row that nesting makes true for the rows down to some depth and false below. */
typedef enum {
    HOLDS_CLOSED, /* a slice that began at or before the tick ends at or after it */
    HOLDS_OPEN,   /* ... ends after it, or begins at it */
    HOLDS_BEFORE  /* a slice that began before the tick ends at or after it */
} HoldRule;

static bool row_holds(FlowBinder *binder, const Row *row, int64_t tick, HoldRule rule)
{
    const Trace *trace = binder->trace;
    uint64_t     slice = last_begun(binder, row, tick, rule == HOLDS_BEFORE ? BEGINS_BEFORE : BEGINS_BY);
    if (slice == FLOW_LOST) return false;
    int64_t end = trace_slice_end(trace, slice);
    if (rule == HOLDS_OPEN) return end > tick || trace_slice_begin(trace, slice) == tick;
    return end >= tick;
}

static uint32_t depth_held(FlowBinder *binder, const Lane *lane, int64_t tick, HoldRule rule)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, lane->count, i, row_holds(binder, &lane->rows[i], tick, rule));
    return low;
}

/* Returns the innermost slice at `tick`. A slice that begins there wins over one that goes on, and that over one that ends
 * there. */
static uint64_t find_enclosing(FlowBinder *binder, const Lane *lane, int64_t tick)
{
    const Trace *trace = binder->trace;
    if (lane->count == 1) { /* all three are the last slice that has begun */
        const uint64_t last = last_begun(binder, lane->rows, tick, BEGINS_BY);
        return last != FLOW_LOST && trace_slice_end(trace, last) >= tick ? last : FLOW_LOST;
    }
    uint32_t open = depth_held(binder, lane, tick, HOLDS_OPEN);
    uint64_t slice = FLOW_LOST;
    if (open > 0) slice = last_begun(binder, &lane->rows[open - 1], tick, BEGINS_BY);
    if (slice != FLOW_LOST && trace_slice_begin(trace, slice) == tick) return slice;
    uint32_t closed = depth_held(binder, lane, tick, HOLDS_CLOSED);
    return closed == 0 ? FLOW_LOST : last_begun(binder, &lane->rows[closed - 1], tick, BEGINS_BY);
}

/* Returns the next slice to begin: inside the innermost open slice, otherwise inside its parent, ... */
static uint64_t find_next(FlowBinder *binder, const Lane *lane, int64_t tick)
{
    const Trace *trace = binder->trace;
    uint32_t     depth = depth_held(binder, lane, tick, HOLDS_BEFORE);
    for (uint32_t steps = 0;; steps++) {
        if (steps == MOST_LEVELS) depth = 0;
        const Row *row = &lane->rows[depth];
        uint32_t   i = depth < lane->count ? find_bound(binder, row, tick) : 0;
        bool       has = depth < lane->count && i < row->slice_count;
        if (depth == 0) return has ? row->first_slice + i : FLOW_LOST;
        uint64_t around = last_begun(binder, &lane->rows[depth - 1], tick, BEGINS_BEFORE);
        if (has && trace_slice_begin(trace, row->first_slice + i) <= trace_slice_end(trace, around))
            return row->first_slice + i;
        depth--;
    }
}

/* True if `slice` is better than `best`, which are from different lanes. A slice that begins at the tick begins
 * latest. */
static bool is_better(const Trace *trace, FlowBinding binding, uint64_t slice, uint64_t best)
{
    int64_t begin = trace_slice_begin(trace, slice), best_begin = trace_slice_begin(trace, best);
    return binding == FLOW_BIND_NEXT ? begin < best_begin : begin > best_begin;
}

static NOINLINE void hint_begin(const Trace *trace, TrackHint *hint, uint32_t track_index, int64_t tick)
{
    const Track *track = &trace->tracks[track_index];
    const Lane   lane = lane_of(trace, track, track_index, 0);
    *hint = (TrackHint){ .track = track_index };
    if (lane.count == 0 || lane.rows->slice_count == 0) return;
    hint->count = lane.rows->slice_count;
    hint->first_slice = lane.rows->first_slice;
    hint->is_flat = track_row_count(track) == 1;
    hint->bound = ticks_lower_bound(trace->slices.begin_tick + hint->first_slice, hint->count, tick);
}

/* Returns the outermost slice at `tick`. At a boundary the slice that begins there wins over the slice that ends there.
 * Searches from the last result, by the distance of the last two results. */
static uint32_t find_outermost(const Trace *trace, TrackHint *hint, int64_t tick)
{
    const SliceColumns *slices = &trace->slices;
    if (hint->count == 0) return FLOW_LOST;
    const int64_t *ticks = slices->begin_tick + hint->first_slice;
    const uint32_t last = hint->bound, left = hint->count - last;
    const uint32_t near = last + (hint->step < left ? hint->step : left);
    const uint32_t behind = bound_near(ticks, hint->count, near, tick); /* the slices before it have begun */
    hint->bound = behind;
    hint->step = behind > last ? behind - last : 0;
    if (behind == 0) return FLOW_LOST;
    const uint64_t slice = hint->first_slice + behind - 1;
    const uint64_t passed = (uint64_t)tick - (uint64_t)ticks[behind - 1];
    const bool     holds = passed <= slices->duration[slice] || trace_slice_end(trace, slice) >= tick;
    return LIKELY(holds && slice < FLOW_LOST) ? (uint32_t)slice : FLOW_LOST;
}

static uint64_t find_in_lanes(FlowBinder *binder, const Track *track, uint32_t track_index,
                              FlowBinding binding, int64_t tick)
{
    const Trace   *trace = binder->trace;
    const uint32_t lane_count = track_lane_count(trace, track);
    uint64_t       best = FLOW_LOST;
    for (uint32_t i = 0; i < lane_count && i < MOST_LANES; i++) {
        Lane lane = lane_of(trace, track, track_index, i);
        if (lane.count == 0) continue;
        uint64_t slice =
            binding == FLOW_BIND_NEXT ? find_next(binder, &lane, tick) : find_enclosing(binder, &lane, tick);
        if (slice >= FLOW_LOST) continue;
        if (best == FLOW_LOST || is_better(trace, binding, slice, best)) best = slice;
    }
    return best;
}

uint32_t flow_find_slice(FlowBinder *binder, uint32_t track_index, FlowBinding binding, int64_t tick)
{
    const Trace *trace = binder->trace;
    TrackHint   *hint = &binder->tracks[track_index % FLOW_TRACK_HINTS];
    uint64_t     slice = FLOW_LOST;
    if (track_index == 0) return FLOW_LOST;
    if (UNLIKELY(hint->track != track_index)) hint_begin(trace, hint, track_index, tick);
    if (binding == FLOW_BIND_OUTERMOST || (binding == FLOW_BIND_ENCLOSING && hint->is_flat))
        return find_outermost(trace, hint, tick);
    if (binding == FLOW_BIND_ENCLOSING || binding == FLOW_BIND_NEXT)
        slice = find_in_lanes(binder, &trace->tracks[track_index], track_index, binding, tick);
    return slice < FLOW_LOST ? (uint32_t)slice : FLOW_LOST;
}

BoundEnd flow_bind(FlowBinder *binder, uint32_t track_index, FlowBinding binding, int64_t tick)
{
    const uint32_t slice = flow_find_slice(binder, track_index, binding, tick);
    const bool     moves = slice != FLOW_LOST && binding == FLOW_BIND_NEXT;
    return (BoundEnd){ .tick = moves ? trace_slice_begin(binder->trace, slice) : tick,
                       .ref = slice,
                       .is_bound = slice != FLOW_LOST };
}

/* ---- slices that are flow events themselves ---- */

static bool binds_to_slice(const FlowEvent *event)
{
    FlowBinding binding = (FlowBinding)(event->place >> FLOW_BINDING_SHIFT & 3);
    return binding == FLOW_BIND_SLICE;
}

static void find_slice(SlicesByOffset *found, uint64_t offset, uint64_t slice)
{
    const uint32_t at = id_map_find(&found->places, offset);
    if (at != 0 && found->slices[at] == FLOW_LOST && slice < FLOW_LOST) found->slices[at] = (uint32_t)slice;
}

/* Searches the slices of a row of a growing trace that begin at `tick` or later, up to and including `end`. */
static void look_through_row(const Trace *trace, const Row *row, int64_t tick, int64_t end,
                             SlicesByOffset *found)
{
    for (uint32_t i = row_lower_bound(trace, row, tick); i < row->slice_count; i++) {
        const uint64_t slice = row->first_slice + i;
        if (trace_slice_begin(trace, slice) > end) return;
        uint64_t offset;
        if (trace_slice_source(trace, slice, &offset)) find_slice(found, offset, slice);
    }
}

/* Finds the slices in a growing trace. Usually a slice begins on the thread and at the time of its event. If one does
 * not, searches all slices from the first such time on. */
static void find_grown_slices(const Finish *finish, const FlowMatches *matches, SlicesByOffset *found)
{
    const Trace *trace = finish->trace;
    int64_t      lost_from = INT64_MAX;
    for (size_t i = 0; i < matches->event_count; i++) {
        const FlowEvent *event = &matches->events[i];
        if (!binds_to_slice(event)) continue;
        const Track *track = &trace->tracks[finish->track_of[event->thread]];
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++)
            look_through_row(trace, &trace->rows[r], event->tick, event->tick, found);
        const bool is_lost = flow_slice_at(found, place_offset(event->place)) == FLOW_LOST;
        if (is_lost && event->tick < lost_from) lost_from = event->tick;
    }
    for (uint32_t r = 0; r < trace->row_count && lost_from < INT64_MAX; r++)
        look_through_row(trace, &trace->rows[r], lost_from, INT64_MAX, found);
}

/* Searches all slices of a complete trace. */
static void look_through_slices(const Trace *trace, SlicesByOffset *found)
{
    uint64_t source = 0;
    for (uint64_t slice = 0; source < trace->slices.source_count; slice++) {
        if (!(trace->slices.flags[slice] & SLICE_SOURCE)) continue;
        find_slice(found, slice_source_at(&trace->slices, source++), slice);
    }
}

bool flow_find_slices(Finish *finish, const FlowMatches *matches, SlicesByOffset *found)
{
    Arena *arena = &finish->builder->log_arena;
    size_t count = 0;
    for (size_t i = 0; i < matches->event_count; i++)
        count += binds_to_slice(&matches->events[i]);
    *found = (SlicesByOffset){ .places = { .arena = arena } };
    if (count == 0) return true;
    found->slices = ARENA_ARRAY(arena, uint32_t, count + 1);
    if (found->slices == NULL) return false;
    uint32_t place = 0;
    for (size_t i = 0; i < matches->event_count; i++) {
        const uint64_t offset = place_offset(matches->events[i].place);
        if (!binds_to_slice(&matches->events[i]) || id_map_find(&found->places, offset) != 0) continue;
        if (!id_map_put(&found->places, offset, ++place)) return false;
        found->slices[place] = FLOW_LOST;
    }
    const Trace *trace = finish->trace;
    if (finish->is_growing) find_grown_slices(finish, matches, found);
    look_through_slices(trace, found);
    return true;
}

uint32_t flow_slice_at(const SlicesByOffset *found, uint64_t offset)
{
    const uint32_t at = id_map_find(&found->places, offset);
    return at == 0 ? FLOW_LOST : found->slices[at];
}
